"""The split of the budget between columns and pairs, by expected errors. PUBLIC.

An unmeasured pair errs by its distance from independence, a measured one by noise, and both
by their columns' errors. The split minimises the sum, over columns by trial, over pairs by
Lagrange (`synth.estimate.models.allocation.best_under`). Distances are noisy, or at first
those of usual tables of people."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from synth import limits
from synth.estimate.assumptions import ASSOCIATION, CONCENTRATED, assume_shares
from synth.estimate.models.allocation import (
    REPAIRED_NOISE_SHARE,
    SELECTION,
    Account,
    best_under_each,
    cost_levels,
    pair_errors,
)
from synth.estimate.models.evidence import Evidence
from synth.estimate.models.followers import measure_unexplained
from synth.estimate.models.junction import Clique, count_pairs_by_size, pick_pairs
from synth.util import Floats

# Possible shares of the budget for the distances of all pairs from independence.
SELECTIONS = (SELECTION, SELECTION / 2, SELECTION / 4, SELECTION / 8)
# Weight of an error in pairs with the column to be predicted.
PREDICTED_PAIR_WEIGHT = 10.0
# Possible shares of the rest for columns, if pairs are measured.
PERCENTS = (0, 2, 5, 10, 15, 22, 30, 40, 50, 65, 80)
# Errors of pairs by cost that are compared at once, for several shares of columns.
ERRORS_AT_ONCE = 1_000_000
# Most pairs in the sample that represents all before any is measured.
MAX_SAMPLED_PAIRS = 60


def split_again(
    account: Account,
    budget: Fraction,
    evidence: Evidence,
    *,
    open_pairs: Collection[Clique],
    predicted: int | None = None,
) -> tuple[Fraction, dict[Clique, Fraction]]:
    """Return what columns and pairs get of the rest of a budget, once distances are known.

    Args:
        account: Turns costs into noise.
        budget: The rest, in epsilon or rho.
        evidence: What was measured so far: columns, and the distances of pairs.
        open_pairs: The pairs that may be measured.
        predicted: The column to predict, if any: its pairs matter more.

    Returns:
        What all columns get together to be measured again; and what each chosen pair gets,
        empty if no pair is worth it.
    """
    pairs = evidence.pairs
    errors_before = column_errors(evidence.columns, evidence.variances)
    unexplained = measure_unexplained(evidence)
    distances = np.array([max(0.0, unexplained[pair]) for pair in pairs])
    # Without the part that is due to the columns' errors, as squared errors add up.
    distances = np.sqrt(np.maximum(distances**2 - _of_pairs(errors_before, pairs) ** 2, 0))
    amounts = cost_levels(float(budget))
    guesses = [evidence.guess(pair) for pair in pairs]
    errors = pair_errors(account, amounts, distances.tolist(), guesses=guesses)
    closed = [position for position, pair in enumerate(pairs) if pair not in open_pairs]
    errors[closed, 1:] = np.inf  # no measurement of these is worth its cost
    worth = np.array([PREDICTED_PAIR_WEIGHT if predicted in pair else 1.0 for pair in pairs])

    def of_columns(percent: int) -> Floats:
        """Return the error that both columns add to each pair, by the columns' share."""
        variances = _variances_after(account, budget * Fraction(percent, 100), evidence)
        return worth * _of_pairs(column_errors(evidence.columns, variances), pairs)

    errors *= worth[:, None]
    best = least_errors(float(budget), amounts, errors, of_columns=of_columns)
    if not best.amounts:  # no pair is worth its cost, so columns get all
        return budget, {}
    columns = budget * Fraction(best.percent, 100)
    costs = account.split(budget - columns, list(best.amounts.values()))
    return columns, {pairs[i]: cost for i, cost in zip(best.amounts, costs, strict=True)}


@dataclass(frozen=True, kw_only=True)
class LeastErrors:
    """The split of a budget with the least sum of errors.

    Attributes:
        percent: Share of the columns.
        amounts: For each pair, by position; empty if columns get all.
        error: The sum of errors.
        columns_only: The sum of errors if columns got all.
    """

    percent: int
    amounts: dict[int, float]
    error: float
    columns_only: float


def least_errors(
    budget: float,
    amounts: Floats,
    errors: Floats,
    *,
    of_columns: Callable[[int], Floats | float],
) -> LeastErrors:
    """Return the split of a budget between columns and pairs with the least sum of errors.

    Args:
        budget: The budget, in epsilon or rho.
        amounts: Epsilon or rho of each level, shape (levels,), ascending from 0.
        errors: Error of each pair by itself at each level, shape (pairs, levels).
        of_columns: Returns errors added by two columns, by their share in percent.
    """
    (best,) = least_errors_each(
        [budget],
        amounts,
        errors[:, 1:],
        unmeasured=[errors[:, 0]],
        of_columns=of_columns,
    )
    return best


def least_errors_each(
    budgets: Sequence[float],
    amounts: Floats,
    measured: Floats,
    *,
    unmeasured: Sequence[Floats],
    of_columns: Callable[[int], Floats | float],
) -> list[LeastErrors]:
    """Return the splits of `least_errors` for several budgets at once.

    Args:
        budgets: The budgets, in epsilon or rho.
        amounts: Epsilon or rho of each level, shape (levels,), ascending from 0.
        measured: Error of each pair by itself at each level above 0, shape (pairs, levels -
            1).
        unmeasured: For each budget, the error of each pair that is not measured.
        of_columns: Returns errors added by two columns, by their share in percent.
    """
    splits = []
    for errors in unmeasured:
        columns_only = float(np.hypot(errors, of_columns(100)).sum())
        splits.append(
            LeastErrors(
                percent=100, amounts={}, error=columns_only, columns_only=columns_only
            )
        )
    # Columns and other pairs help to repair measured pairs further.
    eased = REPAIRED_NOISE_SHARE * measured
    size = len(budgets) * len(measured) * len(amounts)
    together = max(1, ERRORS_AT_ONCE // max(1, size))
    for start in range(0, len(PERCENTS), together):
        percents = PERCENTS[start : start + together]
        shares = np.array([1 - percent / 100 for percent in percents])
        added = [np.reshape(of_columns(percent), (-1, 1)) for percent in percents]
        errors_at_levels = np.stack([np.hypot(eased, columns) for columns in added])
        errors_by_share = np.concatenate(
            [_put_unmeasured_first(errors, errors_at_levels, added) for errors in unmeasured]
        )
        budgets_by_share = np.concatenate([budget * shares for budget in budgets])
        levels_by_share = best_under_each(budgets_by_share, amounts, errors_by_share)
        for place, (share_errors, levels) in enumerate(
            zip(errors_by_share, levels_by_share, strict=True)
        ):
            budget_number, share_number = divmod(place, len(percents))
            best = splits[budget_number]
            error = float(share_errors[np.arange(len(levels)), levels].sum())
            if error < best.error:
                # Level 0 is that of an unmeasured pair.
                chosen = {i: float(amounts[level]) for i, level in enumerate(levels) if level}
                splits[budget_number] = replace(
                    best, percent=percents[share_number], amounts=chosen, error=error
                )
    return splits


def _put_unmeasured_first(
    unmeasured: Floats, errors_at_levels: Floats, added: Sequence[Floats]
) -> Floats:
    """Return errors of pairs at all levels, those of unmeasured pairs before the others.

    Args:
        unmeasured: Error of each unmeasured pair by itself, shape (pairs,).
        errors_at_levels: With the errors of columns, shape (shares, pairs, levels - 1).
        added: Errors added by two columns, for each of their shares, shape (pairs or 1, 1).
    """
    at_first = np.stack([np.hypot(unmeasured[:, None], columns) for columns in added])
    return np.concatenate([at_first, errors_at_levels], axis=2)


def column_errors(columns: Sequence[Floats], variances: Sequence[float]) -> Floats:
    """Return each repaired column's expected L1 error, in rows, shape (columns,).

    A cell is off by what repair leaves of the noise, or by its rows if these are fewer.

    Args:
        columns: Repaired counts of each column, shape (cells,).
        variances: Noise variance of each column's cells.
    """
    # Repair leaves the part `REPAIRED_NOISE_SHARE` of the mean size of normal noise.
    noises = [
        REPAIRED_NOISE_SHARE * math.sqrt(2 / math.pi * variance) for variance in variances
    ]
    columns_and_noises = zip(columns, noises, strict=True)
    return np.array(
        [float(np.minimum(noise, column).sum()) for column, noise in columns_and_noises]
    )


def _variances_after(account: Account, budget: Fraction, evidence: Evidence) -> list[float]:
    """Return each column's noise variance after it is measured once more with this budget.

    Args:
        account: Turns costs into noise.
        budget: What all columns cost together, in epsilon or rho; they may stay unmeasured.
        evidence: What was measured so far; it has the present variances.
    """
    if not budget:
        return evidence.variances
    fresh = [account.noise(cost).variance for cost in account.by_size(budget, evidence.shape)]
    # Costs add up: a variance is as 1 / epsilon^2 or 1 / rho. Two Laplace noises of one cell
    # are as one of both costs, as the second reduces the first.
    power = 0.5 if account.pure else 1.0
    return [
        (old**-power + new**-power) ** (-1 / power)
        for old, new in zip(evidence.variances, fresh, strict=True)
    ]


def _of_pairs(errors: Floats, pairs: Sequence[Clique]) -> Floats:
    """Return the summed error of both columns of each pair, shape (pairs,).

    Args:
        errors: Error of each column, shape (columns,).
        pairs: Numbers of the columns of each pair.
    """
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return np.asarray(errors[first] + errors[second])


# Before anything is measured.


@dataclass(frozen=True, kw_only=True)
class PairsProspect:
    """Expected mean L1 error of pairs, in rows, before an account is used.

    Attributes:
        pairs: If pairs are measured.
        columns_only: If columns get all.
        columns: Budget share, without the selection's, for columns if pairs are measured; 0
            if pairs are not worth it.
        selection: Budget share for the distances.
        measured: Share of the pairs that are worth measuring.
    """

    pairs: float
    columns_only: float
    columns: Fraction
    selection: Fraction
    measured: float


@lru_cache(maxsize=64)
def prospect(account: Account, shape: tuple[int, ...], rows: float) -> PairsProspect:
    """Return the likely errors of columns alone and of pairs on a usual table of this shape.

    A usual table has columns with power-law shares. Its pairs are assumed to be off
    independence by exponential distances. For each share of the budget that may be spent on
    noisy distances, the rest is split best between columns and pairs. A sample of at most
    `MAX_SAMPLED_PAIRS` pairs stands for all, with its part of the budget.

    Args:
        account: The whole budget.
        shape: Number of cells of every column.
        rows: Public or noisy number of rows; less than 1 counts as 1.
    """
    count, pairs = some_pairs(shape, limits.DENSE_CELLS)
    rows = max(rows, 1.0)
    # In rows: an association is in total variation, half the L1 distance over the rows.
    distances = 2 * ASSOCIATION * rows * exponential_values(len(pairs))
    budget = float(account.total) * len(pairs) / max(count, 1)
    amounts = cost_levels(budget)
    measured = _assume_errors_by_level(
        [(shape[a], shape[b]) for a, b in pairs], account.size_of_noise(amounts[1:]), rows
    )
    errors_of_columns = _assume_errors_by_percent(account, shape, rows)
    # The noise of the distances at the usual share; other shares have more or less.
    loud = 2 * rows * account.distance_error(account.total * SELECTION, count, rows)
    # Pairs are chosen by estimates of their distances, which noise draws to their mean.
    power = 1 if account.pure else 0.5
    estimated_distances = [
        _shrink(distances, loud * float(SELECTION / share) ** power) for share in SELECTIONS
    ]
    splits = least_errors_each(
        [budget * float(1 - share) for share in SELECTIONS],
        amounts,
        measured,
        unmeasured=estimated_distances,
        of_columns=lambda percent: _of_pairs(errors_of_columns[percent], pairs),
    )
    tried = dict(zip(SELECTIONS, splits, strict=True))
    columns_only = tried[SELECTION].columns_only / max(len(pairs), 1)
    paired = {
        share: best_split.error for share, best_split in tried.items() if best_split.amounts
    }
    if not paired:
        return PairsProspect(
            pairs=math.inf,
            columns_only=columns_only,
            columns=Fraction(0),
            selection=SELECTION,
            measured=0.0,
        )
    best = min(paired, key=paired.__getitem__)
    return PairsProspect(
        pairs=paired[best] / len(pairs),
        columns_only=columns_only,
        columns=Fraction(tried[best].percent, 100),
        selection=best,
        measured=len(tried[best].amounts) / len(pairs),
    )


def _assume_errors_by_level(
    sizes_of_pairs: Sequence[tuple[int, int]], noises: Floats, rows: float
) -> Floats:
    """Return the L1 error of each pair of a usual table at each noise, in rows.

    Args:
        sizes_of_pairs: Number of cells of both columns of each pair.
        noises: Mean absolute noise of a cell, in rows, shape (noises,).
        rows: Number of rows.

    Returns:
        The errors, shape (pairs, noises).
    """
    ordered = [(min(sizes), max(sizes)) for sizes in sizes_of_pairs]
    errors = _assume_errors_once(ordered, dict.fromkeys(ordered, noises), rows)
    return np.reshape(errors, (len(ordered), len(noises)))


def _assume_errors_by_percent(
    account: Account, shape: tuple[int, ...], rows: float
) -> dict[int, Floats]:
    """Return the L1 error of each column of a usual table, by its share of the budget.

    All shares that columns may get are looked at in one go, as a page asks for many.

    Args:
        account: The whole budget.
        shape: Number of cells of every column.
        rows: Number of rows.

    Returns:
        Errors in rows, shape (columns,), by percent: each of `PERCENTS`, and 100.
    """
    percents = (*PERCENTS, 100)
    # At least one percent, as noise is infinite without any.
    parts = [account.total * Fraction(max(percent, 1), 100) for percent in percents]
    noises_by_part = [account.noise_by_size(part, shape) for part in parts]
    columns = [(size,) for size in shape]
    noises_of_parts: dict[tuple[int, ...], Floats] = {
        (size,): np.array([noises[size] for noises in noises_by_part])
        for size in noises_by_part[0]
    }
    errors = np.array(_assume_errors_once(columns, noises_of_parts, rows))
    return dict(zip(percents, errors.T, strict=True))


def _assume_errors_once(
    tables: Sequence[tuple[int, ...]],
    noises: Mapping[tuple[int, ...], Floats],
    rows: float,
) -> list[Floats]:
    """Return the L1 errors of usual tables at several noises, in rows.

    Tables of the same sizes are looked at once.

    Args:
        tables: Number of cells of each column of each table.
        noises: Mean absolute noise of a cell, in rows, shape (noises,), by these numbers.
        rows: Number of rows.

    Returns:
        The errors of each table, shape (noises,).
    """
    errors = {sizes: assumed_errors(sizes, noises[sizes], rows) for sizes in {*tables}}
    return [errors[sizes] for sizes in tables]


def assumed_column_errors(
    noises: Mapping[int, float],
    shape: Sequence[int],
    rows: float,
    *,
    evenness: float = CONCENTRATED,
) -> Floats:
    """Return the L1 error of each column of a usual table, in rows, shape (columns,).

    Usual columns have power-law shares, whatever the real table is like.

    Args:
        noises: Mean absolute noise of a cell, in rows, by the column's number of cells.
        shape: Number of cells of every column.
        rows: Number of rows.
        evenness: How even long lists are, from 0 to 1.
    """
    error_by_size = {
        n: assumed_errors((n,), np.array([noise]), rows, evenness=evenness)[0]
        for n, noise in noises.items()
    }
    return np.array([error_by_size[size] for size in shape])


def assumed_errors(
    sizes: tuple[int, ...], noises: Floats, rows: float, *, evenness: float = CONCENTRATED
) -> Floats:
    """Return a usual marginal's expected L1 error, in rows, for each of some noises.

    It is of independent columns with power-law shares. A cell is off by what repair leaves of
    the noise, or by its rows if these are fewer.

    Args:
        sizes: Number of cells of each of its columns.
        noises: Mean absolute noise of a cell, in rows, shape (noises,), the result's shape.
        rows: Number of rows.
        evenness: How even long lists are, from 0 to 1.
    """
    if math.prod(sizes) == 1:  # all rows are in its one cell
        return np.zeros(len(noises))
    expected, alike = assume_shares(tuple(sorted(sizes)), evenness)
    return np.asarray(
        np.minimum(REPAIRED_NOISE_SHARE * noises[:, None], rows * expected) @ alike
    )


def _shrink(distances: Floats, noise: float) -> Floats:
    """Return distances moved towards their mean, as noise makes their estimates be.

    Args:
        distances: True distances, shape (pairs,), in rows.
        noise: Mean absolute noise on each, in rows.
    """
    variance = float(distances.var())
    # The square of a normal number's mean size is 2 / pi of its variance.
    true_share = variance / max(variance + math.pi / 2 * noise**2, 1e-300)
    return np.asarray(distances.mean() + true_share * (distances - distances.mean()))


@lru_cache(maxsize=256)
def some_pairs(shape: tuple[int, ...], most_cells: int) -> tuple[int, list[Clique]]:
    """Return how many pairs may be measured, and a random sample of these pairs.

    The sample has at most `MAX_SAMPLED_PAIRS` pairs, evenly by size.

    Args:
        shape: Number of cells of every column.
        most_cells: Pairs with more cells are left out.
    """
    numbers_by_size = count_pairs_by_size(shape)
    count = sum(number for size, number in numbers_by_size if size <= most_cells)
    step = max(1, -(-count // MAX_SAMPLED_PAIRS))  # rounded up
    return count, pick_pairs(shape, range(0, count, step))


def exponential_values(count: int) -> Floats:
    """Return values of an exponential law of mean 1, in an order unrelated to size.

    They are the law's quantiles at even steps, ordered by multiples of the golden ratio
    modulo 1.
    """
    ranks = (np.arange(count) * 0.6180339887 + 0.5) % 1.0
    # Twice sorted, the numbers become their ranks from 0 up: the quantiles' levels.
    even = (np.argsort(np.argsort(ranks)) + 0.5) / max(count, 1)
    values = -np.log1p(-even)
    return np.asarray(values / values.mean()) if count else values
