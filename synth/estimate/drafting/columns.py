"""A drafted column from noisy or exact counts: its field, or why it stays open. PUBLIC.

>>> ends = {"minimum": "18", "maximum": "67"}
>>> age = DraftColumn(draft_field("age", "integer", ends, {"synth:bins": single_bins(18, 67)}), "")
>>> age.name, age.is_open, age.field["synth:bins"]
('age', False, 50)
>>> open_column("note", "holds free text").is_open
True
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from synth.domain import read_field
from synth.errors import DomainError
from synth.util import Document, Json

MAX_SINGLE_BINS = 50


class Review(StrEnum):
    IDENTIFIERS = "Left out as identifiers"
    QUESTIONS = "To decide"
    DETAILED = "Kept, but detailed"


@dataclass(frozen=True)
class DraftColumn:
    """A drafted column.

    Attributes:
        field: Its Table Schema field, complete or not.
        reason: Its content, or why it is open or left out.
        missing: Its texts for missing values.
        review: The steward's list that shows it, if any.
        offer: The effect of the steward's click.
        empty: The share of rows without a value, if seen.
    """

    field: Document
    reason: str
    left_out: bool = False
    missing: tuple[str, ...] = ()
    review: Review | None = None
    offer: str = ""
    empty: float = dataclasses.field(default=0.0, repr=False)
    example: str = dataclasses.field(default="", repr=False)

    @property
    def name(self) -> str:
        return str(self.field["name"])

    @cached_property
    def is_open(self) -> bool:
        try:
            read_field(self.field, 1)
        except DomainError:
            return True
        return False


def open_column(name: str, reason: str) -> DraftColumn:
    return DraftColumn({"name": name}, reason)


def draft_field(
    name: str,
    kind: str,
    limits: Mapping[str, Json],
    keys: Mapping[str, Json],
    *,
    required: bool = False,
    nearest: bool = False,
) -> Document:
    """Return a Table Schema field.

    Args:
        limits: Its constraints: bounds, or a list.
        keys: More keys; empty ones are left out.
        required: False gives missing values a cell of their own.
        nearest: Whether values outside go to the nearest bound.
    """
    field: Document = {"name": name, "type": kind}
    if nearest:
        field["synth:outside"] = "nearest"
    field["constraints"] = {"required": required, **limits}
    return field | {key: value for key, value in keys.items() if value not in (None, [], "")}


def single_bins(low: float | Fraction, high: float | Fraction) -> int | None:
    """Return bins of one whole number each; None if too many."""
    values = int(high - low) + 1
    return values if values <= MAX_SINGLE_BINS else None
