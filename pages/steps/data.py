"""Step 1: the confidential table, or a simulated one for practice."""

import streamlit as st

from pages.ui.data.choosing import (
    encoding_box,
    failed_name,
    path_box,
    source_box,
    take_survey,
    take_upload,
    waiting_file,
)
from pages.ui.data.opening import opener
from pages.ui.data.preview import preview
from pages.ui.data.projects import ask_for_table, offer, projects
from pages.ui.data.reading import ENDINGS, show_reading
from pages.ui.data.unit import unit
from pages.ui.data.welcome import tour, welcome
from pages.ui.frame import frame
from pages.ui.shell.draft import Draft
from pages.ui.shell.ending import end_page
from pages.ui.shell.numbers import say_count
from pages.ui.shell.widgets import upload
from synth import limits
from synth.foreign import in_markdown
from synth.lessons import ROWS


def choose(draft: Draft) -> None:
    """Show all ways to choose a table: upload, path, database, simulated survey and bundle.

    The tour is offered only while no table is chosen.
    """
    max_mb = limits.upload_mb()
    label = (
        "Table: CSV, JSON lines, Parquet, Excel, SPSS, Stata, SAS or SQLite, up to "
        f"{max_mb:,} MB"
    )
    upload("upload", label, take_upload, type=ENDINGS, max_upload_size=max_mb)
    path_box()
    source_box()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Use the simulated survey",
            on_click=take_survey,
            icon=":material/science:",
            help=f"Practise with {ROWS:,} simulated people. Nobody in the survey exists.",
        )
        if draft.source is None:
            st.button(
                "Take the tour",
                key="tour",
                icon=":material/tour:",
                on_click=tour,
                help="Six steps on the simulated survey, with one sentence each.",
            )
    with st.expander("Go on from a bundle", icon=":material/folder_zip:"):
        opener()


with frame.step("data") as draft:
    has_table = draft.source is not None
    if not has_table and draft.expected is not None:
        ask_for_table(draft.expected)
    encoding_box()
    if failed_name() and waiting_file() is None:
        title = in_markdown(draft.source.title) if draft.source else ""
        at_hand = f"You still have **{title}**." if title else "You have no table yet."
        sentence = f"Synth could not read **{in_markdown(failed_name())}**. {at_hand}"
        st.warning(sentence, icon=":material/report:")
    if has_table:
        with st.expander("Choose another table", icon=":material/upload_file:"):
            choose(draft)
    else:
        choose(draft)
    if draft.source is None:
        st.caption(
            "Until you release, Synth reads the rows only to count them and to find damaged "
            "lines. Only you see the result."
        )
        projects()
        if draft.expected is None and draft.waiting is None:
            welcome()
        end_page()
    header = draft.source.table.header
    still = "You still have " if failed_name() else ""
    names = in_markdown(", ".join(header[:12]))
    ending = " …" if len(header) > 12 else "."
    st.success(
        f"{still}**{in_markdown(draft.source.title)}** has "
        f"{say_count(len(header), 'column')}: {names}{ending}",
        icon=":material/table:",
    )
    offer()
    preview(draft.source)
    show_reading(draft.source)
    unit(draft)
    with st.container():
        projects()
