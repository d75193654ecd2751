"""The result of a draft: fields of a Table Schema, open columns, and the cost. PUBLIC.

The column of a draft has a field, or a reason why it stays open.

>>> from dataclasses import replace
>>> import numpy as np
>>> from synth.drafting.seen import Seen
>>> from synth.drafting.steps import whole_cuts
>>> seen = Seen(np.array([0, 500, 480, 1]), 2.0)
>>> cuts = whole_cuts(Fraction(0), Fraction(3))
>>> age = settle_axis("age", AxisColumn(replace(cuts, apart=(99,)), 981), seen)
>>> age.reason, age.field["synth:spikes"]
('whole numbers from 1 to 2, and 99', ['99'])
>>> ends = {"minimum": "18", "maximum": "67"}
>>> age = DraftColumn(
...     field=draft_field("age", "integer", ends, keys={"synth:bins": single_bins(18, 67)}),
...     reason="",
... )
>>> age.name, age.is_open, age.field["synth:bins"]
('age', False, 50)
>>> open_column("note", "holds free text").is_open
True
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from synth import limits
from synth.domain import (
    DRAFTED,
    EPOCH,
    SCHEMA,
    UNDECIDED,
    UNREADABLE,
    Decisions,
    Domain,
    constraints,
    finish,
    has_time,
    read_field,
    write_decimal,
    write_moment,
)
from synth.door import Preparation
from synth.drafting.findings import DECIDING_SHARE, AxisColumn, far_ones
from synth.drafting.losses import NO_LOSS, Loss
from synth.drafting.request import DraftRequest
from synth.drafting.seen import Seen
from synth.drafting.steps import Cuts
from synth.errors import DomainError
from synth.privacy import spell
from synth.util import Document, Json

# Most bins of one whole number each, and most bins of one month each: five years.
MAX_SINGLE_BINS = 50
MAX_MONTH_BINS = 60


class Review(StrEnum):
    """A list of the steward's screen."""

    IDENTIFIERS = "Left out as identifiers"
    QUESTIONS = "To decide"
    DETAILED = "Kept, but detailed"


@dataclass(frozen=True, kw_only=True)
class DraftColumn:
    """A drafted column.

    Attributes:
        field: The column's Table Schema field, complete or not.
        reason: Its content, or why it is open or left out.
        left_out: Whether it is left out of the domain.
        missing: The column's texts for missing values.
        review: The steward's list that shows it, if any.
        offer: The effect of the steward's click.
        empty: The share of rows without a value, if seen.
        loss: The rows whose value the field does not describe, if seen.
        is_agreed: Whether a person agreed to the loss.
        example: A common value, if seen.
        reading: Options of the file's format by which its texts would be numbers, such as
            ``decimal=,``; none if there are no such options.
    """

    field: Document
    reason: str
    left_out: bool = False
    missing: tuple[str, ...] = ()
    review: Review | None = None
    offer: str = ""
    empty: float = dataclasses.field(default=0.0, repr=False)
    loss: Loss = dataclasses.field(default=NO_LOSS, repr=False)
    is_agreed: bool = False
    example: str = dataclasses.field(default="", repr=False)
    reading: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The column's name."""
        return str(self.field["name"])

    @property
    def lost(self) -> float:
        """The share of rows whose value the field does not describe, if seen."""
        return self.loss.share

    @property
    def is_undecided(self) -> bool:
        """Whether the column stays out until a person decides."""
        return self.left_out and self.review is Review.QUESTIONS

    @property
    def stays_out(self) -> bool:
        """Whether the column takes no part as it is: left out, to decide, or open."""
        return self.left_out or self.is_open

    @property
    def public_reason(self) -> str:
        """Why the column stays out, for a declaration; without any count."""
        return UNDECIDED if self.is_undecided or not self.left_out else self.reason

    def agree(self) -> "DraftColumn":
        """Return the column that takes part, as a person agreed to its loss."""
        return dataclasses.replace(
            self, left_out=False, review=None, offer="", is_agreed=True
        )

    @cached_property
    def is_open(self) -> bool:
        """Whether the column stays open, as its field is no complete declaration."""
        try:
            read_field(self.field, 1)
        except DomainError:
            return True
        return False


def decisions_of(columns: Sequence[DraftColumn]) -> Decisions:
    """Return what a declaration says of the columns that stay out, and of agreed losses.

    Open columns are left out, too.

    Args:
        columns: The columns of a draft.

    >>> dict(decisions_of([open_column("note", "holds free text")]).left_out)
    {'note': 'was to decide, and nobody decided'}
    """
    return Decisions(
        left_out={
            column.name: column.public_reason for column in columns if column.stays_out
        },
        agreed={column.name: column.loss.fate for column in columns if column.is_agreed},
    )


def list_losses(columns: Sequence[DraftColumn]) -> dict[str, float]:
    """Return the share of rows whose value is lost, the largest first, by column.

    Of left-out columns only those to decide are among them.

    Args:
        columns: The columns of a draft.

    >>> town = DraftColumn(field={"name": "town"}, reason="", loss=Loss(other=0.1))
    >>> list_losses([town])
    {'town': 0.1}
    """
    losing = [
        column
        for column in columns
        if column.lost and (column.is_undecided or not column.left_out)
    ]
    losing.sort(key=lambda column: -column.lost)
    return {column.name: column.lost for column in losing}


# Spellings of no and yes that a program writes for a column of truth values.
TRUTH_SPELLINGS = (("false", "true"), ("False", "True"), ("FALSE", "TRUE"))


def truth_field(field: Document) -> Document | None:
    """Return a boolean field in place of one that lists just "true" and "false".

    The texts may be spelled as in `TRUTH_SPELLINGS`. It returns None for another list, and
    for a field with a rule for values outside.

    >>> listed = {"name": "a", "type": "string", "constraints": {"enum": ["True", "False"]}}
    >>> truth_field(listed)["falseValues"]
    ['False']
    """
    other_constraints = dict(constraints(field))
    values = other_constraints.pop("enum", None)
    if not isinstance(values, list) or "synth:outside" in field:
        return None
    listed = {*map(str, values)}
    spellings = next((pair for pair in TRUTH_SPELLINGS if {*pair} == listed), None)
    if spellings is None:
        return None
    no, yes = spellings
    return {
        "name": field["name"],
        "type": "boolean",
        "trueValues": [yes],
        "falseValues": [no],
        "constraints": other_constraints,
    }


def identifying_column(field: Document, reason: str, missing: Sequence[str]) -> DraftColumn:
    """Return a column left out because it identifies people; the steward may take it in.

    Args:
        field: The column's Table Schema field, complete or not.
        reason: Why it identifies people, in words.
        missing: The column's texts for missing values.

    >>> identifying_column({"name": "id"}, "is a key", ()).left_out
    True
    """
    return DraftColumn(
        field=field,
        reason=reason,
        left_out=True,
        missing=tuple(missing),
        review=Review.IDENTIFIERS,
        offer="Take in",
    )


def open_column(name: str, reason: str) -> DraftColumn:
    """Return a column that stays open, with the reason."""
    return DraftColumn(field={"name": name}, reason=reason)


def draft_field(
    name: str,
    kind: str,
    limits: Mapping[str, Json],
    *,
    keys: Mapping[str, Json],
    nearest: bool = False,
) -> Document:
    """Return a Table Schema field.

    Args:
        name: The column's name.
        kind: The type of Table Schema.
        limits: Its constraints: bounds, or a list. ``required`` is one too; without it,
            missing values have a cell of their own.
        keys: More keys; empty ones are left out.
        nearest: Whether values outside go to the nearest bound.
    """
    field: Document = {"name": name, "type": kind}
    if nearest:
        field["synth:outside"] = "nearest"
    field["constraints"] = {"required": False, **limits}
    return field | {key: value for key, value in keys.items() if value not in (None, [], "")}


def single_bins(low: float | Fraction, high: float | Fraction) -> int | None:
    """Return bins of one whole number each; None if too many."""
    values = int(high - low) + 1
    return values if values <= MAX_SINGLE_BINS else None


# From this share of rows on, unlisted values need no cell of their own.
COVERED_SHARE = 0.99
# From this share of different values on, a column of whole numbers is a key.
KEY_SHARE = 0.9


@dataclass(frozen=True, kw_only=True)
class Drafted:
    """A finished draft, PUBLIC as it came through the door.

    Attributes:
        request: What was asked: the columns, the candidates and the guarantee.
        columns: The drafted columns, settled or open, in the order of the request.
        missing: Texts for missing values in all columns.
        entry, number: Hash and number of the spend in the ledger.
        repeated: Whether an earlier draft was reused, at no cost.
    """

    request: DraftRequest
    columns: tuple[DraftColumn, ...]
    missing: tuple[str, ...]
    entry: str
    number: int
    repeated: bool = False

    @property
    def settled(self) -> list[DraftColumn]:
        """The columns with a complete declaration."""
        return [column for column in self.columns if not column.is_open]

    @property
    def open(self) -> dict[str, str]:
        """Reasons of the other columns."""
        return {column.name: column.reason for column in self.columns if column.is_open}

    @cached_property
    def preparation(self) -> Preparation:
        """The draft as a payment, which every release with its declaration counts.

        It says what was settled in each column, and why others are open.
        """
        request = self.request
        content: Document = {
            "settled": {column.name: column.reason for column in self.settled},
            "open": dict(self.open),
        }
        return Preparation(
            kind="draft",
            guarantee=request.guarantee,
            neighbors=request.neighbors,
            unit=request.unit,
            entry=self.entry,
            said=content,
        )

    @property
    def document(self) -> Document:
        """The Table Schema of the settled columns, with the draft's cost as its origin."""
        return {
            "$schema": SCHEMA,
            "fields": [dict(column.field) for column in self.settled],
            "missingValues": ["", *self.missing],
            "synth:origin": DRAFTED,
            "synth:draft": [self.preparation.to_json()],
        }

    @property
    def domain(self) -> Domain | None:
        """The declaration, if any column is settled."""
        return finish(self.document) if self.settled else None


def draft_lines(drafted: Drafted) -> list[str]:
    """Describe a draft in lines: the settled columns, the open ones, and the cost."""
    settled = [f"  {column.name}: {column.reason}" for column in drafted.settled]
    opened = [f"  {name}: {reason}" for name, reason in drafted.open.items()]
    paid = f"It cost {spell(drafted.request.guarantee)}"
    again = "It was drafted before, and nothing is spent again" if drafted.repeated else paid
    return [
        f"Columns settled: {len(settled):,}",
        *settled,
        f"Columns left open: {len(opened):,}",
        *opened,
        f"{again}; every release with this declaration counts it.",
    ]


def settle_axis(name: str, finding: AxisColumn, counts: Seen) -> DraftColumn:
    """Return a column of numbers or dates with bounds; open if there are too few rows.

    Args:
        name: The column's name.
        finding: The steps between which bounds are searched, and the noisy number of rows.
        counts: The noisy number of rows in each step.
    """
    first_and_last = counts.reach(finding.rows)
    are_dates = bool(finding.cuts.format)
    if first_and_last is None:
        noun = "dates" if are_dates else "numbers"
        return open_column(name, f"its {noun} are too few to find bounds for")
    low, high = finding.cuts.span(*first_and_last)
    if are_dates:
        return _settle_dates(name, finding.cuts, low, last=high)
    return _settle_numbers(name, finding.cuts, low, high=high)


def _settle_numbers(name: str, cuts: Cuts, low: Fraction, *, high: Fraction) -> DraftColumn:
    """Return the draft of a column of numbers from `low` to `high`.

    Whole numbers far from the others, such as 999, become spikes: values with a cell of
    their own outside of the bounds. `cuts` says which of these occur.
    """
    far, low, high = far_ones(cuts.apart, low, high)
    ends = [write_decimal(low), write_decimal(high)]
    are_whole = bool(cuts.step)
    kind, noun = ("integer", "whole numbers") if are_whole else ("number", "numbers")
    keys: Document = {
        # Few whole numbers get a bin each; otherwise the default number of bins stays.
        "synth:bins": single_bins(low, high) if are_whole else None,
        "synth:spikes": [str(code) for code in far],
    }
    reason = f"{noun} from {ends[0]} to {ends[1]}"
    reason += "".join(f", and {code}" for code in far)
    return _settle(_field(name, kind, ends, keys=keys), reason)


def _settle_dates(name: str, cuts: Cuts, first: Fraction, *, last: Fraction) -> DraftColumn:
    """Return the draft of a column of dates, in bins by month, or by year for a long range.

    `first` and `last` are the bounds, in seconds since 1970; `cuts` has the strptime pattern.
    """
    low = EPOCH + timedelta(seconds=int(first))
    high = EPOCH + timedelta(seconds=int(last))
    ends = [write_moment(moment, cuts.format) for moment in (low, high)]
    months = 12 * (high.year - low.year) + high.month - low.month + 1
    period = "month" if months <= MAX_MONTH_BINS else "year"
    if months == 1:
        period = ""  # the default number of equal bins
    kind = "datetime" if has_time(cuts.format) else "date"
    field = _field(name, kind, ends, keys={"format": cuts.format, "synth:period": period})
    return _settle(field, f"dates such as {cuts.format}, from {ends[0]} to {ends[1]}")


def settle_list(name: str, values: tuple[str, ...], covered: float) -> DraftColumn:
    """Return a column of categories; open if they do not cover nearly all rows.

    Args:
        name: The column's name.
        values: The texts that enough rows have.
        covered: Noisy share of the filled cells with one of the values.
    """
    printable = [text for text in values if text.isprintable() and text != UNREADABLE]
    shown_values = printable[: limits.DRAFTED_VALUES]
    if not shown_values:
        return open_column(
            name, "no value has enough rows to be named: free text, or too little epsilon"
        )
    if covered < DECIDING_SHARE:
        return open_column(
            name,
            f"the {len(shown_values):,} values with enough rows cover only about "
            f"{max(0.0, covered):.0%} of its rows: free text, or too little epsilon",
        )
    outside = {"synth:outside": "cell" if covered < COVERED_SHARE else ""}
    field = draft_field(name, "string", {"enum": list(shown_values)}, keys=outside)
    if (truth := truth_field(field)) is not None:
        return _settle(truth, "true and false")
    return _settle(field, f"{len(shown_values):,} categories")


def nearly_all_differ(finding: AxisColumn, different: float) -> bool:
    """Return whether nearly every row has a number of its own, as a key has.

    `different` is the noisy number of different values. Few rows say nothing about this.
    """
    return different >= KEY_SHARE * finding.rows and finding.rows > MAX_SINGLE_BINS


def _field(
    name: str, kind: str, ends: Sequence[str], *, keys: Mapping[str, Json]
) -> Document:
    """Return the field of a column with bounds, to which values outside are moved.

    `kind` is the type of Table Schema, `ends` are the bounds as texts, and `keys` are more
    keys of the field.
    """
    limiting = {"minimum": ends[0], "maximum": ends[1]}
    return draft_field(name, kind, limiting, keys=keys, nearest=True)


def _settle(field: Document, reason: str) -> DraftColumn:
    """Return a drafted column, or an open one if its field is no complete declaration."""
    column = DraftColumn(field=field, reason=reason)
    return (
        open_column(column.name, "the findings cannot be declared")
        if column.is_open
        else column
    )
