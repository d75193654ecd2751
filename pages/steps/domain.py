"""Step 2: the public domain. It starts empty; nothing in it comes from the rows."""

import streamlit as st

from pages.ui.domain.column import column_card
from pages.ui.domain.importing import importer, remarks
from pages.ui.domain.meter import meter
from pages.ui.domain.overview import missing_spellings, overview
from pages.ui.shell import frame, state

with frame.step("domain") as draft:
    importer(draft)
    for part in (remarks, meter):
        with st.container():  # so that the number of sentences in it moves nothing below
            part(draft)
    table, card = st.columns([3, 2], gap="medium")
    with table:
        st.header("All columns")
        overview(draft)
        missing_spellings(draft)
    with card, st.container(border=True):
        st.header("Declare a column")
        names = [f["name"] for f in draft.fields]
        shown = draft.open_column if draft.open_column in names else names[0]
        st.selectbox(
            "Column",
            names,
            **state.tied("open_column", shown, lambda n: state.change(open_column=n)),
        )
        column_card(draft, shown)
