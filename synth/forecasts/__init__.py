"""Forecasts of a release's error from public numbers only. PUBLIC.

``histogram``  the forecast of a release by histogram
``methods``    the outlook of every method
``moments``    the errors of sums of numbers
``interval``   the 80 % interval around a forecast
``changes``    changes that reduce the error of pairs if a plan measures columns only
``spreads``    the fitted constants of the intervals
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.forecasts.changes import Change, rank_changes
    from synth.forecasts.histogram import Forecast, SMALL_GROUP, cells_for, epsilon_for, forecast
    from synth.forecasts.interval import Range
    from synth.forecasts.methods import Outlook, cells_within, histogram_forecast, outlook, outlooks

__getattr__ = offer(__name__)
