"""Derived columns: added by a formula or a lookup table, with a made-up preview."""

from typing import Any

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.declaration import derive_columns
from pages.ui.shell.draft import Draft
from synth.domain import KEY, Column, read_lookup
from synth.errors import ArgumentError, DomainError
from synth.foreign import in_markdown, line
from synth.rows import made_up

HELP = (
    "Such as `bins(age, 18, 30, 65)`, `round(weight / height ^ 2, 1)`, `year(visit)` or "
    "`if(sex = 'f', 1, 0)`. Put names with blanks or marks in double quotes."
)
FORMULA, LOOKUP = "Formula", "Lookup table"


def add_derived(draft: Draft) -> None:
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
    found, wrong = draft.derived_columns
    rules = {one.name: one.rule for one in found}
    for place, new in enumerate(draft.derived):
        if KEY not in new:
            continue
        name = str(new["name"])
        said, button = st.columns([8, 2], vertical_alignment="center")
        told = rules.get(name, "")
        said.markdown(
            f"**{in_markdown(name)}** follows from: {in_markdown(told)}" if told else ""
        )
        if name in wrong:
            said.error(in_markdown(wrong[name]))
        button.button("Remove", key=f"derived_{place}", on_click=_remove, args=(place,))
    if found and draft.domain is not None:
        st.caption("Made-up rows show the results of the rules. They are nobody's data.")
        names = [n for one in draft.derived_columns[0] for n in (*one.sources, one.name)]
        shown = made_up(draft.domain).select(list(dict.fromkeys(names)))
        st.dataframe(shown.to_pandas(), hide_index=True)


@state.guard
def _add() -> None:
    now = state.draft()
    name = str(state.said("derived_name") or "").strip()
    if not name:
        raise ArgumentError("Give the new column a name.")
    kept = [new for new in now.derived if new["name"] != name]
    new = {"name": name, KEY: _rule(), "place": len(now.fields) + len(kept)}
    columns = tuple(c for n in now.chosen_names if isinstance(c := now.columns[n], Column))
    wrong = derive_columns(columns, [*kept, new])[1].get(name)
    if wrong:
        raise DomainError(wrong)
    state.change(derived=(*kept, new))
    state.write("derived_name", "")
    state.notice(f"Column '{name}' was added; it follows from others.")


def _rule() -> dict[str, Any]:
    rule: dict[str, Any] = {"missing": True} if state.said("derived_missing") else {}
    if state.said("derived_kind") != LOOKUP:
        return {"formula": str(state.said("derived_formula") or ""), **rule}
    uploaded = state.said("derived_table")
    if uploaded is None:
        raise ArgumentError("Upload the lookup table first.")
    rule |= {"lookup": state.said("derived_source")}
    rule |= {"table": read_lookup(uploaded.name, uploaded.getvalue())}
    default = str(state.said("derived_default") or "")
    return {**rule, "default": default} if default else rule


@state.guard
def _remove(place: int) -> None:
    state.change(
        derived=tuple(new for i, new in enumerate(state.draft().derived) if i != place)
    )
