"""Use a release: valid conclusions from a bundle, without the confidential table."""

import streamlit as st

from pages.ui.frame import frame
from pages.ui.shell.exports import other_formats
from pages.ui.use.answers import show_conclusions
from pages.ui.use.asking import ask_release
from pages.ui.use.choices import Using
from pages.ui.use.drawing import draw_again
from pages.ui.use.holding import show_contents
from pages.ui.use.opening import open_release, verdict
from pages.ui.use.requesting import request_check
from pages.ui.use.several import make_replicates


def export_rows(opened: Using) -> None:
    """Offer the rows in formats of other programs."""
    other_formats(opened.analysis.result.synthetic, opened.certificate, "used")


TOOLS = {
    ("Have a figure checked", ":material/fact_check:"): request_check,
    ("Draw rows", ":material/casino:"): draw_again,
    ("Several tables, for multiple imputation", ":material/library_add:"): make_replicates,
    ("Rows for other programs", ":material/file_save:"): export_rows,
}

st.title("Use a release")
st.markdown(
    "Open a published bundle and ask it questions. Answers are free, and each comes with an "
    "interval that counts the noise. You need no confidential table."
)
with frame.sentences():
    with st.container():  # so that the number of answers in it moves nothing below
        opened = open_release()
        if opened is not None:
            verdict(opened)
            show_contents(opened)
            questions_place, answers_place = st.columns([5, 6], gap="large")
            with questions_place:
                ask_release(opened)
            with answers_place:
                show_conclusions(opened)
    if opened is not None and opened.certificate:
        for (title, icon), tool in TOOLS.items():
            with st.expander(title, icon=icon):
                tool(opened)
