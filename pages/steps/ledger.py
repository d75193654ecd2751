"""The ledger: the spent and the remaining budget of the current table and of all datasets."""

import streamlit as st

from pages.ui.frame import frame
from pages.ui.release.account import account, everybody
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.widgets import show_command
from synth.door import Balance
from synth.foreign import in_markdown


@state.guard
def check() -> None:
    """Verify that no entry of the ledger was edited, and say how many entries it has.

    The entries form a chain of digests. The notice shows the first 16 digits of the latest
    one.
    """
    ledger = state.ledger()
    state.notice(
        f"{ledger.verify()} entries in the whole ledger, none edited. Head "
        f"{ledger.head[:16]}."
    )


def present(draft: Draft) -> None:
    """Show the spends and the budget of the current table.

    On demand all datasets are shown. A simulated table has no account: its spends are not
    recorded.
    """
    if draft.source is not None and draft.source.simulated:
        st.info("This is a rehearsal on simulated data. The ledger does not count it.")
        return
    if draft.source is not None:
        st.header(in_markdown(draft.source.dataset))
        account(  # an empty one if no ledger counts the table yet
            state.balance() or Balance(dataset=draft.source.dataset, budget=None, spends=())
        )
    everybody()
    st.button("Check the whole ledger", icon=":material/rule:", on_click=check)
    show_command("synth ledger show")


st.title("Ledger")
st.markdown("Every spend, in exact numbers, recorded on disk before Synth draws any noise.")
with frame.sentences():
    present(state.draft())
    st.caption("To continue from a bundle or a saved project, open the step Data.")
