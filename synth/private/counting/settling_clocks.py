"""A column of times of day or durations: its format, bounds and bins. PRIVATE."""

from collections.abc import Collection

from synth import limits
from synth.domain import Clock, SpanReading
from synth.drafting import DraftColumn, draft_field
from synth.private.counting.missing_texts import (
    fills_all_rows,
    find_missing_texts,
    has_other_texts,
    leave_out_sparse,
    own_missing_key,
)
from synth.private.counting.profiles import Profile, Readings
from synth.private.counting.rounding import step_in
from synth.util import Document

# A bin for each hour of the day.
HOURS = 24
LAST_SECOND_OF_DAY = 86_399
# 14:10:00.
EXAMPLE_SECOND = 51_000
# Widths of the bins of durations, in seconds: from a second to a hundred days.
_HOUR = 3600
_DAY = 86_400
WIDTHS = (
    *(1, 5, 15, 30, 60, 300, 900, 1800),
    *(hours * _HOUR for hours in (1, 2, 6, 12)),
    *(days * _DAY for days in (1, 2, 5, 10, 20, 50, 100)),
)
# Most bins of durations.
MAX_BINS = 30


def settle_clocks(profile: Profile, missing_elsewhere: Collection[str]) -> DraftColumn | None:
    """Draft a column of times of day or durations; None if its texts are neither.

    Args:
        profile: The statistics of the column, with its texts read as such.
        missing_elsewhere: Texts that mean a missing value in other columns.
    """
    for reading, values in profile.clocks.items():
        if not values.lowest:
            return None
        missing = find_missing_texts(profile, values, missing_elsewhere)
        if missing is None:
            return None
        if values.rows < limits.LISTED_ROWS:
            return leave_out_sparse(profile.name, "times")
        is_clock = isinstance(reading, Clock)
        limiting, keys = _day_keys(reading) if is_clock else _span_keys(reading, values)
        field = draft_field(
            profile.name,
            "time" if is_clock else "duration",
            {"required": fills_all_rows(profile, values), **limiting},
            keys={**keys, **own_missing_key(missing, missing_elsewhere)},
        )
        example = reading.write(max(2, EXAMPLE_SECOND // reading.seconds))
        reason = f"holds {'times of day' if is_clock else 'durations'} such as {example}"
        if is_clock and not reading.is_half_day:
            reason += " (if they are durations, choose that kind)"
        if has_other_texts(profile, values, missing):
            reason += ", and some that are written otherwise"
        return DraftColumn(field=field, reason=reason, missing=missing)
    return None


def _day_keys(reading: SpanReading) -> tuple[Document, Document]:
    """Return the bounds and bins of times of day: the hours of a whole day."""
    bounds: Document = {
        "minimum": reading.write(0),
        "maximum": reading.write(LAST_SECOND_OF_DAY // reading.seconds),
    }
    return bounds, {"format": reading.form, "synth:bins": HOURS}


def _span_keys(reading: SpanReading, values: Readings) -> tuple[Document, Document]:
    """Return the bounds and bins of durations: multiples of a round width.

    A bound is never a duration that only a few rows have.

    Args:
        reading: How the texts are read.
        values: Statistics of the durations in seconds.
    """
    first, first_rows = step_in(values.lowest, values.rows)
    last, _ = step_in(values.highest, values.rows)
    low = int(first)
    extent = int(last) - low + 1
    width = next((w for w in WIDTHS if extent <= MAX_BINS * w), extent // MAX_BINS + 1)
    width = max(width, reading.seconds)
    start = low // width
    # A duration of a few rows would be the bound itself.
    if start and start * width == low and first_rows < limits.LISTED_ROWS:
        start -= 1
    end = int(last) // width + 1
    bounds: Document = {
        "minimum": reading.write(start * width // reading.seconds),
        "maximum": reading.write(end * width // reading.seconds - 1),
    }
    return bounds, {"format": reading.form, "synth:bins": end - start}
