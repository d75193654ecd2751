"""A plan in words: its guarantee and its command."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from synth import limits
from synth.bundle import beyond_domain, claim_of
from synth.estimate import AUTO_SUMS, Favour, Preparation, Repair, sum_preparations
from synth.plans import Plan
from synth.privacy import DEFAULT_BUDGET, Guarantee, Neighbors, parse_budget, plain, scientific

# The delta of a budget that is typed as an epsilon only.
DEFAULT_DELTA = parse_budget(DEFAULT_BUDGET, Neighbors.REPLACE_ONE).guarantee.delta


def type_delta(delta: Fraction) -> str:
    """Return a delta as people type it, exactly.

    >>> type_delta(Fraction(1, 10**9)), type_delta(Fraction(1, 3 * 10**9))
    ('1e-09', '1/3000000000')
    """
    return scientific(delta)


def cost(plan: Plan) -> Guarantee:
    return plan.guarantee(plan.epsilon)


def budget_text(text: str, charge: Guarantee) -> str:
    """Return a typed budget; a plain number gets a delta of one in a million, or is a rho.

    >>> budget_text("3", Guarantee.pure(1)), budget_text("3", Guarantee.zcdp(1))
    ('epsilon=3,delta=1e-06', 'rho=3,delta=1e-09')
    >>> budget_text("3", Guarantee.approximate(1, Fraction(1, 10**6)))
    'epsilon=3,delta=1e-05'
    """
    if "=" in text:
        return text
    if charge.rho is not None:
        return f"rho={text.strip()},delta={type_delta(limits.STATED_DELTA)}"
    delta = max(DEFAULT_DELTA, 10 * charge.delta)
    return f"epsilon={text.strip()},delta={type_delta(delta)}"


def guarantee_in_words(plan: Plan, preparations: Sequence[Preparation] = ()) -> str:
    paid = sum_preparations(preparations)
    epsilon = plan.epsilon + (paid.epsilon or 0 if paid else 0)
    delta = plan.delta + (paid.delta if paid else 0)
    beyond = beyond_domain(plan.domain, [one.kind for one in preparations])
    return claim_of(epsilon, plan.neighbors, delta, str(plan.unit), beyond=beyond).statement


def command_line(plan: Plan, table: str) -> str:
    words = ["python", "-m", "synth", "release", table, "--domain", "domain.json"]
    words += ["--epsilon", plain(plan.epsilon), "--out", "release"]
    if plan.method is not Plan.method:
        words += ["--method", plan.method]
    if plan.delta:
        words += ["--delta", type_delta(plan.delta)]
    if plan.groups:
        words += ["--groups", ";".join(",".join(group) for group in plan.groups)]
    if plan.rules:
        words += ["--rules", "rules.json"]
    if plan.public:
        words += ["--public", "PUBLIC.csv", "--vouched-by", plan.public.vouched_by]
    if plan.unit.person:
        words += ["--person", plan.unit.person, "--max-rows", str(plan.unit.max_rows)]
    if plan.max_model_mb != Plan.max_model_mb:
        words += ["--max-model-mb", str(plan.max_model_mb)]
    if plan.neighbors is not Neighbors.REPLACE_ONE:
        words += ["--neighbors", plan.neighbors.value]
    if plan.repair != Repair.AUTO:
        words += ["--repair", plan.repair]
    if plan.favour is not Favour.ERRORS:
        words += ["--favour", plan.favour.value]
    if plan.predict:
        words += ["--predict", plan.predict]
    if plan.moments != replace(plan, moments=(AUTO_SUMS,)).moments:
        words += ["--moments", ",".join(plan.moments) or "none"]
    if plan.rows is not None:
        words += ["--rows", str(plan.rows)]
    return shlex.join(words)
