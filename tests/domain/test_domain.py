"""Declarations: sizes, cells, edges, and every guard with its message."""

from fractions import Fraction
from typing import Any

import pytest

from synth import limits
from synth.domain import (
    Boolean,
    Categorical,
    Column,
    Date,
    Domain,
    Integer,
    Number,
    Outside,
    coarsening_advice,
)
from synth.errors import DomainError
from tests.tables import universe

YEAR = {"minimum": "2024-01-01", "maximum": "2024-12-31"}


def test_integer_bins_hold_nearly_equal_numbers_of_values() -> None:
    """Bins of whole numbers differ by at most one value: 85 ages in 21 bins give 4 or 5 each.

    The starts go from the minimum to the first value after the maximum.
    """
    column = Integer(name="age", minimum=16, maximum=100, bins=21)
    widths = [b - a for a, b in zip(column.starts, column.starts[1:], strict=False)]
    assert sum(widths) == 85
    assert set(widths) == {4, 5}
    assert (column.starts[0], column.starts[-1]) == (16, 101)
    assert (column.cells[0], column.cells[-1]) == ("16 to 19", "96 to 100")


def test_number_bins_narrower_than_one_stay_apart() -> None:
    """Ten bins from 0 to 1 are exact tenths, and their labels tell them apart."""
    column = Number(name="x", minimum=0, maximum=1, bins=10)
    assert column.borders == tuple(Fraction(i, 10) for i in range(11))
    assert column.size == 10
    assert column.cells[:2] == ("0 to 0.1", "0.1 to 0.2")


def test_bounds_are_read_as_decimal_text() -> None:
    """A bound is the decimal number that was typed: 0.3 is 3/10, not its nearest double."""
    assert Number(name="x", minimum="0.1", maximum=0.3, bins=1).bounds == (
        Fraction(1, 10),
        Fraction(3, 10),
    )


def test_edges_begin_bins_and_the_last_one_is_included() -> None:
    """Each edge begins a bin; the last edge is the last value of the last bin."""
    column = Integer(name="age", minimum=0, maximum=100, edges=(0, 18, 65, 100))
    assert column.cells == ("0 to 17", "18 to 64", "65 to 100")
    dates = Date(name="d", edges=("2024-01-01", "2024-02-01", "2024-12-31"), **YEAR)
    assert dates.cells == ("2024-01-01 to 2024-01-31", "2024-02-01 to 2024-12-31")


def test_undeclared_bins_are_twenty_or_as_many_as_there_are_values() -> None:
    """Without declared bins there are 20 (`limits.DEFAULT_BINS`), or one for each value if
    fewer.

    From 0 to 6 there are 7 whole numbers.
    """
    assert Integer(name="n", minimum=0, maximum=6).size == 7
    assert Integer(name="n", minimum=0, maximum=99).size == limits.DEFAULT_BINS
    assert Number(name="n", minimum=0, maximum=1).size == limits.DEFAULT_BINS


def test_missing_and_outside_cells_come_last() -> None:
    """The cell for missing values and the one for other values follow the declared cells."""
    column = Categorical(name="c", categories=("a",), missing=True, outside=Outside.CELL)
    assert column.cells == ("a", "(missing)", "(other)")
    assert (column.missing_code, column.other_code) == (1, 2)


@pytest.mark.parametrize(
    ("column", "rule"),
    [
        (Categorical(name="c", categories=("a",)), Outside.DROP),
        (Categorical(name="c", categories=("a",), missing=True), Outside.MISSING),
        (Boolean(name="b"), Outside.DROP),
        (Integer(name="i", minimum=0, maximum=1), Outside.NEAREST),
        (Number(name="n", minimum=0, maximum=1, missing=True), Outside.NEAREST),
        (Date(name="d", minimum="2024-01-01", maximum="2024-01-02"), Outside.NEAREST),
    ],
)
def test_default_rules_for_values_outside(column: Column, rule: Outside) -> None:
    """Without a declared rule, values outside a list are dropped, and numbers go to the
    nearest bin.

    Where missing values are declared, a value outside a list counts as missing.
    """
    assert column.rule is rule


def test_a_universe_is_the_product_of_its_columns_whatever_its_size() -> None:
    """A domain of 20 columns of 1,000 cells has 10^60 cells, which are never listed.

    Such a domain can be declared; a part of it keeps the order in which its columns are
    named.
    """
    columns = tuple(
        Integer(name=f"c{i}", minimum=0, maximum=999, bins=1000) for i in range(20)
    )
    domain = Domain(columns)
    assert domain.size == 10**60
    assert domain.project(["c3", "c1"]).names == ("c3", "c1")


def test_advice_names_the_columns_that_bring_the_universe_within_the_limit() -> None:
    """The advice names columns to coarsen until at most 500 cells are left.

    Of 100 x 100 x 100 cells, one column must go and 5 cells of another stay (5 x 100). Of 20
    x 20 x 20, leaving out one column leaves 400.
    """
    # Three columns c0, c1, c2 of 100 cells each, and three of 20.
    wide, narrow = (universe(*[size] * 3) for size in (100, 20))

    assert coarsening_advice(wide, 500) == (
        "Coarsen or leave out 'c0' (100 cells), then 'c1' (100 cells; 5 would do)."
    )
    assert coarsening_advice(narrow, 500) == "Coarsen or leave out 'c0' (20 cells)."


def declare_integer(**options: Any) -> Integer:
    """A column "age" from 0 to 9, changed by the options."""
    return Integer(**{"name": "age", "minimum": 0, "maximum": 9} | options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Domain(()), "declares no columns"),
        (lambda: Domain((declare_integer(), declare_integer())), "column 'age' twice"),
        (
            lambda: Domain((declare_integer(),)).project(["height"]),
            "no column 'height'; it has age",
        ),
        (lambda: declare_integer(name=" "), "has no name"),
        (lambda: declare_integer(minimum=10), "'age': minimum 10 is above maximum 9"),
        (
            lambda: declare_integer(bins=0),
            "'age': bins must be a whole number from 1 to 10,000",
        ),
        (lambda: declare_integer(bins=11), "10 values from 0 to 9, fewer than its 11 bins"),
        (lambda: declare_integer(edges=(0, 5, 5, 9)), "ascending order, each one once"),
        (lambda: declare_integer(edges=(0, 7, 5, 9)), "ascending order"),
        (
            lambda: declare_integer(edges=(1, 5, 9)),
            "first and last edges must be the minimum and maxi",
        ),
        (lambda: declare_integer(edges=(0,)), "edges need from 2"),
        (lambda: declare_integer(minimum="0.5"), "0.5 is not a whole number"),
        (lambda: declare_integer(maximum="many"), "bound 'many' is not a finite number"),
        *[
            (
                lambda text=text: declare_integer(maximum=text),
                f"bound '{text}' is not a finite number such",
            )
            for text in ("1_000", "\uff11", "1,5", "1/2/3", "0x1", "1e999")
        ],
        (lambda: declare_integer(maximum="inf"), "bound 'inf' is not a finite number"),
        (lambda: declare_integer(maximum=10**16), "too large"),
        (lambda: declare_integer(outside=Outside.MISSING), "declares none"),
        (lambda: Number(name="x", minimum=1, maximum=1), "minimum and maximum are equal"),
        (
            lambda: Number(name="x", minimum=0, maximum=1, bins=20, decimals=1),
            "a bin holds no value with 1 decimals",
        ),
        (
            lambda: Number(name="x", minimum=0, maximum=1, decimals=99),
            "decimals must be from 0",
        ),
        (lambda: Categorical(name="c", categories=()), "lists no categories"),
        (lambda: Categorical(name="c", categories=("a", "a")), "category 'a' twice"),
        (lambda: Categorical(name="c", categories=("a", "")), "empty or padded"),
        (
            lambda: Categorical(name="c", categories=("a",), outside=Outside.NEAREST),
            "cannot use the rule 'nearest'",
        ),
        (
            lambda: Categorical(name="c", categories=("(other)",), outside=Outside.CELL),
            "the name of its outside cell",
        ),
        (
            lambda: Categorical(name="c", categories=("x\ud800",)),
            "category holds half a character",
        ),
        (
            lambda: Categorical(name="\ud800", categories=("x",)),
            "column holds half a character",
        ),
        (
            lambda: Domain((declare_integer(),), ("\ud800",)),
            "missing values holds half a character",
        ),
        (
            lambda: Boolean(name="b", true_values=("1", "\udfff")),
            "spelling holds half a character",
        ),
        (lambda: Boolean(name="b", true_values=("1",), false_values=("1",)), "'1' twice"),
        (lambda: Boolean(name="b", true_values=()), "at least one spelling"),
        (
            lambda: Date(name="d", minimum="soon", maximum="2024-01-01"),
            "bound 'soon' is not a date",
        ),
        *[
            (
                lambda text=text: Date(name="d", format=text, **YEAR),
                "does not keep a whole date",
            )
            for text in ("%d.%m.", "%Y %d")
        ],
    ],
)
def test_wrong_declarations_are_refused_in_one_sentence(make: Any, message: str) -> None:
    r"""Every wrong declaration is refused in one sentence that says what is wrong.

    ``make`` declares a column or a domain. "\uff11" is a full-width digit, and
    "\ud800" half a character, which no file can hold.
    """
    with pytest.raises(DomainError, match=message) as caught:
        make()
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
