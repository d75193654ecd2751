"""Reading collected answers to the form on the page or an uploaded one."""

from typing import Any

import streamlit as st

from pages.ui.collect.choices import Results, choose, read_choices
from pages.ui.shell import state
from pages.ui.shell.widgets import upload
from synth import limits
from synth.collecting import (
    RESPONSE_ENDINGS,
    draw_people,
    read_collected,
    read_design,
    write_people,
)
from synth.foreign import Folder, in_markdown


def read_answers() -> None:
    st.header("Read the answers")
    left, right = st.columns(2)
    upload(
        "form",
        "The form, if it is not the one above",
        _take_form,
        place=left,
        type=["html", "json"],
        max_upload_size=limits.FORM_MB,
    )
    upload(
        "collected",
        "Answers: the files that people sent, a zip of them, or one file of lines",
        _take_answers,
        place=right,
        type=[*(ending[1:] for ending in RESPONSE_ENDINGS), "zip"],
        accept_multiple_files=True,
        max_upload_size=limits.COLLECTED_MB,
    )
    now = read_choices()
    if now.other is not None:
        st.markdown(f"The form for these answers: {in_markdown(now.other_name)}.")
        st.button("Use the form above instead", on_click=_let_go, icon=":material/undo:")


def _take_form(uploaded: Any) -> None:
    design = read_design(uploaded.getvalue(), uploaded.name)
    choose(other=design, other_name=uploaded.name, results=None)


@state.guard
def _let_go() -> None:
    choose(other=None, other_name="", results=None)


def _take_answers(uploaded: list[Any]) -> None:
    now = read_choices()
    files = [(one.name, one.getvalue()) for one in uploaded]
    with state.while_open():
        collected = read_collected(files, now.other or now.design())
    drawn = draw_people(collected)
    with Folder() as folder:
        path = folder / "synthetic.csv"
        write_people(drawn, path)
        choose(results=Results(collected, drawn, path.read_bytes()))
