"""The check of the whole ledger, with its result next to the button."""

from dataclasses import dataclass

import streamlit as st

from pages.ui.shell import budgets, state
from synth.errors import SynthError
from synth.foreign import in_markdown

_CHECKED = "ledger_checked"


@dataclass(frozen=True)
class Checked:
    """The result of a check.

    Attributes:
        sentence: What it found.
        is_whole: Whether no entry was edited.
    """

    sentence: str
    is_whole: bool


def check_whole_ledger() -> None:
    """Show a button that checks all entries, and beside it what the latest check found."""
    button_place, result_place = st.columns([2, 5], vertical_alignment="center")
    button_place.button(
        "Check the whole ledger", icon=":material/rule:", on_click=_check, width="stretch"
    )
    checked: Checked | None = state.read_value(_CHECKED)
    if checked is None:
        return
    with result_place:
        if checked.is_whole:
            st.success(in_markdown(checked.sentence), icon=":material/check_circle:")
        else:
            st.error(in_markdown(checked.sentence), icon=":material/error:")


@state.guard
def _check() -> None:
    """Verify that no entry of the ledger was edited, and keep the result for the page.

    The entries form a chain of digests. The result names the first 16 digits of the latest
    one, and if nothing was edited, the number of entries.
    """
    state.keep(_CHECKED, None)
    ledger = budgets.ledger()
    try:
        entries = ledger.verify()
    except SynthError as error:
        state.keep(_CHECKED, Checked(str(error), is_whole=False))
        return
    sentence = f"{entries:,} entries in the whole ledger, none edited."
    state.keep(_CHECKED, Checked(f"{sentence} Head {ledger.head[:16]}.", is_whole=True))
