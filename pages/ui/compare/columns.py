"""All columns side by side, and one of them in detail. PRIVATE."""

import streamlit as st

from pages.ui.compare.compared import Findings
from pages.ui.shell.charts import Lane, show, show_small
from synth.foreign import in_markdown

# Columns on one page of small pictures.
COLUMNS_PER_PAGE = 12


def columns_view(findings: Findings) -> None:
    """Show all columns as small pictures, the worst first, and one of them in detail."""
    names = findings.values.worst_first
    page = 1
    if len(names) > COLUMNS_PER_PAGE:
        search_place, pages_place = st.columns([2, 3], vertical_alignment="bottom")
        text = search_place.text_input(
            "Find a column", placeholder="part of its name", key="find_column"
        )
        names = findings.find_columns(text)
        if not names:
            st.info("No column has this in its name.")
            return
        if len(names) > COLUMNS_PER_PAGE:
            pages = -(-len(names) // COLUMNS_PER_PAGE)  # rounded up
            page = pages_place.pagination(pages, key=f"columns_page_{pages}")
    show_small(
        findings.draw_columns(names[(page - 1) * COLUMNS_PER_PAGE : page * COLUMNS_PER_PAGE])
    )
    st.caption(
        "The worst columns come first, and each picture has a scale of its own. A column is "
        "off by the share of rows that you would have to change so that every value is as "
        "frequent as in the real table (by at least so many, if over 1,000 values are "
        "possible). In bins, it is off by less. New values are values that no real row has."
    )
    with st.expander("All columns in numbers", icon=":material/table:"):
        st.dataframe(
            findings.tabulate_values().round(4),
            hide_index=True,
            alt="The error of each column.",
        )
    _show_one(findings, names)


def _show_one(findings: Findings, names: list[str]) -> None:
    """Show one chosen column: its shares with their 95 % intervals, and each value."""
    name = st.selectbox(
        "One column in detail",
        names,
        index=None,
        placeholder="Choose a column",
        format_func=findings.describe,
        key="one_column",
    )
    if name is None:
        return
    show(findings.draw_column(name), Lane.PRIVATE, "one_way")
    coverage = findings.coverage
    if coverage.bars:
        st.caption(
            "The bars come from the noisy counts alone: in 95 of 100 releases they hold the "
            f"real share. Over all columns they hold {coverage.within:,} of "
            f"{coverage.bars:,} shares."
        )
    values = findings.draw_values(name)
    if values is not None:
        st.markdown(in_markdown(f"The values of '{name}' within its bins:"))
        show(values, Lane.PRIVATE, "values")
