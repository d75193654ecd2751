"""What a release costs, what is left of the budget, and the button that spends."""

from dataclasses import replace
from fractions import Fraction

import streamlit as st

from pages.ui.data.population import population
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.words import budget_text, cost, typed
from synth.errors import LedgerError
from synth.foreign.text import in_markdown
from synth.ledger.entries import Balance, Entry
from synth.limits import NUMBER_SHOWN
from synth.plan import Plan
from synth.privacy.budget import brief, parse_budget, plain


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
            "Budget: the most that may ever be spent on these people",
            help="Counted in the ledger, in all sessions. It can be changed on the page Ledger.",
            **state.tied_choice("budget"),
        )
        wanted = parse_budget(budget_text(state.draft().budget, plan), plan.neighbors)
        balance = replace(balance, budget=wanted)
    assert balance.budget is not None
    known, unit = balance.budget, balance.budget.unit
    left = balance.left - known.spent([known.charge(cost(plan))])
    after = (
        f" and **{brief(left, up=False, most=NUMBER_SHOWN)}** after this release"
        if left >= 0
        else ""
    )
    so_far = brief(balance.spent, most=NUMBER_SHOWN)
    st.markdown(
        f"Budget of these people: {unit} **{plain(known.amount)}**. Spent: **{so_far}**. Left: "
        f"**{brief(balance.left, up=False, most=NUMBER_SHOWN)}**{after}."
    )
    try:
        balance.check(plan.unit.person)
    except LedgerError as error:
        _warn(f"{error} Here the name is what you answer above.")
    try:
        known.check(cost(plan), plan.neighbors)
    except LedgerError as error:
        _warn(f"{error} Change the budget on the page Ledger, or the plan.")


def _warn(sentence: str) -> None:
    st.warning(in_markdown(sentence), icon=":material/account_balance_wallet:")


def confirm(draft: Draft, plan: Plan) -> None:
    """Name the spend, and ask."""
    assert draft.source is not None
    if not population(draft.source):
        return
    balance = state.balance()
    budget(plan, balance)
    title, epsilon = in_markdown(plan.dataset), plain(plan.epsilon)
    delta = f" and delta {typed(plan.delta)}" if cost(plan).delta else ""
    st.markdown(
        f"This spends **epsilon {epsilon}{delta}** of **{title}** and cannot be taken back."
    )
    mine = [r.plan.epsilon for r in draft.releases if r.plan.dataset == plan.dataset]
    spent = sum(mine, Fraction(0))
    if balance is not None and balance.budget is not None:
        spent = balance.spent if balance.budget.unit == "epsilon" else Fraction(0)
    if spent:
        st.warning(
            f"Epsilon {brief(spent)} of these people was spent already; with this "
            f"release it is {brief(spent + plan.epsilon)} in all. Releases add up.",
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
