"""A confidential table is chosen: uploaded, by its path, or simulated to rehearse with."""

from dataclasses import replace

import streamlit as st

from pages.ui.shell import folders, state
from pages.ui.shell.draft import start
from pages.ui.shell.release import Source
from synth import limits
from synth.domain.table_schema import write_schema
from synth.foreign.text import in_markdown
from synth.lessons.survey import COLUMNS, NAME, ROWS, survey_domain, write_example
from synth.table.private_table import open_table


def use(source: Source) -> None:
    before = state.draft()
    if before.source is not None:
        state.folder().drop(before.source.table.path)
    state.put(start(source, before))
    if not source.simulated:
        state.recognise()


@state.guarded
def take_upload(key: str) -> None:
    """Copy the upload to a private file once and let go of the widget's copy."""
    uploaded = state.said(key)
    if uploaded is None:
        return
    state.advance("upload")
    try:
        limits.check_upload(uploaded.size)
        path = state.folder().keep(uploaded, uploaded.name)
    finally:
        state.let_go(uploaded)
    try:
        use(Source(uploaded.name, open_table(path)))
    except Exception:
        state.folder().drop(path)
        raise


def path_box() -> None:
    """Where a file is named by its path, if any folder is open for that."""
    named = folders.named()
    if not named:
        st.caption(in_markdown(folders.OFF))
        return
    st.text_input(
        "A file on the machine that runs Synth",
        key="path",
        placeholder="people.csv",
    )
    st.button("Use this file", on_click=take_path, icon=":material/folder_open:")
    st.caption(in_markdown(f"Below {' or '.join(map(str, named))}."))


@state.guarded
def take_path() -> None:
    path = folders.opened(state.said("path") or "")
    table = open_table(path)
    folders.opened(str(path))  # once more, as a link may have been put in its place
    use(Source(path.name, table))


@state.guarded
def take_survey() -> None:
    table, _ = write_example(state.folder().fresh())
    use(Source(NAME, open_table(table), simulated=True))
    drafted = state.draft().with_declaration(write_schema(survey_domain()))
    left_out = frozenset(survey_domain().names) - set(COLUMNS)
    state.put(replace(drafted, left_out=left_out, about_rows=ROWS))
