"""The price of protecting persons is what a release by the same plan would pay."""

from dataclasses import replace
from fractions import Fraction

from synth.domain import Categorical, Domain
from synth.forecasts import compare_units, outlook, price_of_persons
from synth.plans import Plan
from synth.privacy import Unit

DOMAIN = Domain(tuple(Categorical(name=name, categories=tuple("abcd")) for name in "xyz"))
ROWS = 900


def test_persons_are_as_dear_as_the_smaller_epsilon_that_is_named() -> None:
    """Ten rows of each person at epsilon 1 have the noise of single rows at epsilon 0.1."""
    plan = Plan(domain=DOMAIN, epsilon=Fraction(1))
    persons = replace(plan, unit=Unit("pid", 10))
    rows_with_less = replace(plan, epsilon=Fraction(1, 10))

    assert persons.scale == rows_with_less.scale
    price = price_of_persons(10, epsilon=plan.epsilon, rows=ROWS)
    assert "10 times as large, as with epsilon 0.1 instead of 1" in price
    assert "90 rows instead of 900." in price


def test_both_forecasts_are_told_side_by_side() -> None:
    """The first errors are those of persons, and they are larger."""
    plan = Plan(domain=DOMAIN, epsilon=Fraction(1))
    persons = outlook(replace(plan, unit=Unit("pid", 10)), ROWS)
    single_rows = outlook(plan, ROWS)
    assert persons.columns.low > single_rows.columns.high

    with_persons, with_rows = compare_units(persons, single_rows).split(";")
    assert f"columns {100 * persons.columns.low:.2g}" in with_persons
    assert f"columns {100 * single_rows.columns.low:.2g}" in with_rows
    assert "each person" in with_persons
    assert "each row" in with_rows


def test_an_epsilon_that_is_no_short_number_is_rounded() -> None:
    """A seventh is no decimal, and nobody reads fractions of it."""
    price = price_of_persons(7, epsilon=Fraction(1))
    assert price == ("Noise is then 7 times as large, as with epsilon 1/7 instead of 1.")
    price = price_of_persons(7, epsilon=Fraction("0.123"))
    assert "epsilon about 0.018 instead of 0.123." in price
