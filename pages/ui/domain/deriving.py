"""Derived columns: added by a formula or a lookup table, with a made-up preview."""

from typing import Any

import streamlit as st

from pages.ui.domain.column import renew
from pages.ui.shell import state
from pages.ui.shell.declaration import derive_columns
from pages.ui.shell.draft import Draft
from synth.domain import KEY, read_lookup
from synth.errors import ArgumentError, DomainError
from synth.foreign import in_markdown, line
from synth.rows import made_up

HELP = (
    "Such as `bins(age, 18, 30, 65)`, `round(weight / height ^ 2, 1)`, `year(visit)` or "
    "`if(sex = 'f', 1, 0)`. Put names with blanks or marks in double quotes."
)
FORMULA = "Formula"
LOOKUP = "Lookup table"


def add_derived(draft: Draft) -> None:
    """Show the derived columns, and the form that adds another one.

    A derived column follows from others by a formula or by a lookup table.
    """
    with st.expander("Columns that follow from others", icon=":material/function:"):
        st.markdown(
            "Derived columns cost nothing. Synth computes them in every synthetic row, by a "
            "public rule."
        )
        _list_derived(draft)
        if draft.chosen_names:
            # Rows of widgets and no form: the kind decides which of them there are.
            st.text_input("Name of the new column", key="derived_name")
            kind = st.segmented_control(
                "Its rule",
                [FORMULA, LOOKUP],
                default=FORMULA,
                key="derived_kind",
                required=True,
            )
            if kind == LOOKUP:
                st.selectbox(
                    "Look up", draft.chosen_names, key="derived_source", format_func=line
                )
                st.file_uploader(
                    "The table: CSV of two columns with a header, or a JSON object",
                    type=["csv", "json"],
                    key="derived_table",
                )
                st.text_input(
                    "Value for all others (empty: the table lists all values)",
                    key="derived_default",
                )
            else:
                st.text_input("Formula", key="derived_formula", help=HELP)
            st.checkbox(
                "Missing if it cannot be computed, such as a division by zero",
                key="derived_missing",
            )
            st.button("Add the column", on_click=_add, icon=":material/add:")
        else:
            st.info("Declare a column first.")


def _list_derived(draft: Draft) -> None:
    """Show the derived columns with their rules or faults, and their values in made-up rows.

    The rows are drawn from the declaration alone.
    """
    derived_columns, faults = draft.derived_columns
    rules = {column.name: column.rule for column in derived_columns}
    for place, new in enumerate(draft.derived):
        if KEY not in new:  # a column of IDs, which has no rule
            continue
        name = str(new["name"])
        text_column, button_column = st.columns([8, 2], vertical_alignment="center")
        rule = rules.get(name, "")
        if rule:
            mark = " (taken from the rows)" if new[KEY].get("taken") else ""
            text_column.markdown(
                f"**{in_markdown(name)}** follows from: {in_markdown(rule)}{mark}"
            )
        if name in faults:
            text_column.error(in_markdown(faults[name]))
        button_column.button(
            "Remove", key=f"derived_{place}", on_click=_remove, args=(place,)
        )
    if derived_columns and draft.domain is not None:
        st.caption("Made-up rows show the results of the rules. They are nobody's data.")
        names: list[str] = []
        for column in derived_columns:
            names += [*column.sources, column.name]
        example_rows = made_up(draft.domain).select(list(dict.fromkeys(names)))
        st.dataframe(
            example_rows.to_pandas(), hide_index=True, alt="Made-up rows with the results."
        )


@state.guard
def _add() -> None:
    """Add the derived column that was typed; one of the same name is replaced.

    Raises:
        ArgumentError: It has no name, or the lookup table is missing.
        DomainError: The rule of the column is wrong.
    """
    current = state.draft()
    name = str(state.read_value("derived_name") or "").strip()
    if not name:
        raise ArgumentError("Give the new column a name.")
    other_columns = [new for new in current.derived if new["name"] != name]
    # It comes after all other columns of the synthetic table.
    new = {"name": name, KEY: _rule(), "place": len(current.fields) + len(other_columns)}
    _derived, faults = derive_columns(current.chosen_columns, [*other_columns, new])
    if name in faults:
        raise DomainError(faults[name])
    state.change(derived=(*other_columns, new))
    state.write("derived_name", "")
    state.notice(f"Column '{name}' was added; it follows from others.")


def _rule() -> dict[str, Any]:
    """Return the typed rule of a derived column, as entries of its Table Schema field.

    They are a ``formula``; or ``lookup``, ``table`` and perhaps ``default``. ``missing`` says
    that a value which cannot be computed is missing.

    Raises:
        ArgumentError: The lookup table was not uploaded, or is invalid.
    """
    rule: dict[str, Any] = {"missing": True} if state.read_value("derived_missing") else {}
    if state.read_value("derived_kind") != LOOKUP:
        return {"formula": str(state.read_value("derived_formula") or ""), **rule}
    uploaded = state.read_value("derived_table")
    if uploaded is None:
        raise ArgumentError("Upload the lookup table first.")
    rule |= {"lookup": state.read_value("derived_source")}
    rule |= {"table": read_lookup(uploaded.name, uploaded.getvalue())}
    default = str(state.read_value("derived_default") or "")
    return {**rule, "default": default} if default else rule


@state.guard
def _remove(place: int) -> None:
    """Remove a derived column, which is the one at this position among them."""
    draft = state.draft()
    derived = draft.derived
    removed = derived[place]
    left_out = draft.left_out
    # A column whose rule was taken from the rows then has cells again, as before.
    if removed[KEY].get("taken"):
        left_out = left_out - {removed["name"]}
    state.change(derived=(*derived[:place], *derived[place + 1 :]), left_out=left_out)
    renew()
