"""A plan in words: what it promises, and the command that follows it without a screen."""

import shlex
from fractions import Fraction

from synth.budget import plain
from synth.bundle import certificate_words
from synth.plan import Plan
from synth.privacy import Neighbors
from synth.repair import Repair


def typed(delta: Fraction) -> str:
    """A delta as people type it, without losing anything.

    >>> typed(Fraction(1, 10**9)), typed(Fraction(1, 3 * 10**9))
    ('1e-09', '1/3000000000')
    """
    text = f"{float(delta):g}"
    return text if Fraction(text) == delta else str(delta)


def guarantee_in_words(plan: Plan) -> str:
    """What a release of the plan promises."""
    return certificate_words(plan.epsilon, plan.neighbors, plan.delta, str(plan.unit))[2]


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
