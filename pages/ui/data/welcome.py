"""The first page before any choice: what Synth is, for whom, and its results."""

import streamlit as st

from pages.ui.data.choosing import take_survey
from pages.ui.shell.tour import start_tour

WHAT = (
    (
        "What Synth does",
        "Synth makes a synthetic table from a confidential one, with **differential "
        "privacy**. Readers of the result learn almost nothing about any one person in the "
        "real table.",
    ),
    (
        "For whom",
        "Anyone responsible for data about people: registries, survey teams, hospitals, "
        "public agencies. You need no statistics; a data dictionary helps.",
    ),
    (
        "Your result",
        "A table with the same columns and made-up rows, a **certificate** that anyone can "
        "check, and a statement of the promise. It takes about ten minutes.",
    ),
)


def welcome() -> None:
    """Show in three columns what Synth does, who it is for, and what results from it."""
    for place, (title, text) in zip(st.columns(len(WHAT)), WHAT, strict=True):
        with place:
            st.header(title)
            st.markdown(text)


def tour() -> None:
    """Take the simulated survey, and start the tour."""
    take_survey()
    start_tour()
