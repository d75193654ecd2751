"""Step 1: the confidential table, or a simulated one to rehearse with."""

import streamlit as st

from pages.ui.data.choosing import (
    encoding_box,
    failed_name,
    path_box,
    take_survey,
    take_upload,
    waiting_file,
)
from pages.ui.data.opening import opener
from pages.ui.data.projects import ask_for_table, offer, projects
from pages.ui.data.reading import ENDINGS, show_reading
from pages.ui.data.unit import unit
from pages.ui.data.welcome import welcome
from pages.ui.frame import frame
from pages.ui.shell.numbers import counted
from pages.ui.shell.widgets import upload
from synth import limits
from synth.foreign import in_markdown
from synth.lessons import ROWS

with frame.step("data") as draft:
    if draft.source is None and draft.expected is None and draft.waiting is None:
        welcome()
        st.divider()
    if draft.source is None and draft.expected is not None:
        ask_for_table(draft.expected)
    if draft.source is None:
        projects()
    handed_in, path, survey = st.columns(3, border=True)
    with handed_in:
        st.header("Upload")
        most = limits.upload_mb()
        upload(
            "upload",
            f"CSV, Parquet, Excel, SPSS, Stata, SAS; packed or not; up to {most:,} MB",
            take_upload,
            type=ENDINGS,
            max_upload_size=most,
        )
    with path:
        st.header("Path")
        path_box()
    with survey:
        st.header("Rehearse")
        st.markdown(f"A simulated survey of {ROWS:,} people. Nobody in it exists.")
        st.button(
            "Use the simulated survey",
            on_click=take_survey,
            type="primary" if draft.source is None and draft.waiting is None else "secondary",
            icon=":material/science:",
        )
    with st.expander("Go on from a bundle", icon=":material/folder_zip:"):
        opener()
    encoding_box()
    if failed_name() and waiting_file() is None:
        at_hand = (
            "No table is at hand."
            if draft.source is None
            else (f"The table at hand is still **{in_markdown(draft.source.title)}**.")
        )
        st.warning(
            f"**{in_markdown(failed_name())}** was not read and is not chosen. {at_hand}",
            icon=":material/report:",
        )
    if draft.source is None:
        st.info(
            "Before the release, rows are looked through for damaged lines only, and what is found "
            "is for your eyes alone."
        )
        st.stop()
    header = draft.source.table.header
    still = "Still at hand: " if failed_name() else ""
    st.success(
        f"{still}**{in_markdown(draft.source.title)}** has {counted(len(header), 'column')}: "
        + in_markdown(", ".join(header[:12]))
        + (" …" if len(header) > 12 else "."),
        icon=":material/table:",
    )
    offer()
    show_reading(draft.source)
    unit(draft)
    with st.container():
        projects()
