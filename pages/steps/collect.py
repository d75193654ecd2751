"""Collect: a form that randomises answers on the respondent's side, and their estimates."""

import streamlit as st

from pages.ui.collect.making import make_form
from pages.ui.collect.reading import read_answers
from pages.ui.collect.results import results
from pages.ui.frame import frame
from pages.ui.shell.charts import Lane, badge
from synth.util import explain_word

st.title("Collect")
st.markdown(
    "Ask people with a form that randomises each answer on their own device. Nobody sees the "
    "true answers, and you need no confidential table.",
    help=f"{explain_word('randomised response')} {explain_word('local model')}",
)
with frame.sentences():
    badge(Lane.PUBLIC)
    st.caption(
        "Every answer is protected before it arrives, so nothing on this page is private and "
        "no ledger counts it. Each person spends epsilon on each form. Neighbours: one "
        "person's answers, replaced by any others (local model)."
    )
    make_form()
    read_answers()
    results()
