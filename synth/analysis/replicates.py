"""Tables like a release's own, each from its noisy counts with noise added again. PUBLIC.

Tables differ from one another as the release differs from the confidential table, so Rubin's
rules for missing data hold. A model's error about columns that were not measured together is
not covered."""
# After noise of the release's own law is added, the table is made from the counts like the
# release. Then its rows are fitted to these counts for few columns together: sums of many
# cells, whose errors stay local, without a common bias from the repair. Without new noise,
# tables would differ by the drawing only.

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import TypeVar

import numpy as np

from synth import limits
from synth.analysis.modelled import law_again, rake_table
from synth.analysis.release_view import complete_rows, source_of
from synth.errors import LimitError, ReleaseError
from synth.estimate import (
    RECIPES,
    ColumnSet,
    Distribution,
    Estimate,
    HistogramRecord,
    MarginalsRecord,
    NoisyCounts,
    PartedRows,
    Record,
    Redrawing,
    Rules,
    Target,
    Targets,
    believed_total,
    finish_again,
    fit_ranges,
    places,
    rake,
    read_means,
    repair_counts,
    weights,
)
from synth.noise import DiscreteLaplace
from synth.plans import Plan
from synth.rows import SyntheticTable, decode, draw_rows, value_laws
from synth.util import Floats, check_whole

_Known = TypeVar("_Known", HistogramRecord, MarginalsRecord)
MIN_TABLES = 2
"""One table has no spread."""
# Most columns of the sums that tables of a histogram keep; wider sums have cells with few
# rows.
WIDEST_SUMS = 3
# Most cells times sums for raking; beyond, only sums over the fewest columns are kept.
MAX_RAKED_CELLS = 10**8
# Repetitions of fitting a model's rows to the means that they miss.
ASKED_AGAIN = 3
# Share of the rows that is spread uniformly before raking, so that no cell stays empty.
UNIFORM_SHARE = 0.01


def fresh_seeds(tables: int) -> tuple[int, ...]:
    """Return a seed from the system's random source for each of so many tables.

    Raises:
        ArgumentError: The number is not a whole number from 2 up.
        LimitError: There are too many.

    >>> len(set(fresh_seeds(5)))
    5
    """
    check_whole(MIN_TABLES, tables=tables)
    if tables > limits.REPLICATES:
        raise LimitError(f"{tables:,} tables are more than the limit of {limits.REPLICATES}.")
    return tuple(int(np.random.SeedSequence().entropy) for _ in range(int(tables)))  # type: ignore[arg-type]


def check_replicable(plan: Plan, record: Record) -> None:
    """Check that more tables can be made from the noisy counts as the release was.

    Raises:
        ReleaseError: Counts below a threshold are not in the release, or its rows also come
            from a public table that is not in the bundle.
    """
    histogram = record.histogram
    strategy = record.strategy
    if histogram is not None and histogram.threshold is not None:
        raise ReleaseError(
            f"The release lists only noisy counts from {histogram.threshold} up, and noise "
            "that is drawn once more needs all of them: there are no replicates of it."
        )
    if plan.public is not None and strategy and RECIPES[strategy].settles:
        raise ReleaseError(
            "The rows were drawn around a public table, which is not in the bundle: there "
            "are no replicates of it."
        )


def replicate(plan: Plan, record: Record, rows: int, *, seed: int) -> SyntheticTable:
    """Return one table made from the release's noisy counts with noise added again.

    Args:
        plan: How the release was made.
        record: The public part of the release, with the noisy counts.
        rows: How many rows the table has.
        seed: Gives its noise, its drawing and its values.

    Raises:
        ReleaseError: The release has no replicates.
    """
    check_replicable(plan, record)
    rng = np.random.default_rng(seed)
    if record.histogram is not None:
        assert isinstance(record, HistogramRecord)
        noisy = _histogram(record.histogram, plan, rng)
        raked = _rake_sums(replace(record, noisy=noisy), repair_counts(noisy, plan.repair))
        return draw_rows(raked, rows, seed=seed, laws=value_laws(_moments_again(record, rng)))
    assert isinstance(record, MarginalsRecord)
    rules = plan.check_model(plan.domain)
    noisy_again = _marginals(record, rng)
    fitted = finish_again(plan, noisy_again, Redrawing(rows=rows, seed=rng, rules=rules))
    # Changes the drawn rows in place; `fitted.codes` are theirs.
    _settle(fitted.drawn, _targets(noisy_again, rules, rows), noisy_again)
    columns = list(np.ascontiguousarray(rules.enforce(fitted.codes, rng).T))
    laws = value_laws(_moments_again(noisy_again, rng))
    return decode(plan.domain, columns, seed=seed, order=rules.order, laws=laws)


def _sums(record: Record, sets: Iterable[ColumnSet]) -> Iterator[tuple[ColumnSet, Floats]]:
    """Yield each set of columns with its repaired counts, in the shape of its cells.

    Repaired counts are not negative and sum to the release's total.

    Args:
        sets: Columns by their numbers in the domain, ascending.
    """
    rows = complete_rows(record)
    total = max(1.0, record.total)
    for columns in sets:
        source = source_of(record, columns, rows)
        yield columns, fit_ranges(source.values.reshape(source.shape), total)


def _rake_sums(record: HistogramRecord, mended: Distribution) -> Distribution:
    """Return the repaired counts of a histogram raked to its sums over few columns.

    Raking (iterative proportional fitting) scales cells to given marginals: here of each set
    of up to three columns. If that is too much work, sets of the most columns are left out.

    Args:
        record: The public part of the release, with the noisy counts.
        mended: The repaired counts; its cells are the ones that are not empty.
    """
    shape = record.domain.shape
    size = record.domain.size
    # A little in every cell, as raking cannot fill an empty one.
    table = np.full(size, UNIFORM_SHARE * mended.weights.sum() / size)
    table[mended.cells] += mended.weights
    sets: list[ColumnSet] = []
    for width in range(min(len(shape), WIDEST_SUMS), 0, -1):
        sets += combinations(range(len(shape)), width)
    max_sets = max(1, MAX_RAKED_CELLS // size)
    sums_by_columns = dict(_sums(record, sets[-max_sets:]))  # sets of few columns are last
    raked = rake_table(table.reshape(shape), sums_by_columns).reshape(-1)
    return replace(mended, cells=np.arange(size), weights=raked)


def _targets(record: MarginalsRecord, rules: Rules, rows: int) -> Targets:
    """Return the counts that the rows of a repeated release should have.

    They are of all columns and pairs that were measured. Pairs are first made to agree with
    their columns, and combinations that the rules exclude are emptied.

    Args:
        record: The public part of the release, with noise drawn again.
        rules: On the values that columns may have together.
        rows: The number of rows, to which counts are scaled.

    Returns:
        From columns to their counts and to the weights of these, both in the cells' shape.
    """
    sets: set[ColumnSet] = set()
    for clique, _ in record.measured:
        sets.update(combinations(clique, 1))
        sets.update(combinations(clique, 2))
    sums = dict(_sums(record, sorted(sets)))
    targets = {}
    for columns, counts in sums.items():
        table = counts
        if len(columns) == 2:
            table = rake(counts.copy(), sums[columns[:1]], sums[columns[1:]])
        table = rules.clear(columns, table) * (rows / max(1.0, record.total))
        # The weights count the targets as exact, with a variance of 0.
        targets[columns] = Target(table, weights(Estimate(table, np.zeros_like(table))))
    return targets


def _settle(rows: PartedRows, targets: Targets, record: Record) -> None:
    """Change rows until their counts are near the targets, and correct what they still lack.

    For pairs of columns only differences of row numbers and of means are corrected, as single
    cells are noisy.

    Args:
        rows: Changed in place.
        targets: From columns to counts and to their weights, in the shape of the cells.
        record: Whose domain gives the columns.
    """
    rows.settle(targets)
    # For each column an orthonormal basis, shape (cells, 3 or fewer), on which a projection
    # keeps numbers of rows and means.
    mean_readers = [read_means(places(column)) for column in record.domain.columns]
    adjusted = dict(targets)
    for _ in range(ASKED_AGAIN):
        counts = rows.count(targets)
        for columns, (target, weight) in targets.items():
            gap = target - counts[columns]
            if len(columns) == 2:
                first_means, second_means = (mean_readers[column] for column in columns)
                gap = first_means @ (first_means.T @ gap @ second_means) @ second_means.T
            # Ask for more, or for less, by what the rows miss.
            asked = np.maximum(adjusted[columns].counts + gap, 0.0)
            adjusted[columns] = Target(asked, weight)
        rows.settle(adjusted)


def _moments_again(record: _Known, rng: np.random.Generator) -> _Known:
    """Return the record with noise drawn again on its sums of numbers, as normal noise."""
    spends = []
    for spend in record.spends:
        values = spend.values
        # Other payments, such as for histograms, have no sums of numbers.
        if spend.moments and spend.mechanism is not None:
            noise = rng.normal(0, math.sqrt(spend.mechanism.variance), len(values))
            values = tuple(map(int, np.rint(noise) + np.array(values)))
        spends.append(replace(spend, values=values))
    return replace(record, spends=tuple(spends))


def _histogram(noisy: NoisyCounts, plan: Plan, rng: np.random.Generator) -> NoisyCounts:
    """Return a histogram's noisy counts with noise of the same law added once more.

    Noise is added also to the number of rows if that was measured with noise of its own.
    """
    values = noisy.values + law_again(DiscreteLaplace(noisy.scale), len(noisy.values), rng)
    if noisy.noisy_rows is None:
        return replace(noisy, values=values)
    # The number of rows has a fixed share of epsilon, and one unit changes `max_rows` rows.
    law = DiscreteLaplace(plan.unit.max_rows / (plan.epsilon * limits.TOTAL_SHARE))
    total = noisy.noisy_rows + int(law_again(law, 1, rng)[0])
    return replace(noisy, values=values, noisy_rows=total)


def _marginals(record: MarginalsRecord, rng: np.random.Generator) -> MarginalsRecord:
    """Return the record with noise of the same law added once more to its histograms.

    The estimated number of rows follows from the new counts.
    """
    measured = tuple(
        (
            clique,
            replace(
                counts,
                values=counts.values + law_again(counts.mechanism, len(counts.values), rng),
            ),
        )
        for clique, counts in record.measured
    )
    return replace(
        record, measured=measured, total=believed_total(record.domain.shape, measured)
    )
