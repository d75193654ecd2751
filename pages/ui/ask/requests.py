"""A request to check a figure: one upload opens it, and its asker has a number of checks."""

from dataclasses import replace
from typing import Any

import streamlit as st

from pages.ui.ask import inquiring
from pages.ui.ask.questions import clear
from pages.ui.shell import budgets, state
from pages.ui.shell.draft import Draft
from pages.ui.shell.widgets import upload
from synth import limits
from synth.bundle import read_check_request
from synth.door import allowance_for
from synth.foreign import in_markdown

NONE_ALLOWED = "No number of checks is declared for them yet; declare it on the page Ledger."


def requests(draft: Draft) -> None:
    """Show who asks the present question, and the field for the file of a request."""
    asker = draft.asking.asker
    if asker:
        with st.container(border=True):
            st.markdown(
                f"Asked by **{in_markdown(asker)}**. {in_markdown(_checks_of(draft))}"
            )
            st.button("Put the request away", icon=":material/close:", on_click=clear)
    with st.expander("A request to check a figure", icon=":material/fact_check:"):
        upload(
            "check_request",
            "The file that somebody made on the page Use a release",
            _take,
            type=["json"],
            max_upload_size=limits.QUESTIONS_MB,
        )
        st.caption(
            "Its question replaces the questions of this page. The answer is yes or no, with "
            "the probability that it is wrong."
        )


def _checks_of(draft: Draft) -> str:
    """Return the sentence on the checks of the asker."""
    assert draft.source is not None  # the step is locked without a table
    if draft.source.simulated:
        return "This is a rehearsal on simulated data, so no check is counted."
    allowances = budgets.ledger().checks(draft.source.dataset)
    allowance = allowance_for(allowances, draft.asking.asker)
    return NONE_ALLOWED if allowance is None else allowance.words


def _take(uploaded: Any) -> None:
    """Open a request: ask its question alone, in the name of its asker.

    Raises:
        SynthError: The file is no request, or its question does not fit the columns.
    """
    request = read_check_request(uploaded.getvalue())
    draft = state.draft()
    question = inquiring.check_question(draft, request.question)
    state.change(
        asking=replace(
            draft.asking, questions=(question,), asker=request.asker, way=None, line=""
        )
    )
