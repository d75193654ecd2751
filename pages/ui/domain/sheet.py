"""The spreadsheet of the declaration: its cells, and the effect of edits."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.ui.shell.declaration import (
    USUAL,
    Field,
    spike_value,
    with_constraint,
    with_cut,
    with_key,
    with_kind,
    with_spikes,
    with_values,
)
from pages.ui.shell.draft import Draft
from synth.domain import COLUMN_KINDS, Column, Period, name_kind
from synth.errors import DomainError

TICK, NAME, USE, KIND, VALUES = "tick", "column", "use", "kind", "values"
LOW, HIGH, BINS, MISSING, OUTSIDE, CELLS = (
    "low",
    "high",
    "bins",
    "missing",
    "outside",
    "cells",
)

# The rules for undeclared values, as cells write them.
RULES = {
    USUAL: USUAL,
    "nearest": "nearest",
    "missing": "missing",
    "cell": "own cell",
    "drop": "drop row",
}

# Most characters of a list in a cell; a longer one is on the column's card.
LONGEST = 20_000

TOO_LONG = "see the card"

# A column's name, and the heading.
Cell = tuple[str, str]


@dataclass(frozen=True)
class Trouble:
    typed: Any
    why: str


@dataclass(frozen=True)
class Edited:
    draft: Draft
    troubles: Mapping[Cell, Trouble]
    ticked: frozenset[str]


def write_list(values: Iterable[str]) -> str:
    """Return a list as the text of a cell, which `items` reads.

    >>> write_list(["a", "b, or c"]), write_list(["b, or c"]), write_list(["a;b", "c"])
    ('a; b, or c', 'b, or c;', 'a;b\\nc')
    """
    values = list(values)
    if any(";" in value for value in values):
        return "\n".join(values) + "\n" * (len(values) == 1)
    return "; ".join(values) + ";" * (len(values) == 1 and "," in values[0])


def items(text: str) -> list[str]:
    """Return the list in a cell: one per line, or separated by semicolons, otherwise by
    commas.

    >>> items("a; b, or c"), items("b, or c;"), items("a;b\\nc"), items("1, 2,3")
    (['a', 'b, or c'], ['b, or c'], ['a;b', 'c'], ['1', '2', '3'])
    """
    mark = next((mark for mark in ("\n", ";") if mark in text), ",")
    return [item.strip() for item in text.split(mark) if item.strip()]


def row(draft: Draft, name: str, field: Field) -> dict[str, Any]:
    limits = field.get("constraints", {})
    spikes = map(spike_value, field.get("synth:spikes", []))
    listed = field.get("constraints", {}).get("enum") or list(spikes)
    text = write_list(map(str, listed))
    return {
        NAME: name,
        USE: name in draft.chosen_names,
        KIND: name_kind(field),
        VALUES: (text if len(text) <= LONGEST else f"{len(listed):,} values, {TOO_LONG}")
        or None,
        LOW: _text(limits.get("minimum")),
        HIGH: _text(limits.get("maximum")),
        BINS: _bins(field),
        MISSING: not limits.get("required", False),
        OUTSIDE: RULES.get(field.get("synth:outside", USUAL)),
    }


def cells(column: Column | DomainError, field: Field) -> str:
    if isinstance(column, Column):
        return f"{column.size:,}"
    return "to mend" if "type" in field else "-"


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _bins(field: Field) -> str | None:
    if "synth:edges" in field:
        return write_list(map(str, field["synth:edges"]))
    return _text(field.get("synth:bins", field.get("synth:period")))


def apply_edits(
    draft: Draft,
    names: Sequence[str],
    edits: Mapping[int, Mapping[str, Any]],
    *,
    troubles: Mapping[Cell, Trouble],
    ticked: frozenset[str],
) -> Edited:
    """The kind comes first, as the other edits depend on it."""
    wrong, fields, left_out = dict(troubles), dict[str, Field](), set(draft.left_out)
    for number, said in edits.items():
        name = names[number]
        if TICK in said:
            ticked = ticked | {name} if said[TICK] else ticked - {name}
        if USE in said:
            left_out = left_out - {name} if said[USE] else left_out | {name}
        for heading, take in TAKEN.items():
            if heading in said:
                wrong.pop((name, heading), None)
                try:
                    fields[name] = take(fields.get(name, draft.field_of(name)), said[heading])
                except DomainError as error:
                    wrong[name, heading] = Trouble(said[heading], str(error))
    changed = draft.with_fields(fields) if fields else draft
    if left_out != draft.left_out:
        changed = changed.change(left_out=frozenset(left_out))
    return Edited(changed, wrong, ticked)


def _kind(field: Field, said: str | None) -> Field:
    if said is not None and said not in COLUMN_KINDS:
        _refuse(field, f"'{said}' is no kind; there are {', '.join(COLUMN_KINDS)}")
    typed = field.get("constraints", {})
    new = with_kind(field, said)
    if said and name_kind(field) is None and "bounds" in COLUMN_KINDS[said].asks:
        for end in ("minimum", "maximum"):  # they were typed before the kind
            new = with_constraint(new, end, typed.get(end))
    return new


def _set_values(field: Field, said: str | None) -> Field:
    text, kind = said or "", name_kind(field)
    if text.endswith(TOO_LONG):
        _refuse(field, "copy a long list in *One column* or *Change several columns*")
    if kind is None and text:
        field, kind = with_kind(field, "categorical"), "categorical"
    if kind is None:
        return field
    if "categories" in COLUMN_KINDS[kind].asks:
        return with_values(field, items(text))
    if "bounds" not in COLUMN_KINDS[kind].asks:
        _refuse(field, f"a {kind} column lists no values; its spellings are on the card")
    return with_spikes(field, items(text))


def _bound(end: str) -> Callable[[Field, str | None], Field]:
    def take(field: Field, said: str | None) -> Field:
        _check_scaled(field, said, "has no lowest and no highest value")
        return with_constraint(
            with_key(field, "synth:edges", None), end, (said or "").strip()
        )

    return take


def _cut(field: Field, said: str | None) -> Field:
    text = (said or "").strip()
    _check_scaled(field, text, "is not cut into bins")
    if not text:
        for key in ("synth:bins", "synth:edges", "synth:period"):
            field = with_key(field, key, None)
        return field
    if text in {period.value for period in Period}:
        kind = name_kind(field)
        if kind is not None and "synth:period" not in COLUMN_KINDS[kind].keys:
            _refuse(field, f"{text} is for dates only")
        return with_cut(field, "synth:period", text)
    if text.isascii() and text.isdigit():
        return with_cut(field, "synth:bins", int(text))
    edges = items(text)
    if len(edges) < 2:
        periods = ", ".join(period.value for period in Period)
        _refuse(field, f"'{text}' is no number of bins, no edges and none of {periods}")
    return with_cut(field, "synth:edges", edges)


def _check_scaled(field: Field, said: str | None, why: str) -> None:
    kind = name_kind(field)
    if said and kind is not None and "bounds" not in COLUMN_KINDS[kind].asks:
        _refuse(field, f"a {kind} column {why}")


def _set_missing(field: Field, said: bool | None) -> Field:
    return with_constraint(field, "required", not said)


def _set_outside(field: Field, said: str | None) -> Field:
    rule = next((rule for rule, word in RULES.items() if word == (said or USUAL)), None)
    if rule is None:
        _refuse(field, f"'{said}' is no rule; there are {', '.join(RULES.values())}")
    return with_key(field, "synth:outside", None if rule == USUAL else rule)


def _refuse(field: Field, why: str) -> None:
    raise DomainError(f"Column '{field['name']}': {why}.")


# The effect of an edit on a field by heading, in order of application.
TAKEN: dict[str, Callable[[Field, Any], Field]] = {
    KIND: _kind,
    VALUES: _set_values,
    LOW: _bound("minimum"),
    HIGH: _bound("maximum"),
    BINS: _cut,
    MISSING: _set_missing,
    OUTSIDE: _set_outside,
}


@dataclass(frozen=True, kw_only=True)
class Seed:
    """The origin of a sheet. The sheet stays while the declaration matches its edits.

    Attributes:
        rows: The editable cells when it was drawn.
        fields, left_out: The declaration that it shows, with all edits.
        taken: The applied edits, by row and heading.
    """

    names: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    fields: tuple[Field, ...]
    left_out: frozenset[str]
    taken: Mapping[int, Mapping[str, Any]]

    @classmethod
    def from_draft(
        cls,
        draft: Draft,
        names: Sequence[str],
        troubles: Mapping[Cell, Trouble],
        *,
        ticked: frozenset[str],
    ) -> "Seed":
        fields = {field["name"]: field for field in draft.fields}
        rows = [{TICK: name in ticked, **row(draft, name, fields[name])} for name in names]
        for drawn in rows:
            drawn |= {h: t.typed for (name, h), t in troubles.items() if name == drawn[NAME]}
        return cls(
            names=tuple(names),
            rows=tuple(rows),
            fields=draft.fields,
            left_out=draft.left_out,
            taken={},
        )

    def shows(self, draft: Draft, names: Sequence[str]) -> bool:
        same = self.fields is draft.fields and self.left_out == draft.left_out
        return same and self.names == tuple(names)

    def new(self, edits: Mapping[int, Mapping[str, Any]]) -> dict[int, dict[str, Any]]:
        found: dict[int, dict[str, Any]] = {}
        for number in {*edits, *self.taken}:
            now, before = edits.get(number, {}), self.taken.get(number, {})
            for heading in {*now, *before}:
                value = now.get(heading, self.rows[number].get(heading))
                if heading not in before or before[heading] != value:
                    found.setdefault(number, {})[heading] = value
        return found

    def with_edits(
        self,
        draft: Draft,
        edits: Mapping[int, Mapping[str, Any]],
        troubles: Mapping[Cell, Trouble],
    ) -> "Seed | None":
        rows = list(self.rows)
        for number, said in edits.items():
            name = self.names[number]
            declared = row(draft, name, draft.field_of(name))
            for heading, value in said.items():
                right = heading in declared and (name, heading) not in troubles
                if right and not _is_alike(value, declared[heading]):
                    return None
            rest = {
                h: v
                for h, v in declared.items()
                if h not in said and (name, h) not in troubles
            }
            rows[number] = {**rows[number], **rest}
        taken = {number: dict(said) for number, said in edits.items()}
        return Seed(
            names=self.names,
            rows=tuple(rows),
            fields=draft.fields,
            left_out=draft.left_out,
            taken=taken,
        )


def _is_alike(typed: Any, declared: Any) -> bool:
    if isinstance(declared, bool):
        return bool(typed) == declared
    one, other = (str(value or "").strip() for value in (typed, declared))
    return one == other or items(one) == items(other) or {one, other} == {"", USUAL}
