"""The first page before anything is chosen: what this is, for whom, and what comes of it."""

import streamlit as st

from pages.ui.data.choosing import take_survey
from pages.ui.shell.tour import start_tour

WHAT = (
    (
        "What it is",
        "Synth makes a synthetic table from a confidential one, with **differential privacy**: "
        "whoever sees the result learns almost nothing about any one person in the real table.",
    ),
    (
        "Whom it is for",
        "Whoever answers for a table about people and is asked for the data: a registry, a survey, "
        "a clinic, an authority. No statistics are needed; a code book helps.",
    ),
    (
        "What you will have",
        "A table with the same columns and made-up rows, a **certificate** that anybody can check, "
        "and a statement of what it promises, in about ten minutes.",
    ),
)


def welcome() -> None:
    """Say so, and offer the tour."""
    for place, (title, says) in zip(st.columns(len(WHAT)), WHAT, strict=True):
        with place:
            st.header(title)
            st.markdown(says)
    st.button(
        "Take the tour on a simulated survey",
        key="tour",
        icon=":material/tour:",
        on_click=tour,
        help="Six steps with one sentence each; leave it whenever you like.",
    )


def tour() -> None:
    """Choose the survey, and begin."""
    take_survey()
    start_tour()
