"""Columns that (nearly) follow from another one, found by their distances. PUBLIC.

If column a were a function of b, their distance from independence would be the diversity of
a, 1 - sum p_a^2, in total variation. If it is close, tables of a with others follow from b's
and need no measurement. Rows then draw a from b, which no mixture of few classes can do."""

import math
from collections.abc import Mapping

import numpy as np

from synth.estimate.assumptions import NEARLY_ALL
from synth.estimate.models.evidence import Evidence, diversity_of
from synth.estimate.models.junction import Clique
from synth.estimate.noisy.counts import NoisyMarginal
from synth.util import Floats


def followers(
    evidence: Evidence, measured: Mapping[Clique, NoisyMarginal] | None = None
) -> dict[int, int]:
    """Return the leader of each follower; followers of less diversity come later.

    Args:
        measured: Pairs that may identify a follower, which may then lead others. None before
            pairs are measured: every pair may, and no follower leads.
    """
    if evidence.is_linked:
        return {}  # distances are not from independence
    shares = _shares(evidence, measured)
    remaining = _in_order(evidence, shares, measured is not None)
    earlier: list[int] = []
    leaders: dict[int, int] = {}
    while remaining:
        column, leader = _nearest(shares, remaining, earlier)
        remaining.remove(column)
        if leader is not None:
            leaders[column] = leader
        if measured is not None or leader is None:
            earlier.append(column)
    return leaders


def _in_order(evidence: Evidence, shares: Floats, hubs: bool) -> list[int]:
    """Return the columns in the order in which they may lead others.

    The most diverse first. With hubs, the column that explains most comes first among nearly
    equal ones: measurements with another one would pass through noise twice.
    """
    diverse = np.array([diversity_of(column) for column in evidence.columns])
    if not hubs:
        return sorted(range(len(shares)), key=lambda a: -diverse[a])
    same = np.minimum(shares, shares.T) >= NEARLY_ALL
    largest_diversity = np.where(same, diverse, diverse[:, None]).max(axis=1)

    def order(column: int) -> tuple[float, float]:
        return -largest_diversity[column], -shares[:, column].sum()

    return sorted(range(len(shares)), key=order)


def _nearest(
    shares: Floats, remaining: list[int], earlier: list[int]
) -> tuple[int, int | None]:
    """Return the column that nearly follows an earlier one, and that; else the next and
    None.
    """
    if not earlier:
        return remaining[0], None
    part = shares[np.ix_(remaining, earlier)]
    a, b = np.unravel_index(int(part.argmax()), part.shape)
    return (remaining[a], earlier[b]) if part[a, b] >= NEARLY_ALL else (remaining[0], None)


def _shares(evidence: Evidence, measured: Mapping[Clique, NoisyMarginal] | None) -> Floats:
    """Return how nearly each column is determined by each other one, shape (columns,
    columns).

    The part of its diversity that each column shares with another; 0 where the noise may
    exceed what a follower may lack. The counts of measured pairs are used too.
    """
    diverse = [diversity_of(column) for column in evidence.columns]
    shares = np.zeros((len(diverse), len(diverse)))
    max_distance = 2 * max(evidence.total, 1.0)
    noise = evidence.distance_noise
    for (a, b), distance in evidence.distances.items():
        if measured is not None:
            if (a, b) not in measured:
                continue
            distance, noise = _measure(evidence, measured[a, b], (a, b))
        for follower, leader in ((a, b), (b, a)):
            full_distance = max_distance * diverse[follower]
            if noise < (1 - NEARLY_ALL) * full_distance:
                shares[follower, leader] = distance / full_distance
    return shares


def _measure(evidence: Evidence, noisy: NoisyMarginal, pair: Clique) -> tuple[float, float]:
    """Return a pair's distance from independence, and its standard error.

    The inverse-variance mean of the noisy distance and of the distance of the counts, in
    rows, whose repair removes about as much as it leaves open.
    """
    guess = evidence.product(pair)
    counts = evidence.repair(noisy, pair, guess)
    open_still = math.sqrt(2 / math.pi) * float(np.sqrt(counts.variance).sum())
    counted_distance = float(np.abs(counts.values - guess).sum()) + open_still
    counted_precision = 1 / max(open_still, 1.0) ** 2
    distance_precision = 1 / max(evidence.distance_noise, 1.0) ** 2
    precision = counted_precision + distance_precision
    counted_part = counted_distance * counted_precision
    mean = (counted_part + evidence.distances[pair] * distance_precision) / precision
    return mean, precision**-0.5


def measure_unexplained(evidence: Evidence) -> dict[Clique, float]:
    """Return each pair's L1 distance, in rows, from its expectation without measuring it.

    Independence, up to the diversity of either column; a follower's pairs follow from the
    leader. A misplaced row moves two cells."""
    if evidence.is_linked:
        return dict(evidence.distances)
    max_distance = 2 * max(evidence.total, 1.0)
    diverse = [max_distance * diversity_of(column) for column in evidence.columns]
    unexplained: dict[Clique, float] = {
        (a, b): min(distance, diverse[a], diverse[b])
        for (a, b), distance in evidence.distances.items()
    }
    for a, b in followers(evidence).items():
        loose = max(0.0, diverse[a] - evidence.distances[min(a, b), max(a, b)])
        for pair in unexplained:
            if a in pair and b not in pair:
                unexplained[pair] = min(unexplained[pair], loose)
    return unexplained
