"""What the questions get: average errors, and in their place the answers once paid for."""

import streamlit as st

from pages.ui.ask import free, inquiring
from pages.ui.ask.answers import answers
from pages.ui.ask.budget import budget, measure
from pages.ui.ask.downloads import downloads
from pages.ui.ask.forecasts import forecasts, ways
from pages.ui.ask.real import real
from pages.ui.ask.spending import spend
from pages.ui.shell.ask_choices import find_fault
from pages.ui.shell.draft import Draft
from pages.ui.shell.job import Answered
from synth.errors import SynthError
from synth.foreign import in_markdown
from synth.privacy import name_cost
from synth.questions import Inquiry

NO_QUESTION = "Add a question. Its average error, its cost and its answer appear here."
AGAIN = (
    "Asking the very same again spends nothing and returns the same answers. Another "
    "question or another budget is a new spend."
)


def panel(draft: Draft) -> Answered | None:
    """Show the average errors of the questions and their cost, or their answers.

    Returns the answers to the present questions; None if they were not paid for yet.
    """
    chosen = draft.asking
    if not chosen.questions:
        st.header("Answers")
        st.info(NO_QUESTION, icon=":material/edit:")
        return None
    if any(inquiring.find_fault(draft, question) for question in chosen.questions):
        st.header("Answers")
        st.info("Fix or remove these questions.", icon=":material/edit:")
        return None
    if find_fault(chosen):
        st.header("Average errors")
        _budget(draft)
        return None
    try:
        return _forecast_or_answer(draft, inquiring.inquiry(draft))
    # The error is shown here and goes no further: the page still shows earlier answers.
    except SynthError as error:
        st.error(in_markdown(str(error)), icon=":material/error:")
        _budget(draft)
        return None


def _forecast_or_answer(draft: Draft, inquiry: Inquiry) -> Answered | None:
    """Show what a valid inquiry would get, or got; return its paid answers, if there are any.

    The current release answers some questions at no cost; only the others are paid for.

    Raises:
        SynthError: The questions cannot be answered together.
    """
    offers = free.offers(draft, inquiry)
    paid_inquiry = free.paid_inquiry(draft, inquiry, offers)
    answered = None if paid_inquiry is None else find_answered(draft, paid_inquiry)
    if answered is None:
        forecasts(draft, paid_inquiry, offers)
    else:
        st.header("Answers")
        answers(answered)
        downloads(answered)
        st.caption(AGAIN)
        free.choice(draft, offers)
    free.answers(draft, offers)
    _budget(draft)
    if paid_inquiry is not None:
        if answered is None:
            spend(draft, paid_inquiry)
        ways(draft, paid_inquiry)
    measure(draft)
    return answered


def _budget(draft: Draft) -> None:
    st.subheader("Budget of all answers")
    budget(draft)


def find_answered(draft: Draft, inquiry: Inquiry) -> Answered | None:
    """Return the answers to an inquiry about the current table; None if there are none."""
    return next(
        (
            answered
            for answered in reversed(draft.answers)
            if answered.source is draft.source and answered.follows(inquiry)
        ),
        None,
    )


def show_earlier(draft: Draft, shown: Answered | None) -> None:
    """Show earlier answers about the current table, by choice if there are several.

    They are folded below the answers to the present questions. Answers about other tables are
    left out. ``shown`` are the answers to the present questions, which are shown already.
    """
    newest_first = [
        answered
        for answered in reversed(draft.answers)
        if answered.source is draft.source and answered is not shown
    ]
    if not newest_first:
        return
    if shown is None:
        st.divider()
        st.header("Earlier answers")
        place = st.container()
    else:
        place = st.expander("Earlier answers", icon=":material/history:")
    with place:
        answered = newest_first[0]
        if len(newest_first) > 1:
            answered = st.selectbox("Answers of", newest_first, format_func=title) or answered
        answers(answered, of="earlier answers")
        downloads(answered, of="earlier answers")
    if shown is None:
        real(answered, of="earlier answers")


def title(answered: Answered) -> str:
    """Return the title of answers: the first question, how many more, the cost."""
    questions = answered.inquiry.questions
    first = str(questions[0])
    if len(questions) > 1:
        first = f"{first} and {len(questions) - 1} more"
    return f"{first}, {name_cost(answered.inquiry.guarantee)}"
