"""The result of a draft: fields of a Table Schema, open columns, and the cost. PUBLIC.

>>> from dataclasses import replace
>>> import numpy as np
>>> from synth.estimate.drafting.seen import Seen
>>> from synth.estimate.drafting.steps import whole_cuts
>>> seen = Seen(np.array([0, 500, 480, 1]), 2.0)
>>> cuts = whole_cuts(Fraction(0), Fraction(3))
>>> age = settle_axis("age", AxisColumn(replace(cuts, apart=(99,)), 981), seen)
>>> age.reason, age.field["synth:spikes"]
('whole numbers from 1 to 2, and 99', ['99'])
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from functools import cached_property

from synth import limits
from synth.domain import (
    DRAFTED,
    EPOCH,
    SCHEMA,
    UNREADABLE,
    Domain,
    finish,
    has_time,
    write_decimal,
)
from synth.estimate.drafting.columns import (
    MAX_SINGLE_BINS,
    DraftColumn,
    draft_field,
    open_column,
    single_bins,
)
from synth.estimate.drafting.findings import MOST, AxisColumn, far_ones
from synth.estimate.drafting.request import DraftRequest
from synth.estimate.drafting.seen import Seen
from synth.estimate.drafting.steps import Cuts
from synth.estimate.noisy.preparations import Preparation
from synth.privacy import spell
from synth.util import Document, Json

# From this share of rows on, unlisted values need no cell of their own.
COVERED_SHARE = 0.99
# From this share of different values on, a column of whole numbers is a key.
KEY_SHARE = 0.9


@dataclass(frozen=True)
class Drafted:
    """A finished draft, PUBLIC as it came through the door.

    Attributes:
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
        return [one for one in self.columns if not one.is_open]

    @property
    def open(self) -> dict[str, str]:
        """Reasons of the other columns."""
        return {one.name: one.reason for one in self.columns if one.is_open}

    @cached_property
    def preparation(self) -> Preparation:
        request = self.request
        said: Document = {
            "settled": {one.name: one.reason for one in self.settled},
            "open": dict(self.open),
        }
        return Preparation(
            "draft", request.guarantee, request.neighbors, request.unit, self.entry, said
        )

    @property
    def document(self) -> Document:
        return {
            "$schema": SCHEMA,
            "fields": [dict(one.field) for one in self.settled],
            "missingValues": ["", *self.missing],
            "synth:origin": DRAFTED,
            "synth:draft": [self.preparation.to_json()],
        }

    @property
    def domain(self) -> Domain | None:
        return finish(self.document) if self.settled else None


def draft_lines(drafted: Drafted) -> list[str]:
    settled = [f"  {one.name}: {one.reason}" for one in drafted.settled]
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


def settle_axis(name: str, found: AxisColumn, seen: Seen) -> DraftColumn:
    """Return a column of numbers or dates, from noisy rows by step."""
    reach, dated = seen.reach(found.rows), bool(found.cuts.format)
    if reach is None:
        what = "dates" if dated else "numbers"
        return open_column(name, f"its {what} are too few to find bounds for")
    low, high = found.cuts.span(*reach)
    if dated:
        return _settle_dates(name, found.cuts, low, high)
    return _settle_numbers(name, found.cuts, low, high)


def _settle_numbers(name: str, cuts: Cuts, low: Fraction, high: Fraction) -> DraftColumn:
    far, low, high = far_ones(cuts.apart, low, high)
    ends = [write_decimal(low), write_decimal(high)]
    kind, what = ("integer", "whole numbers") if cuts.step else ("number", "numbers")
    keys: Document = {
        "synth:bins": single_bins(low, high) if cuts.step else None,
        "synth:spikes": [str(code) for code in far],
    }
    said = f"{what} from {ends[0]} to {ends[1]}" + "".join(f", and {code}" for code in far)
    return _settle(_field(name, kind, ends, keys), said)


def _settle_dates(name: str, cuts: Cuts, first: Fraction, last: Fraction) -> DraftColumn:
    low, high = (EPOCH + timedelta(seconds=int(end)) for end in (first, last))
    ends = [moment.strftime(cuts.format) for moment in (low, high)]
    months = 12 * (high.year - low.year) + high.month - low.month + 1
    period = "" if months == 1 else "month" if months <= 60 else "year"
    kind = "datetime" if has_time(cuts.format) else "date"
    field = _field(name, kind, ends, {"format": cuts.format, "synth:period": period})
    return _settle(field, f"dates such as {cuts.format}, from {ends[0]} to {ends[1]}")


def settle_list(name: str, values: tuple[str, ...], covered: float) -> DraftColumn:
    """Return a column of categories, if they cover nearly all rows.

    Args:
        covered: Noisy share of the filled cells with one of the values.
    """
    listed = [v for v in values if v.isprintable() and v != UNREADABLE][: limits.DRAFTED_VALUES]
    if not listed:
        return open_column(
            name, "no value has enough rows to be named: free text, or too little epsilon"
        )
    if covered < MOST:
        return open_column(
            name,
            f"the {len(listed):,} values with enough rows cover only about "
            f"{max(0.0, covered):.0%} of its rows: free text, or too little epsilon",
        )
    outside = {"synth:outside": "cell" if covered < COVERED_SHARE else ""}
    field = draft_field(name, "string", {"enum": list(listed)}, outside)
    return _settle(field, f"{len(listed):,} categories")


def nearly_all_differ(found: AxisColumn, different: float) -> bool:
    return different >= KEY_SHARE * found.rows and found.rows > MAX_SINGLE_BINS


def _field(name: str, kind: str, ends: Sequence[str], keys: Mapping[str, Json]) -> Document:
    limiting = {"minimum": ends[0], "maximum": ends[1]}
    return draft_field(name, kind, limiting, keys, nearest=True)


def _settle(field: Document, said: str) -> DraftColumn:
    found = DraftColumn(field, said)
    return open_column(found.name, "the findings cannot be declared") if found.is_open else found
