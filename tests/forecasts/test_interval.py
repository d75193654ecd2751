"""The interval around a forecast: whole, ordered, and kept by four of five releases."""

import pytest

from synth.estimate import RECIPES, Method
from synth.forecasts.interval import widen
from synth.forecasts.spreads import SPREADS


@pytest.mark.parametrize("what", ["columns", "pairs"])
@pytest.mark.parametrize("method", [m for m in Method if m != Method.AUTO])
def test_ends_stand_in_order_and_grow_with_the_point(what: str, method: Method) -> None:
    points = (0.0, 1e-6, 0.001, 0.03, 0.3, 1.0)
    found = [widen(what, method, point, (8,) * 6, 10_000) for point in points]
    assert all(0 <= one.low <= one.likely <= one.high <= 1 for one in found)
    assert [one.likely for one in found] == sorted(one.likely for one in found)
    assert found[3].low < found[3].likely < found[3].high
    assert found[0] == (0.0, 0.0, 0.0)


def test_every_method_has_a_spread() -> None:
    measured = {one.name for one in RECIPES.values() if one.spread is None} - {Method.AUTO}
    assert all(set(SPREADS[what]) == measured for what in ("columns", "pairs"))


@pytest.mark.parametrize("what", ["columns", "pairs"])
def test_the_ends_are_no_further_apart_than_is_said(what: str) -> None:
    for method in SPREADS[what]:
        found = widen(what, Method(method), 0.05, (8,) * 6, 100_000)
        assert 1.2 < found.high / found.low < 4.5
