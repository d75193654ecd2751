"""Step 2: the public domain. It starts empty; nothing in it comes from the rows."""

import json

import streamlit as st

from pages.ui import frame, state
from pages.ui.draft import Draft, escaped
from pages.ui.inputs import column_form, missing_spellings
from pages.ui.meter import meter
from pages.ui.overview import overview
from synth import limits
from synth.domain import Column
from synth.schemas import write_schema


@state.guarded
def take_declaration(key: str) -> None:
    uploaded = state.said(key)
    if uploaded is not None:
        state.advance("declaration")
        state.put(state.draft().with_declaration(uploaded.getvalue()))


def importer(draft: Draft) -> None:
    key = f"declaration_{state.number('declaration')}"
    with st.expander("Import or save a declaration", icon=":material/upload_file:"):
        st.file_uploader(
            "Table Schema, NIST data dictionary, private-pgm domain or code book (CSV); "
            "it replaces what is declared below",
            type=["json", "csv"],
            max_upload_size=limits.SCHEMA_MB,
            key=key,
            on_change=take_declaration,
            args=(key,),
        )
        if draft.domain is not None:
            st.download_button(
                "Save the declaration below",
                json.dumps(write_schema(draft.declared), indent=1, ensure_ascii=False),
                file_name="domain.json",
                mime="application/json",
                on_click="ignore",
                icon=":material/download:",
            )


with frame.step("domain") as draft:
    importer(draft)
    meter(draft)
    absent = draft.absent()
    if absent:
        st.error(escaped(f"The table has no column {', '.join(map(repr, absent))}."))
    declared = [n for n, column in draft.columns.items() if isinstance(column, Column)]
    if declared:
        st.multiselect(
            "Columns in the synthetic table",
            declared,
            **state.tied(
                "chosen",
                list(draft.chosen),
                lambda names: state.change(left_out=frozenset(declared) - frozenset(names)),
            ),
        )
    form, table = st.columns([2, 3], gap="medium")
    with table:
        st.subheader("All columns")
        overview(draft)
        missing_spellings(draft)
    with form, st.container(border=True):
        st.subheader("Declare a column")
        names = [f["name"] for f in draft.fields]
        shown = draft.open_column if draft.open_column in names else names[0]
        st.selectbox(
            "Column",
            names,
            **state.tied("open_column", shown, lambda n: state.change(open_column=n)),
        )
        column_form(draft, shown)
