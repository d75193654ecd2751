"""Budgets as they are typed, compared and printed."""

from fractions import Fraction

import pytest

from synth.errors import ArgumentError
from synth.privacy import Budget, Guarantee, parse_budget
from tests.ledger.ledgers import REPLACE


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0", "budget must be above 0, but it is 0."),
        ("-1", "budget must be above 0, but it is -1."),
        ("much", "The budget must be a number such as 1, 0.1 or 1/3, but it is 'much'."),
        ("epsilon=1,delta=2", "delta must be below 1, such as 1e-9, but it is 2."),
        ("rho=1,delta=1", "delta must be below 1, such as 1e-9, but it is 1."),
        ("epsilon=1,delta=0", "delta must be above 0, but it is 0."),
        *[
            (
                text,
                "A budget is one number such as 3 or 1.5 (epsilon), epsilon=3,delta=1e-9 or "
                "rho",
            )
            for text in (
                "rho=1",
                "1,5",
                "1,",
                ",1",
                ",",
                "3,delta=1e-9",
                "epsilon=1,5,delta=1e-8",
                "epsilon=1,epsilon=2",
                "epsilon=1,delta=1e-9,delta=1e-6",
                "epsilon=1,rho=1,delta=1e-9",
                "epsilon=1,sigma=2",
                "Epsilon=1",
                "epsilon=1=2",
                "=3",
                "epsilon=3,",
                "delta=1e-9",
            )
        ],
        *[
            (text, f"The budget must be a number such as 1, 0.1 or 1/3, but it is {text!r}.")
            for text in (
                "1 5",
                "1_000",
                "\uff11",
                "1/2/3",
                "1/0",
                "0x1",
                "nan",
                "inf",
                "1;5",
                "1\u00a0000",
                "1e",
                "1e999",
                "--1",
                ".",
                "1.5.2",
                "",
            )
        ],
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse_budget(text, REPLACE)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        (" 1.5 ", "3/2"),
        ("+1", "1"),
        ("1e2", "100"),
        (".5", "1/2"),
        ("2.", "2"),
        ("1/3", "1/3"),
        (" epsilon = 3 , delta = 1e-9 ", "3"),
        ("delta=1e-9,rho=1/2", "1/2"),
    ],
)
def test_a_budget_is_read_exactly(text: str, amount: str) -> None:
    assert parse_budget(text, REPLACE).amount == Fraction(amount)


def test_budgets_compare_and_print() -> None:
    """A third is kept as it is typed, without any rounding."""
    budget = parse_budget(" 1/3 ", REPLACE)
    assert budget == Budget(Guarantee.pure(Fraction(1, 3)), REPLACE)
    assert str(budget) == "epsilon = 1/3, replace-one"
