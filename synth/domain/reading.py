"""How the text of a cell is read, and where what was read is cut: described, never done.

A column describes itself by texts, numbers and places. What reads rows translates that for its
engine (`synth.private.counting.sql`), and what draws them has faster ways where there are many
(`synth.rows`); `read` and `write` say what all of them must agree with.

>>> Decimal(2).read("0.5"), Moment("%d.%m.%Y", DAY).write(365), Listed((("no", "0"),)).read("0")
(50, '01.01.1971', 0)
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

EPOCH = datetime(1970, 1, 1)
DAY = 86_400
"""Seconds."""

Position = int | float
"""A position among values as they are read: an exact whole number, or a double."""


class Reading(ABC):
    """What a text of a column stands for.

    A step is the smallest distance of two values that the column tells apart.
    """

    @abstractmethod
    def read(self, text: str) -> int:
        """The value of a text in steps (in a list: its place).

        Raises:
            ValueError: It stands for no value.
        """

    @abstractmethod
    def write(self, step: int) -> str:
        """A text that stands for a value."""

    def may_read(self, text: str) -> bool:
        """False only where a text certainly stands for no value: here, without a digit."""
        return any(map(str.isdigit, text))


@dataclass(frozen=True)
class Listed(Reading):
    """A text in a list.

    Attributes:
        spellings: The texts of each cell, in code order.
    """

    spellings: tuple[tuple[str, ...], ...]

    def read(self, text: str) -> int:
        for code, texts in enumerate(self.spellings):
            if text in texts:
                return code
        raise ValueError

    def write(self, step: int) -> str:
        return self.spellings[step][0]

    def may_read(self, text: str) -> bool:
        return any(text in texts for texts in self.spellings)


@dataclass(frozen=True)
class Whole(Reading):
    """A whole number."""

    def read(self, text: str) -> int:
        return int(text)

    def write(self, step: int) -> str:
        return str(step)


@dataclass(frozen=True)
class Decimal(Reading):
    """A number, in synthetic rows with so many digits after the point."""

    places: int

    def read(self, text: str) -> int:
        return round(float(text) * int(10**self.places))

    def write(self, step: int) -> str:
        return repr(step / 10**self.places)


@dataclass(frozen=True)
class Moment(Reading):
    """A date by a strftime pattern, in steps of so many seconds since 1970-01-01."""

    pattern: str
    seconds: int

    def read(self, text: str) -> int:
        gap = datetime.strptime(text, self.pattern) - EPOCH
        return (gap.days * DAY + gap.seconds) // self.seconds

    def write(self, step: int) -> str:
        return (EPOCH + timedelta(seconds=step * self.seconds)).strftime(self.pattern)


@dataclass(frozen=True)
class FormulaValues:
    """What a column or a part of a formula may hold, a missing value apart.

    Attributes:
        kind: ``number``, ``text``, ``truth`` or ``date``, which is a number of days since 1970.
        low, high: The least and the largest number.
        whole: Whether all numbers are whole.
        texts: All texts, in their order.
        may_fail: Whether it may divide by zero.
    """

    kind: str
    low: float = 0
    high: float = 1
    whole: bool = False
    texts: tuple[str, ...] = ()
    may_fail: bool = False


class Spike(NamedTuple):
    """A value with a cell of its own: from ``low`` to below ``high``, or ``low`` alone if None."""

    code: int
    low: Position
    high: Position | None


class Bin(NamedTuple):
    """Where a bin begins."""

    code: int
    low: Position


class Even(NamedTuple):
    """Bins whose number is found by arithmetic.

    Unit d = floor((value - offset) / unit) - first is in bin floor(((d + 1) bins - 1) / values):
    bin i begins at unit floor(i * values / bins).
    """

    offset: int
    unit: int
    first: int
    bins: int
    values: int


@dataclass(frozen=True)
class Cutting:
    """Where values, as they are read, are cut into cells.

    Attributes:
        low: The least value within the bounds.
        high: The greatest one, or, where ``open_above``, the least one above them.
        spikes: What comes first, inside the bounds or not.
        bins: All bins, ascending; what is inside the bounds and no spike is in one.
        even: The bins by arithmetic; None where there is none.
        ends: The codes of values below and above the bounds; None where they count as unknown.
    """

    low: Position
    high: Position
    open_above: bool
    spikes: tuple[Spike, ...]
    bins: Sequence[Bin]
    even: Even | None
    ends: tuple[int, int] | None


class Summable(NamedTuple):
    """What adding up values of a column takes, as they are read.

    Attributes:
        low: The least value within the bounds.
        high: The greatest one; of dates, where the last one begins.
        unit: The distance of two values, to which they are rounded down; None of real numbers.
        first: The code of the first cell within the bounds.
        last: That of the last one.
    """

    low: float
    high: float
    unit: float | None
    first: int
    last: int
