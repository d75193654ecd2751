"""A guided tour with the practice survey: one sentence per step, left at any time."""

import streamlit as st

from pages.ui.shell import state

SENTENCES = {
    "data": "Here you choose a table. The tour uses a simulated survey; nobody in it exists.",
    "domain": "Every column has a description of its possible values. Choose a row of the "
    "table, read the card of its column, and change nothing.",
    "plan": "Move the slider: a smaller epsilon protects more, and the expected error grows.",
    "release": "Tick the box and press the button to make the synthetic table. In a "
    "rehearsal you spend nothing real.",
    "compare": "Only this step reads the real rows again, so only you may see the numbers.",
    "download": "Download your files here, and read which of them "
    "you may publish. That was the "
    "tour.",
}


def start_tour() -> None:
    """Start the tour."""
    state.write("touring", True)


def leave_tour() -> None:
    """Leave the tour."""
    state.write("touring", False)


def guide(step: str) -> None:
    """Show the sentence of the tour for a step, while the tour is on."""
    with st.container():  # also without the tour, so that it moves nothing below
        if not state.read_value("touring") or step not in SENTENCES:
            return
        number = list(SENTENCES).index(step) + 1
        sentence_column, button_column = st.columns([5, 1], vertical_alignment="center")
        sentence_column.info(
            f"Tour, {number} of {len(SENTENCES)}. {SENTENCES[step]}", icon=":material/tour:"
        )
        button_column.button("Leave the tour", key="leave_tour", on_click=leave_tour)
