"""The ledger: the spent and the remaining budget of all people; the spends on the table."""

import streamlit as st

from pages.ui.frame import frame
from pages.ui.ledger.checking import check_whole_ledger
from pages.ui.ledger.checks import checks
from pages.ui.ledger.people import people
from pages.ui.ledger.reserving import show_reservations
from pages.ui.ledger.two_persons import show_two_persons
from pages.ui.release.account import account
from pages.ui.shell import budgets, state
from pages.ui.shell.draft import Draft
from pages.ui.shell.widgets import show_command
from synth.door import Balance
from synth.foreign import in_markdown


def present(draft: Draft) -> None:
    """Show the bars of all people, the check of the ledger, and the account of the table.

    A simulated table has no account: its spends are not recorded.
    """
    if draft.source is not None and draft.source.simulated:
        st.info("This is a rehearsal on simulated data. The ledger does not count it.")
        return
    people(draft.source.dataset if draft.source is not None else "")
    show_two_persons()
    check_whole_ledger()
    if draft.source is not None:
        st.header(in_markdown(draft.source.dataset))
        balance = budgets.balance()
        if balance is None:  # no ledger counts the table yet
            balance = Balance(dataset=draft.source.dataset, budget=None, spends=())
        account(balance)
        show_reservations(balance)
        checks(draft.source.dataset)
    show_command("synth ledger show")


st.title("Ledger")
st.markdown("Every spend, in exact numbers, recorded on disk before Synth draws any noise.")
with frame.sentences():
    present(state.draft())
    st.caption("To continue from a bundle or a saved project, open the step Data.")
