"""The kind of `docs/extending/column-kind.md`, which keeps the contract of all others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest

from pages.ui.shell.declaration import Change
from synth.domain import COLUMN_KINDS, Moment, read_field, read_schema
from synth.domain.bins import Bound, Lattice
from synth.domain.column import refuse
from synth.errors import DomainError
from tests.domain.test_fields_kinds import KindContract


@dataclass(frozen=True, kw_only=True)
class Time(Lattice):
    """A column of times of day, cut into bins of whole seconds."""

    kind: ClassVar[str] = "time of day"
    types: ClassVar[Mapping[str, str]] = {"time of day": "time"}
    asks: ClassVar[Mapping[str, str]] = {
        "bounds": "08:00:00",
        "bins": "",
        "spikes": "00:00:00",
    }
    adds_up: ClassVar[bool] = False

    @property
    def reading(self) -> Moment:
        """A time by the clock, in seconds: what every engine reads."""
        return Moment("%H:%M:%S", 1)

    def position(self, text: str) -> Fraction:
        """Seconds; those of midnight are as far from 1970 as the reading has them."""
        return Fraction(self.reading.read(text))

    def write_position(self, position: Fraction) -> str:
        """The time that stands there."""
        return self.show(int(position))

    def show(self, unit: int) -> str:
        """A second as cells are named by it."""
        return self.reading.write(unit)

    def show_value(self, value: float) -> str:
        """A mean or a quartile."""
        return self.show(round(value))

    def tell(self, value: float, end: Callable[[float], int] = round) -> str:
        """A mean as answers show it."""
        return self.show(end(value))

    def _parse(self, text: Bound) -> Fraction:
        try:
            return self.position(str(text))
        except ValueError:
            return refuse(
                f"Column '{self.name}': the bound '{text}' is no time like 08:30:00."
            )


@pytest.fixture(autouse=True)
def offer_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the package know the kind, beside its own."""
    monkeypatch.setitem(COLUMN_KINDS, Time.kind, Time)


class TestTime(KindContract):
    some = (
        Time(
            name="seen", minimum="08:00:00", maximum="19:59:59", bins=2, spikes=("00:00:00",)
        ),
    )
    in_formulas = False
    cells = ("00:00:00", "08:00:00 to 13:59:59", "14:00:00 to 19:59:59")


def test_a_table_schema_declares_it_and_a_form_does() -> None:
    """The new kind is declared by the form of the app, and read from a schema.

    Its cells are those of `TestTime` without the spike, which comes first there.
    """
    change = Change(
        kind="time of day", minimum="08:00:00", maximum="19:59:59", bins=2, missing=False
    )
    field = change.apply({"name": "seen"})
    limits = {"minimum": "08:00:00", "maximum": "19:59:59", "required": True}
    assert field == {"name": "seen", "type": "time", "synth:bins": 2, "constraints": limits}

    (column,) = read_schema({"fields": [field]}).columns
    assert column == read_field(field, 1)
    assert column.cells == TestTime.cells[1:]


def test_a_bound_that_is_none_is_refused() -> None:
    with pytest.raises(DomainError, match="the bound '8 am' is no time like 08:30:00"):
        Time(name="seen", minimum="8 am", maximum="19:59:59")
