"""The budget in the header, as a bar that follows a spend at work."""

from collections.abc import Iterator

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.shell import budgets, state
from pages.ui.shell.job import Job
from pages.ui.shell.words import say_spent, share_spent
from synth.door import Balance
from synth.errors import SynthError
from synth.foreign import in_markdown

# Pixels, so that the header stays on one line of a wide window.
BAR_WIDTH = 176
# The session's name for the place of the bar on the page.
PLACE = "budget_bar"


def show_budget() -> None:
    """Show how much of the people's budget is spent; nothing before it is set."""
    place = st.empty()
    state.write(PLACE, place)
    _draw(place)


def renew_budget() -> None:
    """Show it anew, after a spend that was recorded since the page began."""
    place: DeltaGenerator | None = state.read_value(PLACE)
    if place is not None:
        _draw(place)


def watch_spend(job: Job) -> Iterator[None]:
    """Look at a spend ten times a second until it ends, and renew the budget each second."""
    second = 0
    while not job.wait(0.1):
        if int(job.seconds) != second:
            second = int(job.seconds)
            renew_budget()
        yield


def _draw(place: DeltaGenerator) -> None:
    """Draw the bar at its place."""
    balance = _read_balance()
    if balance is not None and balance.budget is not None:
        words = in_markdown(say_spent(balance))
        place.progress(share_spent(balance), text=words, width=BAR_WIDTH)


def _read_balance() -> Balance | None:
    """Return what the ledger says of the people; None if it cannot be read.

    The step that needs the ledger says what is wrong with it.
    """
    try:
        return budgets.balance()
    except SynthError:
        return None
