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
    chosen = draft.asking
    if not chosen.questions or find_fault(chosen):
        return
    if any(inquiring.find_fault(draft, question) for question in chosen.questions):
        st.info("Fix or remove these questions.", icon=":material/edit:")
        return
    try:
        asked = inquiring.inquiry(draft)
        offers = free.offers(draft, asked)
        left = free.paid_inquiry(draft, asked, offers)
        forecasts(draft, left, offers)
        free.answers(draft, offers)
        if left is not None:
            spend(draft, left)
    except SynthError as error:  # answers that are there already are shown all the same
        st.error(in_markdown(str(error)), icon=":material/error:")


def show_answered(draft: Draft) -> None:
    mine = [one for one in reversed(draft.answers) if one.source is draft.source]
    if not mine:
        return
    st.divider()
    shown = mine[0]
    if len(mine) > 1:
        shown = st.selectbox("Answers of", mine, format_func=title) or shown
    answers(shown)
    downloads(shown)
    real(shown)


def title(one: Answered) -> str:
    asked = one.inquiry.questions
    more = f" and {len(asked) - 1} more" if len(asked) > 1 else ""
    return f"{asked[0]}{more}, {one.asked.inquiry.guarantee}"


with frame.step("ask") as draft:
    place = st.empty()
    running = state.ask_job()
    if running is not None:
        watch(running, place)
    with place.container():
        questions(draft)
        budget(draft)
        asking(state.draft())
        show_answered(state.draft())
