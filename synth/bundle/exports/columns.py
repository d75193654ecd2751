"""A column as a format holds it. PUBLIC."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from synth.domain import EPOCH, Column


class Storage(StrEnum):
    """As what a column is held."""

    NUMBER = "numbers"
    CODE = "codes"
    TEXT = "texts"
    DATE = "dates"
    BOOLEAN = "truth values"


@dataclass(frozen=True)
class HeldColumn:
    """A column as a format holds it. PUBLIC.

    Attributes:
        column: As it is declared.
        name: As the format has it.
        label: What the column is about, as the format has it.
        storage: As what it is held.
        codes: The code of each cell of a column that lists its values, in order.
        labels: What codes stand for.
        other: The code of values outside, among numbers; a letter in Stata.
        missing: The code of missing values, where they have one.
        epoch: What dates are counted from.
        unit: The seconds in which they are counted.
        notes: What the format cannot say, a sentence each.
    """

    column: Column
    name: str
    label: str = ""
    storage: Storage = Storage.TEXT
    codes: tuple[float, ...] = ()
    labels: Mapping[float, str] = field(default_factory=dict)
    other: float | str | None = None
    missing: float | None = None
    epoch: datetime = EPOCH
    unit: float = 1.0
    notes: tuple[str, ...] = ()

    @property
    def texts(self) -> list[str]:
        """The texts that a column which lists its values may hold."""
        return [c for i, c in enumerate(self.column.cells) if i != self.column.missing_code]
