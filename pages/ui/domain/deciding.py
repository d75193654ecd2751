"""The number of clear, undecided and left-out columns, and a card for each undecided one."""

from collections.abc import Mapping

import streamlit as st

from pages.ui.domain.column import renew, shown_cells
from pages.ui.domain.remarks import take_decision, wrong
from pages.ui.domain.sheet import Cell, Trouble
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from synth.domain import Column
from synth.estimate import Review
from synth.foreign import in_markdown

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
            f"{total}, none described yet. Take a draft, upload a data dictionary, or open *All "
            "columns*.",
            icon=":material/edit_note:",
        )
        return
    clear = len([name for name in draft.chosen_names if name not in asked])
    out = len(draft.fields) - clear - len(asked)
    parts = ((clear, "clear"), (len(asked), "to decide"), (out, "left out"))
    said = ", ".join(f"{number:,} {what}" for number, what in parts if number)
    st.markdown(f"**{total}:** {said}.")


def decide(draft: Draft, asked: Mapping[str, str]) -> None:
    if draft.look.keys() & asked.keys():
        badge(Lane.PRIVATE)
    places = st.columns(min(2, len(asked))) if asked else []
    for number, (name, why) in enumerate([*asked.items()][:MAX_CARDS]):
        with places[number % len(places)], st.container(border=True):
            _card(draft, name, why)
    if len(asked) > MAX_CARDS:
        st.caption(f"And {say_count(len(asked) - MAX_CARDS, 'column')} more: see *All columns*.")


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
            st.button(in_markdown(label), key=key, on_click=take_decision, args=(name, takes_part))
        for label, act in (("Leave out", _leave_out), ("Keep", _keep), ("Change", _open)):
            if act is _open or (not offered and (act is _leave_out or isinstance(column, Column))):
                st.button(label, key=f"{label} {name}", on_click=state.guard(act), args=(name,))


def _leave_out(name: str) -> None:
    state.change(left_out=state.draft().left_out | {name})
    renew()


def _keep(name: str) -> None:
    state.change(kept=state.draft().kept | {name})


def _open(name: str) -> None:
    state.change(open_column=name)
    state.write(EDITING, True)
