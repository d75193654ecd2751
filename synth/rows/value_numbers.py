"""The numbers by which values of a column are drawn. PUBLIC.

They are steps, except for dates whose texts are months or years: all days of a month share
one text, so months are numbered instead, and each is as likely as the next.

>>> from synth.domain import Date
>>> column = Date(name="m", minimum="1970-02", maximum="1970-12", format="%Y-%m", bins=2)
>>> value_spans(column).tolist()
[[1, 5], [6, 11]]
>>> steps_of_values(column, np.array([1, 6])).tolist(), column.spans[1][0]
([31, 181], 181)
"""

import numpy as np
import numpy.typing as npt

from synth.domain import Binned, Moment
from synth.util import Floats, Ints

# Values by number: whole numbers, days, months, seconds or last decimals.
Units = npt.NDArray[np.int64]


def value_spans(column: Binned) -> Ints:
    """Return the numbers of each declared cell's first and last value, shape (cells, 2).

    Values are numbered by their steps; months and years by months instead of days.
    """
    reading = column.reading
    spans = column.spans
    if isinstance(reading, Moment) and reading.months:
        spans = tuple((reading.value_number(a), reading.value_number(b)) for a, b in spans)
    return np.array(spans, dtype=np.int64)


def steps_of_values(column: Binned, values: Ints) -> Ints:
    """Return the step of each value, in the values' shape.

    The number of a month becomes the day on which it starts; others are steps already.

    Args:
        column: The declared column.
        values: Values as the column numbers them; see the module.
    """
    months = _months_in_step(column)
    if not months:
        return values
    first_days = (values * months).astype("datetime64[M]").astype("datetime64[D]")
    return np.asarray(first_days.astype(np.int64))


def values_at_steps(column: Binned, steps: Floats) -> Floats:
    """Return the number of the value at each step, in the steps' shape.

    A step that no value has, such as a day within a month, gets the number of the value
    before it and a half.

    Args:
        column: The declared column.
        steps: Steps, perhaps with fractions: days since 1970 if values are months.
    """
    months = _months_in_step(column)
    if not months:
        return steps
    days = np.floor(steps).astype(np.int64)
    values = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) // months
    is_value = steps_of_values(column, values) == steps
    return np.asarray(values + np.where(is_value, 0.0, 0.5), dtype=np.float64)


def _months_in_step(column: Binned) -> int:
    """Return the months in a step of the column's numbers; 0 if they are no months."""
    return column.reading.months if isinstance(column.reading, Moment) else 0
