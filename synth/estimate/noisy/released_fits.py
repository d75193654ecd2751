"""Whether rows fit the declaration, by a release's own noisy counts. PUBLIC.

Rows outside are left out, in a cell of their own, among missing ones, or at the nearest
bound. So Synth compares the remaining cells with the number of rows. It names columns without
content there (nearly empty or wrongly declared) and judges the others without them."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from synth.domain import Binned, Domain, Outside
from synth.errors import name_some
from synth.estimate.noisy.counts import NoisyCounts, NoisyMarginal
from synth.estimate.noisy.fits import MAX_BAR_SHARE, is_few
from synth.estimate.noisy.record import INTERVAL_MISS_SHARE, Record, reach_of
from synth.noise import CellNoise, DiscreteLaplace, Mechanism
from synth.util import Codes, Floats, Mask, split_cells


@dataclass(frozen=True, kw_only=True)
class ReleasedFits:
    """Conclusions from a release's noisy counts about rows that fit.

    Attributes:
        is_few: Whether few rows fit, or none.
        is_drowned: Whether noise outweighs all rows, so that the counts say nothing.
        sentence: The conclusion, in whole sentences.
        columns: Nearly empty or wrongly declared columns, mostly noise.
        is_known: Whether the counts show how many rows fit, in spite of their noise.
    """

    is_few: bool
    is_drowned: bool
    sentence: str
    columns: tuple[str, ...] = ()
    is_known: bool = False

    @property
    def is_noise(self) -> bool:
        """Whether the released values are mostly noise."""
        return self.is_few or self.is_drowned


UNTOLD = ReleasedFits(
    is_few=False,
    is_drowned=False,
    sentence=(
        "The release cannot show how many rows fit the description: it lists only large "
        "counts, and the number of rows is public."
    ),
)
# Most columns that a sentence names.
MAX_NAMED = 5
# The chance that noise stays within the bar by which a column is named.
SURE_LEVEL = 1 - 1e-6
# A column is named if its values are surely fewer than this share of its rows.
FEW_SHARE = 0.2


class ColumnSums(NamedTuple):
    """Noisy counts of a column.

    Attributes:
        column: Its number in the domain.
        counts: Noisy rows by cell, shape (cells of the column,).
        noise: The noise on a cell of the histogram.
        cells: Cells of the histogram that are summed into one count.
    """

    column: int
    counts: Floats
    noise: CellNoise
    cells: int


class NoisyRows(NamedTuple):
    """A noisy number of rows that fit.

    Attributes:
        noisy: The number, perhaps negative.
        bar: Half width of its 95 % interval.
    """

    noisy: float
    bar: float


def released_fits(record: Record) -> ReleasedFits:
    """Return what a release's noisy counts say about how many rows fit its declaration.

    Few fit if the counts show it for all columns together, or if half of the columns or more
    look empty by themselves.
    """
    columns = _surest_columns(record)
    empty = [sums.column for sums in columns if _is_empty(record, sums)]
    others = [sums for sums in columns if sums.column not in empty]
    ended = [sums.column for sums in others if _is_ended(record, sums)]
    # The other columns are judged without the empty ones, which would hide what fits there.
    fits = _rows_that_fit(record, empty)
    noise = "few described values, or none. The released values are mostly noise"
    ends = "nearly all values at a bound or beyond. The bounds may be wrong"
    sentences = [_name_columns(record, empty, noise), _name_columns(record, ended, ends)]
    names = tuple(record.domain.names[i] for i in sorted({*empty, *ended}))
    is_half_empty = 2 * len(empty) >= len(record.domain.columns)
    sentences.append("" if is_half_empty else fits.sentence)
    return ReleasedFits(
        is_few=fits.is_few or is_half_empty,
        is_drowned=fits.is_drowned,
        sentence=" ".join(filter(None, sentences)),
        columns=names,
        is_known=fits.is_known and not is_half_empty,
    )


def _surest_columns(record: Record) -> list[ColumnSums]:
    """Return each column's noisy counts, from the histogram that gives the least noise.

    Counts of a histogram of several columns are summed over the cells of the others. The list
    is in the order of the columns. It is empty if cells below a threshold were left out, as
    sums over cells are then unknown.
    """
    noisy = record.histogram
    if noisy is not None:
        if noisy.threshold is not None:
            return []
        return [
            ColumnSums(
                column.column,
                column.counts,
                DiscreteLaplace(noisy.scale),
                noisy.domain.size // len(column.counts),
            )
            for column in record.columns()
        ]
    surest: dict[int, ColumnSums] = {}
    for columns, marginal in record.measured:
        counts = marginal.values.reshape(marginal.domain.shape)
        for axis, column in enumerate(columns):
            other_axes = tuple(other for other in range(len(columns)) if other != axis)
            sums = counts.sum(axis=other_axes)
            cells = counts.size // sums.size  # summed into one count of the column
            noise = marginal.mechanism.cell_noise
            best = surest.get(column)
            # The noise of a count has the variances of all cells that it sums.
            if best is None or noise.variance * cells < best.noise.variance * best.cells:
                surest[column] = ColumnSums(column, sums.astype(np.float64), noise, cells)
    return [surest[column] for column in sorted(surest)]


def _name_columns(record: Record, columns: list[int], finding: str) -> str:
    """Return a sentence that names columns, with the finding that they share.

    It is empty without columns, and names at most `MAX_NAMED`.

    Args:
        record: The release, which has the names.
        columns: Numbers of the columns.
        finding: What they have: the end of the sentence, without its full stop.
    """
    names = name_some([f"'{record.domain.names[i]}'" for i in columns], MAX_NAMED)
    have = f"Column {names} has" if len(columns) == 1 else f"Columns {names} have"
    return f"{have} {finding}." if columns else ""


def _rows_that_fit(record: Record, named_columns: list[int]) -> ReleasedFits:
    """Return what the noisy counts say about how many rows fit the description.

    Each histogram gives a noisy number of rows that fit in its columns. The lowest counts, as
    a row that fits in all columns fits in those of every histogram.

    Args:
        record: The public record of a release.
        named_columns: Numbers of columns that a row need not fit, as another sentence names
            them.

    Returns:
        Conclusions without names of columns; `UNTOLD` if only large counts are listed.
    """
    sums = _sums(record, named_columns)
    if not sums:
        return UNTOLD
    # Numbers with more noise than rows say little: noise alone may bring them far down.
    telling = [number for number in sums if number.bar < record.total] or sums
    # The sum of a `NoisyRows` is the upper end of its interval: noisy number plus bar.
    lowest = min(telling, key=sum)
    surest = min(sums, key=lambda number: number.bar)
    shows_few = is_few(lowest.noisy, lowest.bar, record.total)
    if record.rows is None:
        shows_few = shows_few or is_few(surest.noisy, surest.bar, None)
    is_drowned = _is_drowned(record, surest.bar)
    # The lowest of k numbers is mostly below its true one, so all k must lie within their
    # bars. The noise is log-concave: it exceeds s bars, s >= 1, at most with
    # INTERVAL_MISS_SHARE ** s. With the s below, k times that is INTERVAL_MISS_SHARE.
    times = 1 - math.log(len(sums)) / math.log(INTERVAL_MISS_SHARE)
    clear = [number for number in sums if times * number.bar <= MAX_BAR_SHARE * record.total]
    if not clear and not shows_few:
        others = " of the other columns" if named_columns else ""
        return ReleasedFits(
            is_few=shows_few,
            is_drowned=is_drowned,
            sentence=f"Noise hides how many rows fit the description{others}.",
        )
    best = lowest if shows_few else min(clear, key=sum)
    rows = "rows" if record.rows is None else f"of {record.rows:,} rows"
    # No more rows can fit than a public number says.
    noisy = best.noisy if record.rows is None else min(best.noisy, record.rows)
    about = max(0, round(noisy))
    start = "In the other columns, about" if named_columns else "About"
    sentence = f"{start} {about:,} {rows} fit the description"
    estimated = f"{sentence} (estimated from the release, ± {math.ceil(times * best.bar):,})."
    return ReleasedFits(
        is_few=shows_few, is_drowned=is_drowned, sentence=estimated, is_known=bool(clear)
    )


def _is_drowned(record: Record, bar: float) -> bool:
    """Return whether noise outweighs all rows, so that the counts say nothing.

    If the number of rows is public, that is so if a cell with all rows could look empty in
    every histogram. If it is private, the noisy total is at most twice the bar.

    Args:
        record: The public record of a release.
        bar: Half width of the 95 % interval of the surest number of rows that fit.
    """
    if record.rows is None:
        return record.total <= 2 * bar
    noises = [marginal.mechanism for _, marginal in record.measured]
    if record.histogram is not None:
        noises.append(DiscreteLaplace(record.histogram.scale))
    return all(reach_of(noise, 1) >= record.rows for noise in noises)


def _sums(record: Record, named_columns: list[int]) -> list[NoisyRows]:
    """Return noisy numbers of rows that fit the description, one from each histogram.

    A histogram listed from a threshold up gives none, as its smaller cells are not known.

    Args:
        record: The public record of a release.
        named_columns: Numbers of columns that a row need not fit.
    """
    noisy = record.histogram
    if noisy is not None:
        if noisy.threshold is not None:
            return []
        judged = [column not in named_columns for column in range(len(noisy.domain.columns))]
        return [_count_fitting(noisy, judged, DiscreteLaplace(noisy.scale))]
    numbers = []
    for place, marginal in record.measured:
        judged = [column not in named_columns for column in place]
        numbers.append(_count_fitting(marginal, judged, marginal.mechanism))
    return numbers


def _count_fitting(
    counts: NoisyCounts | NoisyMarginal, judged: list[bool], noise: Mechanism
) -> NoisyRows:
    """Return the noisy number of rows that fit, with its bar, from one histogram.

    It sums the cells of rows that fit, or subtracts those of the others from a public number
    of rows. Fewer cells are summed in the one way or the other, which means less noise.

    Args:
        counts: The noisy counts of all cells.
        judged: Whether a row must fit in it, for each column of the histogram.
        noise: The noise on each cell.
    """
    codes = split_cells(np.arange(counts.domain.size), counts.domain.shape)
    inside = _mask_inside(counts.domain, codes, judged)
    cells_inside = int(inside.sum())
    cells_outside = int((~inside).sum()) + 1  # and the noisy number of rows left out by rules
    if counts.rows is None or counts.left_out is None or cells_inside <= cells_outside:
        rows = float(counts.values[inside].sum())
        return NoisyRows(rows, reach_of(noise, cells_inside))
    rows = float(counts.rows - counts.left_out - counts.values[~inside].sum())
    return NoisyRows(rows, reach_of(noise, cells_outside))


def _mask_inside(domain: Domain, codes: list[Codes], judged: list[bool]) -> Mask:
    """Return which cells have no undeclared value in any judged column, shape (cells,).

    Args:
        domain: The columns of the cells.
        codes: The cells' codes, shape (cells,), for each column.
        judged: Whether each column matters.
    """
    is_inside = np.ones(len(codes[0]), dtype=bool)
    for column, column_codes, is_judged in zip(domain.columns, codes, judged, strict=True):
        # A column without a cell for other values has none to leave out.
        if is_judged and column.other_code is not None:
            is_inside &= column_codes != column.other_code
    return is_inside


def _is_empty(record: Record, sums: ColumnSums) -> bool:
    """Return whether a column's declared values seem to have next to no rows.

    Its cells with labels are compared with those for missing and other values. Without such
    further cells, the answer is False.

    Args:
        record: The release, which has the declared columns.
        sums: The column's noisy counts.
    """
    # Cells with labels come first.
    inner = np.arange(len(sums.counts)) < len(record.domain.columns[sums.column].labels)
    return not inner.all() and _is_bare(sums, inner, ~inner)


def _is_ended(record: Record, sums: ColumnSums) -> bool:
    """Return whether nearly all values of a column seem to lie at its bounds or beyond.

    That can only be seen if the declaration moves values beyond a bound to the nearest bound.
    Then the first and last cell are compared with the cells between them.

    Args:
        record: The release, which has the declared columns.
        sums: The column's noisy counts.
    """
    column = record.domain.columns[sums.column]
    if not isinstance(column, Binned) or column.rule is not Outside.NEAREST:
        return False
    ends = np.isin(np.arange(len(sums.counts)), column.end_codes)
    inner = (np.arange(len(sums.counts)) < len(column.labels)) & ~ends
    return bool(inner.any()) and _is_bare(sums, inner, ends)


def _is_bare(sums: ColumnSums, inner: Mask, outer: Mask) -> bool:
    """Return whether a column's inner cells hold next to no rows, by its noisy counts.

    Their sum must look like noise alone. And they must surely hold less than `FEW_SHARE` of
    the rows of inner and outer cells together.

    Args:
        sums: The column's noisy counts.
        inner: Cells that may be empty, shape (cells of the column,).
        outer: Cells that they are compared with, same shape.
    """
    from synth.noise import WeightedNoise, blend_reach, reach, sum_law

    law = sums.noise.number_law
    # Weighted by these, counts sum to 0 if the inner cells hold just that share of the rows.
    # If they hold less, the weighted sum is negative.
    weights = (1 - FEW_SHARE) * inner - FEW_SHARE * outer
    # Bounds that the noise keeps with a chance of `SURE_LEVEL`: on the weighted sum, and on
    # the sum of the inner cells.
    weighted_bound = blend_reach([WeightedNoise(law, weights, sums.cells)], SURE_LEVEL)
    inner_bound = reach(sum_law(law, sums.cells * int(inner.sum())), SURE_LEVEL)
    looks_empty = sums.counts[inner].sum() <= inner_bound
    is_surely_less = weights @ sums.counts < -weighted_bound
    return bool(looks_empty and is_surely_less)
