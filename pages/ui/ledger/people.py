"""All people of the ledger, each with a bar of their budget."""

import streamlit as st

from pages.ui.shell import gate, state
from pages.ui.shell.widgets import download
from pages.ui.shell.words import say_spent, share_spent
from synth.door import Balance
from synth.foreign import in_markdown
from synth.privacy import scientific

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
    ledger = state.ledger()
    names = list(ledger.datasets())
    first = [name for name in names if name == current]
    others = [name for name in names if name != current]
    for name in first:
        _bar(ledger.balance(name))
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
    spent = in_markdown(say_spent(balance))
    left = in_markdown(balance.left_words)
    delta = in_markdown(_unspent_delta(balance))
    st.progress(share_spent(balance), text=f"**{name}**: {spent}, {left} left{delta}")


def _unspent_delta(balance: Balance) -> str:
    """Return the delta that a budget allows, as the end of a sentence, if none is spent.

    A delta of which some is spent is named beside the epsilon already.
    """
    assert balance.budget is not None
    allowed = balance.budget.guarantee.delta
    if not allowed or balance.spent_delta:
        return ""
    return f"; delta 0 of {scientific(allowed)} spent"
