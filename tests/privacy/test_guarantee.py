"""Neighbours, guarantees, and numbers read exactly."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from synth import limits
from synth.errors import ArgumentError
from synth.privacy import Guarantee, in_rho, parse_epsilon, parse_rational, parse_rho


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1", Fraction(1)),
        (" 0.1 ", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("2.", Fraction(2)),
        ("1e-1", Fraction(1, 10)),
        ("+1E1", Fraction(10)),
        ("1/3", Fraction(1, 3)),
        (3, Fraction(3)),
        (np.int64(3), Fraction(3)),
        (0.1, Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(1, 7), Fraction(1, 7)),
    ],
)
def test_epsilon_is_read_exactly(written: object, expected: Fraction) -> None:
    """An epsilon is read as its text says, whether it comes as text, float or exact number.

    The float 0.1 is a little above one tenth, but the text 0.1 is what was promised.
    """
    assert parse_epsilon(written) == expected
    assert Fraction(0.1) > Fraction(1, 10)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "epsilon must be a number such as 1, 0.1 or 1/3, but it is ''."),
        ("one", "epsilon must be a number such as 1, 0.1 or 1/3, but it is 'one'."),
        ("0,1", "epsilon must be a number such as 1, 0.1 or 1/3, but it is '0,1'."),
        ("1_0", "epsilon must be a number such as 1, 0.1 or 1/3, but it is '1_0'."),
        ("1/0", "epsilon must be a number such as 1, 0.1 or 1/3, but it is '1/0'."),
        ("\u0661", "epsilon must be a number such as 1, 0.1 or 1/3, but it is '\u0661'."),
        ("nan", "epsilon must be a number such as 1, 0.1 or 1/3, but it is 'nan'."),
        (float("inf"), "epsilon must be a number such as 1, 0.1 or 1/3, but it is 'inf'."),
        (float("nan"), "epsilon must be a number such as 1, 0.1 or 1/3, but it is 'nan'."),
        (Decimal("NaN"), "epsilon must be a number such as 1, 0.1 or 1/3, but it is 'NaN'."),
        (True, "epsilon must be a number such as 1, 0.1 or 1/3, but it is 'True'."),
        (None, "epsilon must be a number such as 1, 0.1 or 1/3, but it is 'None'."),
        (
            "1e999999999",
            "epsilon must be a number such as 1, 0.1 or 1/3, but it is '1e999999999'.",
        ),
        ("1" * 41, "epsilon must be written in at most 40 characters."),
        (10**4000, "epsilon must be written in at most 40 characters."),
        ("0", "epsilon must be above 0, but it is 0."),
        ("-1", "epsilon must be above 0, but it is -1."),
        (Fraction(-1, 2), "epsilon must be above 0, but it is -1/2."),
        ("0.00001", "epsilon must be between 0.0001 and 100, but it is 0.00001."),
        ("1e3", "epsilon must be between 0.0001 and 100, but it is 1e3."),
    ],
)
def test_an_epsilon_that_makes_no_sense_is_refused(written: object, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse_epsilon(written)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "rho must be a number such as 1, 0.1 or 1/3, but it is ''."),
        ("nan", "rho must be a number such as 1, 0.1 or 1/3, but it is 'nan'."),
        ("0", "rho must be above 0, but it is 0."),
        ("-1/2", "rho must be above 0, but it is -1/2."),
        ("1e-9", "rho must be between 5e-09 and 5000, but it is 1e-9."),
        ("5001", "rho must be between 5e-09 and 5000, but it is 5001."),
        ("1" * 41, "rho must be written in at most 40 characters."),
    ],
)
def test_a_rho_that_makes_no_sense_is_refused(written: object, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse_rho(written)
    assert str(caught.value) == message


def test_rho_is_read_exactly_and_reaches_as_far_as_epsilon() -> None:
    """A rho is read exactly, and may be as small and as large as the limits of epsilon imply.

    A pure epsilon is a rho of half its square.
    """
    assert parse_rho("0.01") == parse_rho(0.01) == Fraction(1, 100)
    for epsilon in (limits.EPSILON_MIN, limits.EPSILON_MAX):
        assert parse_rho(in_rho(Guarantee.pure(epsilon))) == epsilon**2 / 2


def test_other_numbers_carry_their_own_name() -> None:
    assert parse_rational("1e-5", name="delta") == Fraction(1, 100_000)
    with pytest.raises(ArgumentError, match=r"^delta must be a number"):
        parse_rational("tiny", name="delta")


def test_guarantees_add_exactly() -> None:
    """Guarantees of one kind add up exactly: a tenth and two tenths are three tenths.

    In floats the sum would be 0.30000000000000004. Deltas and rhos add up too.
    """
    tenth, fifth = Guarantee.pure(Fraction(1, 10)), Guarantee.pure(Fraction(1, 5))
    assert (tenth + fifth).epsilon == Fraction(3, 10)
    approximate = Guarantee.approximate(Fraction(1), Fraction(1, 10**6))
    assert str(tenth + approximate) == "epsilon = 11/10, delta = 1/1000000"
    assert str(Guarantee.zcdp(Fraction(1, 2)) + Guarantee.zcdp(1)) == "rho = 3/2 (zCDP)"


def test_pure_joins_zcdp_as_half_its_square() -> None:
    # An epsilon of 1/2 is a rho of (1/2)^2 / 2 = 1/8.
    assert (Guarantee.zcdp(1) + Guarantee.pure(Fraction(1, 2))).rho == Fraction(9, 8)


def test_approximate_does_not_join_zcdp() -> None:
    with pytest.raises(ArgumentError, match="cannot be added to a zCDP guarantee"):
        Guarantee.zcdp(1) + Guarantee.approximate(1, Fraction(1, 10))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Guarantee.pure(0), "epsilon must be above 0, but it is 0."),
        (lambda: Guarantee.zcdp(Fraction(-1)), "rho must be above 0, but it is -1."),
        (
            lambda: Guarantee.approximate(1, Fraction(1)),
            "delta must be below 1, but it is 1.",
        ),
        (lambda: Guarantee.pure(0.1), "epsilon must be an exact rational, but it is 0.1."),
    ],
)
def test_empty_claims_are_refused(make: object, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == message
