"""The kind of a column, from noisy counts of its shapes alone; open if undecided. PUBLIC.

The shapes of a column, a histogram in which every cell of the table has one.

The first shape that fits counts: empty, missing, listed, overlong, with leading zeros,
number, date, e-mail address, other text. Numbers are sentinels, or whole or not by signed
power; dates go by format and time.

>>> shapes = Shapes(("F", "M"))
>>> shapes.size, shapes.start("listed"), shapes.slice("listed")
(641, 17, slice(17, 19, None))
>>> WHOLE.span(WHOLE.middle + 5), WHOLE.span(WHOLE.middle - 1)
((Fraction(20, 1), Fraction(49, 1)), (Fraction(-1, 1), Fraction(-1, 1)))
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from synth.drafting.candidates import DATES, MISSING, SENTINELS
from synth.drafting.seen import Seen
from synth.drafting.steps import Cuts, date_cuts, decimal_cuts, whole_cuts
from synth.util import Ints

# Cuts between sizes of numbers: 1, 2 and 5 times each power of ten.
SIZE_CUTS = tuple(Fraction(10) ** k * m for k in range(-6, 16) for m in (1, 2, 5))[:-2]

# Years at which dates are cut.
ERAS = (1900, 1950, 1980, 2000, 2010, 2020, 2030)
# The first year of the first era, and the end of the last one.
FIRST_YEAR = 1800
LAST_YEAR = 2100

# What the text of a cell looks like.
SECTIONS = (
    "blank",  # empty
    "missing",  # a spelling of a missing value
    "listed",  # on the list of candidates
    "sentinel",  # a number that often means no value
    "whole",
    "decimal",
    "beyond",  # a number beyond the largest size
    "date",
    "zeros",  # with leading zeros
    "mailbox",  # an e-mail address
    "long",
    "text",  # any other
)


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
        """Number of cells."""
        return 2 * len(self.cuts) - 1

    def span(self, place: int) -> tuple[Fraction, Fraction]:
        """Return the least and the largest number of a cell, both inside.

        `place` is the cell's position. The middle cell is for 0; sizes grow to both sides of
        it, negative numbers to the left. Of whole numbers, whose `step` is 1, the upper cut
        is not in the cell.
        """
        cells_from_zero = abs(place - self.middle)
        if not cells_from_zero:
            return Fraction(0), Fraction(0)
        smallest_size = self.cuts[cells_from_zero - 1]
        largest_size = self.cuts[cells_from_zero] - self.step
        if place > self.middle:
            return smallest_size, largest_size
        return -largest_size, -smallest_size


WHOLE = Signed(tuple(cut for cut in SIZE_CUTS if cut >= 1), 1)
DECIMAL = Signed(SIZE_CUTS, 0)

# Formats that a date fits: bit i for format i of a line.
FOLLOWED = tuple((dates, which) for dates in DATES for which in range(1, 2 ** len(dates)))


@dataclass(frozen=True)
class Shapes:
    """What the text of a cell may look like: the cells of a histogram, section by section.

    Attributes:
        listed: The candidates for values of the column; each is a shape of its own.
    """

    listed: tuple[str, ...]

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The number of cells of each section, by its name and in order.

        Sections that are not listed here, such as blank cells, have one cell.
        """
        # Dates have a cell for each set of formats and each era. Eras lie between the years
        # of `ERAS`, before the first and after the last.
        section_sizes = {
            "missing": len(MISSING),
            "listed": len(self.listed),
            "sentinel": len(SENTINELS),
            "whole": WHOLE.size,
            "decimal": DECIMAL.size,
            "date": len(FOLLOWED) * (len(ERAS) + 1),
        }
        return {name: section_sizes.get(name, 1) for name in SECTIONS}

    @cached_property
    def _starts(self) -> dict[str, int]:
        sizes = self.sizes.values()
        return dict(zip(SECTIONS, accumulate(sizes, initial=0), strict=False))

    @property
    def size(self) -> int:
        """The number of all cells."""
        return sum(self.sizes.values())

    def start(self, section: str) -> int:
        """Return the position of a section's first cell."""
        return self._starts[section]

    def slice(self, section: str) -> slice:
        """Return the positions of a section's cells."""
        return slice(self.start(section), self.start(section) + self.sizes[section])


# Share of the filled cells that decides a column's kind.
DECIDING_SHARE = 0.9
# Share of the filled cells that a format must be able to read to be that of the column.
ONE_FORMAT = 0.95
# Share of numbers with fractions from which a column has real numbers.
MIN_FRACTION_SHARE = 0.01
# A sentinel within this many widths beyond the other numbers may be one of them.
SENTINEL_WIDTHS = Fraction(1, 4)


@dataclass(frozen=True)
class AxisColumn:
    """A column of numbers or dates.

    Attributes:
        cuts: Steps for a closer look, without sentinels that exceed the noise.
        rows: Noisy number of rows with another number, or with a date.
    """

    cuts: Cuts
    rows: int


@dataclass(frozen=True)
class TextColumn:
    """A column of texts.

    Attributes:
        listed: Listed texts that exceed the noise, if they cover nearly all.
        rows: Noisy number of rows with a text.
    """

    listed: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class NoKind:
    """Why the kind of a column is undecided."""

    reason: str


Finding = AxisColumn | TextColumn | NoKind

TOO_FEW = "none of its cells exceeds the noise: too little epsilon for so few rows"
EMPTY = "nearly all of its cells are empty or missing"
LONG_TEXTS = "it holds long texts, or addresses of mailboxes: to be left out"
ORDER = "its dates do not show whether the day or the month comes first; declare the format"
LARGE = "it holds numbers too large to be declared"


def find(shapes: Shapes, values: Ints, scale: float) -> Finding:
    """Return the kind of a column: dates, numbers, listed texts, or why it has none.

    A shape says what the text of a cell looks like: empty, a whole number of some size, a
    date of some format, and so on. Shapes of one kind form a section.

    Args:
        shapes: The shapes that the text of a cell may have.
        values: The noisy number of rows of each, shape (shapes.size,).
        scale: The scale of the Laplace noise on each number, in rows.
    """
    counts = Seen(values, scale)
    # Noisy rows by section, of the shapes that exceed the noise.
    rows = {name: counts.rows(shapes.slice(name)) for name in shapes.sizes}
    absent = rows["blank"] + rows["missing"]
    filled = sum(rows.values()) - absent
    if not filled:
        return NoKind(EMPTY if absent else TOO_FEW)
    if rows["long"] + rows["mailbox"] >= filled / 2:
        return NoKind(LONG_TEXTS)
    if rows["beyond"] >= filled / 2:
        return NoKind(LARGE)
    is_listed = rows["listed"] >= DECIDING_SHARE * filled
    other_texts = filled - rows["date"] - _numbers(rows)
    if is_listed or other_texts > (1 - DECIDING_SHARE) * filled:
        return _texts(shapes, counts, filled, is_listed=is_listed)
    # Nearly all are dates or numbers. A mixture of both counts as numbers.
    return (
        _dates(shapes, counts, filled)
        if rows["date"] >= DECIDING_SHARE * filled
        else _axis(shapes, counts, rows)
    )


def missing_found(shapes: Shapes, values: Ints, scale: float) -> tuple[str, ...]:
    """Return spellings of missing values that exceed the noise."""
    return tuple(Seen(values, scale).standing(MISSING, shapes.slice("missing")))


def _numbers(rows: dict[str, int]) -> int:
    return rows["sentinel"] + rows["whole"] + rows["decimal"]


def _texts(shapes: Shapes, counts: Seen, filled: int, *, is_listed: bool) -> TextColumn:
    """Return that a column holds texts, with the listed ones that exceed the noise.

    Args:
        shapes: The shapes that the text of a cell may have.
        counts: The noisy number of rows of each.
        filled: The noisy number of rows with a value.
        is_listed: Whether the list of candidates covers nearly all of these.
    """
    if not is_listed:
        return TextColumn((), filled)
    return TextColumn(tuple(counts.standing(shapes.listed, shapes.slice("listed"))), filled)


def _dates(shapes: Shapes, counts: Seen, filled: int) -> Finding:
    """Return that a column holds dates, with their format and years, or why it is unclear.

    Args:
        shapes: The shapes that the text of a cell may have. The shapes of dates are sets of
            formats that can read the text, such as day first and month first, by span of
            years.
        counts: The noisy number of rows of each shape.
        filled: The noisy number of rows with a value.
    """
    # A line for each set of formats, and a column for each era.
    table = counts.values[shapes.slice("date")].reshape(len(FOLLOWED), len(ERAS) + 1)
    # `least`: a count below it may be noise alone.
    table = np.where(table >= counts.least, table, 0)
    rows_by_format = Counter[str]()
    rows_by_set = zip(FOLLOWED, table.sum(axis=1).tolist(), strict=True)
    for (formats, readable), rows in rows_by_set:
        for bit, pattern in enumerate(formats):
            # Bit i of `readable` says whether format i can read the text.
            can_read = readable >> bit & 1
            rows_by_format[pattern] += rows * can_read
    fitting = [
        pattern for pattern, rows in rows_by_format.items() if rows >= ONE_FORMAT * filled
    ]
    if len(fitting) > 1:
        return NoKind(ORDER)
    if not fitting:
        return NoKind("its dates follow several formats, or one that is not listed")
    # Eras are spans of years; those with rows are from the first to the last.
    eras = np.flatnonzero(table.sum(axis=0))
    ends = (FIRST_YEAR, *ERAS, LAST_YEAR)
    first_year, last_year = ends[eras[0]], ends[eras[-1] + 1] - 1
    return AxisColumn(date_cuts(first_year, last_year, fitting[0]), filled)


def _axis(shapes: Shapes, counts: Seen, rows: dict[str, int]) -> Finding:
    """Return that a column holds numbers, with their range and sentinels such as 999.

    A sentinel is a number that often means a missing value; the draft gives it a cell of its
    own. If no other number exceeds the noise, the sentinels are ordinary values.

    Args:
        shapes: What the text of a cell may look like, such as a whole number of some size.
            Shapes of one kind form a section, such as "whole", "decimal" or "sentinel".
        counts: The noisy number of rows of each shape.
        rows: The noisy number of rows of each section.
    """
    # Few fractions are typing errors: `MIN_FRACTION_SHARE` is the share from which numbers
    # are real.
    is_whole = rows["decimal"] < MIN_FRACTION_SHARE * _numbers(rows)
    ranges_found = [_span(counts, shapes.slice("whole"), WHOLE, rows=rows["whole"])]
    if not is_whole:
        ranges_found.append(
            _span(counts, shapes.slice("decimal"), DECIMAL, rows=rows["decimal"])
        )
    ranges = [span for span in ranges_found if span is not None]
    sentinels = tuple(counts.standing(SENTINELS, shapes.slice("sentinel")))
    ordinary_rows = _numbers(rows)
    if not ranges:
        ranges = [(Fraction(min(sentinels)), Fraction(max(sentinels)))]
        sentinels = ()
    elif sentinels:
        ordinary_rows -= rows["sentinel"]
    low = min(low for low, _ in ranges)
    high = max(high for _, high in ranges)
    if not is_whole and low == high:
        high += 1  # a range of real numbers must have a width
    cuts = whole_cuts(low, high) if is_whole else decimal_cuts(low, high)
    return AxisColumn(replace(cuts, apart=sentinels), ordinary_rows)


def _span(
    counts: Seen, cells: slice, signed: Signed, *, rows: int
) -> tuple[Fraction, Fraction] | None:
    """Return the range of the numbers that noisy counts show; None if they show none.

    Args:
        counts: The noisy number of rows of each shape.
        cells: The positions of the shapes of numbers, by sign and size.
        signed: The range of numbers of each of these shapes.
        rows: The noisy number of rows in them.
    """
    # The first and the last cell between which nearly all of the rows are.
    ends = counts.reach(rows, cells) if rows else None
    if ends is None:
        return None
    first, last = ends
    low, _ = signed.span(first)
    _, high = signed.span(last)
    return low, high


def far_ones(
    codes: Sequence[int], low: Fraction, high: Fraction
) -> tuple[list[int], Fraction, Fraction]:
    """Return the sentinels that are far from all numbers, and bounds that include the others.

    A sentinel is far beyond `SENTINEL_WIDTHS` of the numbers' range, at least beyond 1. A
    negative one is far in any case if no number is negative.

    Args:
        codes: Numbers such as 999 that often mean a missing value.
        low: The least ordinary number.
        high: The largest ordinary number.
    """
    width: Any = max(Fraction(1), (high - low) * SENTINEL_WIDTHS)
    far = []
    # From small ones on, as a near one widens the bounds for those after it.
    for code in sorted(codes, key=abs):
        is_only_negative = code < 0 <= low
        if is_only_negative or not low - width <= code <= high + width:
            far.append(code)
        else:
            low = min(low, Fraction(code))
            high = max(high, Fraction(code))
    return far, low, high
