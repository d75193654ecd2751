"""All columns of the declaration: searched, ticked, and changed several at a time."""

import re
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.domain.column import OUTSIDE, USUAL_RULE, renew
from pages.ui.domain.declaration import Change, kind_of, listed
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import counted
from synth.domain.domain import Column, Period
from synth.domain.kinds import TYPES

ALL, PART, OPEN, ODD = "All", "Taking part", "Not declared", "Remarked on"
LEFT_AS_IT_IS = "as it is"


def found(draft: Draft, search: str, show: str | None) -> list[str]:
    """Names of the columns that a search finds.

    Terms between commas are looked for in turn; a term that is a name finds that column alone.
    """
    names = [f["name"] for f in draft.fields]
    terms = [term.strip().lower() for term in re.split(r"[,;\t\n]", search) if term.strip()]
    exact = {name.lower() for name in names} & set(terms)
    hits = [
        name
        for name in names
        if not terms
        or name.lower() in exact
        or any(term in name.lower() for term in terms if term not in exact)
    ]
    kept = {
        PART: set(draft.chosen),
        OPEN: {n for n in names if not isinstance(draft.columns[n], Column)},
        ODD: set(draft.remarks),
    }.get(show or ALL, set(names))
    return [name for name in hits if name in kept]


def overview(draft: Draft) -> None:
    """The table of columns, and what can be done with those that are ticked or shown."""
    st.text_input(
        "Search",
        key="search",
        placeholder="part of a name, or several names between commas",
        on_change=state.advance,
        args=("overview",),
    )
    st.segmented_control(
        "Show",
        [ALL, PART, OPEN, ODD],
        default=ALL,
        key="show",
        label_visibility="collapsed",
        on_change=state.advance,
        args=("overview",),
    )
    names = found(draft, state.said("search") or "", state.said("show"))
    key = f"overview_{state.number('overview')}"
    if not names:
        st.info("No column matches.")
        return
    st.dataframe(
        _rows(draft, names),
        hide_index=True,
        height=min(500, 37 + 35 * len(names)),
        key=key,
        on_select=lambda: _open_row(key, names),
        selection_mode="multi-row",
        placeholder="",
        alt=f"{counted(len(names), 'column')} of the declaration.",
    )
    ticked = _ticked(key, names)
    _together(ticked or names, "ticked" if ticked else "shown")


def _ticked(key: str, names: list[str]) -> list[str]:
    said = state.said(key)
    return [names[row] for row in said.selection.rows if row < len(names)] if said else []


@state.guarded
def _open_row(key: str, names: list[str]) -> None:
    """A single tick opens the column's card."""
    ticked = _ticked(key, names)
    if len(ticked) == 1:
        state.change(open_column=ticked[0])


def _rows(draft: Draft, names: list[str]) -> pd.DataFrame:
    chosen = set(draft.chosen)
    kinds = {f["name"]: kind_of(f) for f in draft.fields}
    table = pd.DataFrame([_row(draft, name, kinds[name], name in chosen) for name in names])
    return table if table["remark"].any() else table.drop(columns="remark")


def _row(draft: Draft, name: str, kind: str | None, used: bool) -> dict[str, Any]:
    column, remark = draft.columns[name], draft.remarks.get(name)
    row = {"column": name, "part": "yes" if used else None, "kind": kind}
    if isinstance(column, Column):
        missing = "own cell" if column.missing else None
        ends = {"from … to": _ends(column), "missing": missing}
        return {**row, "cells": column.size, "remark": remark, **ends}
    wrong = str(column) if kind and not remark else remark
    return {**row, "cells": None, "remark": wrong, "from … to": None, "missing": None}


def _ends(column: Column) -> str:
    """The first and the last of the declared cells."""
    first, last = column.labels[0], column.labels[-1]
    return first if first == last else f"{first} … {last}"


def _together(names: list[str], how: str) -> None:
    """What can be done with several columns at once."""
    one = "the column" if len(names) == 1 else f"the {len(names):,} columns"
    st.caption(
        f"The controls below act on {one} {how}. Tick rows to choose others; a single tick opens "
        "the column's card."
    )
    keep, leave, only = st.columns(3)
    for place, label, act, icon in (
        (keep, "Take part", "in", ":material/add:"),
        (leave, "Leave out", "out", ":material/remove:"),
        (only, "Only these", "only", ":material/filter_alt:"),
    ):
        place.button(
            label, key=f"part_{act}", icon=icon, on_click=_part, args=(names, act), width="stretch"
        )
    with st.expander(f"Declare {one} {how} alike", icon=":material/edit_note:"):
        _alike(names)


@state.guarded
def _part(names: list[str], act: str) -> None:
    """Let columns take part or not."""
    now = state.draft()
    others = {f["name"] for f in now.fields} - set(names)
    left_out = {
        "in": now.left_out - set(names),
        "out": now.left_out | set(names),
        "only": frozenset(others),
    }[act]
    state.change(left_out=frozenset(left_out))
    renew()


def _alike(names: list[str]) -> None:
    """A form: what is filled in changes in all the columns, the rest stays."""
    with st.form("alike", border=False, clear_on_submit=True):
        first, second, third = st.columns(3)
        first.selectbox("Kind", [*TYPES], None, key="all_kind", placeholder=LEFT_AS_IT_IS)
        second.text_input("Minimum", key="all_minimum", placeholder=LEFT_AS_IT_IS)
        third.text_input("Maximum", key="all_maximum", placeholder=LEFT_AS_IT_IS)
        first, second, third = st.columns(3)  # a row of its own, for the order of the Tab key
        first.number_input(
            "Bins", min_value=1, value=None, step=1, key="all_bins", placeholder=LEFT_AS_IT_IS
        )
        second.selectbox(
            "Bins by the calendar",
            [period.value for period in Period],
            None,
            key="all_period",
            placeholder=LEFT_AS_IT_IS,
        )
        third.selectbox(
            "Missing values",
            [True, False],
            None,
            format_func=lambda own: "have a cell of their own" if own else "do not occur",
            key="all_missing",
            placeholder=LEFT_AS_IT_IS,
        )
        st.selectbox(
            "Values outside",
            [*OUTSIDE],
            None,
            format_func=lambda rule: OUTSIDE[rule],
            help=USUAL_RULE,
            key="all_outside",
            placeholder=LEFT_AS_IT_IS,
        )
        st.text_area(
            "Categories: a list, or a code and its label on each line",
            key="all_codes",
            placeholder=LEFT_AS_IT_IS,
        )
        st.form_submit_button(
            f"Declare {counted(len(names), 'column')}", on_click=_declare, args=(names,)
        )


@state.guarded
def _declare(names: list[str]) -> None:
    said = {key: state.said(f"all_{key}") for key in Change.__dataclass_fields__}
    change = Change(**{key: value for key, value in said.items() if value is not None})
    now = state.draft()
    fields = {name: change.of(now.field_of(name)) for name in names}
    changed = {name: new for name, new in fields.items() if new != now.field_of(name)}
    state.put(now.with_fields(changed))
    renew()
    same = len(names) - len(changed)
    stayed = f"; {counted(same, 'column')} stayed as before" if same else ""
    state.notice(f"{counted(len(changed), 'column')} declared anew{stayed}.")


def missing_spellings(draft: Draft) -> None:
    """The spellings that stand for a missing value, in every column; an empty cell does anyway."""
    empty = tuple(m for m in draft.missing_values if not m)

    def store(text: str) -> None:
        state.change(missing_values=empty + tuple(dict.fromkeys(listed(text))))

    st.text_input(
        "Spellings of a missing value, besides an empty cell" if empty else "Missing values",
        placeholder="?, NA, unknown",
        **state.tied("missing_values", ", ".join(filter(None, draft.missing_values)), store),
    )
