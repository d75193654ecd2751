"""A column as counts of its cells draft it: its field, or why it stays open. PUBLIC.

Both drafts end here, the one by noisy counts (`drafted`) and the one by exact ones
(`synth.private.counting.settling`).

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
"""Whole numbers of which each is a bin of its own."""


class Review(StrEnum):
    """What a steward has to look at in a draft from the rows, and what the list is called."""

    IDENTIFIERS = "Left out as identifiers"
    QUESTIONS = "To decide"
    DETAILED = "Kept, but detailed"


@dataclass(frozen=True)
class DraftColumn:
    """A column that is drafted.

    Attributes:
        field: Its field of a Table Schema, complete or not.
        reason: What it holds, or why it is open or left out.
        left_out: Whether it should take no part.
        missing: Texts in it that stand for missing values.
        review: The list in which the steward sees it; None where nothing is to be said.
        offer: What the steward's click does with it, in a few words.
        empty: The share of rows without a value, where a look saw it.
        example: The most common value, where a look saw it.
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
        """The column."""
        return str(self.field["name"])

    @cached_property
    def is_open(self) -> bool:
        """Whether its field does not declare a column yet."""
        try:
            read_field(self.field, 1)
        except DomainError:
            return True
        return False


def open_column(name: str, reason: str) -> DraftColumn:
    """Leave a column undeclared, and say why."""
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
    """Write a field.

    Args:
        name: The column.
        kind: Its type.
        limits: Its constraints: bounds, or a list.
        keys: More keys; those that hold nothing are left out.
        required: Whether no cell is missing; else missing values have a cell of their own.
        nearest: Whether values outside go to the nearest bound.
    """
    field: Document = {"name": name, "type": kind}
    if nearest:
        field["synth:outside"] = "nearest"
    field["constraints"] = {"required": required, **limits}
    return field | {key: value for key, value in keys.items() if value not in (None, [], "")}


def single_bins(low: float | Fraction, high: float | Fraction) -> int | None:
    """Count the bins of whole numbers if each has one of its own; None of too many."""
    values = int(high - low) + 1
    return values if values <= MAX_SINGLE_BINS else None
