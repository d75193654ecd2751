"""What a formula may give: bounds against a search, and what does not go together."""

from itertools import product

import pytest

from synth.domain import Derived, Domain, may_give
from synth.domain.building import Date, Integer, Number
from synth.domain.formulas import parse_formula
from synth.errors import DomainError

# Columns of all kinds: whole numbers a and b, a real number, categories, truths, dates.
BASE = Domain(
    a=Integer(-3, 4),
    b=Integer(1, 5),
    x=Number(0.5, 2, bins=3),
    s=["p", "q"],
    t=bool,
    day=Date("2019-12-30", "2021-01-02", bins=4),
)


@pytest.mark.parametrize(
    "text",
    [
        "a * b - a",
        "a / b",
        "-a ^ 2 + b",
        "(a - 3) ^ 3",
        "(a - 3) ^ 2",
        "(b - 1) ^ 5",
        "abs(a)",
        "min(a, b, 2)",
        "floor(a / 2)",
        "ceil(a / b)",
        "round(a / b)",
    ],
)
def test_bounds_hold_every_value(text: str) -> None:
    """The declared bounds of a formula hold every value that it can give.

    It is computed for all pairs of a (-3 to 4) and b (1 to 5). A formula that promises whole
    numbers gives no others.
    """
    import numpy as np

    from synth.rows import RowValues, derived_from

    pairs = np.array(list(product(range(-3, 5), range(1, 6))), dtype=float)
    domain = Domain(a=Integer(-3, 4), b=Integer(1, 5), c=Derived(formula=text))
    is_missing = np.zeros(len(pairs), dtype=bool)
    row_values = {
        name: RowValues("number", pairs[:, i], is_missing) for i, name in enumerate("ab")
    }
    results = derived_from(domain, row_values, len(pairs))["c"].data

    expected = domain.derived[0].expected
    assert expected.low <= results.min()
    assert results.max() <= expected.high
    assert not expected.whole or (results == np.rint(results)).all()


def test_years_are_those_of_the_days() -> None:
    """The year of a date is between the years of its bounds, 2019-12-30 and 2021-01-02."""
    day = BASE["day"].formula_values
    years = may_give(parse_formula("year(day)"), {"day": day})
    assert (years.low, years.high) == (2019, 2021)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a / (b - 2)", "may divide by zero; narrow"),
        ("a + s", "takes a text where '+' needs a number"),
        ("s > 'p'", "puts a text in an order by '>'"),
        ("a = s", "compares a number with a text"),
        ("if(a, 1, 2)", "takes a number where 'if' needs a comparison"),
        ("if(t, 1, 'x')", "gives now a number and now a text"),
        ("year(a)", "takes a number where 'year' needs a date"),
        ("day", "gives a date; take its year, month or day"),
        ("date(a, 1, 1) - day", "something else than three numbers for 'date'"),
        ("date(2023, 2, 29) - day", "names a day by 'date' that is not in the calendar"),
        ("b ^ x", "takes a power that is no whole number from 0 to 12"),
        ("(a * 1000000) ^ 12", "may give numbers beyond 10^15"),
        ("b * 9999999999999999", "may give numbers beyond 10^15"),
        ("bins(a, 3, 1)", "cuts 'bins' at numbers that do not ascend"),
        ("bins(a, b)", "cuts 'bins' at something else than a number"),
        ("a in (b, 1)", "lists something else than numbers or texts after 'in'"),
        ("concat(s, 1)", "joins something else than texts by 'concat'"),
        (
            "round(x, 12)",
            "rounds to a number of decimals that is no whole number from 0 to 11",
        ),
    ],
)
def test_what_does_not_go_together(text: str, sentence: str) -> None:
    """A formula whose parts do not match is refused by a sentence on what is wrong.

    a is -3 to 4 and b is 1 to 5, both whole; x is a real number, s a text, t a truth, day a
    date.
    """
    with pytest.raises(DomainError) as refused:
        Domain((*BASE.columns,), derived=[Derived(formula=text, name="new")])
    assert str(refused.value).startswith("Column 'new': ")
    assert sentence in str(refused.value)
