"""``synth.forecast`` needs no table."""

import pytest

import synth
from tests.api.people import DOMAIN


def test_a_forecast_tells_of_every_method() -> None:
    """A forecast has an expected error for each method, and needs no table.

    Ten times the epsilon makes pairs of columns more accurate.
    """
    forecast = synth.forecast(DOMAIN, epsilon="0.1", rows=1000)
    assert repr(forecast).startswith(
        "ReleaseForecast(epsilon 0.1, 1,000 rows, dense: columns 0."
    )
    assert {"dense", "independent"} <= set(forecast.table["method"])
    assert forecast.pairs > synth.forecast(DOMAIN, epsilon=1, rows=1000).pairs
    assert "<table" in forecast._repr_html_()
    with pytest.raises(
        synth.SynthError, match=r"^rows must be a whole number of at least 1, but"
    ):
        synth.forecast(DOMAIN, epsilon=1, rows=0)
