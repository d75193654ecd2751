"""Step 1: the confidential table, or a simulated one for practice."""

import streamlit as st

from pages.ui.data.choosing import path_box, take_survey, take_upload
from pages.ui.data.databases import source_box
from pages.ui.data.opening import opener
from pages.ui.data.population import ask_people
from pages.ui.data.preview import name_columns, show_table
from pages.ui.data.projects import ask_for_table, offer, projects
from pages.ui.data.reading import ENDINGS
from pages.ui.data.unclear import encoding_box
from pages.ui.data.unit import unit
from pages.ui.data.waiting import failed_name, waiting_file
from pages.ui.data.welcome import tour, welcome
from pages.ui.frame import frame
from pages.ui.shell.draft import Draft
from pages.ui.shell.ending import end_page
from pages.ui.shell.release import Source
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


def begin(draft: Draft) -> None:
    """Show the ways to choose a table, the projects and what Synth is; end the page."""
    choose(draft)
    st.caption(
        "Until you release, Synth reads the rows only to count them, to show you the first "
        "ones, and to find damaged lines and keys that repeat. Only you see the result."
    )
    projects()
    if draft.expected is None and draft.waiting is None:
        welcome()
    end_page()


def tell_of_failure(source: Source | None) -> None:
    """Say which file could not be read, and which table is still at hand."""
    if not failed_name() or waiting_file() is not None:
        return
    title = in_markdown(source.title) if source else ""
    at_hand = f"You still have **{title}**." if title else "You have no table yet."
    sentence = f"Synth could not read **{in_markdown(failed_name())}**. {at_hand}"
    st.warning(sentence, icon=":material/report:")


def ask_whose(draft: Draft, source: Source) -> None:
    """Ask whose data it is, and what one person contributes."""
    st.header("The people")
    if source.mark:  # no ledger counts a simulated table
        ask_people(source)
    unit(draft)


with frame.step("data") as draft:
    if draft.source is None and draft.expected is not None:
        ask_for_table(draft.expected)
    encoding_box()
    tell_of_failure(draft.source)
    if draft.source is None:
        begin(draft)
    else:
        with st.expander("Choose another table", icon=":material/upload_file:"):
            choose(draft)
        name_columns(draft.source, is_still=bool(failed_name()))
        offer()
        show_table(draft.source)
        ask_whose(draft, draft.source)
        with st.container():
            projects()
