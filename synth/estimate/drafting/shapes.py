"""The shapes of a column, a histogram in which every cell of the table has one. PUBLIC.

The first shape that fits counts: empty, missing, listed, overlong, with leading zeros, number,
date, e-mail address, other text. Numbers are sentinels, or whole or not by signed power; dates go
by format and time.

>>> shapes = Shapes(("F", "M"))
>>> shapes.size, shapes.start("listed"), shapes.slice("listed")
(641, 17, slice(17, 19, None))
>>> WHOLE.span(WHOLE.middle + 5), WHOLE.span(WHOLE.middle - 1)
((Fraction(20, 1), Fraction(49, 1)), (Fraction(-1, 1), Fraction(-1, 1)))
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from synth.estimate.drafting.candidates import DATES, MISSING, SENTINELS

# Cuts between sizes of numbers: 1, 2 and 5 times each power of ten.
SIZE_CUTS = tuple(Fraction(10) ** k * m for k in range(-6, 16) for m in (1, 2, 5))[:-2]

# Years at which dates are cut.
ERAS = (1900, 1950, 1980, 2000, 2010, 2020, 2030)
# Ends of the first and of the last era.
FIRST_YEAR, LAST_YEAR = 1800, 2100

SECTIONS = (
    "blank", "missing", "listed", "sentinel", "whole", "decimal", "beyond", "date", "zeros",
    "mailbox", "long", "text",
)  # fmt: skip


@dataclass(frozen=True)
class Signed:
    """Numbers by sign and size, ascending, zero in the middle.

    Attributes:
        cuts: Cuts between sizes, ascending; smaller sizes are with zero.
        step: Distance of two numbers; 0 for real numbers.
    """

    cuts: tuple[Fraction, ...]
    step: int

    @property
    def middle(self) -> int:
        """Position of zero; sizes from the last cut up have no cell."""
        return len(self.cuts) - 1

    @property
    def size(self) -> int:
        return 2 * len(self.cuts) - 1

    def span(self, place: int) -> tuple[Fraction, Fraction]:
        away = abs(place - self.middle)
        if not away:
            return Fraction(0), Fraction(0)
        small, large = self.cuts[away - 1], self.cuts[away] - self.step
        return (small, large) if place > self.middle else (-large, -small)


WHOLE = Signed(tuple(cut for cut in SIZE_CUTS if cut >= 1), 1)
DECIMAL = Signed(SIZE_CUTS, 0)

# Formats that a date fits: bit i for format i of a line.
FOLLOWED = tuple((dates, which) for dates in DATES for which in range(1, 2 ** len(dates)))


@dataclass(frozen=True)
class Shapes:
    listed: tuple[str, ...]

    @cached_property
    def sizes(self) -> dict[str, int]:
        given = {
            "missing": len(MISSING), "listed": len(self.listed), "sentinel": len(SENTINELS),
            "whole": WHOLE.size, "decimal": DECIMAL.size, "date": len(FOLLOWED) * (len(ERAS) + 1),
        }  # fmt: skip
        return {name: given.get(name, 1) for name in SECTIONS}

    @cached_property
    def _starts(self) -> dict[str, int]:
        sizes = self.sizes.values()
        return dict(zip(SECTIONS, accumulate(sizes, initial=0), strict=False))

    @property
    def size(self) -> int:
        return sum(self.sizes.values())

    def start(self, section: str) -> int:
        return self._starts[section]

    def slice(self, section: str) -> slice:
        return slice(self.start(section), self.start(section) + self.sizes[section])
