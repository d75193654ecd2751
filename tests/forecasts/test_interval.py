"""The interval around a forecast: whole, ordered, and kept by four of five releases."""

from itertools import pairwise
from math import exp, hypot, log

import pytest

from synth.estimate import RECIPES, LikelyErrors, Method
from synth.forecasts.interval import Range, describe_point, widen, widen_for_lists
from synth.forecasts.spreads import LIMITS, SPREADS

WHAT = ["columns", "pairs"]


@pytest.mark.parametrize("quantity", WHAT)
@pytest.mark.parametrize("method", [m for m in Method if m != Method.AUTO])
def test_ends_stand_in_order_and_grow_with_the_point(quantity: str, method: Method) -> None:
    """An interval is ordered, within 0 to 1, and grows with its point, whatever the method.

    The points are likely errors from none to all rows. No end falls as the point rises, a
    usual point has an interval with a width, and 0 has none.
    """
    points = (0.0, 1e-6, 0.001, 0.03, 0.3, 0.6, 1.0)
    intervals = [
        widen(quantity, method, LikelyErrors(point / 2, point), shape=(8,) * 6, rows=10_000)
        for point in points
    ]

    assert all(
        0 <= interval.low <= interval.likely <= interval.high <= 1 for interval in intervals
    )

    assert all(
        end <= later_end
        for smaller, larger in pairwise(intervals)
        for end, later_end in zip(smaller, larger, strict=True)
    )
    assert intervals[3].low < intervals[3].likely < intervals[3].high
    assert intervals[0] == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("quantity", WHAT)
def test_every_method_has_a_spread(quantity: str) -> None:
    """Each method has fitted spreads, or takes those of another one.

    A line of SPREADS has a level and a slope for each number that describes a forecast.
    """
    strategies = {recipe.name for recipe in RECIPES.values() if recipe.spread is None} - {
        Method.AUTO
    }
    assert set(SPREADS[quantity]) == strategies

    terms = 1 + len(describe_point(quantity, LikelyErrors(0.1, 0.2), (8,) * 6))
    assert {len(line) for lines in SPREADS[quantity].values() for line in lines} == {terms}


@pytest.mark.parametrize("quantity", WHAT)
@pytest.mark.parametrize("method", SPREADS["pairs"])
def test_the_ends_are_no_further_apart_than_is_said(quantity: str, method: str) -> None:
    """The upper end of a usual interval is 1.2 to 4.5 times the lower one."""
    interval = widen(
        quantity, method, LikelyErrors(0.025, 0.05), shape=(8,) * 6, rows=100_000
    )
    assert 1.2 < interval.high / interval.low < 4.5


@pytest.mark.parametrize("method", ["independent", "one-shot"])
def test_what_depends_on_links_is_wider_than_what_depends_on_noise(method: str) -> None:
    """An error of pairs that noise explains has a narrower interval than one that it does
    not.

    Both errors of pairs are 0.1. Columns are off by 0.05 in one case and 0.02 in the other,
    where the rest comes from links between columns, which no public number tells.
    """
    shape, rows = (8,) * 8, 20_000
    noisy, linked = (
        widen("pairs", method, LikelyErrors(columns, 0.1), shape=shape, rows=rows)
        for columns in (0.05, 0.02)
    )

    assert noisy.high / noisy.low < linked.high / linked.low


@pytest.mark.parametrize("quantity", WHAT)
def test_beyond_the_fitted_tables_deviations_stay_as_at_their_limit(quantity: str) -> None:
    """Columns with more cells than any fitted table have the interval of the largest fitted
    one.

    The limit is on the mean logarithm of the columns' cells; both shapes are beyond it, by
    0.5 and by 3.
    """
    (_, log_of_the_limit), points = LIMITS[quantity][0], LikelyErrors(0.05, 0.2)
    shape, wider_shape = (
        (round(2.72 ** (log_of_the_limit + log_beyond)),) * 5 for log_beyond in (0.5, 3)
    )

    assert widen(quantity, "tree", points, shape=shape, rows=1_000) == widen(
        quantity, "tree", points, shape=wider_shape, rows=1_000
    )


def test_what_lists_are_like_adds_to_the_range_in_squares() -> None:
    """The distance of each end from the middle is the root of two squared log ratios.

    The range is a factor of 2 to both sides, and the errors of other lists are a third and
    four times the expected one. A middle above the expected error stays the middle.
    """
    usual = Range(0.05, 0.1, 0.2)
    expected = widen_for_lists(usual, 0.08, [0.08 / 3, 0.32], rows=10**12)

    assert expected.likely == usual.likely
    assert expected.low == pytest.approx(0.1 / exp(hypot(log(2), log(3))))
    assert expected.high == pytest.approx(0.1 * exp(hypot(log(2), log(4))))


def test_lists_only_widen_a_range_and_no_error_exceeds_all_rows() -> None:
    """Without long lists a range stays; errors to one side leave the other end as it is."""
    usual = Range(0.05, 0.1, 0.2)
    assert widen_for_lists(usual, 0.08, [], rows=1_000) == usual

    larger = widen_for_lists(usual, 0.08, [0.1, 0.9], rows=1_000)
    assert larger.low == pytest.approx(usual.low)
    assert larger.high == 1.0

    assert widen_for_lists(Range(0.0, 0.0, 0.0), 0.0, [0.0], rows=1_000) == (0.0, 0.0, 0.0)
