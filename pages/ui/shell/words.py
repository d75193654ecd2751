"""A plan in words: what it promises, and the command that follows it without a screen."""

import shlex
from fractions import Fraction

from synth.bundle.claims import claim_of
from synth.plan import Plan
from synth.privacy.budget import plain, scientific
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.repair.histogram import Repair


def typed(delta: Fraction) -> str:
    """A delta as people type it, without losing anything.

    >>> typed(Fraction(1, 10**9)), typed(Fraction(1, 3 * 10**9))
    ('1e-09', '1/3000000000')
    """
    return scientific(delta)


def cost(plan: Plan) -> Guarantee:
    """What a release of the plan is charged."""
    return plan.choice.guarantee(plan.epsilon)


def budget_text(text: str, plan: Plan) -> str:
    """A budget as typed; where it is a plain number and the plan has a delta, with room for ten.

    >>> from synth.domain.domain import Categorical, Domain
    >>> from synth.plan import Method
    >>> pairs = Domain(tuple(Categorical(name=n, categories=("x", "y")) for n in "abc"))
    >>> tree = Plan(pairs, Fraction(1), method=Method.TREE, delta=Fraction(1, 10**9))
    >>> budget_text("3", tree), budget_text("3", Plan(pairs, Fraction(1)))
    ('epsilon=3,delta=1e-08', '3')
    """
    delta = cost(plan).delta
    return (
        f"epsilon={text.strip()},delta={typed(10 * delta)}" if delta and "=" not in text else text
    )


def guarantee_in_words(plan: Plan) -> str:
    """What a release of the plan promises."""
    return claim_of(plan.epsilon, plan.neighbors, plan.delta, str(plan.unit)).statement


def command_line(plan: Plan, table: str) -> str:
    """The command that does the same without a screen."""
    words = ["python", "-m", "synth", "release", table, "--domain", "domain.json"]
    words += ["--epsilon", plain(plan.epsilon), "--out", "release"]
    if plan.method is not Plan.method:
        words += ["--method", plan.method.value]
    if plan.delta:
        words += ["--delta", typed(plan.delta)]
    if plan.groups:
        words += ["--groups", ";".join(",".join(group) for group in plan.groups)]
    if plan.rules:
        words += ["--rules", "rules.json"]
    if plan.unit.person:
        words += ["--person", plan.unit.person, "--max-rows", str(plan.unit.max_rows)]
    if plan.max_model_mb != Plan.max_model_mb:
        words += ["--max-model-mb", str(plan.max_model_mb)]
    if plan.neighbors is not Neighbors.REPLACE_ONE:
        words += ["--neighbors", plan.neighbors.value]
    if plan.repair is not Repair.AUTO:
        words += ["--repair", plan.repair.value]
    if plan.rows is not None:
        words += ["--rows", str(plan.rows)]
    return shlex.join(words)
