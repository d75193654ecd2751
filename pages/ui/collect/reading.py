"""Reading collected answers: of the form above, or of one that is uploaded."""

import streamlit as st

from pages.ui.collect.choices import Results, choose, read_choices
from pages.ui.shell import state
from synth import limits
from synth.collecting import (
    RESPONSE_ENDINGS,
    FormDesign,
    draw_people,
    read_collected,
    read_design,
    write_people,
)
from synth.foreign import Folder, in_markdown


def read_answers() -> None:
    """Hand over a form and its answers."""
    st.header("Read the answers")
    form_key, answers_key = (f"{name}_{state.number(name)}" for name in ("form", "collected"))
    left, right = st.columns(2)
    left.file_uploader(
        "The form, if it is not the one above",
        type=["html", "json"],
        max_upload_size=limits.FORM_MB,
        key=form_key,
        on_change=_take_form,
        args=(form_key,),
    )
    right.file_uploader(
        "Answers: the files that people sent, a zip of them, or one file of lines",
        type=[*(ending[1:] for ending in RESPONSE_ENDINGS), "zip"],
        accept_multiple_files=True,
        max_upload_size=limits.COLLECTED_MB,
        key=answers_key,
        on_change=_take_answers,
        args=(answers_key,),
    )
    now = read_choices()
    if now.other is not None:
        st.markdown(f"Answers are read by the form in {in_markdown(now.other_name)}.")
        st.button("Read them by the form above instead", on_click=_let_go, icon=":material/undo:")


@state.guard
def _take_form(key: str) -> None:
    uploaded = state.said(key)
    if uploaded is not None:
        state.advance("form")
        design = read_design(uploaded.getvalue(), uploaded.name)
        choose(other=design, other_name=uploaded.name, results=None)


@state.guard
def _let_go() -> None:
    choose(other=None, other_name="", results=None)


@state.guard
def _take_answers(key: str) -> None:
    uploaded = state.said(key) or []
    files = [(one.name, one.getvalue()) for one in uploaded]
    if files:
        state.advance("collected")
        now = read_choices()
        choose(results=_read(files, now.other or now.design()))


def _read(files: list[tuple[str, bytes]], design: FormDesign) -> Results:
    """Read answers, and make people up."""
    with state.while_open():
        collected = read_collected(files, design)
    drawn = draw_people(collected)
    with Folder() as folder:
        path = folder / "synthetic.csv"
        write_people(drawn, path)
        return Results(collected, drawn, path.read_bytes())
