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


def released_fits(record: Record) -> ReleasedFits:
    """What the noisy counts of a release say of the rows that fit."""
    empty = _without_values(record)
    if empty is not None:
        return ReleasedFits(
            True, False, f"say that column '{empty}' holds no declared value, or few"
        )
    sums = _sums(record)
    if not sums:
        return UNTOLD
    telling = [one for one in sums if one[1] < record.total] or sums  # noise alone may be far below
    noisy, bar = min(telling, key=lambda one: one[0] + one[1])
    best = min(sums, key=lambda one: one[1])
    few = is_few(noisy, bar, record.total) or (record.rows is None and is_few(*best, None))
    of = "the rows" if record.rows is None else f"{record.rows:,} rows"
    about = max(0, round(noisy if record.rows is None else min(noisy, record.rows)))
    told = f"about {about:,} of {of} fit, give or take {math.ceil(bar):,}"
    if record.rows is not None and bar >= record.rows:
        return ReleasedFits(few, True, f"cannot tell how many rows fit ({told})")
    return ReleasedFits(few, False, f"say that {told}")


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


def _without_values(record: Record) -> str | None:
    """A column whose noisy counts cannot tell its declared values from none, though they could."""
    for one in record.columns():
        column = record.domain.columns[one.column]
        if one.reach is None or not _is_mixed(column):
            continue
        values = float(one.counts[: len(column.labels)].sum())
        bar = one.reach * math.sqrt(len(column.labels))
        missing = float(one.counts[column.missing_code])
        if values <= bar and missing - bar > record.total / 2 > 2 * bar:
            return column.name
    return None


def _is_mixed(column: Column) -> bool:
    """Whether its missing cell holds values outside as well."""
    return column.missing and column.rule in (Outside.MISSING, Outside.NEAREST)
