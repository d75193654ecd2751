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
    """Return even steps of whole numbers from `low` to `high`, both inside.

    There are about 100 at most. A step is 1, 2 or 5 times a power of ten wide, and at least
    1.
    """
    width = max(Fraction(1), _width(high - low + 1))
    return _even_steps(low, high + 1, width, step=1)


def decimal_cuts(low: Fraction, high: Fraction) -> Cuts:
    """Return even steps of real numbers from `low` to `high`, both inside.

    There are about 100 at most. A step is 1, 2 or 5 times a power of ten wide.
    """
    width = _width(high - low)
    # One step more, as a step ends below its upper cut.
    return _even_steps(low, high + width, width, step=0)


def date_cuts(first: int, last: int, pattern: str) -> Cuts:
    """Return monthly steps of dates, or yearly ones if months would be too many.

    Args:
        first: The first year.
        last: The last year, which is inside.
        pattern: The strptime pattern of the dates. With a year of two digits, the years are
            limited to the ones that two digits can mean.
    """
    # `SHORT_YEARS` are the years that two digits can mean.
    if "%y" in pattern:
        first, last = (
            min(max(year, SHORT_YEARS[0]), SHORT_YEARS[-1]) for year in (first, last)
        )
    months = 1 if 12 * (last - first + 1) <= MAX_MONTHS else 12
    # Months counted from the year 0, up to the January after the last year.
    month_numbers = range(12 * first, 12 * (last + 1) + 1, months)
    cuts = tuple(Fraction(_seconds(month // 12, month % 12 + 1)) for month in month_numbers)
    return Cuts(cuts=cuts, format=pattern, step=1 if has_time(pattern) else DAY)


def year_start(year: int) -> int:
    """Return the first moment of a year, in seconds since 1970."""
    return _seconds(year, 1)


def _seconds(year: int, month: int) -> int:
    gap = datetime(year, month, 1) - EPOCH
    return gap.days * DAY


def _even_steps(low: Fraction, end: Fraction, width: Fraction, *, step: int) -> Cuts:
    """Return steps of one width between its multiples, from at most `low` to at least `end`.

    `step` is the distance of two values: 1 for whole numbers, 0 for real ones.
    """
    first = math.floor(low / width)
    last = math.ceil(end / width)
    multiples = tuple(width * number for number in range(first, last + 1))
    return Cuts(cuts=multiples, format="", step=step)


def _width(extent: Fraction) -> Fraction:
    """Return the width of at most `MAX_STEPS_OF_NUMBER` steps: 1, 2 or 5 times 10^n.

    `extent` is what the steps cover together, above 0.
    """
    least_width = extent / MAX_STEPS_OF_NUMBER
    power = Fraction(10) ** math.floor(math.log10(least_width))
    widths = (power * digit for digit in (1, 2, 5, 10))
    return next(width for width in widths if width >= least_width)
