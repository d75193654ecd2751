"""All people of the ledger, each with a bar of their budget."""

import streamlit as st

from pages.ui.shell import budgets, gate
from pages.ui.shell.widgets import download
from pages.ui.shell.words import say_account, share_spent
from synth.door import Balance
from synth.foreign import in_markdown

LINES = (
    "Budgets, spends, looks and refusals, one JSON object a line. Requests appear as "
    "digests; no value of a column does."
)


def people(current: str) -> None:
    """Show a bar for all people of the ledger, those of the current table first.

    All users of a server share one ledger. Where they sign in, the bars of other people are
    shown on demand.

    Args:
        current: The name of the current table's people; empty for none.
    """
    st.header("People")
    ledger = budgets.ledger()
    names = list(ledger.datasets())
    first = [name for name in names if name == current]
    others = [name for name in names if name != current]
    for name in first:
        _bar(ledger.balance(name))
    if current and not first:
        st.markdown(f"**{in_markdown(current)}**: no budget is set.")
    if gate.signed_in() and not st.toggle("Show all people in this ledger", key="everybody"):
        return
    for name in others:
        _bar(ledger.balance(name))
    if not names:
        st.caption("Nothing was spent yet.")
        return
    download(
        "Download the ledger",
        lambda: "\n".join([*ledger.lines(), ""]).encode(),
        "ledger.jsonl",
        mime="application/jsonl",
        icon=":material/download:",
        help=LINES,
    )


def _bar(balance: Balance) -> None:
    """Show how much of some people's budget is spent, and its rest."""
    name = in_markdown(balance.dataset)
    if balance.budget is None:
        st.markdown(f"**{name}**: no budget is set.")
        return
    words = in_markdown(say_account(balance))
    st.progress(share_spent(balance), text=f"**{name}**: {words}")
