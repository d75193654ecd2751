"""What a release costs, what is left of the budget, and the button that spends."""

import streamlit as st

from pages.ui import state
from pages.ui.draft import Draft, escaped
from synth.budget import plain
from synth.ledger import Balance, Entry
from synth.plan import Plan


def known(entry: Entry) -> None:
    """The ledger has this very release: getting it back needs no confirmation."""
    st.info(
        f"This plan was released on {entry.time[:10]} (entry {entry.number} of the ledger). "
        "Getting that release back spends nothing.",
        icon=":material/receipt_long:",
    )
    st.button(
        "Get the stored release",
        type="primary",
        icon=":material/lock_open:",
        on_click=state.guarded(state.start_job),
    )


def budget(plan: Plan, balance: Balance | None) -> None:
    """What may be spent, was spent and is left."""
    if balance is None:
        return
    if balance.budget is None:
        st.text_input(
            "Budget: the most that may ever be spent on this table",
            help="Counted in the ledger, in all sessions. It can be changed on the page Ledger.",
            **state.tied_choice("budget"),
        )
    else:
        left = balance.left - plan.epsilon
        after = f", {plain(left)} after this release" if left >= 0 else ""
        st.markdown(
            f"Budget of this table: **{plain(balance.budget.amount)}**, spent "
            f"**{plain(balance.spent)}**, left **{plain(balance.left)}**{after}."
        )


def confirm(draft: Draft, plan: Plan) -> None:
    """Name the spend, and ask."""
    balance = state.balance()
    spent = (
        balance.spent
        if balance
        else sum(r.plan.epsilon for r in draft.releases if r.plan.dataset == plan.dataset)
    )
    budget(plan, balance)
    title, epsilon = escaped(plan.dataset), plain(plan.epsilon)
    st.markdown(f"This spends **epsilon {epsilon}** of **{title}** and cannot be taken back.")
    if spent:
        st.warning(
            f"Epsilon {plain(spent)} of this table was spent already; with this "
            f"release it is {plain(spent + plan.epsilon)} in all. Releases add up.",
            icon=":material/functions:",
        )
    agreed = st.checkbox(f"Spend epsilon {epsilon}", key="agreed")
    st.button(
        f"Release with epsilon {epsilon}",
        type="primary",
        icon=":material/lock_open:",
        disabled=not agreed,
        help=None if agreed else "Tick the box first.",
        on_click=state.guarded(state.start_job),
    )
