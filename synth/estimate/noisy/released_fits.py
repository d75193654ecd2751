"""Whether rows fit the declaration, as a release's own noisy counts tell. PUBLIC.

Rows that a rule leaves out are in no cell, and other values outside may have a cell of their own:
what is in the remaining cells is compared with the number of rows, public or noisy. Where a rule
sends values outside to the missing cell, a column whose values are all in it holds none that is
declared. What a rule pulled to a bound cannot be told any more; only a check before tells.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from synth.domain import Column, Domain, Outside
from synth.errors import name_some
from synth.estimate.noisy.counts import NoisyCounts
from synth.estimate.noisy.fits import is_few
from synth.estimate.noisy.record import Record, reach_of
from synth.noise import DiscreteLaplace
from synth.util import Codes, split_cells


@dataclass(frozen=True)
class ReleasedFits:
    """What the noisy counts of a release say of the rows that fit. PUBLIC.

    Attributes:
        is_few: Whether they say that few rows fit, or none.
        is_drowned: Whether their noise outweighs all rows, so that they say nothing.
        sentence: What they say, as the end of a sentence.
    """

    is_few: bool
    is_drowned: bool
    sentence: str

    @property
    def is_noise(self) -> bool:
        """Whether what was released is mostly noise."""
        return self.is_few or self.is_drowned


UNTOLD = ReleasedFits(
    False, False, "cannot tell, as only large counts are listed and the number of rows is public"
)
MAX_NAMED = 5
"""Columns without values that are named."""
MAX_BAR_SHARE = 0.1
"""Of the rows: a number whose noise is larger is not shown."""


def released_fits(record: Record) -> ReleasedFits:
    """What the noisy counts of a release say of the rows that fit.

    A column without values is one that is nearly empty, or whose declaration is wrong: it is named,
    and says nothing of the other columns, unless half of the columns are such.
    """
    found, empty = _rows_that_fit(record), _without_values(record)
    if not empty:
        return found
    names = name_some([f"'{name}'" for name in empty], MAX_NAMED)
    holds = f"column {names} holds" if len(empty) == 1 else f"columns {names} hold"
    said = f"say that {holds} no declared values, or few: what is released of them is mostly noise"
    others = len(record.domain.columns) - len(empty)
    if len(empty) >= others:
        return ReleasedFits(True, found.is_drowned, said)
    return ReleasedFits(
        found.is_few, found.is_drowned, f"{said}; of the others they {found.sentence}"
    )


def _rows_that_fit(record: Record) -> ReleasedFits:
    sums = _sums(record)
    if not sums:
        return UNTOLD
    telling = [one for one in sums if one[1] < record.total] or sums  # noise alone may be far below
    noisy, bar = min(telling, key=lambda one: one[0] + one[1])
    best = min(sums, key=lambda one: one[1])
    few = is_few(noisy, bar, record.total) or (record.rows is None and is_few(*best, None))
    drowned = _is_drowned(record)
    if bar > MAX_BAR_SHARE * record.total and not few:
        return ReleasedFits(few, drowned, "cannot tell how many rows fit, as their noise is large")
    of = "the rows" if record.rows is None else f"{record.rows:,} rows"
    about = max(0, round(noisy if record.rows is None else min(noisy, record.rows)))
    told = f"about {about:,} of {of} fit, give or take {math.ceil(bar):,}"
    return ReleasedFits(few, drowned, f"say that {told}")


def _is_drowned(record: Record) -> bool:
    """Whether a single cell that holds all rows could not be told from an empty one, anywhere."""
    noises = [one.mechanism for _, one in record.measured]
    if record.histogram is not None:
        noises.append(DiscreteLaplace(record.histogram.scale))
    return record.rows is not None and all(reach_of(one, 1) >= record.rows for one in noises)


def _sums(record: Record) -> list[tuple[float, float]]:
    """Noisy numbers of rows that fit by every histogram, each with the bar of its noise."""
    if record.histogram is not None:
        return _whole_table(record.histogram)
    found = []
    for _, one in record.measured:
        inside = _mask_inside(one.domain, split_cells(np.arange(one.domain.size), one.domain.shape))
        cells = int(inside.sum())
        found.append((float(one.values[inside].sum()), reach_of(one.mechanism, cells)))
    return found


def _whole_table(noisy: NoisyCounts) -> list[tuple[float, float]]:
    inside, noise = _mask_inside(noisy.domain, noisy.split()), DiscreteLaplace(noisy.scale)
    if noisy.threshold is None:
        return [(float(noisy.values[inside].sum()), reach_of(noise, int(inside.sum())))]
    return []


def _mask_inside(domain: Domain, codes: list[Codes]) -> npt.NDArray[np.bool_]:
    """Which cells hold no value outside in any column."""
    found = np.ones(len(codes[0]), dtype=bool)
    for column, code in zip(domain.columns, codes, strict=True):
        if column.other_code is not None:
            found &= code != column.other_code
    return found


def _without_values(record: Record) -> list[str]:
    """Columns whose noisy counts cannot tell their declared values from none, though they could."""
    found = []
    for one in record.columns():
        column = record.domain.columns[one.column]
        if one.reach is None or not _is_mixed(column):
            continue
        values = float(one.counts[: len(column.labels)].sum())
        bar = one.reach * math.sqrt(len(column.labels))
        missing = float(one.counts[column.missing_code])
        if values <= bar and missing - bar > record.total / 2 > 2 * bar:
            found.append(column.name)
    return found


def _is_mixed(column: Column) -> bool:
    """Whether its missing cell holds values outside as well."""
    return column.missing and column.rule in (Outside.MISSING, Outside.NEAREST)
