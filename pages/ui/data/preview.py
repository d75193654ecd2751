"""The first rows of the table, so that a wrong header or separator is seen at once."""

import pandas as pd
import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.numbers import say_count
from pages.ui.shell.release import Source
from synth import limits


def preview(source: Source) -> None:
    """Show the first rows of the table, with one click that hides them.

    They are private: a server's operator can turn them off (``SYNTH_PREVIEW``). Nothing is
    shown then, or if the table was too large to be counted.
    """
    if not source.first_rows:
        return
    tied = state.tie("preview_shown", not state.read_value("preview_hidden"), _remember)
    shown = st.toggle("Show the first rows", **tied)
    if not shown:
        return
    badge(Lane.PRIVATE)
    names = source.table.header[: limits.PREVIEW_COLUMNS]
    st.dataframe(pd.DataFrame([*source.first_rows], columns=list(names)), hide_index=True)
    st.caption(_describe(source))


def _remember(shown: bool) -> None:
    """Keep the rows hidden on later visits of the page once somebody hid them."""
    state.write("preview_hidden", not shown)


def _describe(source: Source) -> str:
    """Return how many rows are shown, and how many columns if not all are."""
    columns = len(source.table.header)
    # Without the number of all rows, which is private under add-remove.
    sentence = f"The first {say_count(len(source.first_rows), 'row')}"
    if columns > limits.PREVIEW_COLUMNS:
        sentence += (
            f", and the first {limits.PREVIEW_COLUMNS} of {say_count(columns, 'column')}"
        )
    return f"{sentence}. Only you see them; they are in no download."
