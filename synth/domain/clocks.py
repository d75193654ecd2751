"""Columns of times of day, and of durations, cut into bins.

>>> seen = TimeOfDay(name="seen", minimum="08:00", maximum="19:59", format="%H:%M", bins=2)
>>> seen.cells
('08:00 to 13:59', '14:00 to 19:59')
>>> wait = Duration(name="wait", minimum="0:00", maximum="47:59", format="%-H:%M", bins=2)
>>> wait.cells
('0:00 to 23:59', '24:00 to 47:59')
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from synth import limits
from synth.domain.bins import Bound, Lattice
from synth.domain.clock_readings import Clock, Span, SpanReading
from synth.domain.column import refuse, refuse_long
from synth.domain.field_values import Arguments, Field
from synth.domain.frozen import set_field
from synth.errors import DomainError
from synth.util import Json


@dataclass(frozen=True, kw_only=True)
class _Clocked(Lattice):
    """The common part of times of day and durations: whole seconds, minutes or days.

    Attributes:
        format: The format of texts; empty for the usual one.
    """

    adds_up: ClassVar[bool] = False

    format: str = ""

    def __post_init__(self) -> None:
        """Check the format before the bounds, which may be written in it."""
        pattern = self.format.strip()
        set_field(self, "format", "" if pattern == "default" else pattern)
        refuse_long(f"Column '{self.name}': the format", [self.format], limits.FORMAT_LENGTH)
        try:
            self.reading  # noqa: B018 - it checks the format
        except DomainError as error:
            refuse(f"Column '{self.name}': {error}")
        super().__post_init__()

    def _validate(self) -> None:
        """Raise DomainError if the format cannot write a bound, or the bins do not fit."""
        for bound in (self.minimum, self.maximum, *self.spikes):
            unit = int(self._parse(bound))
            if not self._may_write(unit):
                refuse(
                    f"Column '{self.name}': its format cannot write the bound or spike "
                    f"{bound}; take a shorter one."
                )
        super()._validate()

    def _may_write(self, unit: int) -> bool:
        """Return whether the text of a step is read as that step."""
        try:
            return self.reading.read(self.reading.write(unit)) == unit
        except ValueError:
            return False

    @property
    @abstractmethod
    def reading(self) -> SpanReading:
        """How a cell's text is read."""

    @property
    @abstractmethod
    def example(self) -> str:
        """A text of the kind, for messages."""

    @property
    def step(self) -> Fraction:
        """Smallest distance of two different synthetic values, in seconds."""
        return Fraction(self.reading.seconds)

    def _ends_as_read(self) -> tuple[int, int]:
        low, high = self.bounds
        seconds = self.reading.seconds
        return int(low) * seconds, (int(high) + 1) * seconds

    def position(self, text: str) -> Fraction:
        """Return the position of a text: whole steps; ValueError if it is no value.

        The text is in the column's format or in the usual one.
        """
        try:
            return Fraction(self.reading.read(text))
        except ValueError:
            second = self._read_usual(text)
        return Fraction(second, self.reading.seconds)

    @abstractmethod
    def _read_usual(self, text: str) -> int:
        """Return the seconds of a text in a usual format; ValueError if it is none."""

    def write_position(self, position: Fraction) -> str:
        """Return the text at a position."""
        return self.show(int(position))

    def show(self, unit: int) -> str:
        """Return the text of a step."""
        return self.reading.write(unit)

    def show_value(self, value: float) -> str:
        """Return the text of a number of steps, rounded."""
        return self.show(round(value))

    def tell(self, value: float, end: Callable[[float], int] = round) -> str:
        """Return the text of a mean in seconds, rounded to a step."""
        return self.show(end(value / self.reading.seconds))

    @property
    def told_in(self) -> str:
        """The unit of differences, in words."""
        return "seconds"

    @property
    def dtype(self) -> str:
        """The type of its column in a DataFrame."""
        return "str"

    def _parse(self, text: Bound) -> Fraction:
        """Return a bound as whole steps, rounded down; DomainError if it is none."""
        try:
            position = self.position(str(text).strip())
        except ValueError:
            return refuse(
                f"Column '{self.name}': the bound '{text}' is no {self.kind} like "
                f"{self.example}."
            )
        return Fraction(int(position))

    @classmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        """Return the bounds, bins, spikes and format that a Table Schema field declares.

        They are returned as arguments of this class by name. DomainError is raised if they
        are wrong, or the format is no text.
        """
        arguments = super().read_field(name, field)
        pattern = field.get("format", "default")
        if not isinstance(pattern, str) or pattern == "any":
            refuse(f"Column '{name}': 'format' must be a pattern such as %H:%M.")
        return arguments | {"format": "" if pattern == "default" else pattern}

    def _before_bounds(self) -> dict[str, Json]:
        return {"format": self.format or "default"}


@dataclass(frozen=True, kw_only=True)
class TimeOfDay(_Clocked):
    """A column of times of day.

    Positions are seconds since midnight, or minutes if the format has no seconds.
    """

    kind: ClassVar[str] = "time of day"
    types: ClassVar[Mapping[str, str]] = {"time of day": "time"}
    open_above: ClassVar[bool] = True
    asks: ClassVar[Mapping[str, str]] = {
        "bounds": "08:00:00",
        "clock": "%H:%M:%S",
        "bins": "00:00:00, 06:00:00, 12:00:00, 23:59:59",
        "spikes": "00:00:00",
    }

    @cached_property
    def reading(self) -> Clock:
        """How a cell's text is read."""
        return Clock(self.format or "%H:%M:%S")

    @property
    def example(self) -> str:
        """A text of the kind, for messages."""
        return self.reading.write(30_600 // self.reading.seconds)

    def _read_usual(self, text: str) -> int:
        """Return the seconds since midnight of a text such as 13:45 or 13:45:00.

        Raises:
            ValueError: The text is no time of day.
        """
        for pattern in ("%H:%M:%S", "%H:%M"):
            clock = Clock(pattern)
            try:
                return clock.read(text) * clock.seconds
            except ValueError:
                continue
        raise ValueError


@dataclass(frozen=True, kw_only=True)
class Duration(_Clocked):
    """A column of durations, which may be longer than a day.

    Positions are seconds, or minutes or days if the format says no more.
    """

    kind: ClassVar[str] = "duration"
    types: ClassVar[Mapping[str, str]] = {"duration": "duration"}
    open_above: ClassVar[bool] = True
    asks: ClassVar[Mapping[str, str]] = {
        "bounds": "PT0S",
        "clock": "%-H:%M:%S",
        "bins": "PT0S, PT30M, PT2H, P1D",
        "spikes": "PT0S",
    }

    @cached_property
    def reading(self) -> Span:
        """How a cell's text is read."""
        return Span(self.format or "default")

    @property
    def example(self) -> str:
        """A text of the kind, for messages."""
        return self.reading.write(86_400 // self.reading.seconds)

    def _read_usual(self, text: str) -> int:
        return Span("default").read(text)

    @property
    def dtype(self) -> str:
        """The type of its column in a DataFrame."""
        return "timedelta64[s]"
