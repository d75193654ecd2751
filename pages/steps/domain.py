"""Step 2: the description of the columns. It starts empty and takes nothing from the rows."""

import streamlit as st

from pages.ui.domain.column import column_card
from pages.ui.domain.deriving import add_derived
from pages.ui.domain.dummy import make_dummy
from pages.ui.domain.history import session_history
from pages.ui.domain.identifying import add_identifiers
from pages.ui.domain.importing import importer
from pages.ui.domain.left_out import list_left_out
from pages.ui.domain.meter import meter
from pages.ui.domain.overview import (
    edit_several,
    missing_spellings,
    overview,
    troubles,
)
from pages.ui.domain.relating import relations
from pages.ui.domain.remarks import (
    EDITING,
    decide,
    questions_of,
    remarks,
    sum_up,
)
from pages.ui.frame import frame
from pages.ui.shell import state
from pages.ui.shell.draft import Draft


def card(draft: Draft) -> None:
    """Show the form of one declared column, and above it a list to choose the column.

    The first column is shown if the chosen one is not among the fields any more.
    """
    names = [field["name"] for field in draft.fields]
    open_column = draft.open_column if draft.open_column in names else names[0]
    st.selectbox(
        "Column",
        names,
        **state.tie("open_column", open_column, lambda name: state.change(open_column=name)),
    )
    column_card(draft, open_column)


with frame.step("domain") as draft:
    history = session_history()
    history.see(draft)
    importer(draft)
    with st.container():  # so that the number of sentences in it moves nothing below
        questions = questions_of(draft, troubles())
        sum_up(draft, questions)
        decide(draft, questions)
        remarks(draft, history.noted_fields)
        relations(draft)
    with st.expander("All columns", icon=":material/table:"):
        overview(draft)
        edit_several(draft)
        missing_spellings(draft)
    with st.expander("One column", icon=":material/edit:", key=EDITING, on_change="rerun"):
        card(draft)
    add_derived(draft)
    add_identifiers(draft)
    make_dummy(draft)
    with st.container():
        if any("type" in new for new in draft.fields):
            list_left_out(draft)
        if draft.domain is not None:
            with st.expander("Size and noise", icon=":material/grid_on:"):
                meter(draft, draft.domain)
