"""The ledger: what was spent on the table at hand, and what is left; bundles are checked here."""

import streamlit as st

from pages.ui.data.opening import opener
from pages.ui.frame import frame
from pages.ui.release.account import account
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.widgets import show_command
from synth.door import Balance
from synth.foreign import in_markdown


@state.guard
def check() -> None:
    ledger = state.ledger()
    state.notice(
        f"{ledger.verify()} entries in the whole ledger, none edited. Head {ledger.head[:16]}."
    )


def present(draft: Draft) -> None:
    if draft.source is None:
        st.info("Choose a table first: the ledger shows a table's past to whoever has the table.")
    elif draft.source.simulated:
        st.info("This is a rehearsal on simulated data: nothing is counted.")
    else:
        st.header(in_markdown(draft.source.dataset))
        account(state.balance() or Balance(draft.source.dataset, None, ()))
        st.button("Check the whole ledger", icon=":material/rule:", on_click=check)
        show_command(f"python -m synth ledger show {state.ledger().path}")


st.title("Ledger")
st.markdown("What was spent, in exact numbers, before any noise was drawn. It outlives the app.")
with frame.sentences():
    present(state.draft())
    st.divider()
    st.header("Open a bundle")
    opener()
