"""A request to the steward: whether the real figure is close to one of the release."""

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.widgets import download
from pages.ui.use.choices import Using
from synth.errors import SynthError
from synth.foreign import in_markdown

QUESTION = "checked_question"
FIGURE = "checked_figure"
WITHIN = "checked_within"
ASKER = "checked_asker"


def request_check(opened: Using) -> None:
    """Show the fields of a request, and the download of its file once all are filled."""
    st.markdown(
        "Send this file to the holder of the confidential table. They ask the table whether "
        "the real figure is close to yours. The answer is yes or no, with the probability "
        "that it is wrong, and costs a little of their budget."
    )
    st.text_input(
        "Question of the figure",
        key=QUESTION,
        placeholder="share where age >= 65",
        help="A count or a share. For these the probability of a wrong answer is proved.",
    )
    figure_place, within_place, asker_place = st.columns([2, 2, 3])
    figure_place.text_input(
        "Claimed figure", key=FIGURE, placeholder="0.42", help="A share is from 0 to 1."
    )
    within_place.text_input(
        "Tolerance",
        key=WITHIN,
        placeholder="0.05",
        help="The answer is yes if the real figure is at most this far away. A larger "
        "tolerance needs less epsilon.",
    )
    asker_place.text_input("Your name", key=ASKER, placeholder="Ada Lovelace")
    keys = (QUESTION, FIGURE, WITHIN, ASKER)
    question, figure, within, asker = (
        str(state.read_value(key) or "").strip() for key in keys
    )
    if not (question and figure and within and asker):
        st.caption("Fill in all four fields to get the file.")
        return
    text = f"close to {figure} within {within}: {question}"
    try:
        request = opened.analysis.request(text, asker=asker)
    except SynthError as error:
        st.error(in_markdown(str(error)), icon=":material/edit:")
        return
    download(
        "Download the request",
        request.to_bytes(),
        "check_request.json",
        mime="application/json",
        icon=":material/download:",
    )
