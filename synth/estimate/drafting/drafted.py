"""What a draft came to: fields of a Table Schema, what stays open, and what was paid. PUBLIC.

>>> import numpy as np
>>> from synth.estimate.drafting.seen import Seen
>>> from synth.estimate.drafting.steps import whole_cuts
>>> seen = Seen(np.array([0, 500, 480, 1]), 2.0)
>>> cuts = whole_cuts(Fraction(0), Fraction(3))
>>> age = settle_numbers("age", NumberColumn(cuts, True, (99,), 981), seen)
>>> age.said, age.field["synth:spikes"]
('whole numbers from 1 to 2, and 99', ['99'])
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from functools import cached_property
from typing import cast

from synth import limits
from synth.domain import DRAFTED, EPOCH, SCHEMA, UNREADABLE, Domain, finish, read_field
from synth.errors import DomainError
from synth.estimate.drafting.findings import MOST, DateColumn, NumberColumn, far_ones
from synth.estimate.drafting.request import DraftRequest
from synth.estimate.drafting.seen import Seen
from synth.estimate.noisy.preparations import Preparation
from synth.util import Document, Json

MAX_SINGLE_BINS = 50
"""Whole numbers of which each is a bin of its own."""
COVERED_SHARE = 0.99
"""Share of the rows from which values that are not listed need no cell of their own."""
KEY_SHARE = 0.9
"""Share of the rows with different values from which a column of whole numbers is a key."""


@dataclass(frozen=True)
class SettledColumn:
    """A column that is drafted.

    Attributes:
        name: The column.
        field: Its field of a Table Schema.
        said: The same in words.
    """

    name: str
    field: Mapping[str, Json]
    said: str


@dataclass(frozen=True)
class OpenColumn:
    """A column that stays undeclared, and why."""

    name: str
    reason: str


Outcome = SettledColumn | OpenColumn


@dataclass(frozen=True)
class Drafted:
    """A draft that was made. All of it came out of the door, and is public.

    Attributes:
        request: What was asked for.
        outcomes: One a column.
        missing: Spellings of missing values that were found.
        entry: Hash of the spend's event in the ledger.
        number: The spend's number there.
        repeated: Whether it was made before, so that nothing was spent.
    """

    request: DraftRequest
    outcomes: tuple[Outcome, ...]
    missing: tuple[str, ...]
    entry: str
    number: int
    repeated: bool = False

    @property
    def settled(self) -> list[SettledColumn]:
        """The columns that are drafted."""
        return [one for one in self.outcomes if isinstance(one, SettledColumn)]

    @property
    def open(self) -> dict[str, str]:
        """The columns that are not, and why."""
        return {one.name: one.reason for one in self.outcomes if isinstance(one, OpenColumn)}

    @cached_property
    def preparation(self) -> Preparation:
        """What every release with the declaration counts."""
        request = self.request
        said: Document = {
            "settled": {one.name: one.said for one in self.settled},
            "open": dict(self.open),
        }
        return Preparation(
            "draft", request.guarantee, request.neighbors, request.unit, self.entry, said
        )

    @property
    def document(self) -> Document:
        """The declaration as a Table Schema object: the settled columns alone."""
        return {
            "$schema": SCHEMA,
            "fields": [dict(one.field) for one in self.settled],
            "missingValues": ["", *self.missing],
            "synth:origin": DRAFTED,
            "synth:draft": [self.preparation.to_json()],
        }

    @property
    def domain(self) -> Domain | None:
        """The declaration; None where nothing is settled."""
        return finish(self.document) if self.settled else None


def settle_numbers(name: str, found: NumberColumn, seen: Seen) -> Outcome:
    """Bounds of numbers, from noisy rows by step."""
    reach = seen.reach(found.rows)
    if reach is None:
        return OpenColumn(name, "its numbers are too few to find bounds for")
    low, high = found.cuts.span(*reach)
    far, low, high = far_ones(found.sentinels, low, high)
    field = _field(name, "integer" if found.whole else "number", _text(low), _text(high))
    values = int(high - low) + 1
    if found.whole and values <= MAX_SINGLE_BINS:
        field["synth:bins"] = values
    if far:
        field["synth:spikes"] = [str(code) for code in far]
    kind = "whole numbers" if found.whole else "numbers"
    said = f"{kind} from {_text(low)} to {_text(high)}"
    return _check_field(name, field, said + "".join(f", and {code}" for code in far))


def settle_dates(name: str, found: DateColumn, seen: Seen) -> Outcome:
    """Bounds of dates, from noisy rows by month or year."""
    reach = seen.reach(found.rows)
    if reach is None:
        return OpenColumn(name, "its dates are too few to find bounds for")
    cuts = found.cuts
    low, high = (EPOCH + timedelta(seconds=int(end)) for end in cuts.span(*reach))
    ends = [moment.strftime(cuts.format) for moment in (low, high)]
    field = _field(name, "datetime" if cuts.time else "date", *ends)
    field["format"] = cuts.format
    months = 12 * (high.year - low.year) + high.month - low.month + 1
    if months > 1:
        field["synth:period"] = "month" if months <= 60 else "year"
    return _check_field(name, field, f"dates such as {cuts.format}, from {ends[0]} to {ends[1]}")


def settle_list(name: str, values: tuple[str, ...], covered: float) -> Outcome:
    """Categories, if they cover nearly all rows.

    Args:
        name: The column.
        values: What was found.
        covered: Share of the filled cells that have one of them, with noise.
    """
    listed = [v for v in values if v.isprintable() and v != UNREADABLE][: limits.DRAFTED_VALUES]
    if not listed:
        return OpenColumn(
            name, "no value has enough rows to be named: free text, or too little epsilon"
        )
    if covered < MOST:
        return OpenColumn(
            name,
            f"the {len(listed):,} values with enough rows cover only about "
            f"{max(0.0, covered):.0%} of its rows: free text, or too little epsilon",
        )
    field: Document = {
        "name": name,
        "type": "string",
        "constraints": {"required": False, "enum": listed},
    }
    if covered < COVERED_SHARE:
        field["synth:outside"] = "cell"
    return _check_field(name, field, f"{len(listed):,} categories")


def nearly_all_differ(found: NumberColumn, different: float) -> bool:
    """Whether nearly every row has a whole number of its own."""
    return found.whole and different >= KEY_SHARE * found.rows and found.rows > MAX_SINGLE_BINS


def _field(name: str, kind: str, low: str, high: str) -> Document:
    """Values outside go to the nearest bound; a missing value has a cell in any case."""
    return {
        "name": name,
        "type": kind,
        "synth:outside": "nearest",
        "constraints": {"required": False, "minimum": low, "maximum": high},
    }


def _check_field(name: str, field: Document, said: str) -> Outcome:
    """The field, if it declares a column."""
    try:
        read_field(field, 1)
    except DomainError:
        return OpenColumn(name, "what was found cannot be declared")
    return SettledColumn(name, cast("Mapping[str, Json]", field), said)


def _text(number: Fraction) -> str:
    """A bound exactly: the cuts are decimal numbers."""
    if number.denominator == 1:
        return str(number)
    places = next(n for n in range(20) if (number * 10**n).denominator == 1)
    digits = str(abs(number * 10**places).numerator).zfill(places + 1)
    return f"{'-' * (number < 0)}{digits[:-places]}.{digits[-places:]}"
