"""What the table looks like as it is read: its size, its first rows, and its marks. PRIVATE.

A wrong header, separator or encoding is seen at once, with its control above the rows.
"""

import pandas as pd
import streamlit as st

from pages.ui.data.format_options import choose_reading, more_options
from pages.ui.data.reading import show_rows, show_suggestions
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.numbers import say_count
from pages.ui.shell.release import Source
from synth import limits
from synth.foreign import in_markdown

# Most columns that the sentence on the table names.
NAMED_COLUMNS = 12


def name_columns(source: Source, *, is_still: bool) -> None:
    """Show the name of the table and its columns; a warning if it has no rows.

    ``is_still`` says whether another table could not be read, so that this one is still used.
    """
    names = source.table.header
    title = in_markdown(source.title)
    columns = say_count(len(names), "column")
    if source.is_empty:
        st.warning(
            f"**{title}** has no rows, only the names of {columns}. Choose another table, "
            "or another line with the column names below.",
            icon=":material/table_rows:",
        )
        return
    still = "You still have " if is_still else ""
    # Each by itself, so that a browser that translates the page can leave it alone.
    shown_names = ", ".join(f"**{in_markdown(name)}**" for name in names[:NAMED_COLUMNS])
    ending = " …" if len(names) > NAMED_COLUMNS else "."
    sentence = f"{still}**{title}** has {columns}: {shown_names}{ending}"
    # Names that may be values are no success; the doubt is said below.
    show = st.info if source.table.doubt_header() else st.success
    show(sentence, icon=":material/table:")


def show_table(source: Source) -> None:
    """Show how the file is read, with each control, its first rows, and remarks on its rows.

    The size and the rows are private: one click hides them, and a server's operator can turn
    them off (``SYNTH_PREVIEW``).
    """
    st.header("How the file is read")
    badge(Lane.PRIVATE)
    choose_reading(source)
    show_suggestions(source.table)
    if source.first_rows:
        _preview(source)
    show_rows(source.table)
    more_options(source)


def _preview(source: Source) -> None:
    """Show the size of the table and its first rows, with one click that hides them."""
    tied = state.tie("preview_shown", not state.read_value("preview_hidden"), _remember)
    if not st.toggle("Show the first rows", **tied):
        return
    rows = say_count(source.rows, "row")
    columns = say_count(len(source.table.header), "column")
    st.markdown(f"**{rows}, {columns}**")
    names = source.table.header[: limits.PREVIEW_COLUMNS]
    st.dataframe(
        pd.DataFrame([*source.first_rows], columns=list(names)),
        hide_index=True,
        placeholder="",
        alt=f"The first rows of the table, with {columns}.",
    )
    st.caption(_describe(source))


def _remember(shown: bool) -> None:
    """Keep the rows hidden on later visits of the page once somebody hid them."""
    state.write("preview_hidden", not shown)


def _describe(source: Source) -> str:
    """Return how many rows are shown, and how many columns if not all are."""
    columns = len(source.table.header)
    sentence = f"The first {say_count(len(source.first_rows), 'row')}"
    if columns > limits.PREVIEW_COLUMNS:
        sentence += (
            f", and the first {limits.PREVIEW_COLUMNS} of {say_count(columns, 'column')}"
        )
    return f"{sentence}. Only you see them and the number of rows; they are in no download."
