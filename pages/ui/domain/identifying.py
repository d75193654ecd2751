"""Columns of IDs, drawn from a pattern: add and remove."""

import streamlit as st

from pages.ui.domain.column import renew
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from synth.domain import ID_KEY, PATTERN_HELP, Identifier
from synth.errors import ArgumentError
from synth.foreign import in_markdown


def add_identifiers(draft: Draft) -> None:
    """Show the columns of IDs, each with a button to remove it, and the form of another one.

    The IDs are drawn from a pattern and not read from the table.
    """
    with st.expander("ID columns", icon=":material/badge:"):
        st.markdown(
            "Synth draws a different ID for each synthetic row, at no cost. It never reads "
            "the real keys."
        )
        for identifier in draft.identifiers:
            text_column, button_column = st.columns([8, 2], vertical_alignment="center")
            text_column.markdown(in_markdown(f"'{identifier.name}': {identifier.rule}."))
            button_column.button(
                "Remove",
                key=f"id_{identifier.name}",
                on_click=_remove,
                args=(identifier.name,),
            )
        if draft.chosen_names:
            st.text_input("Name of the ID column", key="id_name")
            ask_pattern("")
        else:
            st.info("Describe a column first.")


def ask_pattern(name: str) -> None:
    """Show the field for the pattern of a column's IDs, and the button that adds the column.

    ``name`` is a column of the table whose keys the IDs replace; empty if a name is typed.
    """
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
    """Add a column of IDs that are drawn from the typed pattern.

    ``name`` is a column of the table that it replaces; empty for the typed name.

    Raises:
        SynthError: It has no name, the name is taken, or the pattern is invalid.
    """
    current = state.draft()
    column_name = name or str(state.read_value("id_name") or "").strip()
    if not column_name:
        raise ArgumentError("Give the ID column a name.")
    pattern = str(state.read_value(f"id_pattern {name}") or "").strip()
    header = [field["name"] for field in current.fields]
    if column_name in current.chosen_names and not name:
        raise ArgumentError(
            f"Column '{column_name}' takes part. Leave it out, or choose another name."
        )
    identifier = Identifier(pattern=pattern, name=column_name)
    other_columns = [new for new in current.derived if new["name"] != column_name]
    # At the place of the replaced column; a new one comes last.
    place = (
        header.index(column_name)
        if column_name in header
        else len(header) + len(other_columns)
    )
    new = {"name": column_name, ID_KEY: identifier.pattern, "place": place}
    state.change(derived=(*other_columns, new), left_out=current.left_out | {column_name})
    renew()
    state.notice(f"Synth draws the IDs of column '{column_name}': {identifier.rule}.")


@state.guard
def _remove(name: str) -> None:
    state.change(derived=tuple(new for new in state.draft().derived if new["name"] != name))
