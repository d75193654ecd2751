"""Remarks on the declaration: gaps, oddities and left-out columns, until they are resolved.

The number of clear, undecided and left-out columns, and a card for each undecided one.
"""

import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.ui.domain.column import renew, shown_cells
from pages.ui.domain.identifying import ask_pattern
from pages.ui.domain.sheet import Cell, Trouble
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from synth.domain import LOOKED_UP, Column
from synth.drafting import Review, list_losses, say_losses, say_missing
from synth.foreign import in_markdown
from synth.util import write_share

VOUCH = "I vouch that the values from the rows are public"
NOTES_SHOWN = 3
REVIEWED_SHOWN = 20
UNDECLARED = "In the table and not in the declaration: "


def remarks(draft: Draft, noted: Mapping[str, Any]) -> None:
    """Show remarks on the declaration: its origin, results of a look at the rows, and notes.

    ``noted`` maps a column's name to its field when the notes were written.
    """
    if draft.origin == LOOKED_UP:
        st.checkbox(
            VOUCH,
            help="Say so only where the data dictionary, or common knowledge, says the same. "
            "The certificate records it.",
            **state.tied_choice("vouched"),
        )
    review_look(draft)
    notes = open_notes(draft, noted)
    if 0 < len(notes) <= NOTES_SHOWN:
        st.info("  \n".join(map(in_markdown, notes)), icon=":material/edit_note:")
    elif notes:
        with st.expander(
            f"{say_count(len(notes), 'remark')} on the description",
            icon=":material/edit_note:",
        ):
            st.markdown("\n".join(f"- {in_markdown(note)}" for note in notes))


def review_look(draft: Draft) -> None:
    """Show what a look at the rows left out, and what it counts in bins. PRIVATE.

    It left out columns that identify people. For each identifying column the user may draw
    IDs or let it take part.
    """
    # Results of the look by the list that shows them; its value is the list's heading.
    identifiers = draft.list_reviews(Review.IDENTIFIERS)
    detailed = draft.list_reviews(Review.DETAILED)
    if not draft.look and not draft.look_remarks:
        return
    with st.container(border=True):
        badge(Lane.PRIVATE)
        if identifiers:
            st.markdown(f"**{in_markdown(Review.IDENTIFIERS)}**")
        for column in identifiers[:REVIEWED_SHOWN]:
            text_place, draw_place, keep_place = st.columns(
                [6, 2, 2], vertical_alignment="center"
            )
            text_place.markdown(in_markdown(f"'{column.name}' {column.reason}."))
            with draw_place.popover("Draw IDs", key=f"draw {column.name}", width="stretch"):
                ask_pattern(column.name)
            keep_place.button(  # ``offer`` says what a click does
                in_markdown(column.offer),
                key=f"decide {column.name}",
                on_click=take_decision,
                args=(column.name, True),
                width="stretch",
            )
        if detailed:
            names = ", ".join(f"'{column.name}'" for column in detailed)
            sentence = in_markdown(
                f"{names}. Nearly all rows differ; Synth counts them in bins."
            )
            st.markdown(f"**{in_markdown(Review.DETAILED)}:** {sentence}")
        for remark in draft.look_remarks:
            st.markdown(in_markdown(remark))
        list_drafted_losses(draft)


@state.guard
def take_decision(name: str, takes_part: bool) -> None:
    """Record whether a column takes part, which a look at the rows left to the user."""
    state.put(state.draft().decide(name, takes_part=takes_part))
    renew()


@state.guard
def agree_to_losses() -> None:
    """Record that the user agrees to what all columns lose, which then take part."""
    state.put(state.draft().agree_to_losses())
    renew()


def list_drafted_losses(draft: Draft) -> None:
    """Show which share of its rows each drafted column loses, and its unused values. PRIVATE.

    A column that the user described anew is not among them.
    """
    fields = {field["name"]: field for field in draft.fields}
    columns = [c for name, c in draft.look.items() if fields.get(name) == c.field]
    shares = list_losses(columns)
    if columns:
        st.markdown(in_markdown(say_missing(draft.missing_values, draft.fields)))
    for remark in say_losses(
        {column.name: column.loss for column in columns if column.name in draft.chosen_names}
    ):
        st.markdown(in_markdown(remark))
    if shares:
        with st.expander(f"Values lost: {say_count(len(shares), 'column')}"):
            st.dataframe(
                {
                    "Column": list(shares),
                    "Rows that lose their value": [*map(write_share, shares.values())],
                },
                hide_index=True,
                alt=f"The share of rows that {say_count(len(shares), 'column')} lose.",
            )


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


# The key of the expander with the form of one column.
EDITING = "editing"
MAX_CARDS = 8


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
    for new in draft.fields:
        name = new["name"]
        if name in by_rows:
            questions[name] = f"By the rows, it {by_rows[name].reason}."
        elif name in draft.left_out or name in draft.absent() or name == draft.person:
            continue
        elif name in faults:
            questions[name] = faults[name]
        elif name in draft.remarks and name not in draft.accepted:
            questions[name] = f"This column {draft.remarks[name]}."
        elif not isinstance(draft.columns[name], Column):
            questions[name] = "Nobody has described this column yet."
    return questions


def sum_up(draft: Draft, questions: Mapping[str, str]) -> None:
    """Show how many columns are clear, to decide, and left out.

    ``questions`` has the open question on each column to decide, by its name.
    """
    total = say_count(len(draft.fields), "column")
    if draft.domain is None:
        st.info(
            f"{total}, none described yet. Take a draft, upload a data dictionary, or open "
            "*All columns*.",
            icon=":material/edit_note:",
        )
        return
    clear = len([name for name in draft.chosen_names if name not in questions])
    left_out = len(draft.fields) - clear - len(questions)
    parts = ((clear, "clear"), (len(questions), "to decide"), (left_out, "left out"))
    numbers = ", ".join(f"{number:,} {status}" for number, status in parts if number)
    st.markdown(f"**{total}:** {numbers}.")


def decide(draft: Draft, questions: Mapping[str, str]) -> None:
    """Show a card for each column to decide about, up to ``MAX_CARDS``, in two columns.

    ``questions`` has the open question on each column, by its name.
    """
    if draft.look.keys() & questions.keys():
        badge(Lane.PRIVATE)
    if len(draft.losing_names) > 1:
        st.button(
            f"Keep all {len(draft.losing_names):,} columns that lose values",
            key="agree to losses",
            on_click=agree_to_losses,
            help="The cards below say which values each of them loses. The certificate says "
            "that you agreed.",
        )
    places = st.columns(min(2, len(questions))) if questions else []
    for number, (name, why) in enumerate([*questions.items()][:MAX_CARDS]):
        with places[number % len(places)], st.container(border=True):
            _card(draft, name, why)
    if len(questions) > MAX_CARDS:
        st.caption(
            f"And {say_count(len(questions) - MAX_CARDS, 'column')} more: see *All columns*."
        )


def _answers(draft: Draft, name: str) -> list[tuple[str, bool]]:
    """Return the answers to the question that a look raised, and if the column takes part.

    The list is empty if the column has another question.
    """
    offers = {column.name: column.offer for column in draft.list_reviews(Review.QUESTIONS)}
    return [(offers[name], True), ("Leave out", False)] if name in offers else []


def _card(draft: Draft, name: str, why: str) -> None:
    """Show a column that needs a decision, its open question, and the answers.

    Without answers from a look at the rows, the buttons leave it out, keep it or change it.
    """
    st.markdown(f"**{in_markdown(name)}**")
    st.markdown(in_markdown(why))
    column = draft.columns[name]
    if isinstance(column, Column):
        st.caption(in_markdown(shown_cells(column)))
    offers = _answers(draft, name)
    with st.container(horizontal=True):
        for label, takes_part in offers:
            key = f"decide {name} {takes_part}"
            st.button(
                in_markdown(label), key=key, on_click=take_decision, args=(name, takes_part)
            )
        actions = {"Change": _open}
        # Only a column without errors can be kept as it is declared.
        if not offers and isinstance(column, Column):
            actions = {"Keep": _keep, **actions}
        if not offers:
            actions = {"Leave out": _leave_out, **actions}
        for label, act in actions.items():
            st.button(label, key=f"{label} {name}", on_click=state.guard(act), args=(name,))


def _leave_out(name: str) -> None:
    state.change(left_out=state.draft().left_out | {name})
    renew()


def _keep(name: str) -> None:
    state.change(accepted=state.draft().accepted | {name})


def _open(name: str) -> None:
    state.change(open_column=name)
    state.write(EDITING, True)
