"""The cost of a release, the remaining budget, and the button that spends."""

from dataclasses import replace
from fractions import Fraction
from typing import Protocol

import streamlit as st

from pages.ui.data.population import population
from pages.ui.plan.prediction import lost_relations
from pages.ui.release.checking import ask_to_check, payments_before, with_looks
from pages.ui.shell import at_work, budgets, state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from pages.ui.shell.promise import promise
from pages.ui.shell.release import Release
from pages.ui.shell.widgets import show_earlier_spend, spend_button
from pages.ui.shell.words import budget_text, cost
from synth.door import Balance, Entry
from synth.errors import LedgerError
from synth.estimate import REPAIRS, Repair
from synth.foreign import in_markdown
from synth.limits import NUMBER_SHOWN
from synth.plans import Plan
from synth.privacy import (
    Guarantee,
    Neighbors,
    Unit,
    brief,
    name_cost,
    parse_budget,
    plain,
    scientific,
)

ANYWAY = "Release all the same, although rows do not fit"


class Spent(Protocol):
    """The object of a spend: a plan or an inquiry."""

    @property
    def neighbors(self) -> Neighbors:
        """Return the relation of its guarantee."""

    @property
    def unit(self) -> Unit:
        """Return the protected unit."""


def offer_stored(entry: Entry, draft: Draft, plan: Plan) -> None:
    """Show a release that was paid for before, and a button that gets it at no cost.

    Args:
        entry: The spend in the ledger.
        draft: All choices of the session.
        plan: Its plan, perhaps with another repair of the same noisy counts.
    """
    show_earlier_spend(entry, "This plan was released", "that release")
    changed_repair = _say_changed_repair(draft.release, plan)
    if changed_repair:
        st.info(in_markdown(changed_repair), icon=":material/build:")
    spend_button("Get the stored release", at_work.start_job, agreed=True, type="primary")


def _say_changed_repair(release: Release | None, plan: Plan) -> str:
    """Return that rows are drawn by another repair than those of a release; else "".

    Args:
        release: The latest release of the table; None without one.
        plan: The plan, whose noisy counts are those of the release.
    """
    if release is None or release.noisy_counts is None:
        return ""
    repair = Repair.POOLED if plan.repair == Repair.AUTO else plan.repair
    if repair == release.repair:
        return ""
    return (
        f"The noisy counts stay, and the rows change: they are drawn by "
        f"{REPAIRS[repair].title} now, and were drawn by {REPAIRS[release.repair].title}."
    )


def ask_budget(balance: Balance | None, charge: Guarantee, plan: Spent) -> Balance | None:
    """Ask for the first budget of a dataset; return its account with the typed budget.

    An account with a budget is returned as it is.

    Args:
        balance: The account in the ledger; None if no ledger counts the table.
        charge: The cost of the spend, from which a typed number gets its delta.
        plan: The plan or the inquiry.

    Raises:
        SynthError: The typed budget is invalid.
    """
    if balance is None or balance.budget is not None:
        return balance
    st.text_input(
        "Budget: the most that may ever be spent on these people",
        help="An epsilon alone also allows a delta of one in a million. The ledger counts "
        "every spend. You can change the budget on the page Ledger.",
        **state.tied_choice("budget"),
    )
    new_budget = parse_budget(budget_text(state.draft().budget, charge), plan.neighbors)
    return replace(balance, budget=new_budget)


def budget(balance: Balance | None, charge: Guarantee, plan: Spent, *, thing: str) -> None:
    """Show the budget, the rest now and after a spend, and whether that rest allows it.

    Args:
        balance: The account in the ledger; None if no ledger counts the table.
        charge: The cost of the spend.
        plan: The plan or the inquiry.
        thing: A word for the spend, such as "release".
    """
    balance = ask_budget(balance, charge, plan)
    if balance is None or balance.budget is None:
        return
    limit = balance.budget
    # Of a rho the delta at which it is stated; of an epsilon the delta that may be spent.
    delta = limit.delta or limit.guarantee.delta
    delta_words = ""
    if delta:
        delta_words = f" and delta **{in_markdown(scientific(delta))}**"
    st.markdown(
        f"These people have a budget of {limit.unit} **{plain(limit.amount)}**{delta_words}. "
        f"Of this, **{in_markdown(balance.left_words)}** is left"
        f"{_after(balance, charge, thing)}."
    )
    _warn_of_refusal(
        balance, charge, plan, choice="plan" if thing == "release" else "choice above"
    )


def _warn_of_refusal(
    balance: Balance, charge: Guarantee, plan: Spent, *, choice: str
) -> None:
    """Show warnings if the ledger would refuse the spend, whatever is left of the budget.

    Args:
        balance: The account in the ledger, with a budget.
        charge: The cost of the spend.
        plan: The plan or the inquiry.
        choice: A word for what could be changed instead of the budget.
    """
    assert balance.budget is not None
    # First the protected unit, which all spends on a dataset share. Then the neighbours and
    # the measure of the budget, as an epsilon cannot be charged for a rho.
    try:
        balance.check(plan.unit.person)
    except LedgerError as error:
        _warn(f"{error} Here the name is the answer to Whose data is this? on the page Data.")
    try:
        balance.budget.check(charge, plan.neighbors)
    except LedgerError as error:
        _warn(f"{error} Change the budget on the page Ledger, or the {choice}.")


def _after(balance: Balance, charge: Guarantee, thing: str) -> str:
    """Return the end of a sentence on what is left of the budget after a spend.

    It is empty without a budget, if too little is left, or if a rho cannot be subtracted from
    an epsilon.

    Args:
        balance: The account in the ledger.
        charge: The cost of the spend.
        thing: A word for the spend, such as "release".
    """
    # A release with a delta may count as Gaussian noise.
    remaining = balance.left_after(charge, gaussian=thing == "release")
    if remaining is None or remaining < 0:
        return ""
    after = brief(remaining, up=False, most=NUMBER_SHOWN)
    return f", and **{after}** after this {thing}"


def _warn(sentence: str) -> None:
    st.warning(in_markdown(sentence), icon=":material/account_balance_wallet:")


def confirm(draft: Draft, plan: Plan) -> None:
    """Show everything to know before a release, and the button that spends.

    If too few rows fit the declaration, a second tick is asked for. Nothing is shown until
    the population of the table is known.
    """
    assert draft.source is not None  # the step is locked without a table
    if not population(draft.source):
        return
    charge = cost(plan)
    balance = ask_budget(budgets.balance(), charge, plan)
    lost_relations(plan, draft.table_rows)
    has_misfits = ask_to_check(draft, plan)
    if balance is not None:
        _warn_of_refusal(balance, charge, plan, choice="plan")
    price = name_cost(charge)
    st.markdown(_name_spend(draft, plan, balance, price=price))
    agreed = st.checkbox(f"Spend {price}", key="agreed", help="You cannot take a spend back.")
    if has_misfits:
        agreed &= st.checkbox(ANYWAY, key="anyway")
    spend_button(f"Release with {price}", at_work.start_job, agreed=agreed, type="primary")
    promise(with_looks(draft, plan), payments_before(draft, plan))


def _name_spend(draft: Draft, plan: Plan, balance: Balance | None, *, price: str) -> str:
    """Return the sentence on what is spent, and on how much was spent before.

    Earlier spends are those of the ledger, if its budget is an epsilon. Without a budget they
    are this session's releases of the dataset.

    Args:
        draft: All choices of the session.
        plan: The plan of the release.
        balance: The account in the ledger; None if no ledger counts the table.
        price: The cost in words.
    """
    limit = balance.budget if balance is not None else None
    before = Fraction(0)
    if balance is None or limit is None:
        for release in draft.releases:
            if release.plan.dataset == plan.dataset:
                before += release.plan.epsilon
    elif limit.unit == "epsilon":
        before = balance.spent
    columns = say_count(len(plan.domain.columns), "column")
    sentence = f"Spend **{price}**"
    if limit is not None:
        sentence += f" of **{plain(limit.amount)}**"
    sentence += f" on **{columns}**"
    if before:
        total = brief(before + plan.epsilon)
        sentence += f"; with {brief(before)} spent before, it is {total} in all"
    return f"{sentence}."
