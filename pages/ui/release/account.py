"""The spends on the current table: each one, and the totals, enforced and if fixed in
advance.
"""

import pandas as pd
import streamlit as st

from pages.ui.shell import budgets, state
from synth.door import MADE, MOVED, Balance, Subtotal
from synth.foreign import in_markdown
from synth.privacy import Guarantee, InAdvance, in_advance, scientific, spell

UNFINISHED = (
    "A release without a bundle was interrupted, or made on the command line. Its spend "
    "counts. Choose the same table and plan, and the step Release finishes it at no cost."
)

REASON = "The ledger records when and why a budget was changed, and exports it."
NO_SUM = "an epsilon with a delta cannot be added to a rho"
APART = "What protects rows and what protects persons is never added up."


@state.guard
def change_budget() -> None:
    """Change the budget of the current table's dataset by the typed text and reason."""
    budgets.change_budget(state.read_value("new_budget"), state.read_value("budget_reason"))


def account(balance: Balance) -> None:
    """Show the spends on a dataset with their totals, and how to change its budget.

    How much of the budget is spent and left is above, at the bar of these people.
    """
    ledger = budgets.ledger()
    # The dataset's tables are numbered from 1, here by the entry of each spend.
    tables = ledger.tables(balance.dataset)
    if balance.budget is not None and balance.budget.unit == "rho":
        stated = in_markdown(scientific(balance.stated_delta))
        st.caption(f"The budget is in rho. An epsilon that it implies has delta {stated}.")
    rows = pd.DataFrame(
        {
            "no.": number,
            "time (UTC)": entry.time[:19].replace("T", " "),  # of an ISO time, to the second
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
        st.dataframe(
            _without_empty_users(rows), hide_index=True, alt="Each spend on these people."
        )
        if (rows["release"] != MADE).any():
            st.caption(UNFINISHED)
        sums(balance)
    else:
        st.caption("Nothing was spent on these people yet.")
    budget_changes(balance)
    budget_field, reason_field, button_place = st.columns(
        [1, 2, 1], vertical_alignment="bottom"
    )
    budget_field.text_input(
        "Another budget",
        placeholder="epsilon=5,delta=1e-6",
        key="new_budget",
        help="An epsilon with a delta. An epsilon alone allows no delta.",
    )
    reason_field.text_input(
        "Reason", placeholder="a second wave", key="budget_reason", help=REASON
    )
    button_place.button("Set the budget", on_click=change_budget)


def budget_changes(balance: Balance) -> None:
    """Show each change of a dataset's budget with its date and reason, if there is any."""
    if not balance.changes:
        return
    st.markdown("**Changes of the budget**")
    rows = [
        {
            "time (UTC)": change.time[:19].replace("T", " "),  # an ISO time, to the second
            "budget": str(change.budget),
            "reason": change.reason or "no reason was asked for",
            "by": change.by,
            "entry of the ledger": change.number,
        }
        for change in balance.changes
    ]
    st.dataframe(
        _without_empty_users(pd.DataFrame(rows)),
        hide_index=True,
        alt="Each change of the budget.",
    )


def _without_empty_users(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table, without the column of users where the ledger knows none."""
    return table if table["by"].any() else table.drop(columns="by")


def sums(balance: Balance) -> None:
    """Show the totals of a dataset's spends: enforced, and as if fixed in advance.

    There is one total for each protected unit and kind of neighbours, as these cannot be
    added.
    """
    delta = balance.stated_delta  # at which a rho is stated as an epsilon
    # A total is None for an epsilon with a delta together with a rho.
    totals = [(subtotal, subtotal.total(balance.budget)) for subtotal in balance.subtotals]
    lasting = "holds even if you chose each spend after seeing earlier answers."
    if is_in_bar(balance, [total for _, total in totals]):
        (subtotal,) = balance.subtotals
        protected = in_markdown(f"{subtotal.protects} ({subtotal.neighbors.value})")
        st.markdown(f"**Enforced total:** it protects {protected}, and {lasting}")
    else:
        st.markdown(f"**Enforced total**: it {lasting}")
        rows = [
            {
                "protects": subtotal.protects,
                "neighbours": subtotal.neighbors.value,
                "spends": len(subtotal.guarantees),
                "in all": spell(total, delta) if total else NO_SUM,
            }
            for subtotal, total in totals
        ]
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="The totals that are enforced.")
        if len(rows) > 1:
            st.caption(APART)
    if balance.was_moved:
        st.caption(MOVED)
    fixed_totals = []
    for subtotal in balance.subtotals:
        # None for a single spend or a rho, where the theorems give nothing better.
        total_in_advance = in_advance(subtotal.guarantees, delta)
        if total_in_advance is not None:
            fixed_totals.append((subtotal, total_in_advance))
    if fixed_totals:
        fixed_in_advance(fixed_totals)


def is_in_bar(balance: Balance, totals: list[Guarantee | None]) -> bool:
    """Return whether all spends have one total, which the bar of the budget shows."""
    if len(totals) != 1 or totals[0] is None or balance.budget is None:
        return False
    return balance.budget.unit == "epsilon" and totals[0].rho is None


def fixed_in_advance(fixed_totals: list[tuple[Subtotal, InAdvance]]) -> None:
    """Show the totals that would hold if all spends had been fixed before the first answer.

    Each pair has the spends of one protected unit, and their total by several theorems.
    """
    st.markdown(
        "**Had they been fixed in advance**, before the first answer; nothing enforces it:"
    )
    rows = [
        {
            "protects": subtotal.protects,
            "neighbours": subtotal.neighbors.value,
            "delta": scientific(total.delta),
            "basic sum": f"{total.basic:.4g}",
            "advanced composition": f"{total.advanced:.4g}",
            "zCDP": "-" if total.zcdp is None else f"{total.zcdp:.4g}",
            "the least": f"{total.least:.4g}",
        }
        for subtotal, total in fixed_totals
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="The totals if fixed in advance.")
