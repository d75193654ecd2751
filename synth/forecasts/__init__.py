"""What a release will be worth, from public numbers only. PUBLIC.

``histogram``  the forecast of a release by histogram
``methods``    what every method is likely to do
``moments``    what sums of numbers are likely to say
``interval``   the interval around a forecast that four of five releases keep
``changes``    what would make pairs truer than a plan that measures columns alone
``spreads``    its constants, as releases gave them
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.forecasts.changes import Change, rank_changes
    from synth.forecasts.histogram import Forecast, SMALL_GROUP, cells_for, epsilon_for, forecast
    from synth.forecasts.interval import Range
    from synth.forecasts.methods import Outlook, cells_within, histogram_forecast, outlook, outlooks

__getattr__ = offer(__name__)
