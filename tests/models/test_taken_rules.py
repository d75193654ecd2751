"""Rules that a look proposed: obeyed like all others, and named by the plan."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth import Derived, Domain, Integer
from synth.domain import LOOKED_UP
from synth.errors import DomainError
from synth.estimate import read_rules
from synth.plans import Plan

DOMAIN = Domain(a=Integer(0, 9), b=Integer(0, 9))
TAKEN = {"taken": {"order": [["a", "b"]]}}


def test_taken_rules_are_obeyed_like_others() -> None:
    """Rules that were taken from the rows are enforced as the steward's own rules are."""
    rules = read_rules(TAKEN, DOMAIN)
    assert rules.order == ((0, 1),)
    codes = np.array([[3, 4], [4, 3]])
    assert rules.find_broken(codes).tolist() == [False, True]


@pytest.mark.parametrize(
    "content",
    [
        {"taken": [["a", "b"]]},
        {"taken": {"orders": []}},
        {"taken": {"taken": {}}},
        {"taken": {"order": "ab"}},
        {"taken": {"fixed": [{"given": "a"}]}},
        {"order": {"a": "b"}},
    ],
)
def test_another_form_is_one_sentence(content: Any) -> None:
    """What is no such object is refused by one sentence, also when a plan is made of it."""
    with pytest.raises(DomainError):
        read_rules(content, DOMAIN)
    with pytest.raises(DomainError):
        Plan(domain=DOMAIN, epsilon=Fraction(1), rules=content).check_size()


def test_a_plan_names_what_was_taken() -> None:
    """The domain of a plan with taken rules or columns is taken from the rows, too."""
    assert (
        Plan(domain=DOMAIN, epsilon=Fraction(1), rules={"order": [["a", "b"]]}).caveats == ()
    )
    plan = Plan(domain=DOMAIN, epsilon=Fraction(1), rules=TAKEN)
    assert plan.domain.origin == LOOKED_UP
    assert plan.caveats[0].endswith("taken from them: 'a' is at most 'b'.")
    assert Plan.from_json(plan.to_json()) == plan

    derived = Domain(a=Integer(0, 9), c=Derived(formula="a + 1", taken=True), vouched=True)
    assert derived.origin == LOOKED_UP
    (caveat,) = Plan(domain=derived, epsilon=Fraction(1)).caveats
    assert "'c' follows from 'a'" in caveat
    assert caveat.endswith("The steward vouches that they are public.")
