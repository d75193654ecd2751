"""Columns that follow from another one, or nearly: found by their distances. PUBLIC.

Were column a a function of column b, their distance from independence would be the diversity of
a, 1 - sum p_a^2, in total variation. Where it comes near that, every table of a with a third
column c follows from those of a with b and of b with c, so that it need not be measured; and rows
draw a from b, as no mixture of few classes can.
"""

import math
from collections.abc import Mapping

import numpy as np

from synth.estimate.models.evidence import Evidence, diversity_of
from synth.estimate.models.junction import Clique
from synth.estimate.noisy.counts import NoisyMarginal
from synth.util import Floats

COMMON_DIVERSITY = 0.9
"""Share of its diversity that a column must have in common with the one it follows."""
MIN_COMMON_DEVIATIONS = 16.0
"""Deviations of the noise on its distance, at least, that a column must have in common with it.
Were there fewer, noise would often make a column that has two thirds in common with another one
its follower, so that none of its pairs were measured."""


def followers(
    evidence: Evidence, measured: Mapping[Clique, NoisyMarginal] | None = None
) -> dict[int, int]:
    """The column that each follower follows, those of less diversity later.

    Args:
        evidence: Columns and distances are needed.
        measured: Pairs that may tell of a follower, which may then follow another one. None
            before pairs are measured: all may, and none follows a follower.
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
    """Columns that may lead, the most diverse first.

    Where hubs lead, the one that tells most of others comes first of those that are nearly the
    same: what was measured with it would reach the others through noise twice.
    """
    diverse = np.array([diversity_of(column) for column in evidence.columns])
    if not hubs:
        return sorted(range(len(shares)), key=lambda a: -diverse[a])
    same = np.minimum(shares, shares.T) >= COMMON_DIVERSITY
    most = np.where(same, diverse, diverse[:, None]).max(axis=1)
    return sorted(range(len(shares)), key=lambda a: (-most[a], -shares[:, a].sum()))


def _nearest(shares: Floats, left: list[int], earlier: list[int]) -> tuple[int, int | None]:
    """The column that follows best one of the earlier, and which; else the next, which leads."""
    if not earlier:
        return left[0], None
    part = shares[np.ix_(left, earlier)]
    a, b = np.unravel_index(int(part.argmax()), part.shape)
    return (left[a], earlier[b]) if part[a, b] >= COMMON_DIVERSITY else (left[0], None)


def _shares(evidence: Evidence, measured: Mapping[Clique, NoisyMarginal] | None) -> Floats:
    """What each column has in common with each other, of all it could have, (columns, columns).

    0 where noise alone may say so. A measured pair tells it by its counts too.
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
    """How far a measured pair is from independence, L1 in rows, and how far off that may be.

    That is the mean, by inverse variance, of its noisy distance and of that of its counts, whose
    repair holds back about as much as it leaves open.
    """
    guess = evidence.product(pair)
    counts = evidence.repair(noisy, pair, guess)
    open_still = math.sqrt(2 / math.pi) * float(np.sqrt(counts.variance).sum())
    known = float(np.abs(counts.values - guess).sum()) + open_still
    precise, other = 1 / max(open_still, 1.0) ** 2, 1 / max(evidence.distance_noise, 1.0) ** 2
    mean = (known * precise + evidence.distances[pair] * other) / (precise + other)
    return mean, (precise + other) ** -0.5


def measure_unexplained(evidence: Evidence) -> dict[Clique, float]:
    """How far each pair is from what is known without measuring it, L1 in rows.

    That is independence, and no more than the diversity of either column; of a follower, with all
    but the column it follows, what follows from that one. A row out of place moves two cells.
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
