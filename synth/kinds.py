"""The five kinds of columns: categorical, boolean, integer, number and date.

Every kind says into which cells it is cut and what happens to values outside. `synth.domain`
puts columns together.

>>> age = Integer(name="age", minimum=0, maximum=99, edges=(0, 18, 65, 99))
>>> age.cells
('0 to 17', '18 to 64', '65 to 99')
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, NoReturn

from synth import limits
from synth.errors import DomainError

MISSING_LABEL = "(missing)"
OTHER_LABEL = "(other)"
EPOCH = datetime(1970, 1, 1)

Bound = str | int | float
"""A declared bound; a number stands for its shortest decimal text."""


class Outside(StrEnum):
    """What happens to a value that is not in the column's declared range or list."""

    CELL = "cell"
    """It goes to a cell of its own."""
    NEAREST = "nearest"
    """It goes to the nearest bound; what is no number or date goes where missing values go."""
    MISSING = "missing"
    """It goes to the missing cell."""
    DROP = "drop"
    """Its row is left out."""


@dataclass(frozen=True, kw_only=True)
class Column(ABC):
    """One declared column; the base of the five kinds.

    Attributes:
        name: Header of the column in the table.
        missing: Whether missing values have a cell of their own.
        outside: The rule for values outside; None stands for the default of the kind.
        description: Free text from the code book.
    """

    kind: ClassVar[str] = "column"
    rules: ClassVar[tuple[Outside, ...]] = tuple(Outside)

    name: str
    missing: bool = False
    outside: Outside | None = None
    description: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.name.strip():
            refuse("A column has no name.")
        if self.outside is not None and self.outside not in self.rules:
            refuse(f"Column '{self.name}' ({self.kind}) cannot use the rule '{self.outside}'.")
        if self.outside == Outside.MISSING and not self.missing:
            refuse(
                f"Column '{self.name}' sends values outside to the missing cell, "
                "but declares none (set required to false)."
            )
        self._validate()

    @abstractmethod
    def _validate(self) -> None:
        """Raise DomainError where the declaration makes no sense."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """Labels of the declared categories or bins, in code order."""

    @property
    def rule(self) -> Outside:
        """The rule for values outside, with the default filled in."""
        return self.outside or self._default_rule()

    def _default_rule(self) -> Outside:
        return Outside.MISSING if self.missing else Outside.DROP

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Labels of all cells, in code order."""
        extra = (MISSING_LABEL,) * self.missing + (OTHER_LABEL,) * (self.rule == Outside.CELL)
        return self.labels + extra

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.cells)

    @property
    def missing_code(self) -> int | None:
        """Code of the missing cell, or None where there is none."""
        return len(self.labels) if self.missing else None

    @property
    def other_code(self) -> int | None:
        """Code of the cell for values outside, or None where there is none."""
        return len(self.labels) + self.missing if self.rule == Outside.CELL else None


@dataclass(frozen=True, kw_only=True)
class Categorical(Column):
    """A column with a list of categories, kept as text exactly as declared."""

    kind: ClassVar[str] = "categorical"
    rules: ClassVar[tuple[Outside, ...]] = (Outside.CELL, Outside.MISSING, Outside.DROP)

    categories: tuple[str, ...]

    def _validate(self) -> None:
        if not self.categories:
            refuse(f"Column '{self.name}' lists no categories.")
        if len(self.categories) > limits.CATEGORIES:
            refuse(
                f"Column '{self.name}' lists {len(self.categories):,} categories; "
                f"the limit is {limits.CATEGORIES:,}."
            )
        if any(c != c.strip() or not c for c in self.categories):
            refuse(f"Column '{self.name}' lists a category that is empty or padded with blanks.")
        twice = first_repeat(self.categories)
        if twice is not None:
            refuse(f"Column '{self.name}' lists the category '{twice}' twice.")
        if self.rule == Outside.CELL and OTHER_LABEL in self.categories:
            refuse(f"Column '{self.name}' lists '{OTHER_LABEL}', the name of its outside cell.")

    @property
    def labels(self) -> tuple[str, ...]:
        return self.categories


@dataclass(frozen=True, kw_only=True)
class Boolean(Column):
    """A yes-or-no column; several spellings may stand for each of the two values."""

    kind: ClassVar[str] = "boolean"
    rules: ClassVar[tuple[Outside, ...]] = Categorical.rules

    true_values: tuple[str, ...] = ("true", "True", "TRUE", "1")
    false_values: tuple[str, ...] = ("false", "False", "FALSE", "0")

    def _validate(self) -> None:
        if not self.true_values or not self.false_values:
            refuse(f"Column '{self.name}' needs at least one spelling for true and for false.")
        twice = first_repeat(self.true_values + self.false_values)
        if twice is not None:
            refuse(f"Column '{self.name}' lists the spelling '{twice}' twice.")

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.false_values[0], self.true_values[0])


@dataclass(frozen=True, kw_only=True)
class Binned(Column):
    """A column cut into bins; the base of integers, numbers and dates.

    Either ``edges`` (ascending, the first and last being the bounds) or bounds with a number
    of ``bins``. A bin holds its lower edge and not its upper one; the last bin holds both.
    """

    minimum: Bound
    maximum: Bound
    bins: int | None = None
    edges: tuple[Bound, ...] = ()

    def __post_init__(self) -> None:
        # One spelling each, so that equal declarations are equal.
        object.__setattr__(self, "minimum", str(self.minimum))
        object.__setattr__(self, "maximum", str(self.maximum))
        object.__setattr__(self, "edges", tuple(str(edge) for edge in self.edges))
        super().__post_init__()
        if not self.edges:
            object.__setattr__(self, "bins", self.bin_count)

    def _default_rule(self) -> Outside:
        return Outside.NEAREST

    def _validate(self) -> None:
        low, high = self._parse(self.minimum), self._parse(self.maximum)
        if low > high:
            refuse(f"Column '{self.name}': minimum {self.minimum} is above maximum {self.maximum}.")
        if self.edges:
            self._validate_edges()
        elif not 1 <= self.bin_count <= limits.BINS:
            refuse(f"Column '{self.name}': bins must be a whole number from 1 to {limits.BINS:,}.")
        elif self.bin_count > self.values:
            refuse(
                f"Column '{self.name}' has {self.values} values from {self.minimum} to "
                f"{self.maximum}, fewer than its {self.bin_count} bins."
            )

    def _validate_edges(self) -> None:
        parsed = [self._parse(edge) for edge in self.edges]
        if len(parsed) < 2 or len(parsed) > limits.BINS + 1:
            refuse(f"Column '{self.name}': edges need from 2 to {limits.BINS + 1:,} values.")
        if any(a >= b for a, b in pairwise(parsed)):
            refuse(f"Column '{self.name}': edges must be in ascending order, each one once.")
        if (parsed[0], parsed[-1]) != (self._parse(self.minimum), self._parse(self.maximum)):
            refuse(
                f"Column '{self.name}': the first and last edges must be the minimum and maximum."
            )

    @abstractmethod
    def _parse(self, text: Bound) -> Fraction:
        """Exact position of a declared bound on the column's axis."""

    @property
    @abstractmethod
    def values(self) -> float:
        """How many different values the bounds allow."""

    @property
    def bin_count(self) -> int:
        """Number of bins; undeclared, the default or the number of values if that is less."""
        if self.edges:
            return len(self.edges) - 1
        if self.bins is not None:
            return self.bins
        return max(1, int(min(limits.DEFAULT_BINS, self.values)))

    @cached_property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Smallest and largest position allowed, both inside."""
        return self._parse(self.minimum), self._parse(self.maximum)


class _Lattice(Binned):
    """Bins of whole units: integers, days or seconds."""

    @property
    def values(self) -> int:
        low, high = self.bounds
        return int(high - low) + 1

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """First unit of each bin, then one past the last: bin i is starts[i] <= x < starts[i+1]."""
        low, high = (int(b) for b in self.bounds)
        if self.edges:
            inner = tuple(int(self._parse(edge)) for edge in self.edges[:-1])
        else:
            inner = tuple(low + i * self.values // self.bin_count for i in range(self.bin_count))
        return (*inner, high + 1)

    def show(self, unit: int) -> str:
        """A unit as the column writes it."""
        return str(unit)

    @property
    def labels(self) -> tuple[str, ...]:
        pairs = pairwise(self.starts)
        return tuple(_span(self.show(a), self.show(b - 1)) for a, b in pairs)


@dataclass(frozen=True, kw_only=True)
class Integer(_Lattice):
    """A column of whole numbers, cut into bins of nearly equal numbers of values."""

    kind: ClassVar[str] = "integer"

    def _parse(self, text: Bound) -> Fraction:
        value = _fraction(self.name, text)
        if value.denominator != 1:
            refuse(f"Column '{self.name}': {text} is not a whole number.")
        return value


@dataclass(frozen=True, kw_only=True)
class Number(Binned):
    """A column of real numbers, cut into bins of equal width or at declared edges.

    ``decimals`` is how many digits after the point synthetic values have; undeclared, enough
    for about a thousand different values in the narrowest bin.
    """

    kind: ClassVar[str] = "number"

    decimals: int | None = None

    def _validate(self) -> None:
        super()._validate()
        if self.minimum == self.maximum or self.bounds[0] == self.bounds[1]:
            refuse(f"Column '{self.name}': minimum and maximum are equal.")
        if self.decimals is not None and not 0 <= self.decimals <= 15:
            refuse(f"Column '{self.name}': decimals must be from 0 to 15.")
        if any(a > b for a, b in self.ticks):
            refuse(f"Column '{self.name}': a bin holds no value with {self.places} decimals.")

    def _parse(self, text: Bound) -> Fraction:
        return _fraction(self.name, text)

    @property
    def values(self) -> float:
        return math.inf

    @cached_property
    def cuts(self) -> tuple[Fraction, ...]:
        """All edges, exactly: bin_count + 1 of them."""
        if self.edges:
            return tuple(self._parse(edge) for edge in self.edges)
        low, high = self.bounds
        return tuple(low + (high - low) * i / self.bin_count for i in range(self.bin_count + 1))

    @property
    def places(self) -> int:
        """Digits after the point of synthetic values."""
        if self.decimals is not None:
            return self.decimals
        width = min(b - a for a, b in pairwise(self.cuts))
        return min(15, max(0, 3 - math.floor(math.log10(width))))

    @cached_property
    def ticks(self) -> tuple[tuple[int, int], ...]:
        """First and last multiple of 10**-places inside each bin, both included."""
        unit = 10**self.places
        pairs = list(pairwise(self.cuts))
        inner = [(math.ceil(a * unit), math.ceil(b * unit) - 1) for a, b in pairs]
        inner[-1] = (inner[-1][0], math.floor(self.cuts[-1] * unit))
        return tuple(inner)

    @property
    def labels(self) -> tuple[str, ...]:
        shown = [f"{float(cut):.6g}" for cut in self.cuts]
        if len(set(shown)) < len(shown):
            shown = [repr(float(cut)) for cut in self.cuts]
        return tuple(f"{a} to {b}" for a, b in pairwise(shown))


@dataclass(frozen=True, kw_only=True)
class Date(_Lattice):
    """A column of dates, or of dates with a time of day when ``time`` is set.

    ``format`` is a strftime pattern; empty stands for ISO 8601. Positions are days, or
    seconds, since 1970-01-01.
    """

    kind: ClassVar[str] = "date"

    time: bool = False
    format: str = ""

    def _validate(self) -> None:
        probe = datetime(2001, 2, 3) if not self.time else datetime(2001, 2, 3, 14, 0)
        try:
            kept = datetime.strptime(probe.strftime(self.pattern), self.pattern)
        except ValueError:
            kept = None
        if kept != probe:
            refuse(f"Column '{self.name}': the format '{self.format}' does not keep a whole date.")
        super()._validate()

    @property
    def pattern(self) -> str:
        """The strftime pattern in use."""
        return self.format or ("%Y-%m-%dT%H:%M:%S" if self.time else "%Y-%m-%d")

    @property
    def seconds(self) -> int:
        """Length of one unit in seconds."""
        return 1 if self.time else 86_400

    def _parse(self, text: Bound) -> Fraction:
        for read in (datetime.fromisoformat, lambda t: datetime.strptime(t, self.pattern)):
            try:
                moment = read(str(text))
            except ValueError:
                continue
            return Fraction(
                int((moment.replace(tzinfo=None) - EPOCH).total_seconds()) // self.seconds
            )
        return refuse(f"Column '{self.name}': the bound '{text}' is not a date like 2024-12-31.")

    def show(self, unit: int) -> str:
        moment = EPOCH + timedelta(seconds=unit * self.seconds)
        return moment.isoformat(sep=" ") if self.time else moment.date().isoformat()


def refuse(message: str) -> NoReturn:
    """Raise DomainError."""
    raise DomainError(message)


def first_repeat(names: Iterable[str]) -> str | None:
    """The first name that stands there a second time, or None."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _fraction(name: str, text: Bound) -> Fraction:
    try:
        value = Fraction(str(text))
    except (ValueError, ZeroDivisionError):
        refuse(f"Column '{name}': the bound '{text}' is not a finite number.")
    if abs(value) > limits.BOUND:
        refuse(f"Column '{name}': the bound '{text}' is too large.")
    return value
