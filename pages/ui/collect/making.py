"""Making a form: questions, epsilon, needed people, and the file."""

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
from synth.util import explain_word, write_number, write_share


def make_form() -> None:
    """Show the fields of a form; if they are valid, also the people it needs and its file."""
    st.header("Make a form")
    choices = read_choices()
    st.text_area(
        "Questions, one on each line",
        height=120,
        help="A question is answered yes or no, or with one of the options in brackets "
        "behind it: `How often? [never | often]`",
        **state.tie(
            "collect questions",
            choices.questions,
            lambda questions: choose(questions=questions),
        ),
    )
    title, epsilon, error = st.columns([3, 2, 2], vertical_alignment="bottom")
    title.text_input(
        "Title",
        **state.tie("collect title", choices.title, lambda title: choose(title=title)),
    )
    epsilon.text_input(
        "Epsilon of one person",
        help=explain_word("epsilon") + " Over all questions together.",
        **state.tie(
            "collect epsilon", choices.epsilon, lambda epsilon: choose(epsilon=epsilon)
        ),
    )
    error.text_input(
        "Largest error of a share",
        help="As a share of all people: 0.05 is 5 of 100.",
        **state.tie("collect error", choices.error, lambda error: choose(error=error)),
    )
    try:
        design = choices.design()
    except SynthError as problem:
        st.error(in_markdown(str(problem)), icon=":material/edit:")
        return
    _worth(design)
    _take(design)


def _worth(design: FormDesign) -> None:
    """Show how many participants a form needs for the allowed error, and its probabilities.

    The number is computed from the exact binomial law, once for each form and error.
    """
    try:
        error = read_choices().allowed_error()
        needed = state.work_out(
            ("people", design.identifier, error), lambda: people_needed(design, error=error)
        )
    except SynthError as problem:
        st.error(in_markdown(str(problem)), icon=":material/edit:")
    else:
        points = write_number(100 * float(error))  # percentage points
        st.markdown(
            f"With **{needed.exact:,} participants**, every estimated share is within "
            f"{points} percentage points, 95 % of the time.",
            help="By the exact binomial law.",
        )
    table = pd.DataFrame(
        {
            "question": [question.text for question in design.questions],
            "options": [", ".join(question.options) for question in design.questions],
            "chance of the true answer": [
                write_share(float(weights.truth), 0.01) for weights in design.weights
            ],
        }
    )
    st.dataframe(
        table, hide_index=True, alt="The questions and their chances of the true answer."
    )
    st.caption(
        f"One person spends at most epsilon {plain(design.epsilon)} over all questions; this "
        "is certified."
    )


def _take(design: FormDesign) -> None:
    """Show the download button of the form's HTML file, and the command that makes it."""
    download(
        "Download the form",
        form_html(design),
        "form.html",
        mime="text/html",
        type="primary",
        icon=":material/download:",
        help="One file that needs no network. Send it, or put it on any page. Keep a copy: "
        "you need it to read the answers.",
    )
    words = ["python", "-m", "synth", "collect", "form", "--epsilon", plain(design.epsilon)]
    words += ["--title", design.title]
    for question in design.questions:
        words += ["--question", closed_text(question)]
    show_command(shlex.join([*words, "--out", "form.html"]))
