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
from synth.noise import (
    CellNoise,
    DiscreteLaplace,
    Mechanism,
    WeightedNoise,
    blend_reach,
    reach,
    sum_law,
)
from synth.util import Codes, Floats, Mask, split_cells


@dataclass(frozen=True, kw_only=True)
class ReleasedFits:
    """Conclusions from a release's noisy counts about rows that fit.

    Attributes:
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
        return self.is_few or self.is_drowned


UNTOLD = ReleasedFits(
    is_few=False,
    is_drowned=False,
    sentence=(
        "The release cannot show how many rows fit the description: it lists only large "
        "counts, and the number of rows is public."
    ),
)
MAX_NAMED = 5
# The chance that noise stays within the bar by which a column is named.
SURE_LEVEL = 1 - 1e-6
# A column is named if its values are surely fewer than this share of its rows.
FEW_SHARE = 0.2


class ColumnSums(NamedTuple):
    """Noisy counts of a column, each a sum over ``cells`` cells."""

    column: int
    counts: Floats
    noise: CellNoise
    cells: int


def released_fits(record: Record) -> ReleasedFits:
    """Return conclusions about the rows that fit.

    Few fit if the counts show it for all columns, or name half of them.
    """
    columns = _surest_columns(record)
    empty = [one.column for one in columns if _is_empty(record, one)]
    others = [one for one in columns if one.column not in empty]
    ended = [one.column for one in others if _is_ended(record, one)]
    found = _rows_that_fit(record, empty)
    noise = "few described values, or none. The released values are mostly noise"
    ends = "nearly all values at a bound or beyond. The bounds may be wrong"
    said = [_name_columns(record, empty, noise), _name_columns(record, ended, ends)]
    names = tuple(record.domain.names[i] for i in sorted({*empty, *ended}))
    is_half = 2 * len(empty) >= len(record.domain.columns)
    told = " ".join(filter(None, [*said, "" if is_half else found.sentence]))
    is_known = found.is_known and not is_half
    return ReleasedFits(
        is_few=found.is_few or is_half,
        is_drowned=found.is_drowned,
        sentence=told,
        columns=names,
        is_known=is_known,
    )


def _surest_columns(record: Record) -> list[ColumnSums]:
    noisy = record.histogram
    if noisy is not None:
        drawn, size = DiscreteLaplace(noisy.scale), noisy.domain.size
        counted = record.columns() if noisy.threshold is None else []
        return [ColumnSums(a.column, a.counts, drawn, size // len(a.counts)) for a in counted]
    found: dict[int, ColumnSums] = {}
    for place, one in record.measured:
        counts = one.values.reshape(one.domain.shape)
        for axis, column in enumerate(place):
            sums = counts.sum(
                axis=tuple(other for other in range(len(place)) if other != axis)
            )
            cells, noise = counts.size // sums.size, one.mechanism.cell_noise
            known = found.get(column)
            if known is None or noise.variance * cells < known.noise.variance * known.cells:
                found[column] = ColumnSums(column, sums.astype(np.float64), noise, cells)
    return [found[column] for column in sorted(found)]


def _name_columns(record: Record, columns: list[int], what: str) -> str:
    names = name_some([f"'{record.domain.names[i]}'" for i in columns], MAX_NAMED)
    have = f"Column {names} has" if len(columns) == 1 else f"Columns {names} have"
    return f"{have} {what}." if columns else ""


def _rows_that_fit(record: Record, named: list[int]) -> ReleasedFits:
    sums = _sums(record, named)
    if not sums:
        return UNTOLD
    telling = [
        one for one in sums if one[1] < record.total
    ] or sums  # noise alone may be far below
    noisy, bar = min(telling, key=sum)
    best = min(sums, key=lambda one: one[1])
    few = is_few(noisy, bar, record.total) or (record.rows is None and is_few(*best, None))
    drowned = _is_drowned(record, best[1])
    # The lowest of k numbers is mostly below its true one, so all k must lie within their
    # bars. The noise is log-concave: it exceeds s bars, s >= 1, at most with
    # INTERVAL_MISS_SHARE ** s.
    times = 1 - math.log(len(sums)) / math.log(INTERVAL_MISS_SHARE)
    clear = [one for one in sums if times * one[1] <= MAX_BAR_SHARE * record.total]
    if not clear and not few:
        others = " of the other columns" * bool(named)
        return ReleasedFits(
            is_few=few,
            is_drowned=drowned,
            sentence=f"Noise hides how many rows fit the description{others}.",
        )
    noisy, bar = (noisy, bar) if few else min(clear, key=sum)
    rows = "rows" if record.rows is None else f"of {record.rows:,} rows"
    about = max(0, round(noisy if record.rows is None else min(noisy, record.rows)))
    start = "In the other columns, about" if named else "About"
    told = f"{start} {about:,} {rows} fit the description"
    estimated = f"{told} (estimated from the release, ± {math.ceil(times * bar):,})."
    return ReleasedFits(
        is_few=few, is_drowned=drowned, sentence=estimated, is_known=bool(clear)
    )


def _is_drowned(record: Record, bar: float) -> bool:
    # Whether in every histogram a single cell with all rows would look like an empty one; if
    # their number is private, whether twice a bar hides them.
    if record.rows is None:
        return record.total <= 2 * bar
    noises = [one.mechanism for _, one in record.measured]
    if record.histogram is not None:
        noises.append(DiscreteLaplace(record.histogram.scale))
    return all(reach_of(one, 1) >= record.rows for one in noises)


def _sums(record: Record, named: list[int]) -> list[tuple[float, float]]:
    # Noisy numbers of rows that fit, without the named columns, with intervals, by histogram.
    noisy = record.histogram
    if noisy is not None:
        judged = [column not in named for column in range(len(noisy.domain.columns))]
        listed = noisy.threshold is not None
        return [] if listed else [_count_fitting(noisy, judged, DiscreteLaplace(noisy.scale))]
    return [
        _count_fitting(one, [column not in named for column in place], one.mechanism)
        for place, one in record.measured
    ]


def _count_fitting(
    one: NoisyCounts | NoisyMarginal, judged: list[bool], noise: Mechanism
) -> tuple[float, float]:
    # By the cells of rows that fit, or of those that do not, whichever are fewer.
    codes = split_cells(np.arange(one.domain.size), one.domain.shape)
    inside = _mask_inside(one.domain, codes, judged)
    cells, others = int(inside.sum()), int((~inside).sum()) + 1
    if one.rows is None or one.left_out is None or cells <= others:
        return float(one.values[inside].sum()), reach_of(noise, cells)
    return float(one.rows - one.left_out - one.values[~inside].sum()), reach_of(noise, others)


def _mask_inside(domain: Domain, codes: list[Codes], judged: list[bool]) -> Mask:
    found = np.ones(len(codes[0]), dtype=bool)
    for column, code, counts in zip(domain.columns, codes, judged, strict=True):
        if counts and column.other_code is not None:
            found &= code != column.other_code
    return found


def _is_empty(record: Record, one: ColumnSums) -> bool:
    # Its declared values look like none, although noise would show them.
    inner = np.arange(len(one.counts)) < len(record.domain.columns[one.column].labels)
    return not inner.all() and _is_bare(one, inner, ~inner)


def _is_ended(record: Record, one: ColumnSums) -> bool:
    # Whether all values of a column may have been moved to its bounds.
    column = record.domain.columns[one.column]
    if not isinstance(column, Binned) or column.rule is not Outside.NEAREST:
        return False
    ends = np.isin(np.arange(len(one.counts)), column.end_codes)
    inner = (np.arange(len(one.counts)) < len(column.labels)) & ~ends
    return bool(inner.any()) and _is_bare(one, inner, ends)


def _is_bare(one: ColumnSums, inner: Mask, outer: Mask) -> bool:
    # Whether the inner cells look empty, and surely hold few of the rows of both.
    law = one.noise.number_law
    weights = (1 - FEW_SHARE) * inner - FEW_SHARE * outer  # 0 where they hold just that share
    noise = blend_reach([WeightedNoise(law, weights, one.cells)], SURE_LEVEL)
    none = reach(sum_law(law, one.cells * int(inner.sum())), SURE_LEVEL)
    return bool(one.counts[inner].sum() <= none and weights @ one.counts < -noise)
