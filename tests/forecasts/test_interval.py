"""The interval around a forecast: whole, ordered, and kept by four of five releases."""

from itertools import pairwise

import pytest

from synth.estimate import RECIPES, LikelyErrors, Method
from synth.forecasts.interval import describe_point, widen
from synth.forecasts.spreads import LIMITS, SPREADS

WHAT = ["columns", "pairs"]


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("method", [m for m in Method if m != Method.AUTO])
def test_ends_stand_in_order_and_grow_with_the_point(what: str, method: Method) -> None:
    points = (0.0, 1e-6, 0.001, 0.03, 0.3, 0.6, 1.0)
    found = [
        widen(what, method, LikelyErrors(p / 2, p), shape=(8,) * 6, rows=10_000)
        for p in points
    ]
    assert all(0 <= one.low <= one.likely <= one.high <= 1 for one in found)
    assert all(
        a <= b for few, more in pairwise(found) for a, b in zip(few, more, strict=True)
    )
    assert found[3].low < found[3].likely < found[3].high
    assert found[0] == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("what", WHAT)
def test_every_method_has_a_spread(what: str) -> None:
    measured = {one.name for one in RECIPES.values() if one.spread is None} - {Method.AUTO}
    assert set(SPREADS[what]) == measured
    terms = 1 + len(describe_point(what, LikelyErrors(0.1, 0.2), (8,) * 6))
    assert {len(line) for lines in SPREADS[what].values() for line in lines} == {terms}


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("method", SPREADS["pairs"])
def test_the_ends_are_no_further_apart_than_is_said(what: str, method: str) -> None:
    found = widen(what, method, LikelyErrors(0.025, 0.05), shape=(8,) * 6, rows=100_000)
    assert 1.2 < found.high / found.low < 4.5


@pytest.mark.parametrize("method", ["independent", "one-shot"])
def test_what_depends_on_links_is_wider_than_what_depends_on_noise(method: str) -> None:
    shape, rows = (8,) * 8, 20_000
    noisy, linked = (
        widen("pairs", method, LikelyErrors(columns, 0.1), shape=shape, rows=rows)
        for columns in (0.05, 0.02)
    )
    assert noisy.high / noisy.low < linked.high / linked.low


@pytest.mark.parametrize("what", WHAT)
def test_beyond_the_fitted_tables_deviations_stay_as_at_their_limit(what: str) -> None:
    (_, most), points = LIMITS[what][0], LikelyErrors(0.05, 0.2)
    wide, wider = ((round(2.72 ** (most + more)),) * 5 for more in (0.5, 3))
    assert widen(what, "tree", points, shape=wide, rows=1_000) == widen(
        what, "tree", points, shape=wider, rows=1_000
    )
