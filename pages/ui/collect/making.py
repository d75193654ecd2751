"""Making a form: questions, epsilon, how many people are needed, and the file."""

import shlex

import pandas as pd
import streamlit as st

from pages.ui.collect.choices import choose, read_choices
from pages.ui.shell import state
from pages.ui.shell.widgets import download, show_command
from synth.collecting import FormDesign, closed_text, form_html, people_needed
from synth.errors import SynthError
from synth.foreign import in_markdown
from synth.privacy import plain
from synth.util import explain_word


def make_form() -> None:
    """Describe a form, see what it is worth, and take it."""
    st.header("Make a form")
    now = read_choices()
    st.text_area(
        "Questions, one on each line",
        height=120,
        help="A question is answered yes or no, or with one of the options in brackets behind it: "
        "`How often? [never | often]`",
        **state.tie("collect questions", now.questions, lambda v: choose(questions=v)),
    )
    title, epsilon, error = st.columns([3, 2, 2], vertical_alignment="bottom")
    title.text_input("Title", **state.tie("collect title", now.title, lambda v: choose(title=v)))
    epsilon.text_input(
        "Epsilon of one person",
        help=explain_word("epsilon") + " Over all questions together.",
        **state.tie("collect epsilon", now.epsilon, lambda v: choose(epsilon=v)),
    )
    error.text_input(
        "How far off may a share be?",
        help="As a share of all people: 0.05 stands for 5 of 100.",
        **state.tie("collect error", now.error, lambda v: choose(error=v)),
    )
    try:
        design = now.design()
    except SynthError as problem:
        st.error(in_markdown(str(problem)), icon=":material/edit:")
        return
    _worth(design)
    _take(design)


def _worth(design: FormDesign) -> None:
    """How many people it takes, and what happens to each answer."""
    try:
        error = read_choices().allowed_error()
        needed = state.work_out(
            ("people", design.identifier, error), lambda: people_needed(design, error=error)
        )
    except SynthError as problem:
        st.error(in_markdown(str(problem)), icon=":material/edit:")
    else:
        st.markdown(
            f"**{needed.exact:,} people** bring all shares within {plain(error)} of the truth, in "
            f"at least 95 of 100 cases (exact binomial law; by Hoeffding's bound it would be "
            f"{needed.hoeffding:,})."
        )
    table = pd.DataFrame(
        {
            "question": [question.text for question in design.questions],
            "options": [", ".join(question.options) for question in design.questions],
            "the true answer is kept with": [
                f"{100 * float(weights.truth):.2f} %" for weights in design.weights
            ],
        }
    )
    st.dataframe(table, hide_index=True)
    st.caption(
        f"Certified loss of one person over all questions: at most {in_markdown(str(design.loss))}."
    )


def _take(design: FormDesign) -> None:
    download(
        "Download the form",
        form_html(design),
        "form.html",
        "text/html",
        type="primary",
        icon=":material/download:",
        help="One file that needs no network. Send it, or put it on any page; keep a copy, since "
        "its answers are read by it.",
    )
    words = ["python", "-m", "synth", "collect", "form", "--epsilon", plain(design.epsilon)]
    words += ["--title", design.title]
    for question in design.questions:
        words += ["--question", closed_text(question)]
    show_command(shlex.join([*words, "--output", "form.html"]))
