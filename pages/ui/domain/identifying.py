"""Columns of IDs, drawn from a pattern: add and remove."""

import streamlit as st

from pages.ui.domain.column import renew
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from synth.domain import ID_KEY, PATTERN_HELP, Identifier
from synth.errors import ArgumentError
from synth.foreign import in_markdown


def add_identifiers(draft: Draft) -> None:
    with st.expander("ID columns", icon=":material/badge:"):
        st.markdown(
            "Synth draws a different ID for each synthetic row, at no cost. It never reads "
            "the real keys."
        )
        for one in draft.identifiers:
            said, button = st.columns([8, 2], vertical_alignment="center")
            said.markdown(in_markdown(f"'{one.name}': {one.rule}."))
            button.button("Remove", key=f"id_{one.name}", on_click=_remove, args=(one.name,))
        if draft.chosen_names:
            st.text_input("Name of the ID column", key="id_name")
            ask_pattern("")
        else:
            st.info("Describe a column first.")


def ask_pattern(name: str) -> None:
    st.text_input(
        "Pattern of the IDs", "P######", key=f"id_pattern {name}", help=PATTERN_HELP
    )
    st.caption(
        "Choose a pattern that no real key has, so that nobody takes an ID for a real key."
    )
    st.button(
        "Add IDs", key=f"id_add {name}", on_click=_add, args=(name,), icon=":material/add:"
    )


@state.guard
def _add(name: str) -> None:
    now, typed = state.draft(), name or str(state.said("id_name") or "").strip()
    if not typed:
        raise ArgumentError("Give the ID column a name.")
    pattern = str(state.said(f"id_pattern {name}") or "").strip()
    header = [field["name"] for field in now.fields]
    if typed in now.chosen_names and not name:
        raise ArgumentError(
            f"Column '{typed}' takes part. Leave it out, or choose another name."
        )
    one = Identifier(pattern=pattern, name=typed)
    kept = [new for new in now.derived if new["name"] != typed]
    place = header.index(typed) if typed in header else len(header) + len(kept)
    new = {"name": typed, ID_KEY: one.pattern, "place": place}
    state.change(derived=(*kept, new), left_out=now.left_out | {typed})
    renew()
    state.notice(f"Synth draws the IDs of column '{typed}': {one.rule}.")


@state.guard
def _remove(name: str) -> None:
    state.change(derived=tuple(new for new in state.draft().derived if new["name"] != name))
