"""What a release costs, what is left of the budget, and the button that spends."""

from dataclasses import replace
from fractions import Fraction
from typing import Protocol

import streamlit as st

from pages.ui.data.population import population
from pages.ui.release.checking import ask_to_check, known_before
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.promise import promise
from pages.ui.shell.widgets import show_known, spend_button
from pages.ui.shell.words import budget_text, cost, type_delta
from synth.door import Balance, Entry
from synth.errors import LedgerError
from synth.foreign import in_markdown
from synth.limits import NUMBER_SHOWN
from synth.plans import Plan
from synth.privacy import Guarantee, Neighbors, Unit, brief, parse_budget, plain

ANYWAY = "Release all the same, although rows do not fit"


class Spent(Protocol):
    """What a spend is about: a plan, or an inquiry."""

    @property
    def neighbors(self) -> Neighbors:
        """The relation of its guarantee."""

    @property
    def unit(self) -> Unit:
        """Whose data it protects."""


def offer_known(entry: Entry) -> None:
    """Offer what the ledger has: getting it back needs no confirmation."""
    show_known(entry, "This plan was released", "that release")
    spend_button("Get the stored release", state.start_job, agreed=True, type="primary")


def budget(balance: Balance | None, charge: Guarantee, plan: Spent, thing: str) -> None:
    """What may be spent, was spent and is left.

    Args:
        balance: What the ledger knows; None where none counts.
        charge: What would be spent.
        plan: Under which relation, and whose data it protects.
        thing: What it is spent on, in one word.
    """
    if balance is None:
        return
    if balance.budget is None:
        st.text_input(
            "Budget: the most that may ever be spent on these people",
            help="Counted in the ledger, in all sessions. It can be changed on the page Ledger.",
            **state.tied_choice("budget"),
        )
        wanted = parse_budget(budget_text(state.draft().budget, charge), plan.neighbors)
        balance = replace(balance, budget=wanted)
    assert balance.budget is not None
    known, unit = balance.budget, balance.budget.unit
    so_far = brief(balance.spent, most=NUMBER_SHOWN)
    st.markdown(
        f"Budget of these people: {unit} **{plain(known.amount)}**. Spent: **{so_far}**. Left: "
        f"**{brief(balance.left, up=False, most=NUMBER_SHOWN)}**{_after(balance, charge, thing)}."
    )
    try:
        balance.check(plan.unit.person)
    except LedgerError as error:
        _warn(f"{error} Here the name is what you answer above.")
    try:
        known.check(charge, plan.neighbors)
    except LedgerError as error:
        choice = "plan" if thing == "release" else "choice above"
        _warn(f"{error} Change the budget on the page Ledger, or the {choice}.")


def _after(balance: Balance, charge: Guarantee, thing: str) -> str:
    """What will be left, as far as it is enough."""
    known = balance.budget
    if known is None or (known.unit == "epsilon" and charge.rho is not None):
        return ""
    left = balance.left - known.sum_spends([known.charge(charge, gaussian=thing == "release")])
    after = brief(left, up=False, most=NUMBER_SHOWN)
    return f" and **{after}** after this {thing}" if left >= 0 else ""


def _warn(sentence: str) -> None:
    st.warning(in_markdown(sentence), icon=":material/account_balance_wallet:")


def confirm(draft: Draft, plan: Plan) -> None:
    """Name the spend, and ask."""
    assert draft.source is not None
    if not population(draft.source):
        return
    balance = state.balance()
    budget(balance, cost(plan), plan, "release")
    is_alarmed = ask_to_check(draft, plan)
    promise(plan, known_before(draft, plan))
    title, epsilon = in_markdown(plan.dataset), plain(plan.epsilon)
    delta = f" and delta {type_delta(plan.delta)}" if cost(plan).delta else ""
    price = f"epsilon {epsilon}{delta}"
    st.markdown(f"This spends **{price}** of **{title}** and cannot be taken back.")
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
    agreed = st.checkbox(f"Spend {price}", key="agreed")
    if is_alarmed:
        agreed &= st.checkbox(ANYWAY, key="anyway")
    spend_button(f"Release with {price}", state.start_job, agreed=agreed, type="primary")
