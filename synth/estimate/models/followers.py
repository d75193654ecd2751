"""Columns that (nearly) follow from another one, found by their distances. PUBLIC.

If column a were a function of column b, their distance from independence would be the diversity of
a, 1 - sum p_a^2, in total variation. If it is close to that, every table of a with a third column c
follows from those of a with b and of b with c, so it need not be measured. Rows then draw a from b,
which no mixture of few classes can do.
"""

import math
from collections.abc import Mapping

import numpy as np

from synth.estimate.models.evidence import Evidence, diversity_of
from synth.estimate.models.junction import Clique
from synth.estimate.noisy.counts import NoisyMarginal
from synth.util import Floats

COMMON_DIVERSITY = 0.9
"""Share of its diversity that a follower must have in common with its leader."""
MIN_COMMON_DEVIATIONS = 16.0
"""The common part must be at least this many deviations of the distance's noise. With less, noise
would often make a follower of a column that has two thirds in common with another, and none of its
pairs would be measured.
"""


def followers(
    evidence: Evidence, measured: Mapping[Clique, NoisyMarginal] | None = None
) -> dict[int, int]:
    """Return the leader of each follower; followers of less diversity come later.

    Args:
        evidence: With columns and distances.
        measured: Pairs that may identify a follower, which may then lead others. None before pairs
            are measured: every pair may, and no follower leads.
    """
    if evidence.public is not None:
        return {}  # distances are not from independence
    shares = _shares(evidence, measured)
    left = _in_order(evidence, shares, measured is not None)
    earlier: list[int] = []
    found: dict[int, int] = {}
    while left:
        column, leader = _nearest(shares, left, earlier)
        left.remove(column)
        if leader is not None:
            found[column] = leader
        if measured is not None or leader is None:
            earlier.append(column)
    return found


def _in_order(evidence: Evidence, shares: Floats, hubs: bool) -> list[int]:
    """Return the columns that may lead, the most diverse first.

    With hubs, the column that explains most comes first among those that are nearly the same:
    measurements with another one would pass through noise twice.
    """
    diverse = np.array([diversity_of(column) for column in evidence.columns])
    if not hubs:
        return sorted(range(len(shares)), key=lambda a: -diverse[a])
    same = np.minimum(shares, shares.T) >= COMMON_DIVERSITY
    most = np.where(same, diverse, diverse[:, None]).max(axis=1)
    return sorted(range(len(shares)), key=lambda a: (-most[a], -shares[:, a].sum()))


def _nearest(shares: Floats, left: list[int], earlier: list[int]) -> tuple[int, int | None]:
    """Return the column that best follows an earlier one, and that one; otherwise the next leader.
    """
    if not earlier:
        return left[0], None
    part = shares[np.ix_(left, earlier)]
    a, b = np.unravel_index(int(part.argmax()), part.shape)
    return (left[a], earlier[b]) if part[a, b] >= COMMON_DIVERSITY else (left[0], None)


def _shares(evidence: Evidence, measured: Mapping[Clique, NoisyMarginal] | None) -> Floats:
    """Return what each column has in common with each other, as a share, shape (columns, columns).

    0 if it may be noise. For a measured pair its counts are used too.
    """
    diverse = [diversity_of(column) for column in evidence.columns]
    found, most = np.zeros((len(diverse), len(diverse))), 2 * max(evidence.total, 1.0)
    noise = evidence.distance_noise
    for (a, b), distance in evidence.distances.items():
        if measured is not None:
            if (a, b) not in measured:
                continue
            distance, noise = _measure(evidence, measured[a, b], (a, b))
        if distance > MIN_COMMON_DEVIATIONS * noise:
            for one, other in ((a, b), (b, a)):
                found[one, other] = distance / most / max(diverse[one], 1e-9)
    return found


def _measure(evidence: Evidence, noisy: NoisyMarginal, pair: Clique) -> tuple[float, float]:
    """Return the L1 distance of a measured pair from independence, in rows, and its error.

    It is the inverse-variance mean of its noisy distance and the distance of its counts, whose
    repair removes about as much as it leaves open.
    """
    guess = evidence.product(pair)
    counts = evidence.repair(noisy, pair, guess)
    open_still = math.sqrt(2 / math.pi) * float(np.sqrt(counts.variance).sum())
    known = float(np.abs(counts.values - guess).sum()) + open_still
    precise, other = 1 / max(open_still, 1.0) ** 2, 1 / max(evidence.distance_noise, 1.0) ** 2
    mean = (known * precise + evidence.distances[pair] * other) / (precise + other)
    return mean, (precise + other) ** -0.5


def measure_unexplained(evidence: Evidence) -> dict[Clique, float]:
    """Return the L1 distance of each pair, in rows, from what is known without measuring it.

    That is independence, up to the diversity of either column. For a follower with any column but
    its leader, it follows from the leader. A misplaced row moves two cells.
    """
    if evidence.public is not None:
        return dict(evidence.distances)
    most = 2 * max(evidence.total, 1.0)
    diverse = [most * diversity_of(column) for column in evidence.columns]
    left: dict[Clique, float] = {
        (a, b): min(distance, diverse[a], diverse[b])
        for (a, b), distance in evidence.distances.items()
    }
    for a, b in followers(evidence).items():
        loose = max(0.0, diverse[a] - evidence.distances[min(a, b), max(a, b)])
        for pair in left:
            if a in pair and b not in pair:
                left[pair] = min(left[pair], loose)
    return left
