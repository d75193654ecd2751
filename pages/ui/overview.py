"""All columns of the declaration at a glance."""

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
    )


def _rows(draft: Draft) -> pd.DataFrame:
    rows = []
    for new in draft.fields:
        column = draft.columns[new["name"]]
        good = isinstance(column, Column)
        rows.append(
            {
                "column": new["name"],
                "used": new["name"] in draft.chosen,
                "kind": kind_of(new) or "not declared yet",
                "cells": column.size if good else None,
                "missing": good and column.missing,
                "from … to": _ends(column) if good else str(column),
            }
        )
    return pd.DataFrame(rows)


def _ends(column: Column) -> str:
    """The first and the last of the declared cells."""
    first, last = column.labels[0], column.labels[-1]
    return first if first == last else f"{first} … {last}"
