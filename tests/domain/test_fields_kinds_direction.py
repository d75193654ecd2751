"""The kind of `docs/extending/column-kind.md`, which keeps the contract of all others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest

from pages.ui.shell.declaration import Change
from synth.domain import COLUMN_KINDS, Whole, read_field, read_schema
from synth.domain.bins import Bound, Lattice
from synth.domain.column import refuse
from synth.errors import DomainError
from tests.domain.test_fields_kinds import KindContract


@dataclass(frozen=True, kw_only=True)
class Direction(Lattice):
    """A column of directions of the wind in whole degrees, 0 in the north."""

    kind: ClassVar[str] = "direction"
    types: ClassVar[Mapping[str, str]] = {"direction": "direction"}
    asks: ClassVar[Mapping[str, str]] = {"bounds": "0", "bins": "", "spikes": "0"}
    adds_up: ClassVar[bool] = False

    @property
    def reading(self) -> Whole:
        """A whole number: what every engine reads."""
        return Whole()

    def position(self, text: str) -> Fraction:
        """The degrees, with or without their sign."""
        return Fraction(self.reading.read(text.removesuffix("°")))

    def write_position(self, position: Fraction) -> str:
        """The direction that stands there."""
        return self.show(int(position))

    def show(self, unit: int) -> str:
        """A degree as cells are named by it."""
        return f"{unit}°"

    def show_value(self, value: float) -> str:
        """A quartile."""
        return self.show(round(value))

    def tell(self, value: float, end: Callable[[float], int] = round) -> str:
        """A mean as answers show it."""
        return self.show(end(value))

    def _parse(self, text: Bound) -> Fraction:
        try:
            position = self.position(str(text))
        except ValueError:
            position = Fraction(-1)
        if not 0 <= position < 360:
            refuse(f"Column '{self.name}': the bound '{text}' is no direction like 270.")
        return position


@pytest.fixture(autouse=True)
def offer_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the package know the kind, beside its own."""
    monkeypatch.setitem(COLUMN_KINDS, Direction.kind, Direction)


class TestDirection(KindContract):
    some = (Direction(name="wind", minimum=1, maximum=359, bins=2, spikes=(0,)),)
    in_formulas = False
    cells = ("0°", "1° to 179°", "180° to 359°")


def test_a_table_schema_declares_it_and_a_form_does() -> None:
    """The new kind is declared by the form of the app, and read from a schema.

    Its cells are those of `TestDirection` without the spike, which comes first there.
    """
    change = Change(kind="direction", minimum="1", maximum="359", bins=2, missing=False)
    field = change.apply({"name": "wind"})
    limits = {"minimum": "1", "maximum": "359", "required": True}
    assert field == {
        "name": "wind",
        "type": "direction",
        "synth:bins": 2,
        "constraints": limits,
    }

    (column,) = read_schema({"fields": [field]}).columns
    assert column == read_field(field, 1)
    assert column.cells == TestDirection.cells[1:]


@pytest.mark.parametrize("bound", ["north", "360"])
def test_a_bound_that_is_none_is_refused(bound: str) -> None:
    with pytest.raises(DomainError, match=f"the bound '{bound}' is no direction like 270"):
        Direction(name="wind", minimum=0, maximum=bound)
