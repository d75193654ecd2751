"""The run of every session: the gate, the navigation, and the open page."""

import streamlit as st

from pages.ui.frame import (
    frame,
    warm,  # noqa: F401 - importing warm loads the libraries
)
from pages.ui.frame.aloud import name_parts
from pages.ui.frame.header import LOGO, header
from pages.ui.frame.names import keep_names
from pages.ui.shell import at_work, state
from pages.ui.shell.draft import Draft
from pages.ui.shell.ending import end_page
from pages.ui.shell.gate import gate
from pages.ui.shell.history import session_history
from pages.ui.shell.rows_at_work import settle_rows

# Our own picture: the browser would load Streamlit's icons from another site.
ICON = (
    '<svg viewBox="0 0 24 24"><path fill="#2A85C7" d="M12 1 3 5v6c0 5.5 3.8 10.7 9 12 '
    "5.2-1.3 "
    '9-6.5 9-12V5z"/><path fill="#fff" d="m10.5 16.5-4-4L8 11l2.5 2.5L16 8l1.5 1.5z"/></svg>'
)


def run() -> None:
    """Draw the app for one session: its sign-in, its navigation, and the open page.

    The first run only asks the browser who it is, so that its earlier session comes back.
    """
    st.set_page_config(page_title="Synth", page_icon=ICON, layout="wide")
    st.logo(LOGO, size="large")
    gate()
    is_known = state.is_known()
    if is_known:
        at_work.settle()
        settle_rows()
        session_history().see(state.draft())
    draft = state.draft() if is_known else Draft()
    *steps, ask = [
        st.Page(step.file, title=step.title, icon=frame.icon(draft, step), url_path=step.name)
        for step in (*frame.STEPS, frame.ASK)
    ]
    use, collect, record, learn = (
        st.Page(
            f"pages/steps/{name}.py", title=title, icon=f":material/{icon}:", url_path=name
        )
        for name, title, icon in (
            ("use", "Use a release", "analytics"),
            ("collect", "Collect", "inbox"),
            ("ledger", "Ledger", "receipt_long"),
            ("learn", "Learn", "school"),
        )
    )
    page = st.navigation(
        {
            "Synthetic table": steps,
            "Numbers only": [ask],
            "Without a table": [use, collect],
            "Background": [record, learn],
        }
    )
    if not is_known:
        state.ask_owner()
        end_page()
    if page.url_path != "plan":  # that page draws its own, as its slider changes the line
        frame.sidebar(draft, page.url_path)
    keep_names(draft)
    name_parts()
    frame.step_bar(draft)
    header(draft, page.url_path)
    st.set_page_config(page_title=f"{page.title} - Synth")  # which a screen reader says first
    page.run()
