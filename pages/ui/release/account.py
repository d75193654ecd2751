"""The spends on the current table: each one, and the totals, enforced and if fixed in
advance.
"""

import pandas as pd
import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.widgets import download
from synth.door import MADE, MOVED, Balance, Subtotal
from synth.foreign import in_markdown
from synth.privacy import InAdvance, in_advance, plain, scientific, spell
from synth.util import explain_word

UNFINISHED = (
    "A release without a bundle was interrupted, or made on the command line. Its spend "
    "counts. Choose the same table and plan, and the step Release finishes it at no cost."
)

LINES = (
    "Budgets, spends, looks and refusals, one JSON object a line. Requests appear as "
    "digests; no value of a column does."
)
REASON = "The ledger records when and why a budget was changed, and exports it."
NO_SUM = "an epsilon with a delta cannot be added to a rho"
APART = "What protects rows and what protects persons is never added up."


@state.guard
def change_budget() -> None:
    state.change_budget(state.said("new_budget"), state.said("budget_reason"))


def account(balance: Balance) -> None:
    ledger = state.ledger()
    tables = ledger.tables(balance.dataset)
    budget, spent, left = st.columns(3, border=True)
    limit = plain(balance.budget.amount) if balance.budget else "not set"
    budget.metric("Budget", limit, help=explain_word("budget"))
    spent.metric("Spent", balance.spent_words, help=explain_word("ledger"))
    left.metric("Left", balance.left_words if balance.budget else "-")
    rows = pd.DataFrame(
        {
            "no.": number,
            "time (UTC)": entry.time[:19].replace("T", " "),
            "cost": spell(entry.guarantee, balance.stated_delta),
            "what for": entry.purpose,
            "protects": entry.protects,
            "table": f"table {tables[entry.number]}" if entry.number in tables else "-",
            "release": ledger.state(entry),
            "entry of the ledger": entry.number,
            "by": entry.by,
        }
        for number, entry in enumerate(balance.spends, 1)
    )
    if len(rows):
        named = rows if rows["by"].any() else rows.drop(columns="by")
        st.dataframe(named, hide_index=True)
        if (rows["release"] != MADE).any():
            st.caption(UNFINISHED)
        sums(balance)
    else:
        st.caption("Nothing was spent on these people yet.")
    budget_changes(balance)
    box, reason, button = st.columns([1, 2, 1], vertical_alignment="bottom")
    box.text_input("Another budget", placeholder="5", key="new_budget")
    reason.text_input("Reason", placeholder="a second wave", key="budget_reason", help=REASON)
    button.button("Set the budget", on_click=change_budget)


def budget_changes(balance: Balance) -> None:
    """Show each change of the budget with its date and reason."""
    if not balance.changes:
        return
    st.markdown("**Changes of the budget**")
    rows = [
        {
            "time (UTC)": change.time[:19].replace("T", " "),
            "budget": str(change.budget),
            "reason": change.reason or "no reason was asked for",
            "by": change.by,
            "entry of the ledger": change.number,
        }
        for change in balance.changes
    ]
    shown = pd.DataFrame(rows)
    named = shown if shown["by"].any() else shown.drop(columns="by")
    st.dataframe(named, hide_index=True)


def everybody() -> None:
    """Show all datasets of the ledger on demand, as others may share a server's ledger."""
    if not st.toggle("Show all people in this ledger", key="everybody"):
        return
    ledger = state.ledger()
    download(
        "Download the ledger",
        lambda: "\n".join([*ledger.lines(), ""]).encode(),
        "ledger.jsonl",
        mime="application/jsonl",
        icon=":material/download:",
        help=LINES,
    )
    found = [ledger.balance(name) for name in ledger.datasets()]
    if not found:
        st.caption("Nothing was spent yet.")
    for balance in found:
        spent, name = balance.spent_words, in_markdown(balance.dataset)
        if balance.budget is None:
            st.markdown(f"{name}: no budget is set.")
            continue
        part = min(1.0, float(balance.spent / balance.budget.amount))
        left = balance.left_words
        unit, most = balance.budget.unit, plain(balance.budget.amount)
        st.progress(part, text=f"{name}: {unit} {spent} of {most} spent, {left} left")


def sums(balance: Balance) -> None:
    delta = balance.stated_delta
    totals = [(one, one.total(balance.budget)) for one in balance.subtotals]
    st.markdown(
        "**Enforced total**: it holds even if you chose each spend after seeing earlier "
        "answers."
    )
    rows = [
        {
            "protects": one.protects,
            "neighbours": one.neighbors.value,
            "spends": len(one.guarantees),
            "in all": spell(total, delta) if total else NO_SUM,
        }
        for one, total in totals
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    if len(rows) > 1:
        st.caption(APART)
    if balance.was_moved:
        st.caption(MOVED)
    better = [(one, in_advance(one.guarantees, delta)) for one, _ in totals]
    if found := [(one, each) for one, each in better if each is not None]:
        fixed_in_advance(found)


def fixed_in_advance(found: list[tuple[Subtotal, InAdvance]]) -> None:
    st.markdown(
        "**Had they been fixed in advance**, before the first answer; nothing enforces it:"
    )
    rows = [
        {
            "protects": one.protects,
            "neighbours": one.neighbors.value,
            "delta": scientific(each.delta),
            "basic sum": f"{each.basic:.4g}",
            "advanced composition": f"{each.advanced:.4g}",
            "zCDP": "-" if each.zcdp is None else f"{each.zcdp:.4g}",
            "the least": f"{each.least:.4g}",
        }
        for one, each in found
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)
