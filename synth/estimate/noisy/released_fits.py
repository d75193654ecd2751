"""Whether rows fit the declaration, by a release's own noisy counts. PUBLIC.

Rows that a rule leaves out are in no cell. Other values outside have a cell of their own, count as
missing, or go to the nearest bound. The content of the remaining cells is compared with the number
of rows, public or noisy. A column is named if all of it is in such cells: it is nearly empty, or
its declaration is wrong. That says nothing about other columns.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from synth.domain import Binned, Domain, Outside
from synth.errors import name_some
from synth.estimate.noisy.counts import NoisyCounts
from synth.estimate.noisy.fits import MAX_BAR_SHARE, is_few
from synth.estimate.noisy.record import Record, reach_of
from synth.noise import CellNoise, DiscreteLaplace, WeightedNoise, blend_reach, reach, sum_law
from synth.util import Codes, Floats, Mask, split_cells


@dataclass(frozen=True)
class ReleasedFits:
    """Conclusions from the noisy counts of a release about the rows that fit. PUBLIC.

    Attributes:
        is_few: Whether few rows fit, or none.
        is_drowned: Whether noise outweighs all rows, so that the counts say nothing.
        sentence: The conclusion, as the end of a sentence.
        columns: Columns that are mostly noise: nearly empty ones, or wrongly declared.
    """

    is_few: bool
    is_drowned: bool
    sentence: str
    columns: tuple[str, ...] = ()

    @property
    def is_noise(self) -> bool:
        """Whether the release is mostly noise."""
        return self.is_few or self.is_drowned


UNTOLD = ReleasedFits(
    False, False, "cannot tell, as only large counts are listed and the number of rows is public"
)
MAX_NAMED = 5
"""Most columns without values that are named."""
SURE_LEVEL = 1 - 1e-6
"""The chance that noise stays within the bar by which a column is named."""
FEW_SHARE = 0.2
"""Of the rows of a column: it is named where its values are surely fewer."""


class ColumnSums(NamedTuple):
    """The noisy counts of a column, each the sum of so many noisy cells."""

    column: int
    counts: Floats
    noise: CellNoise
    cells: int


def released_fits(record: Record) -> ReleasedFits:
    """Return conclusions about the rows that fit, from the noisy counts of a release.

    Few fit if the counts show it for all columns, or name half of them.
    """
    columns = _surest_columns(record)
    empty = [one.column for one in columns if _is_empty(record, one)]
    others = [one for one in columns if one.column not in empty]
    ended = [one.column for one in others if _is_ended(record, one)]
    found = _rows_that_fit(record, empty)
    noise = "no declared values, or few: what is released of them is mostly noise"
    ends = "nearly all values at a bound, or beyond it: the bounds may be wrong"
    said = [
        _name_columns(record, empty, ("holds", "hold"), noise),
        _name_columns(record, ended, ("has", "have"), ends),
    ]
    told = "; ".join(filter(None, said))
    if not told:
        return found
    names = tuple(record.domain.names[i] for i in sorted({*empty, *ended}))
    if 2 * len(empty) >= len(record.domain.columns):
        return ReleasedFits(True, found.is_drowned, f"say that {told}", names)
    rest = f"; of the others they {found.sentence}" if empty else f"; they {found.sentence}"
    return ReleasedFits(found.is_few, found.is_drowned, f"say that {told}{rest}", names)


def _surest_columns(record: Record) -> list[ColumnSums]:
    """Return the noisy counts of every column by the histogram with the least noise."""
    noisy = record.histogram
    if noisy is not None:
        drawn, size = DiscreteLaplace(noisy.scale), noisy.domain.size
        counted = record.columns() if noisy.threshold is None else []
        return [ColumnSums(a.column, a.counts, drawn, size // len(a.counts)) for a in counted]
    found: dict[int, ColumnSums] = {}
    for place, one in record.measured:
        counts = one.values.reshape(one.domain.shape)
        for axis, column in enumerate(place):
            sums = counts.sum(axis=tuple(other for other in range(len(place)) if other != axis))
            cells, noise = counts.size // sums.size, one.mechanism.cell_noise
            known = found.get(column)
            if known is None or noise.variance * cells < known.noise.variance * known.cells:
                found[column] = ColumnSums(column, sums.astype(np.float64), noise, cells)
    return [found[column] for column in sorted(found)]


def _name_columns(record: Record, columns: list[int], verbs: tuple[str, str], what: str) -> str:
    """Return a sentence about some columns; empty if there are none."""
    names = name_some([f"'{record.domain.names[i]}'" for i in columns], MAX_NAMED)
    are = f"column {names} {verbs[0]}" if len(columns) == 1 else f"columns {names} {verbs[1]}"
    return f"{are} {what}" if columns else ""


def _rows_that_fit(record: Record, named: list[int]) -> ReleasedFits:
    sums = _sums(record, named)
    if not sums:
        return UNTOLD
    telling = [one for one in sums if one[1] < record.total] or sums  # noise alone may be far below
    noisy, bar = min(telling, key=lambda one: one[0] + one[1])
    best = min(sums, key=lambda one: one[1])
    few = is_few(noisy, bar, record.total) or (record.rows is None and is_few(*best, None))
    drowned = _is_drowned(record)
    if bar > MAX_BAR_SHARE * record.total and not few:
        lost = drowned or record.rows is None  # where rows are public, many may fit after all
        return ReleasedFits(few, lost, "cannot tell how many rows fit, as their noise is large")
    of = "the rows" if record.rows is None else f"{record.rows:,} rows"
    about = max(0, round(noisy if record.rows is None else min(noisy, record.rows)))
    told = f"about {about:,} of {of} fit, give or take {math.ceil(bar):,}"
    return ReleasedFits(few, drowned, f"say that {told}")


def _is_drowned(record: Record) -> bool:
    """Return whether a single cell with all rows would look like an empty one, in every histogram.
    """
    noises = [one.mechanism for _, one in record.measured]
    if record.histogram is not None:
        noises.append(DiscreteLaplace(record.histogram.scale))
    return record.rows is not None and all(reach_of(one, 1) >= record.rows for one in noises)


def _sums(record: Record, named: list[int]) -> list[tuple[float, float]]:
    """Return noisy numbers of rows that fit, without the named columns, with intervals, by
    histogram.
    """
    if record.histogram is not None:
        return _whole_table(record.histogram, named)
    found = []
    for place, one in record.measured:
        judged = [column not in named for column in place]
        codes = split_cells(np.arange(one.domain.size), one.domain.shape)
        inside = _mask_inside(one.domain, codes, judged)
        cells = int(inside.sum())
        found.append((float(one.values[inside].sum()), reach_of(one.mechanism, cells)))
    return found


def _whole_table(noisy: NoisyCounts, named: list[int]) -> list[tuple[float, float]]:
    judged = [column not in named for column in range(len(noisy.domain.columns))]
    inside, noise = _mask_inside(noisy.domain, noisy.split(), judged), DiscreteLaplace(noisy.scale)
    if noisy.threshold is None:
        return [(float(noisy.values[inside].sum()), reach_of(noise, int(inside.sum())))]
    return []


def _mask_inside(domain: Domain, codes: list[Codes], judged: list[bool]) -> Mask:
    """Return the cells without a value outside in any judged column."""
    found = np.ones(len(codes[0]), dtype=bool)
    for column, code, counts in zip(domain.columns, codes, judged, strict=True):
        if counts and column.other_code is not None:
            found &= code != column.other_code
    return found


def _is_empty(record: Record, one: ColumnSums) -> bool:
    """Return whether a column's declared values look like none, although they could be seen."""
    inner = np.arange(len(one.counts)) < len(record.domain.columns[one.column].labels)
    return not inner.all() and _is_bare(one, inner, ~inner)


def _is_ended(record: Record, one: ColumnSums) -> bool:
    """Return whether all values of a column may have been moved to its bounds."""
    column = record.domain.columns[one.column]
    if not isinstance(column, Binned) or column.rule is not Outside.NEAREST:
        return False
    ends = np.isin(np.arange(len(one.counts)), column.end_codes)
    inner = (np.arange(len(one.counts)) < len(column.labels)) & ~ends
    return bool(inner.any()) and _is_bare(one, inner, ends)


def _is_bare(one: ColumnSums, inner: Mask, outer: Mask) -> bool:
    """Whether the inner cells cannot be told from none, and surely hold few of the rows of both."""
    law = one.noise.number_law
    weights = (1 - FEW_SHARE) * inner - FEW_SHARE * outer  # 0 where they hold just that share
    noise = blend_reach([WeightedNoise(law, weights, one.cells)], SURE_LEVEL)
    none = reach(sum_law(law, one.cells * int(inner.sum())), SURE_LEVEL)
    return bool(one.counts[inner].sum() <= none and weights @ one.counts < -noise)
