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
from synth.drafting import Review
from synth.foreign import in_markdown

VOUCH = "I vouch that the values from the rows are public"
NOTES_SHOWN = 3
REVIEWED_SHOWN = 20
UNDECLARED = "In the table and not in the declaration: "


def remarks(draft: Draft, noted: Mapping[str, Any]) -> None:
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
    identifiers, detailed = map(draft.list_reviews, (Review.IDENTIFIERS, Review.DETAILED))
    if not identifiers and not detailed and not draft.look_remarks:
        return
    with st.container(border=True):
        badge(Lane.PRIVATE)
        if identifiers:
            st.markdown(f"**{in_markdown(Review.IDENTIFIERS)}**")
        for one in identifiers[:REVIEWED_SHOWN]:
            said, draw, take = st.columns([6, 2, 2], vertical_alignment="center")
            said.markdown(in_markdown(f"'{one.name}' {one.reason}."))
            with draw.popover("Draw IDs", key=f"draw {one.name}", width="stretch"):
                ask_pattern(one.name)
            take.button(
                in_markdown(one.offer),
                key=f"decide {one.name}",
                on_click=take_decision,
                args=(one.name, True),
                width="stretch",
            )
        if detailed:
            names = ", ".join(f"'{one.name}'" for one in detailed)
            kept = in_markdown(f"{names}. Nearly all rows differ; Synth counts them in bins.")
            st.markdown(f"**{in_markdown(Review.DETAILED)}:** {kept}")
        for remark in draft.look_remarks:
            st.markdown(in_markdown(remark))


@state.guard
def take_decision(name: str, takes_part: bool) -> None:
    state.put(state.draft().decide(name, takes_part=takes_part))
    renew()


def open_notes(draft: Draft, noted: Mapping[str, Any]) -> list[str]:
    """A note on a column ends when you declare the column correctly."""
    fields = {f["name"]: f for f in draft.fields}
    mended = {
        name
        for name, column in draft.columns.items()
        if isinstance(column, Column) and noted.get(name) is not fields[name]
    }
    found = []
    for note in draft.notes:
        if note.startswith(UNDECLARED):
            names = note.removeprefix(UNDECLARED).removesuffix(".").split(", ")
            left = [name for name in names if name not in mended]
            found += [f"{UNDECLARED}{', '.join(left)}."] if left else []
        elif _noted_column(note) not in mended:
            found.append(note)
    return found


def _noted_column(note: str) -> str:
    begins = re.match(r"Column '(.*?)'[ :]", note)
    return begins[1] if begins else ""


def wrong(draft: Draft, troubles: Mapping[Cell, Trouble]) -> dict[str, str]:
    found = {
        field["name"]: _by_rows(draft, field["name"]) or str(column)
        for field in draft.fields
        if not isinstance(column := draft.columns[field["name"]], Column)
        and "type" in field
        and field["name"] not in draft.left_out
    }
    for (name, _), trouble in troubles.items():
        found[name] = " ".join(filter(None, (found.get(name), trouble.why)))
    return found


def _by_rows(draft: Draft, name: str) -> str:
    return f"By the rows, '{name}' {draft.look[name].reason}." if name in draft.look else ""


def left_out(draft: Draft) -> dict[str, str]:
    absent = set(draft.absent()) if draft.source else set()
    notes = {_noted_column(note): note for note in draft.notes}
    return {
        name: _explain_lock(draft, name, name in absent, notes=notes)
        for name in (f["name"] for f in draft.fields)
        if name not in draft.chosen_names
    }


def _explain_lock(draft: Draft, name: str, absent: bool, *, notes: Mapping[str, str]) -> str:
    if any(one.name == name for one in draft.identifiers):
        return "Its IDs are drawn from a pattern; its values are not read."
    if absent:
        return "It is not in the table."
    remark, note = draft.remarks.get(name), notes.get(name)
    if name in draft.left_out and (said := _by_rows(draft, name)):
        return said
    if remark:
        return f"It {remark}."
    if note:
        return note
    column = draft.columns[name]
    return "You left it out." if isinstance(column, Column) else str(column)


def list_left_out(draft: Draft) -> None:
    out = left_out(draft)
    if out:
        with st.expander(
            f"Left out: {say_count(len(out), 'column')}", icon=":material/remove:"
        ):
            if draft.look.keys() & out.keys():
                badge(Lane.PRIVATE)
            st.dataframe(
                {"Column": list(out), "Why": list(out.values())},
                hide_index=True,
                height=min(300, 37 + 35 * len(out)),
                column_config={"Column": st.column_config.TextColumn(width="small")},
                alt=f"Why {say_count(len(out), 'column')} take no part.",
            )


# The key of the expander with the form of one column.
EDITING = "editing"
MAX_CARDS = 8


def questions_of(draft: Draft, troubles: Mapping[Cell, Trouble]) -> dict[str, str]:
    if draft.domain is None and not troubles:
        return {}
    mend, found = wrong(draft, troubles), {}
    by_rows = {one.name: one for one in draft.list_reviews(Review.QUESTIONS)}
    for new in draft.fields:
        name = new["name"]
        if name in by_rows:
            found[name] = f"By the rows, it {by_rows[name].reason}."
        elif name in draft.left_out or name in draft.absent() or name == draft.person:
            continue
        elif name in mend:
            found[name] = mend[name]
        elif name in draft.remarks and name not in draft.kept:
            found[name] = f"This column {draft.remarks[name]}."
        elif not isinstance(draft.columns[name], Column):
            found[name] = "Nobody has described this column yet."
    return found


def sum_up(draft: Draft, asked: Mapping[str, str]) -> None:
    """Say how many columns are clear, to decide and left out."""
    total = say_count(len(draft.fields), "column")
    if draft.domain is None:
        st.info(
            f"{total}, none described yet. Take a draft, upload a data dictionary, or open "
            "*All columns*.",
            icon=":material/edit_note:",
        )
        return
    clear = len([name for name in draft.chosen_names if name not in asked])
    out = len(draft.fields) - clear - len(asked)
    parts = ((clear, "clear"), (len(asked), "to decide"), (out, "left out"))
    numbers = ", ".join(f"{number:,} {what}" for number, what in parts if number)
    st.markdown(f"**{total}:** {numbers}.")


def decide(draft: Draft, asked: Mapping[str, str]) -> None:
    if draft.look.keys() & asked.keys():
        badge(Lane.PRIVATE)
    places = st.columns(min(2, len(asked))) if asked else []
    for number, (name, why) in enumerate([*asked.items()][:MAX_CARDS]):
        with places[number % len(places)], st.container(border=True):
            _card(draft, name, why)
    if len(asked) > MAX_CARDS:
        st.caption(
            f"And {say_count(len(asked) - MAX_CARDS, 'column')} more: see *All columns*."
        )


def _answers(draft: Draft, name: str) -> list[tuple[str, bool]]:
    asked = {one.name: one.offer for one in draft.list_reviews(Review.QUESTIONS)}
    return [(asked[name], True), ("Leave out", False)] if name in asked else []


def _card(draft: Draft, name: str, why: str) -> None:
    st.markdown(f"**{in_markdown(name)}**")
    st.markdown(in_markdown(why))
    column = draft.columns[name]
    if isinstance(column, Column):
        st.caption(in_markdown(shown_cells(column)))
    offered = bool(_answers(draft, name))
    with st.container(horizontal=True):
        for label, takes_part in _answers(draft, name):
            key = f"decide {name} {takes_part}"
            st.button(
                in_markdown(label), key=key, on_click=take_decision, args=(name, takes_part)
            )
        for label, act in (("Leave out", _leave_out), ("Keep", _keep), ("Change", _open)):
            if act is _open or (
                not offered and (act is _leave_out or isinstance(column, Column))
            ):
                st.button(
                    label, key=f"{label} {name}", on_click=state.guard(act), args=(name,)
                )


def _leave_out(name: str) -> None:
    state.change(left_out=state.draft().left_out | {name})
    renew()


def _keep(name: str) -> None:
    state.change(kept=state.draft().kept | {name})


def _open(name: str) -> None:
    state.change(open_column=name)
    state.write(EDITING, True)
