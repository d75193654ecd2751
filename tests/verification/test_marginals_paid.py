"""Which payments of a model have no noise."""

from fractions import Fraction

import pytest

from synth.estimate import Spend
from synth.estimate.names import WORST
from synth.noise import DiscreteLaplace
from synth.plans import Method, Plan
from synth.privacy import Guarantee
from synth.verification.payments import is_paid
from tests.verification.models import DOMAIN

COST = Guarantee.pure(Fraction(1, 2))


@pytest.mark.parametrize(
    ("payment", "columns", "scale", "right"),
    [
        (WORST, (), None, True),
        (WORST, (), 4, False),  # a choice with noise
        ("kin", ("kin",), None, False),  # counts without noise
        (WORST, ("kin",), None, False),  # counts that call themselves a choice
        ("kin", ("kin",), 4, True),
        ("kin", ("kin",), 3, False),  # too little noise
        ("kin", ("kin",), 5, False),  # more noise than was paid for
    ],
)
def test_only_a_choice_is_paid_without_noise(
    *, payment: str, columns: tuple[str, ...], scale: int | None, right: bool
) -> None:
    """A payment of epsilon 1/2 is right if its noise costs exactly that much.

    A replaced row changes two counts of a column by one, so the sensitivity is 2 and the
    scale 2 / (1/2) = 4. Only the private choice of a pair (`WORST`, without columns) has no
    noise.
    """
    plan = Plan(domain=DOMAIN, epsilon=Fraction(1), method=Method.ADAPTIVE)
    noise = None if scale is None else DiscreteLaplace(Fraction(scale))
    spend = Spend(what=payment, cost=COST, mechanism=noise, columns=columns, values=(1, 2, 3))

    assert is_paid(spend, plan) == right
