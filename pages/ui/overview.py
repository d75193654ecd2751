"""All columns of the declaration at a glance."""

from typing import Any

import pandas as pd
import streamlit as st

from pages.ui import state
from pages.ui.draft import Draft, kind_of
from synth.domain import Column


@state.guarded
def _open_row() -> None:
    rows = state.said("overview").selection.rows
    if rows:
        state.change(open_column=state.draft().fields[rows[0]]["name"])


def overview(draft: Draft) -> None:
    """The table; a click on a row opens that column in the form."""
    st.dataframe(
        _rows(draft),
        hide_index=True,
        height=min(560, 37 + 35 * len(draft.fields)),
        key="overview",
        on_select=_open_row,
        selection_mode="single-row",
        placeholder="",
    )
    st.caption("Tick a row to open that column in the form.")


def _rows(draft: Draft) -> pd.DataFrame:
    return pd.DataFrame([_row(draft, new["name"], kind_of(new)) for new in draft.fields])


def _row(draft: Draft, name: str, kind: str | None) -> dict[str, Any]:
    column = draft.columns[name]
    row = {"column": name, "used": name in draft.chosen, "kind": kind}
    if isinstance(column, Column):
        missing = "own cell" if column.missing else None
        return {**row, "cells": column.size, "missing": missing, "from … to": _ends(column)}
    return {**row, "cells": None, "missing": None, "from … to": str(column) if kind else None}


def _ends(column: Column) -> str:
    """The first and the last of the declared cells."""
    first, last = column.labels[0], column.labels[-1]
    return first if first == last else f"{first} … {last}"
