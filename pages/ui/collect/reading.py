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
    """Show the upload of collected answers, and of the form to which they belong.

    Without an uploaded form, answers belong to the form that the page describes.
    """
    st.header("Read the answers")
    form_place, answers_place = st.columns(2)
    upload(
        "form",
        "The form, if it is not the one above",
        _take_form,
        place=form_place,
        type=["html", "json"],
        max_upload_size=limits.FORM_MB,
    )
    upload(
        "collected",
        "Answers: the files that people sent, a zip of them, or one file of lines",
        _take_answers,
        place=answers_place,
        type=[*(ending[1:] for ending in RESPONSE_ENDINGS), "zip"],  # without the dots
        accept_multiple_files=True,
        max_upload_size=limits.COLLECTED_MB,
    )
    choices = read_choices()
    if choices.uploaded is not None:
        st.markdown(f"The form for these answers: {in_markdown(choices.uploaded_name)}.")
        st.button("Use the form above instead", on_click=_let_go, icon=":material/undo:")


def _take_form(uploaded: Any) -> None:
    """Read an uploaded form; results of earlier answers are dropped, as they had another."""
    design = read_design(uploaded.getvalue(), uploaded.name)
    choose(uploaded=design, uploaded_name=uploaded.name, results=None)


@state.guard
def _let_go() -> None:
    choose(uploaded=None, uploaded_name="", results=None)


def _take_answers(answer_files: list[Any]) -> None:
    """Read uploaded files of answers, and store their estimates and synthetic people.

    Raises:
        SynthError: An answer is faulty, or does not belong to the form. Nothing changes then.
    """
    choices = read_choices()
    files = [(file.name, file.getvalue()) for file in answer_files]
    form = choices.uploaded or choices.design()
    with state.while_open():
        collected = read_collected(files, form)
    people = draw_people(collected)
    with Folder() as folder:
        path = folder / "synthetic.csv"
        write_people(people, path)
        choose(results=Results(collected, people, path.read_bytes()))
