"""Collect: a form that randomises answers before they leave a person, and what they tell."""

import streamlit as st

from pages.ui.collect.making import make_form
from pages.ui.collect.reading import read_answers
from pages.ui.collect.results import results
from pages.ui.frame import frame
from pages.ui.shell.charts import Lane, badge
from synth.util import explain_word

st.title("Collect")
st.markdown(
    "Ask people by a form that randomises their answers before they leave them. Nobody has to be "
    "trusted with the true ones, and no confidential table is needed.",
    help=f"{explain_word('randomised response')} {explain_word('local model')}",
)
with frame.sentences():
    badge(Lane.PUBLIC)
    st.caption(
        "Every answer is protected before it arrives here, so that nothing on this page is private "
        "and no ledger counts it: epsilon is spent by each person, on each form. Neighbours are "
        "explicit: one person's answers, replaced by any others (local model)."
    )
    make_form()
    read_answers()
    results()
