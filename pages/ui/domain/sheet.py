"""The spreadsheet of the declaration: its cells, and the effect of edits."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.ui.shell.declaration import (
    USUAL,
    Field,
    code_of,
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

# Headings of the sheet.
TICK = "tick"
NAME = "column"
USE = "use"
KIND = "kind"
VALUES = "values"
LOW = "low"
HIGH = "high"
BINS = "bins"
MISSING = "missing"
OUTSIDE = "outside"
CELLS = "cells"

# The rules for undeclared values, as cells write them.
RULES = {
    USUAL: USUAL,
    "nearest": "nearest",
    "missing": "missing",
    "cell": "own cell",
    "drop": "drop row",
}

# Most characters of a list in a cell; a longer one is on the column's card.
MAX_LIST_LENGTH = 20_000

TOO_LONG = "see the card"

# A column's name, and the heading.
Cell = tuple[str, str]


@dataclass(frozen=True)
class Trouble:
    """An edit that was refused.

    Attributes:
        typed: What the cell shows.
        why: The reason as a sentence.
    """

    typed: Any
    why: str


@dataclass(frozen=True)
class Edited:
    """The result of edits.

    Attributes:
        draft: The draft with all valid edits.
        troubles: The refused edits, by cell.
        ticked: Columns that the controls below the sheet act on.
    """

    draft: Draft
    troubles: Mapping[Cell, Trouble]
    ticked: frozenset[str]


def write_list(values: Iterable[str]) -> str:
    """Return a list as the text of a cell of the sheet, which `items` reads as the same list.

    A single value with a comma gets a semicolon at its end, as commas alone would separate.

    >>> write_list(["a", "b, or c"]), write_list(["b, or c"]), write_list(["a;b", "c"])
    ('a; b, or c', 'b, or c;', 'a;b\\nc')
    """
    values = list(values)
    if any(";" in value for value in values):
        return f"{values[0]}\n" if len(values) == 1 else "\n".join(values)
    if len(values) == 1 and "," in values[0]:
        return f"{values[0]};"
    return "; ".join(values)


def items(text: str) -> list[str]:
    """Return the list in a cell: by lines, else by semicolons, else by commas.

    >>> items("a; b, or c"), items("b, or c;"), items("a;b\\nc"), items("1, 2,3")
    (['a', 'b, or c'], ['b, or c'], ['a;b', 'c'], ['1', '2', '3'])
    """
    mark = next((mark for mark in ("\n", ";") if mark in text), ",")
    return [item.strip() for item in text.split(mark) if item.strip()]


def row(draft: Draft, name: str, field: Field) -> dict[str, Any]:
    """Return the cells of a column's row in the sheet, by heading.

    An empty cell is None. ``field`` is the column's field of the Table Schema.
    """
    limits = field.get("constraints", {})
    spikes = map(code_of, field.get("synth:spikes", []))
    values = limits.get("enum") or list(spikes)
    text = write_list(map(str, values))
    if len(text) > MAX_LIST_LENGTH:
        text = f"{len(values):,} values, {TOO_LONG}"
    return {
        NAME: name,
        USE: name in draft.chosen_names,
        KIND: name_kind(field),
        VALUES: text or None,
        LOW: _text(limits.get("minimum")),
        HIGH: _text(limits.get("maximum")),
        BINS: _bins(field),
        MISSING: not limits.get("required", False),
        OUTSIDE: RULES.get(field.get("synth:outside", USUAL)),
    }


def write_size(column: Column | DomainError, field: Field) -> str:
    """Return the number of values or bins of a column, as the sheet shows it.

    With an error in its declaration the text says so; "-" stands for no declaration.
    """
    if isinstance(column, Column):
        return f"{column.size:,}"
    return "to mend" if "type" in field else "-"


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _bins(field: Field) -> str | None:
    """Return the text of the cell for bins: edges, a number or a period; None if empty."""
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
    """Apply edits of the sheet to the draft.

    An edit that is refused is returned as a trouble.

    Args:
        draft: All choices of the session.
        names: The columns that the sheet shows, in the order of its rows.
        edits: The new values of cells, by the row's number and the heading.
        troubles: The edits refused before, by the column's name and the heading.
        ticked: The columns that are ticked.
    """
    remaining_troubles = dict(troubles)
    fields: dict[str, Field] = {}
    left_out = draft.left_out
    for number, edit in edits.items():
        name = names[number]
        if TICK in edit:
            ticked = ticked | {name} if edit[TICK] else ticked - {name}
        if USE in edit:
            left_out = left_out - {name} if edit[USE] else left_out | {name}
        # In the order of SETTERS: the kind first, as all other edits depend on it.
        for heading, apply in SETTERS.items():
            if heading in edit:
                remaining_troubles.pop((name, heading), None)
                field = fields.get(name, draft.field_of(name))
                try:
                    fields[name] = apply(field, edit[heading])
                except DomainError as error:
                    remaining_troubles[name, heading] = Trouble(edit[heading], str(error))
    changed = draft.with_fields(fields) if fields else draft
    if left_out != draft.left_out:
        changed = changed.change(left_out=left_out)
    return Edited(changed, remaining_troubles, ticked)


def _kind(field: Field, kind: str | None) -> Field:
    """Return a field with another kind of column, or with none for an empty cell.

    Bounds that were typed before the kind stay. DomainError if there is no such kind.
    """
    if kind is not None and kind not in COLUMN_KINDS:
        _refuse(field, f"'{kind}' is no kind; there are {', '.join(COLUMN_KINDS)}")
    typed = field.get("constraints", {})
    new = with_kind(field, kind)
    if kind and name_kind(field) is None and "bounds" in COLUMN_KINDS[kind].asks:
        for end in ("minimum", "maximum"):  # they were typed before the kind
            new = with_constraint(new, end, typed.get(end))
    return new


def _set_values(field: Field, typed: str | None) -> Field:
    """Return a field with the typed categories, or values that are counted by themselves.

    Values without a kind make the column categorical. DomainError if its kind lists no
    values, or if the cell shows only the number of values of a long list.
    """
    text = typed or ""
    kind = name_kind(field)
    # Such a cell shows how many values there are, and not the values.
    if text.endswith(TOO_LONG):
        _refuse(field, "copy a long list in *One column* or *Change several columns*")
    if kind is None and text:
        kind = "categorical"
        field = with_kind(field, kind)
    if kind is None:
        return field
    if "categories" in COLUMN_KINDS[kind].asks:
        return with_values(field, items(text))
    if "bounds" not in COLUMN_KINDS[kind].asks:
        _refuse(field, f"a {kind} column lists no values; its spellings are on the card")
    return with_spikes(field, items(text))


def _bound(end: str) -> Callable[[Field, str | None], Field]:
    """Return a function of a field and a typed cell that returns the field with that bound.

    ``end`` is ``minimum`` or ``maximum``.
    """

    def take(field: Field, typed: str | None) -> Field:
        """Return the field with the bound, and without bin edges, which set other bounds."""
        _check_scaled(field, typed, "has no lowest and no highest value")
        uncut = with_key(field, "synth:edges", None)
        return with_constraint(uncut, end, (typed or "").strip())

    return take


def _cut(field: Field, typed: str | None) -> Field:
    """Return a field with the typed bins: their number, a period of the calendar, or edges.

    An empty cell removes them. DomainError if the text is none of these, or does not fit the
    kind of column.
    """
    text = (typed or "").strip()
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


def _check_scaled(field: Field, typed: str | None, why: str) -> None:
    """Raise DomainError if something is typed for a column whose kind has no bounds."""
    kind = name_kind(field)
    if typed and kind is not None and "bounds" not in COLUMN_KINDS[kind].asks:
        _refuse(field, f"a {kind} column {why}")


def _set_missing(field: Field, has_cell: bool | None) -> Field:
    return with_constraint(field, "required", not has_cell)


def _set_outside(field: Field, word: str | None) -> Field:
    """Return a field with the typed rule for undeclared values; the usual rule if empty.

    DomainError if there is no such rule.
    """
    rule = next(
        (rule for rule, rule_word in RULES.items() if rule_word == (word or USUAL)), None
    )
    if rule is None:
        _refuse(field, f"'{word}' is no rule; there are {', '.join(RULES.values())}")
    return with_key(field, "synth:outside", None if rule == USUAL else rule)


def _refuse(field: Field, why: str) -> None:
    """Raise DomainError with the column's name and the reason."""
    raise DomainError(f"Column '{field['name']}': {why}.")


# The effect of an edit on a field by heading, in order of application.
SETTERS: dict[str, Callable[[Field, Any], Field]] = {
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
        names: The columns that it shows.
        rows: The editable cells when it was drawn.
        fields: The declaration that it shows, with all edits.
        left_out: Columns that take no part, with all edits.
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
        """Return the sheet of a draft, before any edit.

        Args:
            draft: All choices of the session.
            names: The columns to show, in order.
            troubles: Refused edits by cell; their cells show what was typed.
            ticked: The columns that are ticked.
        """
        fields = {field["name"]: field for field in draft.fields}
        rows = [{TICK: name in ticked, **row(draft, name, fields[name])} for name in names]
        for cells_of_row in rows:
            for (name, heading), trouble in troubles.items():
                if name == cells_of_row[NAME]:
                    cells_of_row[heading] = trouble.typed
        return cls(
            names=tuple(names),
            rows=tuple(rows),
            fields=draft.fields,
            left_out=draft.left_out,
            taken={},
        )

    def shows(self, draft: Draft, names: Sequence[str]) -> bool:
        """Return whether the sheet shows these columns of the draft as they are now.

        Fields are compared by identity: any other change of the declaration makes new ones.
        """
        same = self.fields is draft.fields and self.left_out == draft.left_out
        return same and self.names == tuple(names)

    def new(self, edits: Mapping[int, Mapping[str, Any]]) -> dict[int, dict[str, Any]]:
        """Return the edits that were not applied yet, by row and heading.

        ``edits`` has all edits since the sheet was drawn, as the browser always sends all of
        them. An edit that it no longer has was undone there: the cell's first value is then
        new.
        """
        new_edits: dict[int, dict[str, Any]] = {}
        for number in {*edits, *self.taken}:
            edit = edits.get(number, {})
            before = self.taken.get(number, {})
            for heading in {*edit, *before}:
                value = edit.get(heading, self.rows[number].get(heading))
                if heading not in before or before[heading] != value:
                    new_edits.setdefault(number, {})[heading] = value
        return new_edits

    def with_edits(
        self,
        draft: Draft,
        edits: Mapping[int, Mapping[str, Any]],
        troubles: Mapping[Cell, Trouble],
    ) -> "Seed | None":
        """Return the sheet after edits; None if it must be drawn anew.

        It must be if a valid edit has a result that its cell does not show.

        Args:
            draft: The draft after the edits.
            edits: All edits since the sheet was drawn, by row and heading.
            troubles: The refused edits by cell.
        """
        rows = list(self.rows)
        # A row whose edits were undone is among them: its other cells may be as before again.
        for number in {*edits, *self.taken}:
            edit = edits.get(number, {})
            name = self.names[number]
            declared = row(draft, name, draft.field_of(name))
            for heading, value in edit.items():
                # The tick is no part of the declaration, and a refused edit was not applied.
                is_applied = heading in declared and (name, heading) not in troubles
                if is_applied and not _is_alike(value, declared[heading]):
                    return None
            # An edit, such as of the kind, may change other cells of the row.
            other_cells = {
                heading: value
                for heading, value in declared.items()
                if heading not in edit and (name, heading) not in troubles
            }
            rows[number] = {**rows[number], **other_cells}
        taken = {number: dict(edit) for number, edit in edits.items()}
        return Seed(
            names=self.names,
            rows=tuple(rows),
            fields=draft.fields,
            left_out=draft.left_out,
            taken=taken,
        )


def _is_alike(typed: Any, declared: Any) -> bool:
    """Return whether a typed cell says what is declared, perhaps in another spelling."""
    if isinstance(declared, bool):
        return bool(typed) == declared
    typed_text = str(typed or "").strip()
    declared_text = str(declared or "").strip()
    if typed_text == declared_text or {typed_text, declared_text} == {"", USUAL}:
        return True
    return items(typed_text) == items(declared_text)
