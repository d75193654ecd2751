"""Steps between two bounds, for a closer look at a column's bounds. PUBLIC.

>>> whole_cuts(Fraction(1_000), Fraction(4_999)).cuts[:3]
(Fraction(1000, 1), Fraction(1050, 1), Fraction(1100, 1))
>>> date_cuts(2000, 2009, "%Y-%m-%d").size
120
"""

import math
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from synth.domain import DAY, EPOCH, SHORT_YEARS, has_time

MAX_STEPS_OF_NUMBER = 100
# Most monthly steps; longer spans have yearly ones.
MAX_MONTHS = 240


@dataclass(frozen=True, kw_only=True)
class Cuts:
    """Steps: from each cut to below the next.

    Attributes:
        cuts: Ascending; seconds since 1970 for dates.
        format: The strftime pattern of dates; empty for numbers.
        step: Distance of two values; 0 for real numbers.
        apart: Numbers in no step, as they may mean a missing value.
    """

    cuts: tuple[Fraction, ...]
    format: str = ""
    step: int = 0
    apart: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of steps."""
        return len(self.cuts) - 1

    def span(self, first: int, last: int) -> tuple[Fraction, Fraction]:
        """Return the least and the largest value from one step to another."""
        return self.cuts[first], self.cuts[last + 1] - self.step


def whole_cuts(low: Fraction, high: Fraction) -> Cuts:
    """Return even steps between two whole numbers."""
    width = max(Fraction(1), _width(high - low + 1))
    return _even(low, high + 1, width, step=1)


def decimal_cuts(low: Fraction, high: Fraction) -> Cuts:
    """Return even steps between two real numbers."""
    width = _width(high - low)
    return _even(low, high + width, width, step=0)


def date_cuts(first: int, last: int, pattern: str) -> Cuts:
    """Return monthly steps between two years, yearly if too many.

    Years of two digits are those that the digits can mean.
    """
    if "%y" in pattern:
        first, last = (
            min(max(year, SHORT_YEARS[0]), SHORT_YEARS[-1]) for year in (first, last)
        )
    months = 1 if 12 * (last - first + 1) <= MAX_MONTHS else 12
    month_numbers = range(12 * first, 12 * (last + 1) + 1, months)
    cuts = tuple(Fraction(_seconds(month // 12, month % 12 + 1)) for month in month_numbers)
    return Cuts(cuts=cuts, format=pattern, step=1 if has_time(pattern) else DAY)


def year_start(year: int) -> int:
    """Return seconds since 1970."""
    return _seconds(year, 1)


def _seconds(year: int, month: int) -> int:
    gap = datetime(year, month, 1) - EPOCH
    return gap.days * DAY


def _even(low: Fraction, end: Fraction, width: Fraction, *, step: int) -> Cuts:
    """Return cuts of one width, at multiples of it, from below ``low`` up to ``end``."""
    first = math.floor(low / width)
    steps = math.ceil(end / width) - first
    return Cuts(
        cuts=tuple(width * (first + i) for i in range(steps + 1)), format="", step=step
    )


def _width(extent: Fraction) -> Fraction:
    least = extent / MAX_STEPS_OF_NUMBER
    power = Fraction(10) ** math.floor(math.log10(least))
    return next(power * m for m in (1, 2, 5, 10) if power * m >= least)
