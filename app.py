"""Synth's app: the frame and the navigation. Each step is a thin script in pages/steps."""

import streamlit as st

from pages.ui import frame, state, warm  # noqa: F401 - warm is loaded for what it does
from pages.ui.gate import gate

st.set_page_config(page_title="Synth", page_icon=":material/shield_lock:", layout="wide")
gate()
state.settle()
draft = state.draft()
steps = [
    st.Page(step.file, title=step.title, icon=frame.icon(draft, step), url_path=step.name)
    for step in frame.STEPS
]
learn = st.Page("pages/steps/learn.py", title="Learn", icon=":material/school:", url_path="learn")
record = st.Page(
    "pages/steps/ledger.py", title="Ledger", icon=":material/receipt_long:", url_path="ledger"
)
page = st.navigation({"Synthetic table": steps, "Background": [record, learn]})
if page.url_path != "plan":  # that page draws its own, as its slider changes the line
    frame.sidebar(draft, page.url_path)
page.run()
