"""What is left of the budget at each epsilon, and where it ends."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import streamlit as st

from pages.ui.plan.slider import EPSILONS
from pages.ui.shell import budgets, state
from pages.ui.shell.draft import Draft
from pages.ui.shell.words import budget_text
from synth import limits
from synth.door import Balance
from synth.errors import SynthError
from synth.estimate import RECIPES
from synth.foreign import in_markdown
from synth.privacy import Guarantee, brief, parse_budget, parse_epsilon, parse_rational, plain

# The most characters of a rest that is a step of the slider.
MAX_REST_LENGTH = 5


def find_balance(draft: Draft) -> Balance | None:
    """Return the spends and the budget of the table's people; None if nothing limits them.

    A budget that is not set yet is the one that the step Release proposes.
    """
    try:
        balance = budgets.balance()
        if balance is not None and balance.budget is None:
            text = budget_text(draft.budget, _cost(draft, "1"))
            balance = replace(balance, budget=parse_budget(text, draft.neighbors))
    except SynthError:  # the step Release says what is wrong with the ledger or the budget
        return None
    return balance


def name_rest(balance: Balance | None) -> tuple[str, ...]:
    """Return the rest of a budget in epsilon, if it is a short number on the slider."""
    if balance is None or balance.budget is None or balance.budget.unit != "epsilon":
        return ()
    rest = plain(balance.left)
    is_on_slider = 0 < balance.left <= parse_epsilon(EPSILONS[-1])
    return (rest,) if is_on_slider and len(rest) <= MAX_REST_LENGTH else ()


def say_stored_or_left(draft: Draft, balance: Balance | None, epsilon: str) -> str:
    """Return that a release is stored and free, or else what it leaves of the budget.

    Args:
        draft: All choices of the session.
        balance: The spends and the budget.
        epsilon: The epsilon as text.
    """
    if _is_stored(draft, balance, epsilon):
        return "stored, costs nothing"
    return say_left(draft, balance, epsilon)


def _is_stored(draft: Draft, balance: Balance | None, epsilon: str) -> bool:
    """Return whether the plan was released with this epsilon before: that is free to get."""
    amount = parse_epsilon(epsilon)
    spends = balance.spends if balance is not None else ()
    # A spend of a rho has no epsilon; the ledger is asked only where one may be of this plan.
    if all(entry.guarantee.epsilon not in (amount, None) for entry in spends):
        return False
    try:
        return _was_spent(draft, epsilon)
    except SynthError:  # the page says what is wrong with the plan or the ledger
        return False


def _was_spent(draft: Draft, epsilon: str) -> bool:
    """Return whether the ledger has the spend of this plan with an epsilon."""
    return budgets.find_spend(draft.change(epsilon=epsilon).plan()) is not None


def say_left(draft: Draft, balance: Balance | None, epsilon: str) -> str:
    """Return what a release with an epsilon leaves of the budget; empty without a budget.

    Args:
        draft: All choices of the session.
        balance: The spends and the budget.
        epsilon: The epsilon as text.
    """
    if balance is None or balance.budget is None:
        return ""
    rest = balance.left_after(_cost(draft, epsilon))
    amount = plain(balance.budget.amount)
    unit = "" if balance.budget.unit == "epsilon" else f"{balance.budget.unit} "
    if rest is None:
        return ""
    if rest < 0:
        left = brief(max(balance.left, Fraction(0)), up=False, most=limits.NUMBER_SHOWN)
        return f"only {unit}{left} of {amount} is left"
    return f"leaves {unit}{brief(rest, up=False, most=limits.NUMBER_SHOWN)} of {amount}"


def count_allowed(draft: Draft, balance: Balance | None, steps: Sequence[str]) -> int:
    """Return how many of the epsilons, ascending, the budget allows; at least 1.

    Args:
        draft: All choices of the session.
        balance: The spends and the budget; None if nothing limits the epsilon.
        steps: The epsilons as texts.
    """
    allowed = [epsilon for epsilon in steps if _is_left(draft, balance, epsilon)]
    return max(1, len(allowed))


def why_not_taken(draft: Draft, typed: str) -> str:
    """Return the sentence why a typed epsilon is not taken; empty if it is.

    A spend that was made before is taken, as getting it back costs nothing.
    """
    try:
        epsilon = parse_epsilon(typed.strip())
        balance = find_balance(draft)
        if _is_left(draft, balance, plain(epsilon)):
            return ""
        if _was_spent(draft, plain(epsilon)):
            return ""
        reason = (
            f"Epsilon {plain(epsilon)} is more than the budget has: "
            f"{say_left(draft, balance, plain(epsilon))}."
        )
    except SynthError as error:
        reason = str(error)
    return f"{reason[:1].upper()}{reason[1:]} Epsilon {draft.epsilon} stays."


def note_budget(draft: Draft) -> None:
    """Show the budget that is not set yet, with the field to type another one."""
    try:
        balance = budgets.balance()
    except SynthError:
        return
    if balance is None or balance.budget is not None:
        return
    st.text_input(
        "Budget of these people (epsilon)",
        help="The most that may ever be spent on these people. It is set with the first "
        "spend; until then you can type another one.",
        **state.tied_choice("budget"),
    )
    try:
        parse_budget(budget_text(draft.budget, _cost(draft, "1")), draft.neighbors)
    except SynthError as error:
        st.warning(in_markdown(str(error)), icon=":material/account_balance_wallet:")


def _is_left(draft: Draft, balance: Balance | None, epsilon: str) -> bool:
    """Return whether the budget has this epsilon left."""
    if balance is None:
        return True
    rest = balance.left_after(_cost(draft, epsilon))
    return rest is None or rest >= 0


def _cost(draft: Draft, epsilon: str) -> Guarantee:
    """Return the cost of a release with an epsilon; its delta is that of the draft."""
    typed = draft.delta if RECIPES[draft.method].by_model else ""
    amount = parse_epsilon(epsilon)
    try:
        return Guarantee.of(amount, parse_rational(typed or "0", name="delta"))
    except SynthError:  # the page says that this is no delta
        return Guarantee.pure(amount)
