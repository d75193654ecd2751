"""A plan in words: its guarantee and its command."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from synth import limits
from synth.bundle import beyond_domain, claim_of
from synth.door import Balance, Preparation, sum_preparations
from synth.estimate import AUTO_SUMS
from synth.plans import Plan
from synth.privacy import (
    DEFAULT_BUDGET,
    Guarantee,
    Neighbors,
    brief,
    parse_budget,
    plain,
    scientific,
)

# The delta of a budget that is typed as an epsilon only.
DEFAULT_DELTA = parse_budget(DEFAULT_BUDGET, Neighbors.REPLACE_ONE).guarantee.delta


def type_delta(delta: Fraction) -> str:
    """Return a delta as people type it, exactly.

    >>> type_delta(Fraction(1, 10**9)), type_delta(Fraction(1, 3 * 10**9))
    ('1e-09', '1/3000000000')
    """
    return scientific(delta)


def cost(plan: Plan) -> Guarantee:
    """Return the cost of a plan."""
    return plan.guarantee(plan.epsilon)


def budget_text(text: str, charge: Guarantee) -> str:
    """Return a typed budget with its delta; a text that has an equals sign stays as it is.

    A plain number is an epsilon, with a delta of at least one in a million and ten times that
    of the first spend. It is a rho if that spend is a rho.

    Args:
        text: The budget as typed.
        charge: The cost of the first spend.

    >>> budget_text("3", Guarantee.pure(1)), budget_text("3", Guarantee.zcdp(1))
    ('epsilon=3,delta=1e-06', 'rho=3,delta=1e-09')
    >>> budget_text("3", Guarantee.approximate(1, Fraction(1, 10**6)))
    'epsilon=3,delta=1e-05'
    """
    if "=" in text:
        return text
    if charge.rho is not None:
        return f"rho={text.strip()},delta={type_delta(limits.STATED_DELTA)}"
    delta = max(DEFAULT_DELTA, 10 * charge.delta)  # enough for ten such spends
    return f"epsilon={text.strip()},delta={type_delta(delta)}"


def guarantee_in_words(plan: Plan, preparations: Sequence[Preparation] = ()) -> str:
    """Return the sentence on a plan's guarantee, including what was paid before the release.

    ``preparations`` are paid drafts and checks of the declaration.
    """
    epsilon = plan.epsilon
    delta = plan.delta
    paid = sum_preparations(preparations)
    if paid:
        epsilon += paid.epsilon or 0
        delta += paid.delta
    # Sentences on what the guarantee says of the declaration and its paid drafts.
    beyond = beyond_domain(plan.domain, [preparation.kind for preparation in preparations])
    return claim_of(
        epsilon, plan.neighbors, delta, unit=str(plan.unit), beyond=beyond
    ).statement


def command_line(plan: Plan, table: str) -> str:
    """Return the shell command that makes the same release.

    Options with their default value are left out. ``table`` is the path or name of the table.
    """
    words = ["python", "-m", "synth", "release", table, "--domain", "domain.json"]
    words += ["--epsilon", plain(plan.epsilon), "--out", "release"]
    for name, value in _options_typed(plan).items():
        if value != "":
            words += [f"--{name}", str(value)]
    if plan.repair_seen:
        words.append("--repair-seen")
    return shlex.join(words)


def _options_typed(plan: Plan) -> dict[str, str | int]:
    """Return the values of a plan's options, by name; empty for one that has its default."""
    usual = Plan  # the attributes of the class are the defaults
    # A plan normalises its moments, so compare with the default as this plan writes it.
    usual_moments = replace(plan, moments=(AUTO_SUMS,)).moments
    moments = ""
    if plan.moments != usual_moments:
        moments = ",".join(plan.moments) or "none"
    return {
        "method": plan.method if plan.method is not usual.method else "",
        "delta": type_delta(plan.delta) if plan.delta else "",
        "groups": ";".join(",".join(group) for group in plan.groups),
        "rules": "rules.json" if plan.rules else "",
        "public": "PUBLIC.csv" if plan.public else "",
        "vouched-by": plan.public.vouched_by if plan.public else "",
        "person": plan.unit.person,
        "max-rows": plan.unit.max_rows if plan.unit.person else "",
        "max-model-mb": plan.max_model_mb if plan.max_model_mb != usual.max_model_mb else "",
        "neighbors": plan.neighbors.value if plan.neighbors is not usual.neighbors else "",
        "repair": plan.repair if plan.repair != usual.repair else "",
        "favour": plan.favour.value if plan.favour is not usual.favour else "",
        "predict": plan.predict,
        "moments": moments,
        "rows": "" if plan.rows is None else plan.rows,
    }


def share_spent(balance: Balance) -> float:
    """Return the part of a budget that is spent, from 0 to 1."""
    assert balance.budget is not None
    return min(1.0, float(balance.spent / balance.budget.amount))


def say_spent(balance: Balance) -> str:
    """Return how much of a budget is spent, in words such as "epsilon 1 of 3 spent"."""
    assert balance.budget is not None
    limit = balance.budget
    return f"{limit.unit} {balance.spent_words} of {plain(limit.amount)} spent"


def say_account(balance: Balance) -> str:
    """Return how much of a budget is spent and left, with the delta that it allows.

    The spent part is rounded up, and the rest is rounded down. Such as "epsilon 1 of 3 spent,
    2 left; delta 1e-09 of 1e-06 spent, 9.99e-07 left".
    """
    assert balance.budget is not None
    limit = balance.budget
    spent = brief(balance.spent, most=limits.NUMBER_SHOWN)
    left = brief(balance.left, up=False, most=limits.NUMBER_SHOWN)
    words = f"{limit.unit} {spent} of {plain(limit.amount)} spent, {left} left"
    allowed = limit.guarantee.delta
    if not allowed:
        return words
    words += f"; delta {scientific(balance.spent_delta)} of {scientific(allowed)} spent"
    return f"{words}, {scientific(balance.left_delta)} left" if balance.spent_delta else words
