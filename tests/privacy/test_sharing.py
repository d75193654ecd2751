"""Guarantees shared out by weights, and rhos told as epsilons."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth import limits
from synth.errors import ArgumentError
from synth.privacy import (
    Guarantee,
    implied_guarantee,
    share_out,
    spell,
    zcdp_epsilon,
    zcdp_rho,
)

PARTS = st.fractions(min_value=Fraction(1, 10**6), max_value=100, max_denominator=10**6)
WEIGHTS = st.lists(PARTS, min_size=1, max_size=30)
DELTAS = st.sampled_from([Fraction(1, 10**9), Fraction(1, 10**5), Fraction(1, 3)])
GUARANTEES = st.one_of(
    st.builds(Guarantee.pure, PARTS),
    st.builds(Guarantee.zcdp, PARTS),
    st.builds(Guarantee.approximate, PARTS, DELTAS),
)


@given(GUARANTEES, WEIGHTS)
def test_shares_add_up_exactly_and_are_in_proportion(
    guarantee: Guarantee, weights: list[Fraction]
) -> None:
    """Shares of any guarantee add up to it exactly, and are in proportion to their weights.

    Epsilons, rhos and deltas are exact rationals. Each share is above 0.
    """
    shares = share_out(guarantee, weights)

    total = shares[0]
    for share in shares[1:]:
        total += share
    assert total == guarantee

    for share, weight in zip(shares, weights, strict=True):
        amount, first_amount = (
            (part.rho if part.epsilon is None else part.epsilon)
            for part in (share, shares[0])
        )
        assert amount * weights[0] == first_amount * weight
        assert amount > 0


@given(GUARANTEES, WEIGHTS, PARTS)
@pytest.mark.slow
def test_only_ratios_of_weights_count(
    guarantee: Guarantee, weights: list[Fraction], factor: Fraction
) -> None:
    """Weights that are all multiplied by one factor give the same shares."""
    assert share_out(guarantee, weights) == share_out(
        guarantee, [factor * weight for weight in weights]
    )


def test_equal_weights_split_and_texts_are_read_exactly() -> None:
    """Seven equal weights give each a seventh; weights may be texts, which are read exactly.

    0.1 and 1/5 are in the ratio 1 to 2. The delta is shared in the same way.
    """
    guarantee = Guarantee.approximate(1, Fraction(1, 10**9))
    assert share_out(guarantee, [1] * 7) == [guarantee.scale(Fraction(1, 7))] * 7

    third, two_thirds = share_out(guarantee, ["0.1", "1/5"])
    assert (third.epsilon, two_thirds.epsilon) == (Fraction(1, 3), Fraction(2, 3))
    assert third.delta == Fraction(1, 3 * 10**9)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([], "Weights are one number above 0 for each question, but there are none."),
        ([1, 0], "A weight must be above 0, but it is 0."),
        (["-1"], "A weight must be above 0, but it is -1."),
        (["much"], "A weight must be a number such as 1, 0.1 or 1/3, but it is 'much'."),
    ],
)
def test_weights_that_make_no_sense_are_refused(
    weights: list[int | str], sentence: str
) -> None:
    """No weights, or one that is not a number above 0, are refused with a sentence."""
    with pytest.raises(ArgumentError) as caught:
        share_out(Guarantee.pure(1), weights)
    assert str(caught.value) == sentence


@given(
    st.fractions(min_value=limits.RHO_MIN, max_value=limits.RHO_MAX),
    st.sampled_from(
        [Fraction(1, 10**12), Fraction(1, 10**9), Fraction(1, 10**5), Fraction(1, 2)]
    ),
)
def test_an_implied_epsilon_is_certainly_enough_and_hardly_more(
    rho: Fraction, delta: Fraction
) -> None:
    """The epsilon that is told for a rho surely holds, and is at most 0.11 % too large.

    Converted back exactly, it allows at least this rho. It is compared with a conversion in
    floats.
    """
    implied = implied_guarantee(Guarantee.zcdp(rho), delta)
    assert implied.delta == delta
    assert zcdp_rho(implied.epsilon, delta) >= rho

    float_epsilon = zcdp_epsilon(rho, float(delta))
    assert float(implied.epsilon) <= max(float_epsilon * 1.0011, 1.001e-9)


def test_what_is_no_rho_implies_itself() -> None:
    pure = Guarantee.pure(Fraction(1, 7))
    assert implied_guarantee(pure) == pure


@pytest.mark.parametrize(
    ("guarantee", "delta", "says"),
    [
        (Guarantee.pure(Fraction(1, 2)), None, "epsilon = 0.5"),
        (
            Guarantee.approximate(1, Fraction(1, 10**9)),
            None,
            "epsilon = 1 with delta = 1e-09",
        ),
        (
            Guarantee.zcdp(Fraction(1, 100)),
            Fraction(1, 10**6),
            "rho = 0.01 (zCDP), which implies epsilon = 0.6217 with delta = 1e-06",
        ),
        (
            Guarantee.zcdp(zcdp_rho(Fraction(1), Fraction(1, 10**9))),
            None,
            "rho = about 0.0149731 (rounded up) (zCDP), which implies epsilon = 1.001 with "
            "delta = 1e-09",
        ),
        (
            Guarantee.pure(Fraction(1, 3**90)),
            None,
            "epsilon = about 1.14575e-43 (rounded up)",
        ),
    ],
)
def test_guarantees_are_spelled_out_for_people(
    guarantee: Guarantee, delta: Fraction | None, says: str
) -> None:
    assert spell(guarantee, delta) == says
