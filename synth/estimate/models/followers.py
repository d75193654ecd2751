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
    """Return the columns that nearly follow from another one, each with that leader.

    A column follows from a leader that explains `NEARLY_ALL` of its diversity, the chance
    that two random rows differ in it.

    Args:
        evidence: What was measured so far, with the distances of pairs from independence.
        measured: Noisy counts of pairs. Only these pairs may then show a follower, which may
            lead others. None before pairs are measured: every pair may, and no follower
            leads.

    Returns:
        The leader's number by the follower's. Each follower comes after its leader. It is
        empty if distances are from a public table instead of independence.
    """
    if evidence.is_linked:
        return {}  # distances are from a public table, not from independence
    shares = _measure_explained(evidence, measured)
    if not (shares >= NEARLY_ALL).any():  # so nothing follows, whatever the order
        return {}
    order = np.array(_order_leaders(evidence, shares, measured is not None))
    shares = shares[order]  # from here on the followers' axis is in that order
    is_open = np.ones(len(order), dtype=bool)
    # How much the best of the columns that may lead explains of each, and that leader, the
    # earliest of several.
    explained = np.zeros(len(order))
    best_leader = np.full(len(order), -1)
    leaders: dict[int, int] = {}
    for _ in order:
        # The column best explained comes next. If none nearly follows, the first is next.
        place = int(np.where(is_open, explained, -1.0).argmax())
        follows = bool(explained[place] >= NEARLY_ALL)
        if not follows:
            place = int(is_open.argmax())
        column = int(order[place])
        is_open[place] = False
        if follows:
            leaders[column] = int(best_leader[place])
        # The columns that may lead later ones.
        if measured is not None or not follows:
            is_better = shares[:, column] > explained
            explained[is_better] = shares[is_better, column]
            best_leader[is_better] = column
    return leaders


def _order_leaders(evidence: Evidence, shares: Floats, hubs: bool) -> list[int]:
    """Return all column numbers in the order in which they may lead others.

    The most diverse come first: those in which two random rows most often differ.

    Args:
        evidence: What was measured so far.
        shares: How much of each column's diversity each other one explains, as
            `_measure_explained` returns it.
        hubs: Whether, among columns that nearly determine each other, the one that explains
            most of all others comes first. Others would be reached through noise twice.
    """
    diverse = np.array([diversity_of(column) for column in evidence.columns])
    if not hubs:
        return sorted(range(len(shares)), key=lambda a: -diverse[a])
    same = np.minimum(shares, shares.T) >= NEARLY_ALL  # each nearly follows from the other
    # Such columns count as equally diverse, so that what they explain decides.
    largest_diversity = np.where(same, diverse, diverse[:, None]).max(axis=1)

    def order(column: int) -> tuple[float, float]:
        """Return the sort key: most diverse first, then by what the column explains."""
        return -largest_diversity[column], -shares[:, column].sum()

    return sorted(range(len(shares)), key=order)


def _measure_explained(
    evidence: Evidence, measured: Mapping[Clique, NoisyMarginal] | None
) -> Floats:
    """Return how nearly each column is determined by each other one.

    The diversity of a column is the chance that two random rows differ in it. If a column is
    a function of another one, their L1 distance from independence is twice the rows times its
    diversity.

    Args:
        evidence: What was measured so far, with the distances of pairs from independence.
        measured: Noisy counts of pairs. Only these pairs count then, by distance and counts;
            None to use the distances of all pairs.

    Returns:
        The part of the row's column's diversity that the column's column explains, shape
        (columns, columns): shares[follower, leader]. It is 0 where the noise may exceed what
        a follower may lack.
    """
    diverse = [diversity_of(column) for column in evidence.columns]
    shares = np.zeros((len(diverse), len(diverse)))
    max_distance = 2 * max(evidence.total, 1.0)
    noise = evidence.distance_noise
    for (a, b), distance in evidence.distances.items():
        if measured is not None:
            if (a, b) not in measured:
                continue
            distance, noise = _measure_distance(evidence, measured[a, b], (a, b))
        for follower, leader in ((a, b), (b, a)):
            # How far the pair would be if the leader determined the follower.
            full_distance = max_distance * diverse[follower]
            if noise < (1 - NEARLY_ALL) * full_distance:
                shares[follower, leader] = distance / full_distance
    return shares


def _measure_distance(
    evidence: Evidence, noisy: NoisyMarginal, pair: Clique
) -> tuple[float, float]:
    """Return a measured pair's L1 distance from independence, and its standard error.

    Both are in rows. The distance is the mean of the noisy distance and of the distance of
    the noisy counts, weighted by inverse variance.

    Args:
        evidence: What was measured so far.
        noisy: Noisy counts of the pair.
        pair: Numbers of its columns.
    """
    guess = evidence.product(pair)
    counts = evidence.repair(noisy, pair, guess)
    # Repair brings counts nearer to independence by about as much as it leaves uncertain.
    # That is the mean size of normal errors of these variances, summed over the cells.
    repair_effect = math.sqrt(2 / math.pi) * float(np.sqrt(counts.variance).sum())
    counted_distance = float(np.abs(counts.values - guess).sum()) + repair_effect
    counted_precision = 1 / max(repair_effect, 1.0) ** 2
    distance_precision = 1 / max(evidence.distance_noise, 1.0) ** 2
    precision = counted_precision + distance_precision
    counted_part = counted_distance * counted_precision
    mean = (counted_part + evidence.distances[pair] * distance_precision) / precision
    return mean, precision**-0.5


def measure_unexplained(evidence: Evidence) -> dict[Clique, float]:
    """Return each pair's L1 distance from what would be expected without measuring it.

    Pairs count as independent. They are off by no more than either column's diversity allows,
    the chance that two random rows differ in it. The pairs of a column that nearly follows
    from another one, its leader, are expected by way of the leader.

    Args:
        evidence: What was measured so far, with the distances of all pairs.

    Returns:
        The distance in rows by pair; a misplaced row counts twice, once in each cell.
    """
    if evidence.is_linked:  # a public table is the guess, and distances are from it
        return dict(evidence.distances)
    max_distance = 2 * max(evidence.total, 1.0)
    diverse = [max_distance * diversity_of(column) for column in evidence.columns]
    unexplained: dict[Clique, float] = {
        (a, b): min(distance, diverse[a], diverse[b])
        for (a, b), distance in evidence.distances.items()
    }
    for a, b in followers(evidence).items():
        # What the leader b leaves unexplained of a bounds the error of all pairs of a.
        left_unexplained = max(0.0, diverse[a] - evidence.distances[min(a, b), max(a, b)])
        for pair in unexplained:
            if a in pair and b not in pair:
                unexplained[pair] = min(unexplained[pair], left_unexplained)
    return unexplained
