"""The live meter of the domain: how large the universe is, and what that means."""

import streamlit as st

from pages.ui import state
from pages.ui.charts import Lane, badge
from pages.ui.draft import Draft, escaped, short
from synth import limits
from synth.domain import coarsening_advice


def meter(draft: Draft) -> None:
    """How large the universe is, and what that means."""
    size = draft.domain.size if draft.domain else 0
    badge(Lane.PUBLIC)
    cells, rows, share = st.columns(3, border=True)
    cells.metric("Cells in the universe", short(size))
    with rows:
        st.number_input(
            "About how many rows?",
            help="Your own figure; the table is not counted.",
            min_value=0,
            step=1000,
            max_value=limits.ROWS_MAX,
            **state.tied_choice("about_rows"),
        )
    known = draft.about_rows and size
    share.metric(
        "Rows a cell",
        f"{draft.about_rows / size:.3g}" if known else "-",
        help="Below 1, most cells are empty and the noise on them weighs.",
    )
    verdict(draft, size)


def verdict(draft: Draft, size: int) -> None:
    if draft.domain is None:
        st.info("No column is declared yet. Import a declaration, or declare columns below.")
        return
    if size > limits.DENSE_CELLS:
        st.info(
            "A histogram of so many cells does not fit in memory. The step Plan offers methods "
            "that measure many small tables instead.",
            icon=":material/account_tree:",
        )
        return
    if draft.about_rows and size > 4 * draft.about_rows:
        advice = coarsening_advice(draft.domain, 2 * draft.about_rows)
        st.warning(
            f"There are {size / draft.about_rows:,.0f} cells for each row: noise will outweigh "
            f"the data in small groups. {escaped(advice)}",
            icon=":material/grid_on:",
        )
