"""Exact chances: their loss in 110 digits, and what becomes of a mechanism that is wrong."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import pytest

from synth.collecting import FormDesign
from synth.collecting.probabilities import LIE_WEIGHT, ResponseWeights, certified_loss
from tests.audit.mutate import mutated
from tests.collecting.forms import make_design

pytestmark = pytest.mark.audit

EPSILONS = (Fraction(1, 10_000), Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(100))


def largest_loss(of: FormDesign) -> Decimal:
    """Of all pairs of persons and all outputs, by multiplying the chances of the whole
    numbers.
    """
    with localcontext(prec=110):
        worst = Decimal(0)
        for weights in of.weights:
            chances = [
                [
                    weights.keep if reported == true else weights.lie
                    for reported in range(weights.options)
                ]
                for true in range(weights.options)
            ]
            assert {sum(row) for row in chances} == {weights.total}
            ratios = (
                Decimal(first_law[reported]) / Decimal(second_law[reported])
                for first_law, second_law in product(chances, repeat=2)
                for reported in range(weights.options)
            )
            worst += max(ratios).ln()
        return worst


def keeps_epsilon(of: FormDesign) -> bool:
    """Whether nobody loses more than epsilon over all questions."""
    with localcontext(prec=110):
        return largest_loss(of) <= Decimal(of.epsilon.numerator) / Decimal(
            of.epsilon.denominator
        )


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sizes", [(2,), (5,), (2, 3, 7), (2,) * 30])
def test_nobody_loses_more_than_epsilon_and_little_is_given_away(
    epsilon: Fraction, sizes: tuple[int, ...]
) -> None:
    """The privacy loss of a person over all questions is at most epsilon, and hardly less.

    The stated loss is rounded up at 24 digits, so it may exceed epsilon by 1e-23. Weights are
    whole numbers of 2^-64, so the true loss is lower by a share of 1e-12 at most.
    """
    form = make_design(epsilon, sizes=sizes)

    assert keeps_epsilon(form)

    with localcontext(prec=110):
        stated = form.loss
        true = largest_loss(form)
        assert (
            true
            <= stated
            <= Decimal(epsilon.numerator) / Decimal(epsilon.denominator) + Decimal("1e-23")
        )

        assert true >= stated * (1 - Decimal("1e-12"))


def test_all_answers_of_a_person_at_once() -> None:
    """Over all pairs of true answers and all reports the losses of two questions add up.

    The loss is the largest logarithm of a ratio of chances of the same report; epsilon is 1.
    """
    form = make_design(1, sizes=(2, 3))
    all_answers = [*product(range(2), range(3))]

    def chance(number: int, true: int, reported: int) -> Fraction:
        weights = form.weights[number]
        return weights.truth if reported == true else weights.other

    def chances_of_reports(true: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
        return {
            reported: chance(0, true[0], reported[0]) * chance(1, true[1], reported[1])
            for reported in all_answers
        }

    with localcontext(prec=110):
        # For each pair of true answers the chances of all six reports.
        laws = [chances_of_reports(true) for true in all_answers]
        assert all(sum(law.values()) == 1 for law in laws)

        worst = max(
            first_law[reported] / second_law[reported]
            for first_law, second_law in product(laws, repeat=2)
            for reported in all_answers
        )

        loss = (Decimal(worst.numerator) / Decimal(worst.denominator)).ln()
        assert abs(loss - largest_loss(form)) < Decimal("1e-100")
        assert loss <= 1


@pytest.mark.mutant
def test_a_chance_that_is_rounded_up_is_caught() -> None:
    with mutated(ResponseWeights, "for_share", "// high", "// high + 1"):
        assert not keeps_epsilon(make_design(1, sizes=(2,)))


@pytest.mark.mutant
def test_an_epsilon_that_is_not_shared_is_caught() -> None:
    with mutated(FormDesign, "weights", "self.epsilon / len(self.questions)", "self.epsilon"):
        assert not keeps_epsilon(make_design(1, sizes=(2, 2)))


def test_the_chances_are_those_of_the_mechanism() -> None:
    """Randomised response keeps the truth with probability 1 / (1 + (k - 1) e^-epsilon).

    k is the number of options. Each lie has the weight 2^64.
    """
    for epsilon, options in product(EPSILONS[1:4], (2, 3, 10)):
        weights = ResponseWeights.for_share(epsilon, options)
        assert weights.lie == LIE_WEIGHT

        truth = 1 / (1 + (options - 1) * math.exp(-epsilon))
        assert float(weights.truth) == pytest.approx(truth, rel=1e-14)


def test_the_stated_loss_is_never_above_epsilon() -> None:
    """The stated loss is a bound of the true one, and epsilon (1) at most.

    Weights that favour the truth too much would lose more than 1, which is capped. An honest
    weight is a whole number near 5 * 10^19, rounded down, so its loss is at most 2 * 10^-20
    below 1.
    """
    weights = ResponseWeights.for_share(Fraction(1), 2)
    more_truthful = ResponseWeights(weights.keep + 10**15, weights.lie, 2)

    assert certified_loss((more_truthful,), Fraction(1)) == 1
    assert str(certified_loss((weights,), Fraction(1))).startswith("0.99999999999999999998")
