"""Ask: numbers without a synthetic table. Questions left, what they get right, files."""

import streamlit as st

from pages.ui.ask.panel import panel, show_earlier
from pages.ui.ask.questions import questions
from pages.ui.ask.real import real
from pages.ui.ask.requests import requests
from pages.ui.ask.spending import watch
from pages.ui.frame import frame
from pages.ui.shell import at_work, state

with frame.step("ask") as draft:
    place = st.empty()  # holds either the progress of a running inquiry or the page
    running = at_work.ask_job()
    if running is not None:
        watch(running, place)
    with place.container():
        questions_place, panel_place = st.columns([5, 6], gap="large")
        with questions_place:
            questions(draft)
            requests(state.draft())
        with panel_place:
            answered = panel(state.draft())
        if answered is not None:
            real(answered)
        show_earlier(state.draft(), answered)
