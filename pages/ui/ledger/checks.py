"""How many figures of a release an asker may have checked against the table."""

import streamlit as st

from pages.ui.shell import budgets, state
from synth.door import Ledger
from synth.foreign import in_markdown

NAME = "allowed_asker"
NUMBER = "allowed_checks"


def checks(dataset: str) -> None:
    """Show the numbers of checks of a dataset, and the fields that declare one.

    Args:
        dataset: The name of the current table's people.
    """
    with st.expander("Checks of figures", icon=":material/fact_check:"):
        st.markdown(
            "Somebody who found a figure on synthetic rows may ask whether the real table "
            "says the same. Declare here how many such checks they get."
        )
        for allowance in budgets.ledger().checks(dataset):
            st.markdown(in_markdown(allowance.words))
        name_place, number_place = st.columns([3, 2])
        name_place.text_input(
            "Name of the asker",
            key=NAME,
            help="Leave it empty for each asker without a number of their own.",
        )
        number_place.number_input(
            "Checks in all", 0, 1_000, value=3, key=NUMBER, help="With those so far."
        )
        st.button(
            "Allow these checks",
            icon=":material/check:",
            on_click=_allow,
            args=(budgets.ledger(), dataset),
        )


@state.guard
def _allow(ledger: Ledger, dataset: str) -> None:
    """Declare the typed number; SynthError if the name is wrong."""
    asker = (state.read_value(NAME) or "").strip()
    ledger.allow_checks(dataset, int(state.read_value(NUMBER) or 0), asker)
    state.write(NAME, "")
