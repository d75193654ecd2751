"""Collect: a form that randomises answers before they leave a person, and what they tell."""

import streamlit as st

from pages.ui.collect.making import making
from pages.ui.collect.reading import reading
from pages.ui.collect.results import results
from pages.ui.frame import frame
from pages.ui.shell.charts import Lane, badge
from synth.util import explained

st.title("Collect")
st.markdown(
    "Ask people by a form that randomises their answers before they leave them. Nobody has to be "
    "trusted with the true ones, and no confidential table is needed.",
    help=f"{explained('randomised response')} {explained('local model')}",
)
with frame.sentences():
    badge(Lane.PUBLIC)
    st.caption(
        "Every answer is protected before it arrives here, so that nothing on this page is private "
        "and no ledger counts it: epsilon is spent by each person, on each form. Neighbours are "
        "explicit: one person's answers, replaced by any others (local model)."
    )
    making()
    reading()
    results()
