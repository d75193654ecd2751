"""Checks: what they suggest, when they say few, and that they are read strictly."""

from fractions import Fraction
from typing import Any

import pytest

from synth.domain import Domain, Integer, Outside
from synth.errors import ArgumentError, DomainError
from synth.estimate import FitCheck, FitCount, FitsSaid, digest_of
from synth.estimate import suggested_epsilon as suggested
from synth.estimate.noisy.fits import bar_of, is_few
from synth.noise import LaplaceLaw
from synth.privacy import ROW, Neighbors, Unit

AGE = Integer(name="age", minimum=0, maximum=99, bins=10)
PAY = Integer(name="pay", minimum=0, maximum=9, missing=True)
BOTH = Domain((AGE, PAY))
SAID = FitsSaid(
    declaration="d",
    counts=(FitCount(("age", "pay"), -3, Fraction(1, 100)),),
    max_rows=2,
    rows=5_000,
    is_public=True,
)


@pytest.mark.parametrize("rows", [40, 1_000, 9_357, 10**5])
@pytest.mark.parametrize("max_rows", [1, 4])
def test_the_suggestion_is_the_least_that_keeps_the_bar(rows: int, max_rows: int) -> None:
    """The suggested epsilon is the least one that keeps the error of a check within 5 % of
    the rows.

    The bar is the half width of a 95 % interval. A tenth less of epsilon would make it larger
    than nearly 5 % of the rows. More noise than the bar has a probability of at most 5 %.
    """
    epsilon = suggested(rows, Unit("pid", max_rows))

    assert bar_of(max_rows, epsilon) <= rows / 20
    assert bar_of(max_rows, epsilon * 9 / 10) > 0.95 * rows / 20
    assert (
        LaplaceLaw(max_rows / epsilon).two_sided_tail(bar_of(max_rows, epsilon) + 1) <= 0.05
    )


def test_the_suggestion_stays_within_the_limits_of_the_project() -> None:
    """The suggested epsilon stays within the limits: 1/10,000 for very many rows, at most 100
    for one.
    """
    assert suggested(10**9) == Fraction(1, 10_000)
    assert suggested(1) < 100
    with pytest.raises(ArgumentError, match="rows must be a whole number of at least 1"):
        suggested(0)


@pytest.mark.parametrize(
    ("noisy", "bar", "rows", "few"),
    [
        (0, 465, 9_357, True),
        (1_874, 465, 9_357, True),
        (1_875, 465, 9_357, False),
        (-9_000, 2_400, 9_357, False),  # such noise says nothing
        (465, 465, None, True),
        (466, 465, None, False),
    ],
)
def test_few_is_under_a_quarter_noise_considered(
    noisy: int, bar: int, rows: int | None, few: bool
) -> None:
    """Few rows fit if their noisy number and its bar together stay below a quarter of all
    rows.

    A quarter of 9,357 rows is 2,339: 1,874 and a bar of 465 are under it, 1,875 is not. A bar
    of 2,400 could hide a quarter, so it says nothing. Where the number of rows is private,
    few is what the bar may hide.
    """
    assert is_few(noisy, bar, rows) is few


def test_what_it_says_is_no_negative_number_and_no_more_than_there_are() -> None:
    """A check's sentence tells no negative number of rows, and no more than there are.

    -3 is told as 0, and 6,000 of 5,000 public rows as 5,000. If the 5,000 is only an
    estimate, 6,000 is told. The result is the same after writing and reading.
    """
    assert SAID.sentence.startswith("about 0 of 5,000 rows fit in all columns (± ")

    with_public_rows = FitsSaid(
        declaration="d",
        counts=(FitCount(("age",), 6_000, Fraction(1)),),
        max_rows=1,
        rows=5_000,
        is_public=True,
    )
    assert with_public_rows.sentence.startswith(
        "about 5,000 of 5,000 rows fit in column 'age'"
    )

    with_estimated_rows = FitsSaid(
        declaration="d",
        counts=(FitCount(("age",), 6_000, Fraction(1)),),
        max_rows=1,
        rows=5_000,
        is_public=False,
    )
    assert with_estimated_rows.sentence.startswith("about 6,000 of about 5,000 rows")

    assert FitsSaid.from_json(SAID.to_json()) == SAID


@pytest.mark.parametrize(
    "changed",
    [
        {"counts": []},
        {"counts": [{"columns": ["age"], "noisy": 1.5, "epsilon": "1"}]},
        {"counts": [{"columns": ["age"], "noisy": 1, "epsilon": "0"}]},
        {"rows": "many"},
        {"is_public": "yes"},
    ],
)
def test_another_form_is_refused(changed: Any) -> None:
    with pytest.raises(ArgumentError):
        FitsSaid.from_json(SAID.to_json() | changed)


def test_a_check_asks_for_all_columns_and_pays_for_each_number() -> None:
    """A check counts rows that fit all columns and each named one, and pays for every number.

    Two numbers for 1/10 each cost 1/5. An unknown column or a number of rows of 0 is refused.
    """
    check = FitCheck(
        domain=BOTH,
        epsilon=Fraction(1, 10),
        neighbors=Neighbors.REPLACE_ONE,
        unit=ROW,
        columns=("pay",),
    )

    assert check.column_sets == (("age", "pay"), ("pay",))
    assert str(check.guarantee) == "epsilon = 1/5"

    with pytest.raises(DomainError, match="no column 'wage'"):
        FitCheck(
            domain=BOTH,
            epsilon=Fraction(1),
            neighbors=Neighbors.REPLACE_ONE,
            unit=ROW,
            columns=("wage",),
        )

    with pytest.raises(ArgumentError, match="rows must be a whole number"):
        FitCheck(
            domain=BOTH,
            epsilon=Fraction(1),
            neighbors=Neighbors.REPLACE_ONE,
            unit=ROW,
            rows=0,
        )


def test_what_decides_which_rows_fit_is_in_the_digest_and_nothing_else() -> None:
    """The digest of a declaration depends on just what decides which rows fit.

    Bins, the rule for values outside, descriptions and the order of columns do not; bounds
    and missing values do.
    """

    def digest(**changes: Any) -> str:
        from dataclasses import replace

        return digest_of(Domain((replace(AGE, **changes), PAY)))

    assert digest() == digest_of(Domain((PAY, AGE)))
    assert (
        digest(bins=5)
        == digest(outside=Outside.CELL)
        == digest(description="years")
        == digest()
    )

    assert digest() != digest(maximum=98)
    assert digest() != digest(missing=True)
    assert digest() != digest_of(Domain((AGE, PAY), ("", "NA")))
