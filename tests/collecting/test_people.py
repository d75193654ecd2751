"""How many people are needed: against a brute search over all numbers and shares; seed row
M10.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.collecting import expected_reach, people_needed
from synth.collecting.probabilities import ResponseWeights
from synth.errors import ArgumentError, LimitError
from synth.lessons.noises import rows_needed
from tests.collecting.forms import make_design
from tests.conftest import Report

TWENTIETH = Fraction(1, 20)


def worst_chance(weights: ResponseWeights, n: int, error: Fraction) -> float:
    """The largest chance that a share is off by more than ``error``: next to every jump."""
    low = float(weights.other)
    high = float(weights.truth)
    reach = float(n * error * weights.gain)
    counts = np.arange(n + 1)
    jumps = np.concatenate([(counts - reach) / n, (counts + reach) / n, [low, high]])
    shares = np.concatenate([jumps - 1e-11, jumps + 1e-11])
    shares = shares[(shares >= low) & (shares <= high)]
    first = np.ceil(n * shares - reach)
    last = np.floor(n * shares + reach)
    off = stats.binom.cdf(first - 1, n, shares) + stats.binom.sf(last, n, shares)
    return float(off.max())


@pytest.mark.parametrize(
    ("epsilon", "size", "error", "outside"),
    [
        (1, 2, Fraction(1, 10), Fraction(1, 20)),
        (2, 3, Fraction(1, 10), Fraction(1, 20)),
        (1, 5, Fraction(1, 5), Fraction(1, 20)),
        (5, 2, Fraction(1, 10), Fraction(1, 20)),
        (Fraction(1, 2), 2, Fraction(1, 4), Fraction(1, 5)),
    ],
)
def test_the_number_is_the_least_from_which_on_it_holds(
    epsilon: Fraction | int, size: int, error: Fraction, outside: Fraction
) -> None:
    """With one person fewer, some true share is off more often than allowed. With that many
    and more, up to Hoeffding's number, beyond which its bound holds, none is.

    With more than two options, the allowed chance is divided among the shares.
    """
    form = make_design(epsilon, sizes=(size,))
    needed = people_needed(form, error=error, outside=outside)
    per_share = float(outside / (size if size > 2 else 1))

    assert worst_chance(form.weights[0], needed.exact - 1, error) > per_share

    enough = range(needed.exact, needed.hoeffding + 1)
    assert all(worst_chance(form.weights[0], n, error) <= per_share for n in enough)


@pytest.mark.seed
def test_m10_people_needed_for_ten_shares(report: Report) -> None:
    """Ten shares within .05 with probability .95 at eps = 1: Hoeffding's bound needs 480,116
    people; the binomial law itself needs 316,064.
    """
    form = make_design(1, sizes=(2,) * 10)
    needed = people_needed(form, error=TWENTIETH)
    # The number of the source note, and the same from another formula of Synth.
    assert needed.hoeffding == rows_needed(10, alpha=0.05, epsilon=1, beta=0.05)
    assert needed.hoeffding == pytest.approx(480_116, abs=1)

    reach = float(TWENTIETH * form.weights[0].gain)

    def failure_chance(n: int) -> float:
        """The largest chance that one of ten shares around a half is off, with n people."""
        shares = 0.5 + np.linspace(-2, 2, 4_001) / n
        first = np.ceil(n * (shares - reach))
        last = np.floor(n * (shares + reach))
        ends = stats.binom.cdf(first - 1, n, shares) + stats.binom.sf(last, n, shares)
        return 10 * float(ends.max())

    assert failure_chance(needed.exact - 1) > 0.05, "one person fewer is too few"
    more_people = range(needed.exact, needed.exact + 2_000, 41)
    assert all(failure_chance(n) <= 0.05 for n in more_people)
    assert needed.exact == 316_064

    report(
        f"M10 people: note 480,116, ours {needed.hoeffding:,} (Hoeffding) and "
        f"{needed.exact:,} (the binomial law itself); failures at the latter "
        f"{failure_chance(needed.exact):.5f}"
    )


def test_the_hardest_question_decides_and_large_numbers_are_quick() -> None:
    """More options, or less of epsilon for each question, need more people.

    Epsilon 1/10 for ten questions is 1/100 each, so a share is seen with a gain of about
    0.005. Hoeffding's bound then needs about 5 * 10^7 people, and the binomial law a third
    fewer.
    """
    mixed = people_needed(make_design(1, sizes=(2, 5)), error=TWENTIETH)
    assert mixed.exact > people_needed(make_design(1, sizes=(2, 2)), error=TWENTIETH).exact

    assert (
        people_needed(make_design(Fraction(1, 10), sizes=(2,) * 10), error=TWENTIETH).exact
        > 10**7
    )


def test_what_cannot_be_planned() -> None:
    """Too many people, or an error or a probability that is no share, are refused
    in words.
    """
    with pytest.raises(
        LimitError, match="More than 1,000,000,000,000 people would be needed"
    ):
        people_needed(
            make_design(Fraction(1, 1000), sizes=(2,) * 30), error=Fraction(1, 1000)
        )
    for error in (Fraction(0), Fraction(1)):
        with pytest.raises(ArgumentError, match="error must be a share above 0 and below 1"):
            people_needed(make_design(), error=error)
    with pytest.raises(ArgumentError, match="outside must be a share"):
        people_needed(make_design(), error=TWENTIETH, outside=Fraction(2))


def test_the_reach_shrinks_with_the_root_of_the_people() -> None:
    """A share around 1/2 reaches 1.96 standard deviations of 0.5 / sqrt(n), divided by the
    gain.
    """
    weights = make_design(1, sizes=(2,)).weights[0]
    wide = expected_reach(weights, 10_000)
    narrow = expected_reach(weights, 40_000)

    assert wide == pytest.approx(1.96 * 0.5 / 100 / float(weights.gain), rel=0.02)
    # Four times the people halve the reach.
    assert wide / narrow == pytest.approx(2, rel=0.02)
