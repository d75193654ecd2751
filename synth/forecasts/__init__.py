"""Forecasts of a release's error from public numbers only. PUBLIC.

``histogram``  a release by histogram
``methods``    the outlook of every method
``moments``    average errors of sums of numbers
``interval``   the interval around a forecast
``changes``    changes of a plan that keep relations
``persons``    the price of protecting persons instead of rows
``simulated``  noisy counts as they may come
``spreads``    fitted constants
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.forecasts.changes import Change, expected_relations, rank_changes
    from synth.forecasts.histogram import (
        SMALL_GROUP,
        Forecast,
        cells_for,
        epsilon_for,
        forecast,
    )
    from synth.forecasts.interval import Range, explain_lists
    from synth.forecasts.methods import (
        Outlook,
        cells_within,
        expect_pairs,
        histogram_forecast,
        outlook,
        outlook_of_release,
        outlooks,
    )
    from synth.forecasts.moments import ExpectedMoment
    from synth.forecasts.persons import compare_units, price_of_persons
    from synth.forecasts.simulated import simulate_counts

__getattr__ = offer(__name__)
