"""Remarks on the declaration: gaps, oddities and left-out columns, until resolved."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui.domain.sheet import Cell, Trouble
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from synth.domain import FOR_RELATIONS, LOOKED_UP, Column
from synth.drafting import ON_COMMAND_LINE, Review, say_missing
from synth.foreign import in_markdown

VOUCH = "I vouch that the values from the rows are public"
NOTES_SHOWN = 3
ADD_MISSING = (
    "If your table writes a missing value otherwise, such as NA or 9, add it in the card of "
    "its column."
)
UNDECLARED = "In the table and not in the declaration: "


def remarks(draft: Draft, noted: Mapping[str, Any]) -> None:
    """Show remarks on the declaration: its origin, results of a look at the rows, and notes.

    ``noted`` maps a column's name to its field when the notes were written.
    """
    if draft.origin == LOOKED_UP:
        st.checkbox(VOUCH, **state.tied_choice("vouched"))
        st.caption(
            "Say so only where the data dictionary, or common knowledge, says the same. It "
            "holds for every release of this description, and the certificate records it. "
            "Without it the step Download asks at each release."
        )
    note_look(draft)
    _list_notes(open_notes(draft, noted), "On the description", icon=":material/edit_note:")


def note_look(draft: Draft) -> None:
    """Show what a look at the rows found about several columns. PRIVATE.

    What it found about one column stands in the table of columns.
    """
    if not draft.look and not draft.look_remarks:
        return
    fields = {field["name"]: field for field in draft.fields}
    remarks = [
        _for_the_app(remark)
        for remark in draft.look_remarks
        # Whose rows they are is answered once a column is chosen.
        if not (draft.person and ON_COMMAND_LINE in remark)
    ]
    # A column that the user described anew does not count.
    if any(fields.get(name) == column.field for name, column in draft.look.items()):
        missing = say_missing(draft.missing_values, draft.fields)
        remarks.append(f"{missing} {ADD_MISSING}")
    _list_notes(remarks, "Found in the rows", icon=":material/visibility:")


def _for_the_app(remark: str) -> str:
    """Return a remark that says where the app has what it proposes, and no command."""
    sentence, commands, _ = remark.partition(ON_COMMAND_LINE)
    where = " Choose so under Whose row is it? on the page Data." if commands else ""
    return f"{sentence}{where}"


def _list_notes(notes: Sequence[str], title: str, *, icon: str) -> None:
    """Show a few sentences at once, and many in a section of this title, which is closed."""
    if 0 < len(notes) <= NOTES_SHOWN:
        st.info("  \n".join(map(in_markdown, notes)), icon=icon)
    elif notes:
        with st.expander(
            f"{in_markdown(title)}: {say_count(len(notes), 'remark')}", icon=icon
        ):
            st.markdown("\n".join(f"- {in_markdown(note)}" for note in notes))


def open_notes(draft: Draft, noted: Mapping[str, Any]) -> list[str]:
    """Return the notes on gaps of the declaration that still hold.

    A note on a column ends when its field has changed and declares a column without errors.
    ``noted`` maps a column's name to its field when the notes were written.
    """
    fields = {f["name"]: f for f in draft.fields}
    # Fields are never changed in place: another object is a changed field.
    described = {
        name
        for name, column in draft.columns.items()
        if isinstance(column, Column) and noted.get(name) is not fields[name]
    }
    remaining = []
    for note in draft.notes:
        if note.startswith(UNDECLARED):
            names = note.removeprefix(UNDECLARED).removesuffix(".").split(", ")
            open_names = [name for name in names if name not in described]
            if open_names:
                remaining.append(f"{UNDECLARED}{', '.join(open_names)}.")
        elif _noted_column(note) not in described:
            remaining.append(note)
    return remaining


def _noted_column(note: str) -> str:
    match = re.match(r"Column '(.*?)'[ :]", note)
    return match[1] if match else ""


def wrong(draft: Draft, troubles: Mapping[Cell, Trouble]) -> dict[str, str]:
    """Return a sentence for each column with an error in its declaration or in a typed cell.

    The result maps names to sentences. ``troubles`` has the edits of the sheet that were
    refused, by the column's name and the heading.
    """
    faults = {}
    for field in draft.fields:
        name = field["name"]
        column = draft.columns[name]
        is_wrong = "type" in field and not isinstance(column, Column)
        if is_wrong and name not in draft.left_out:
            faults[name] = _by_rows(draft, name) or str(column)
    for (name, _heading), trouble in troubles.items():
        faults[name] = " ".join(filter(None, (faults.get(name), trouble.why)))
    return faults


def _by_rows(draft: Draft, name: str) -> str:
    return f"By the rows, '{name}' {draft.look[name].reason}." if name in draft.look else ""


def left_out(draft: Draft) -> dict[str, str]:
    """Return for each column that takes no part the sentence why, by its name."""
    absent = set(draft.absent()) if draft.source else set()
    notes = {_noted_column(note): note for note in draft.notes}
    return {
        name: _explain_lock(draft, name, is_absent=name in absent, notes=notes)
        for name in (f["name"] for f in draft.fields)
        if name not in draft.chosen_names
    }


def _explain_lock(
    draft: Draft, name: str, *, is_absent: bool, notes: Mapping[str, str]
) -> str:
    """Return the sentence why a column does not take part.

    Args:
        draft: All choices of the session.
        name: The column.
        is_absent: Whether the table lacks it.
        notes: Notes on the declaration, by the column that they are about.
    """
    if any(identifier.name == name for identifier in draft.identifiers):
        return "Its IDs are drawn from a pattern; its values are not read."
    if any(new["name"] == name for new in draft.derived):
        return "It follows from other columns by a rule."
    if is_absent:
        return "It is not in the table."
    if name in draft.left_out and draft.decisions.left_out.get(name) == FOR_RELATIONS:
        return f"It {FOR_RELATIONS}."
    if name in draft.left_out and name in draft.look:
        return _by_rows(draft, name)
    if name in draft.left_out and name in draft.decisions.left_out:
        return f"It {draft.decisions.left_out[name]}."
    if name in draft.remarks:
        return f"It {draft.remarks[name]}."
    if notes.get(name):
        return notes[name]
    column = draft.columns[name]
    return "You left it out." if isinstance(column, Column) else str(column)


def questions_of(draft: Draft, troubles: Mapping[Cell, Trouble]) -> dict[str, str]:
    """Return the open question on each column that the user has to decide about, by its name.

    There is none before the first column is declared. ``troubles`` has the edits of the sheet
    that were refused, by the column's name and the heading.
    """
    if draft.domain is None and not troubles:
        return {}
    questions = {}
    faults = wrong(draft, troubles)
    # Columns that a look at the rows left to the user; their question comes before others.
    by_rows = {column.name: column for column in draft.list_reviews(Review.QUESTIONS)}
    unasked_names = {*draft.left_out, *draft.absent(), draft.person}
    for new in draft.fields:
        name = new["name"]
        if name in by_rows:
            questions[name] = f"By the rows, it {by_rows[name].reason}."
        elif name in unasked_names:
            continue
        elif name in faults:
            questions[name] = faults[name]
        elif name in draft.remarks and name not in draft.accepted:
            questions[name] = f"This column {draft.remarks[name]}."
        elif not isinstance(draft.columns[name], Column):
            questions[name] = "Nobody has described this column yet."
    return questions
