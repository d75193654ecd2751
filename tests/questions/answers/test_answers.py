"""Answers read off noisy totals: their intervals, repairs and words."""

from fractions import Fraction

import numpy as np
import pytest

from synth.domain import Categorical, Domain, Outside
from synth.estimate import WayName
from synth.privacy import Guarantee, Neighbors
from synth.questions import Answer, Inquiry, parse, read_answers, round_digits
from synth.questions.answers import answers
from tests.questions.coverage import DELTA, DOMAIN, Case, measure_coverage, some_rows
from tests.questions.points import vectors

SOME = [
    ("count", "laplace", "1"),
    ("share", "laplace", "1/10"),
    ("table", "histogram", "1/10"),
    ("total", "gaussian", "1"),
    ("mean", "laplace", "5"),
    ("mean by group", "laplace", "1"),
    ("means", "elliptical", "1"),
    ("top with counts", "laplace", "1/10"),
]


@pytest.mark.parametrize(("kind", "way", "epsilon"), SOME)
def test_intervals_hold_the_truth(kind: str, way: str, epsilon: str) -> None:
    """Intervals hold the true answer in at least 95 % of 2,000 runs, and in hardly more than
    97.5 %.

    Both are one-sided binomial tests. Intervals may hold it more often where noise has few
    steps, and for the counts of the most frequent values. All cases are in
    `tests.statistical.test_intervals`.
    """
    neighbors = Neighbors.ADD_REMOVE if kind == "share" else Neighbors.REPLACE_ONE
    claim = Guarantee(
        epsilon=Fraction(epsilon),
        delta=DELTA if way in ("gaussian", "elliptical") else Fraction(0),
    )

    coverage = measure_coverage(Case(kind, way, claim, neighbors), 2000)

    assert coverage.is_right, str(coverage)
    assert coverage.is_discrete or not coverage.is_wide or kind == "top with counts", str(
        coverage
    )


def test_counts_of_the_most_frequent_are_not_believed_because_they_are_large() -> None:
    """Counts of the most frequent values have intervals that allow for their choice.

    All true counts are 300, so noise alone decides which value comes first. An interval made
    for that count alone would hold 300 too seldom.
    """
    inquiry = Inquiry.read(["top 2 job with counts"], DOMAIN, Guarantee.pure(1))
    (portion,) = inquiry.arrangement.portions
    noise = portion.way.mechanism
    exact, random = np.full(portion.block.size, 300), np.random.default_rng(1)

    inside = []
    for _ in range(400):
        noisy = exact + np.rint(random.laplace(0, np.sqrt(noise.variance / 2), len(exact)))
        (answer,) = read_answers(inquiry.arrangement, [noisy.astype(np.int64)], 3000)
        inside.append((answer.low[0] <= 300) & (300 <= answer.high[0]))

    # At 95 % the share of 400 runs is below .93 once in thirty times.
    assert np.mean(inside) > 0.93


def read_inquiry(text: str, way: str | None = None, epsilon: int = 1) -> Inquiry:
    """A question about the table of the coverage tests, at epsilon 1."""
    return Inquiry.read([text], DOMAIN, Guarantee.pure(epsilon), way=way)


def read_answer(inquiry: Inquiry, noisy: list[int], rows: int | None = 100) -> Answer:
    """The answer that is read off noisy totals, of 100 rows or a private number of them."""
    (answer,) = read_answers(inquiry.arrangement, [np.array(noisy)], rows)
    return answer


def test_counts_are_clipped_to_the_possible_range() -> None:
    """A noisy count is clipped to the range from 0 to the 100 rows.

    There is no upper end where the number of rows is private (None).
    """
    inquiry = read_inquiry("count where sex = F")
    low, high = read_answer(inquiry, [-7]), read_answer(inquiry, [120])

    assert (low.value[0], low.low[0], low.high[0]) == (0, 0, 0)
    assert (high.value[0], high.high[0]) == (100, 100)

    assert read_answer(inquiry, [120], None).value[0] == 120


def test_tables_that_hold_all_rows_agree_with_their_number() -> None:
    """A table of all rows is mended so that its cells add up to the public 100 rows.

    The noisy cells are 42, 60 and 1. A table under a condition holds only some rows, so it is
    just kept from being negative.
    """
    all_rows = read_answer(read_inquiry("table sex"), [42, 60, 1])
    assert all_rows.value.sum() == pytest.approx(100)
    assert (all_rows.value >= 0).all()

    part = read_answer(read_inquiry("table sex where sex != M"), [40, 0, -3])
    assert part.value.tolist() == [40, 0, 0]


def test_a_group_that_may_be_empty_has_no_answer() -> None:
    """A group whose rows could all be noise has no mean, and the answer says why.

    The rows are those of 3,000 in which sex is not M, so that of F, M and (other) only F has
    any. They are added up without noise.
    """
    inquiry = read_inquiry("mean hours by sex")
    (portion,) = inquiry.arrangement.portions
    names = portion.block.workload.universe.names
    rows = [[row[name] for name in names] for row in some_rows() if row["sex"].code != 1]
    exact = vectors(portion.block, portion.way, rows).sum(axis=0)

    answer = read_answer(inquiry, exact.tolist(), 3000)

    assert answer.labels == ("F", "M", "(other)")
    assert not np.isnan(answer.value[0])
    assert np.isnan(answer.value[1:]).all()
    assert np.isnan(answer.low[1:]).all()
    assert answer.remarks == ("no answer if the noise could hide all rows of a group",)
    assert answer.to_json()["value"][1:] == [None, None]  # type: ignore[index]


def test_rounding_to_the_grid_is_in_the_interval() -> None:
    """The interval of a mean covers the rounding of values to the steps of its grid.

    All of a billion rows may be rounded the same way by half a step, so the interval is about
    one step wide or more. The noise itself moves such a mean by far less.
    """
    inquiry = read_inquiry("mean weight", epsilon=5)
    (portion,) = inquiry.arrangement.portions
    steps = next(grain.steps for grain in portion.way.grains if grain.steps is not None)
    totals = [0, 10**15][: portion.block.size]

    answer = read_answer(inquiry, totals, rows=10**9)
    assert len(answer.value) == 1
    assert answer.high[0] - answer.low[0] >= 0.99 * steps.grid


def test_whole_numbers_are_not_rounded() -> None:
    """Ages are whole numbers, which lie on the grid, so no row is off by rounding."""
    inquiry = read_inquiry("mean age")
    (portion,) = inquiry.arrangement.portions
    totals = answers.Totals.read(portion, np.zeros(1, np.int64))
    assert answers.rounding_reach(portion, portion.block.tallies[0], totals) == 0


def test_a_number_of_rows_that_is_public_costs_nothing() -> None:
    """The public number of rows, here 100, is answered exactly, and no total is measured for
    it.
    """
    answer = read_answer(read_inquiry("count"), [0])
    assert answer.way is WayName.KNOWN
    assert (answer.value[0], answer.low[0], answer.high[0]) == (100, 100, 100)
    assert answer.expected_error == 0


def test_a_table_of_one_value_is_paid_for_where_a_rule_may_leave_rows_out() -> None:
    """A table of a single value costs its epsilon if rows with other values are dropped.

    Then its count is not the public number of rows.
    """
    only = Categorical(name="one", categories=("x",), outside=Outside.DROP)
    inquiry = Inquiry.read(["table one"], Domain((only,)), Guarantee.pure(1))
    assert inquiry.arrangement.spending == Guarantee.pure(1)


def test_a_choice_names_its_value_and_has_no_interval() -> None:
    """The most frequent value, chosen at random, comes without a count or an interval.

    The choice is given by its place: 2 is the third job, c. Its average error is the score
    of its way.
    """
    inquiry = read_inquiry("top 1 job")
    answer = read_answer(inquiry, [2])
    assert answer.chosen == ("c",)
    assert np.isnan(answer.value).all()

    (portion,) = inquiry.arrangement.portions
    assert answer.expected_error == portion.way.score > 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3.0, 3), (0.1234567890123456, 0.123456789012), (float("nan"), None), (-2.5, -2.5)],
)
def test_numbers_are_written_with_twelve_digits(value: float, expected: object) -> None:
    assert round_digits(value) == expected


def test_a_forecast_has_errors_and_no_values() -> None:
    """A forecast written as JSON has an average error for each answer, and no value."""
    inquiry = Inquiry.read(["mean age", "count where sex = F"], DOMAIN, Guarantee.pure(1))
    for answer in inquiry.forecast(1000):
        content = answer.to_json(with_values=False)
        assert content["expected_error"] > 0  # type: ignore[operator]
        assert "value" not in content
    assert parse("mean age") == inquiry.questions[0]
