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

SECTIONS = (
    "blank",
    "missing",
    "listed",
    "sentinel",
    "whole",
    "decimal",
    "beyond",
    "date",
    "zeros",
    "mailbox",
    "long",
    "text",
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
        """Return the least and the largest number of a cell."""
        away = abs(place - self.middle)
        if not away:
            return Fraction(0), Fraction(0)
        small = self.cuts[away - 1]
        large = self.cuts[away] - self.step
        return (small, large) if place > self.middle else (-large, -small)


WHOLE = Signed(tuple(cut for cut in SIZE_CUTS if cut >= 1), 1)
DECIMAL = Signed(SIZE_CUTS, 0)

# Formats that a date fits: bit i for format i of a line.
FOLLOWED = tuple((dates, which) for dates in DATES for which in range(1, 2 ** len(dates)))


@dataclass(frozen=True)
class Shapes:
    """The cells of a column's shapes, section by section."""

    listed: tuple[str, ...]

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The number of cells of each section."""
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
MOST = 0.9
# Share of numbers with fractions from which a column has real numbers.
FRACTIONS = 0.01
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

    ``values`` are the noisy rows of each shape that a text can have, shape
    (shapes.size,).
    """
    counts = Seen(values, scale)
    rows = {name: counts.rows(shapes.slice(name)) for name in shapes.sizes}
    absent = rows["blank"] + rows["missing"]
    filled = sum(rows.values()) - absent
    if not filled:
        return NoKind(EMPTY if absent else TOO_FEW)
    if rows["long"] + rows["mailbox"] >= filled / 2:
        return NoKind(LONG_TEXTS)
    if rows["beyond"] >= filled / 2:
        return NoKind(LARGE)
    is_listed = rows["listed"] >= MOST * filled
    if is_listed or filled - rows["date"] - _numbers(rows) > (1 - MOST) * filled:
        return _texts(shapes, counts, filled, is_listed=is_listed)
    return (
        _dates(shapes, counts, filled)
        if rows["date"] >= MOST * filled
        else _axis(shapes, counts, rows)
    )


def missing_found(shapes: Shapes, values: Ints, scale: float) -> tuple[str, ...]:
    """Return spellings of missing values that exceed the noise."""
    return tuple(Seen(values, scale).standing(MISSING, shapes.slice("missing")))


def _numbers(rows: dict[str, int]) -> int:
    return rows["sentinel"] + rows["whole"] + rows["decimal"]


def _texts(shapes: Shapes, counts: Seen, filled: int, *, is_listed: bool) -> TextColumn:
    if not is_listed:
        return TextColumn((), filled)
    return TextColumn(tuple(counts.standing(shapes.listed, shapes.slice("listed"))), filled)


def _dates(shapes: Shapes, counts: Seen, filled: int) -> Finding:
    """Return that a column holds dates, with their format and years, or why it is unclear.

    The noisy counts are of cells by the set of formats that can read them, and by era.
    """
    table = counts.values[shapes.slice("date")].reshape(len(FOLLOWED), len(ERAS) + 1)
    table = np.where(table >= counts.least, table, 0)
    by_format = Counter[str]()
    rows_by_set = zip(FOLLOWED, table.sum(axis=1).tolist(), strict=True)
    for (formats, readable), rows in rows_by_set:
        for bit, pattern in enumerate(formats):
            can_read = readable >> bit & 1
            by_format[pattern] += rows * can_read
    fitting = [pattern for pattern, rows in by_format.items() if rows >= 0.95 * filled]
    if len(fitting) > 1:
        return NoKind(ORDER)
    if not fitting:
        return NoKind("its dates follow several formats, or one that is not listed")
    eras = np.flatnonzero(table.sum(axis=0))
    ends = (FIRST_YEAR, *ERAS, LAST_YEAR)
    return AxisColumn(date_cuts(ends[eras[0]], ends[eras[-1] + 1] - 1, fitting[0]), filled)


def _axis(shapes: Shapes, counts: Seen, rows: dict[str, int]) -> Finding:
    """Return that a column holds numbers, with their range and sentinels such as 999.

    Without numbers of any size that exceed the noise, the sentinels are its only values.
    """
    is_whole = rows["decimal"] < FRACTIONS * _numbers(rows)
    spans = [_span(counts, shapes.slice("whole"), WHOLE, rows=rows["whole"])]
    spans.append(
        None
        if is_whole
        else _span(counts, shapes.slice("decimal"), DECIMAL, rows=rows["decimal"])
    )
    codes = tuple(counts.standing(SENTINELS, shapes.slice("sentinel")))
    ranges = [span for span in spans if span is not None]
    if not ranges:  # then they are no sentinels
        ranges = [(Fraction(min(codes)), Fraction(max(codes)))]
        codes = ()
    low = min(low for low, _ in ranges)
    high = max(high for _, high in ranges)
    if not is_whole and low == high:
        high += 1
    cuts = whole_cuts(low, high) if is_whole else decimal_cuts(low, high)
    ordinary = _numbers(rows) - (rows["sentinel"] if codes else 0)
    return AxisColumn(replace(cuts, apart=codes), ordinary)


def _span(
    counts: Seen, cells: slice, signed: Signed, *, rows: int
) -> tuple[Fraction, Fraction] | None:
    """Return the range of the numbers that noisy counts show; None if they show none."""
    reach = counts.reach(rows, cells) if rows else None
    return None if reach is None else (signed.span(reach[0])[0], signed.span(reach[1])[1])


def far_ones(
    codes: Sequence[int], low: Fraction, high: Fraction
) -> tuple[list[int], Fraction, Fraction]:
    """Return sentinels far from all numbers, and bounds with the others."""
    width: Any = max(Fraction(1), (high - low) * SENTINEL_WIDTHS)
    far = []
    for code in sorted(codes, key=abs):
        if (code < 0 <= low) or not low - width <= code <= high + width:
            far.append(code)
        else:
            low = min(low, Fraction(code))
            high = max(high, Fraction(code))
    return far, low, high
