"""Ask: numbers without a synthetic table. Questions, forecast, spend, answers, files."""

import streamlit as st

from pages.ui.ask import free, inquiring
from pages.ui.ask.answers import answers
from pages.ui.ask.budget import budget
from pages.ui.ask.downloads import downloads
from pages.ui.ask.forecasts import forecasts
from pages.ui.ask.questions import questions
from pages.ui.ask.real import real
from pages.ui.ask.spending import spend, watch
from pages.ui.frame import frame
from pages.ui.shell import state
from pages.ui.shell.ask_choices import find_fault
from pages.ui.shell.draft import Draft
from pages.ui.shell.job import Answered
from synth.errors import SynthError
from synth.foreign import in_markdown


def asking(draft: Draft) -> None:
    """Show the forecast of the current questions and the button that asks them.

    Nothing is shown without questions, or if the typed cost is invalid. With an invalid
    question the user is asked to fix it. ``draft`` holds all choices of the session.
    """
    chosen = draft.asking
    if not chosen.questions or find_fault(chosen):
        return
    if any(inquiring.find_fault(draft, question) for question in chosen.questions):
        st.info("Fix or remove these questions.", icon=":material/edit:")
        return
    try:
        inquiry = inquiring.inquiry(draft)
        # Answers from the current release, which cost nothing; only the rest is paid for.
        offers = free.offers(draft, inquiry)
        paid_inquiry = free.paid_inquiry(draft, inquiry, offers)
        forecasts(draft, paid_inquiry, offers)
        free.answers(draft, offers)
        if paid_inquiry is not None:
            spend(draft, paid_inquiry)
    # The error is shown here and goes no further: the page still shows earlier answers.
    except SynthError as error:
        st.error(in_markdown(str(error)), icon=":material/error:")


def show_answered(draft: Draft) -> None:
    """Show the latest paid answers about the current table, or earlier ones by choice.

    Their files and the comparison with the real answers follow. Answers about other tables
    are left out.
    """
    newest_first = [
        answered for answered in reversed(draft.answers) if answered.source is draft.source
    ]
    if not newest_first:
        return
    st.divider()
    answered = newest_first[0]
    if len(newest_first) > 1:
        answered = st.selectbox("Answers of", newest_first, format_func=title) or answered
    answers(answered)
    downloads(answered)
    real(answered)


def title(answered: Answered) -> str:
    """Return the title of answers: the first question, how many more, the cost."""
    questions = answered.inquiry.questions
    first = str(questions[0])
    if len(questions) > 1:
        first = f"{first} and {len(questions) - 1} more"
    return f"{first}, {answered.inquiry.guarantee}"


with frame.step("ask") as draft:
    place = st.empty()  # holds either the progress of a running inquiry or the page
    running = state.ask_job()
    if running is not None:
        watch(running, place)
    with place.container():
        questions(draft)
        budget(draft)
        asking(state.draft())
        show_answered(state.draft())
