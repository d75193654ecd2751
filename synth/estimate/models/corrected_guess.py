"""The error of a public guess, and its consequences: budget shares, and pairs without it.

It uses only noisy numbers from the door. PUBLIC.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from synth.estimate.assumptions import ASSOCIATION, NEARLY_ALL
from synth.estimate.models.allocation import Account, cost_levels, pair_errors
from synth.estimate.models.evidence import Evidence, believed_total
from synth.estimate.models.junction import Clique, cells
from synth.estimate.models.public_guess import PublicGuess
from synth.estimate.models.splitting import PERCENTS, least_errors, prospect
from synth.estimate.names import APART, AS_IT_STANDS, DISTANCES, Method
from synth.estimate.noisy.record import Spend
from synth.noise import Mechanism
from synth.privacy import GRID
from synth.util import Floats

# Least share of a pair's error left by right columns; without it a far table is followed.
MIN_LINK_ERROR_SHARE = 0.5


def distance_from_public(spend: Spend, pairs: int) -> float:
    """Return the pairs' mean L1 distance from the public table, in rows, at least 0.

    The noise's mean size is subtracted.

    Args:
        spend: The payment for the noisy sum of all distances, in steps of 1 / `GRID`.
        pairs: Number of pairs in the sum.
    """
    noise = _noise_of(spend).mean_absolute / GRID / pairs
    noisy_distance = spend.values[0] / GRID / pairs
    return max(0.0, noisy_distance - noise)


def distance_by_chance(public: PublicGuess, pairs: Sequence[Clique], total: float) -> float:
    """Return the mean L1 distance, in rows, of pairs that differ by chance alone.

    `PublicGuess.chance_distance` gives that distance for each pair.

    Args:
        public: The public table.
        pairs: Pairs of columns that it covers.
        total: Rows of the private table, which is public or noisy.
    """
    return float(np.mean([public.chance_distance(pair, total) for pair in pairs]))


class _Covered(NamedTuple):
    """What a public table can guess of the private one.

    Attributes:
        public: The public table.
        pairs: The pairs of columns that it has.
        total: Rows of the private table, public or noisy.
    """

    public: PublicGuess
    pairs: list[Clique]
    total: float


def _covered_by(evidence: Evidence) -> _Covered:
    """Return the public table of a release, with what it can guess."""
    public = evidence.public
    assert public is not None
    return _Covered(public, public.select_known(evidence.pairs), evidence.total)


def histogram_is_nearer(account: Account, evidence: Evidence) -> bool:
    """Return whether a histogram of all columns gives better pairs than a good guess.

    A good guess differs from the private table by chance alone.

    Args:
        account: The whole budget, as epsilon, that the histogram would cost.
        evidence: What was measured so far, with a public table.
    """
    public, pairs, total = _covered_by(evidence)
    all_cells = cells(evidence.shape, range(len(evidence.shape)))
    noise = account.noise(account.total).mean_absolute
    # L1 errors. A pair of n cells sums all_cells / n in each, whose noise grows by the root;
    # n times that is the root of all_cells * n.
    pair_errors_by_histogram = [
        math.sqrt(all_cells * cells(evidence.shape, pair)) * noise for pair in pairs
    ]
    return float(np.mean(pair_errors_by_histogram)) <= distance_by_chance(
        public, pairs, total
    )


@dataclass(frozen=True)
class Prospect:
    """The expected result of a way to spend the budget.

    Attributes:
        account: The budget, as epsilon or rho.
        share: Share of the budget for columns.
        error: Mean L1 distance of pairs, in rows.
    """

    account: Account
    share: Fraction
    error: float


class Allowance(NamedTuple):
    """A way to spend a budget.

    Attributes:
        account: The budget, as epsilon or rho.
        left: What is left of it.
    """

    account: Account
    left: Fraction


def with_guess(budgets: Sequence[Allowance], evidence: Evidence, distance: float) -> Prospect:
    """Return the best way to spend a budget around a guess, of equal ones the first.

    The guess is a public table of the same columns. A way is a budget, as epsilon or rho, and
    its split between columns and pairs; the best has the least expected error of pairs.

    Args:
        budgets: Accounts that may be spent, with what is left of each.
        evidence: What was measured so far, with a public table.
        distance: Mean L1 distance of pairs from the public table, in rows, as measured with
            noise.
    """
    prospects = [
        _split(account, budget, evidence, distance=distance) for account, budget in budgets
    ]
    return min(prospects, key=lambda expected: expected.error)


def _split(
    account: Account, budget: Fraction, evidence: Evidence, *, distance: float
) -> Prospect:
    """Return the best split of a budget between columns and pairs around a public table.

    Unmeasured, a column is off by the drift that is assumed of it, and a pair by the drifts
    of its columns and of their link. Measured, both have errors of noise.

    Args:
        account: Turns costs into noise.
        budget: What is left of it, in epsilon or rho.
        evidence: What was measured so far, with a public table.
        distance: Mean L1 distance of pairs from the public table, in rows.
    """
    public, pairs, total = _covered_by(evidence)
    # How many times chance the public table is off, and so what drift to expect of a column.
    times_chance = max(1.0, distance / distance_by_chance(public, pairs, total))
    drift = {
        column: times_chance * public.chance_distance((column,), total)
        for column in public.codes
    }
    # The error of an unmeasured pair whose columns are right: its own drift, less theirs.
    link_errors = [
        _link_error(times_chance * public.chance_distance((a, b), total), drift[a], drift[b])
        for a, b in pairs
    ]
    guesses = [
        _doubt_guess(public.shares(pair) * total, evidence, distance) for pair in pairs
    ]
    # The columns of each pair, two arrays of shape (pairs,).
    first, second = np.array(pairs).T
    # The error of a column that is not measured again.
    column_drift = np.array([drift.get(column, 0.0) for column in range(len(evidence.shape))])
    amounts = cost_levels(float(budget))

    def of_columns(percent: int) -> Floats:
        """Return the error that both columns add to each pair, by the columns' share.

        A column is off by noise and drift combined, about the smaller of the two.
        """
        column_budget = budget * Fraction(max(percent, 1), 100)
        noises = account.noise_by_size(column_budget, evidence.shape)
        noise_errors = np.array([noises[size] * size for size in evidence.shape])
        # noise * drift / sqrt(noise^2 + drift^2): of the two, the smaller decides.
        relative = noise_errors / np.maximum(column_drift, 1e-9)
        column_errors = noise_errors / np.hypot(1.0, relative)
        return np.asarray(np.hypot(column_errors[first], column_errors[second]))

    errors = pair_errors(account, amounts, link_errors, guesses=guesses)
    # Its errors are sums over all pairs.
    best = least_errors(float(budget), amounts, errors, of_columns=of_columns)
    # All pairs being off as much, as has to be assumed of a guess, seems to ask for all of
    # them to be measured. Of real tables some pairs are off far more, and those are measured.
    without_guess_error = prospect(account, evidence.shape, total).pairs
    with_pairs_error = min(best.error / len(pairs), without_guess_error)
    columns_only_error = best.columns_only / len(pairs)
    if with_pairs_error < NEARLY_ALL * columns_only_error:
        # Columns get at least one percent, as `of_columns` expects their errors; and no more
        # than the largest share that leaves something to pairs.
        percent = min(max(best.percent, 1), PERCENTS[-1])
        return Prospect(account, Fraction(percent, 100), best.error / len(pairs))
    return Prospect(account, Fraction(1), columns_only_error)


def _link_error(pair: float, first: float, second: float) -> float:
    """Return the L1 error of an unmeasured pair once its columns are right, in rows.

    Squared errors add up, so those of the columns are subtracted; at least
    `MIN_LINK_ERROR_SHARE` of the pair's error remains.

    Args:
        pair: L1 error of the pair in the public table.
        first: L1 error of its first column there.
        second: L1 error of its second column there.
    """
    without_columns = math.sqrt(max(pair**2 - first**2 - second**2, 0.0))
    return max(without_columns, MIN_LINK_ERROR_SHARE * pair)


def without_guess(budgets: Sequence[Allowance], evidence: Evidence) -> float:
    """Return the mean L1 error of pairs, in rows, to expect if the guess is dropped.

    Args:
        budgets: Accounts that may be spent, with what is left of each; the best counts.
        evidence: What was measured so far.
    """
    errors = []
    for account, _ in budgets:
        expected = prospect(account, evidence.shape, evidence.total)
        errors.append(min(expected.pairs, expected.columns_only))
    return min(errors)


def _doubt_guess(guess: Floats, evidence: Evidence, distance: float) -> Floats:
    """Return the guess mixed with the uniform table, by how far it may be off.

    As many rows as the guess is off may be in any cell. Otherwise a bad guess would be
    trusted about empty cells, and their noise would seem to cost nothing.

    Args:
        guess: Expected rows by cell of a pair, which is the result's shape.
        evidence: What was measured so far; it has the number of rows.
        distance: Mean L1 distance of pairs from the public table, in rows.
    """
    part = min(1.0, distance / (2 * max(evidence.total, 1.0)))
    return np.asarray((1 - part) * guess + part * evidence.total / guess.size)


def presume_distances(evidence: Evidence, mean: float) -> None:
    """Set the distances of pairs from their guess, without having measured each.

    Pairs of the public table differ in proportion to chance, so that they have the given
    mean. Others have the usual distance from independence.

    Args:
        evidence: What was measured so far; its distances are replaced.
        mean: Mean L1 distance of pairs from the public table, in rows. At least half of the
            mean by chance is used.
    """
    public, covered_pairs, total = _covered_by(evidence)
    least = distance_by_chance(public, covered_pairs, total)
    times_chance = max(mean, least / 2) / max(least, 1e-9)
    evidence.distances = {}
    for pair in evidence.pairs:
        if public.covers(pair):
            evidence.distances[pair] = times_chance * public.chance_distance(pair, total)
        else:
            # An association in total variation, which is half the L1 distance over the rows.
            evidence.distances[pair] = 2 * ASSOCIATION * total


def recall(evidence: Evidence, spends: Sequence[Spend], strategy: str) -> None:
    """Repeat the decisions about a public guess, as the record of a release shows them.

    Another strategy, or distances from independence, show that the guess was dropped.

    Args:
        evidence: All noisy counts of the release, with a public table; it is changed.
        spends: The release's payments, in order.
        strategy: The method that was used in the end.
    """
    assert evidence.public is not None
    # Payments for distances, by their words; those for histograms name columns.
    payments = {spend.what: spend for spend in spends if not spend.columns}
    if not evidence.find_links():
        return
    if AS_IT_STANDS not in payments or strategy != Method.ONE_SHOT or DISTANCES in payments:
        evidence.drop_guess()
    elif APART in payments:
        _recall_pairs(evidence, spends, payments[APART])
    else:
        # Only the sum of all distances was measured; a release then presumes half its mean.
        pairs = evidence.public.select_known(evidence.pairs)
        presume_distances(
            evidence, distance_from_public(payments[AS_IT_STANDS], len(pairs)) / 2
        )


def _recall_pairs(
    evidence: Evidence, spends: Sequence[Spend], distances_spend: Spend
) -> None:
    """Set the distances of pairs as they were estimated when they were measured.

    Estimates depend on the columns, so these are repaired as of that moment: from histograms
    that were paid for before the distances.

    Args:
        evidence: All noisy counts of the release; its distances, columns and total are
            changed.
        spends: The release's payments, in order.
        distances_spend: The payment for the distances, one of these.
    """
    measured = evidence.measured
    earlier_spends = spends[: list(spends).index(distances_spend)]
    # Each payment that names columns is for one histogram, in the same order.
    histograms = sum(bool(spend.columns) for spend in earlier_spends)
    evidence.measured = measured[:histograms]
    evidence.total = believed_total(evidence.shape, evidence.measured)
    evidence.repair_columns()
    evidence.take_distances(distances_spend.values, _noise_of(distances_spend))
    evidence.measured = measured


def _noise_of(spend: Spend) -> Mechanism:
    """Return the noise of a payment for numbers."""
    assert spend.mechanism is not None
    return spend.mechanism
