"""Step 1: the confidential table, or a simulated one to rehearse with."""

from dataclasses import replace
from pathlib import Path

import streamlit as st

from pages.ui import frame, state
from pages.ui.draft import Source, counted, escaped, start
from pages.ui.opening import opener
from pages.ui.reading import ENDINGS, reading
from synth import limits
from synth.example import COLUMNS, NAME, ROWS, survey_domain, write_example
from synth.schemas import write_schema
from synth.table import open_table


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
    path = state.folder().keep(uploaded, uploaded.name)
    state.let_go(uploaded)
    try:
        use(Source(uploaded.name, open_table(path)))
    except Exception:
        state.folder().drop(path)
        raise


@state.guarded
def take_path() -> None:
    path = Path(state.said("path").strip()).expanduser()
    use(Source(path.name, open_table(path)))


@state.guarded
def take_survey() -> None:
    table, _ = write_example(state.folder().fresh())
    use(Source(NAME, open_table(table), simulated=True))
    drafted = state.draft().with_declaration(write_schema(survey_domain()))
    left_out = frozenset(survey_domain().names) - set(COLUMNS)
    state.put(replace(drafted, left_out=left_out, about_rows=ROWS))


with frame.step("data") as draft:
    upload, path, survey = st.columns(3, border=True)
    with upload:
        st.subheader("Upload")
        key = f"upload_{state.number('upload')}"
        st.file_uploader(
            f"CSV, Parquet, Excel, SPSS, Stata, SAS; packed or not; up to {limits.UPLOAD_MB:,} MB",
            type=ENDINGS,
            key=key,
            on_change=take_upload,
            args=(key,),
        )
    with path:
        st.subheader("Path")
        label, example = "A file on the machine that runs Synth", "/data/people.csv"
        st.text_input(label, key="path", placeholder=example)
        st.button("Use this file", on_click=take_path, icon=":material/folder_open:")
    with survey:
        st.subheader("Rehearse")
        st.markdown(f"A simulated survey of {ROWS:,} people. Nobody in it exists.")
        st.button(
            "Use the simulated survey",
            on_click=take_survey,
            type="primary" if draft.source is None else "secondary",
            icon=":material/science:",
        )
    with st.expander("Go on from a bundle", icon=":material/folder_zip:"):
        opener()
    if draft.source is None:
        st.info("Nothing is read from the table's rows before the release.")
        st.stop()
    header = draft.source.table.header
    st.success(
        f"**{escaped(draft.source.title)}** has {counted(len(header), 'column')}: "
        + escaped(", ".join(header[:12]))
        + (" …" if len(header) > 12 else "."),
        icon=":material/table:",
    )
    reading(draft.source)
    st.markdown(
        "The guarantee protects **one row**. If one person can have several rows, it protects "
        "each of them, not the person as a whole."
    )
