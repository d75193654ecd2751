"""A guided tour on the rehearsal survey: one sentence a step, left at any time."""

import streamlit as st

from pages.ui.shell import state

SENTENCES = {
    "data": "This is where a table is chosen; the survey stands in for yours, and nobody in it "
    "exists.",
    "domain": "Each column says beforehand what it may hold: open one at the right, look at its "
    "categories or bounds, and change nothing.",
    "plan": "Move epsilon and watch what protection costs: a smaller one protects more, and the "
    "shares are off by more.",
    "release": "One tick and one press spend the budget and make the synthetic table; in a "
    "rehearsal nothing real is spent.",
    "compare": "Only here are the real rows looked at again, so what it shows is for you alone.",
    "download": "These files are what you came for; the table below says which of them you may "
    "publish. That was the tour.",
}
"""What is told on each step."""


def start_tour() -> None:
    """Begin."""
    state.write("touring", True)


def leave_tour() -> None:
    """End it; what was chosen stays."""
    state.write("touring", False)


def guide(step: str) -> None:
    """The sentence of a step, while the tour goes on."""
    with st.container():
        if not state.said("touring") or step not in SENTENCES:
            return
        number = list(SENTENCES).index(step) + 1
        left, right = st.columns([5, 1], vertical_alignment="center")
        left.info(f"Tour, {number} of {len(SENTENCES)}. {SENTENCES[step]}", icon=":material/tour:")
        right.button("Leave the tour", key="leave_tour", on_click=leave_tour)
