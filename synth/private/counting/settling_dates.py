"""A column of dates: its format, bounds and period. PRIVATE."""

from calendar import monthrange
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from synth import limits
from synth.domain import (
    DAY,
    EPOCH,
    MONTHS_IN_YEAR,
    OFFSET,
    SHORT_YEARS,
    Moment,
    example_of,
    has_time,
    iso_format,
    months_in_step,
    offset_at,
    offset_of,
    offset_text,
    spell_pattern,
)
from synth.drafting import DraftColumn, Review, draft_field
from synth.private.counting.missing_texts import (
    fills_all_rows,
    find_missing_texts,
    has_other_texts,
    leave_out_sparse,
    own_missing_key,
)
from synth.private.counting.profiles import Counted, Profile, Readings
from synth.private.counting.rounding import step_in
from synth.private.counting.shapes import is_nearly_distinct
from synth.util import Document

SECOND = timedelta(seconds=1)
# 2019-12-31 14:05:59 in UTC, since 1970.
EXAMPLE_SECOND = 1_577_801_159
# The last possible second of a date, since 1970.
LAST_SECOND = (datetime.max - EPOCH).total_seconds() // 1
# Bins by the calendar: their names, the days of one, and the most bins of a column.
PERIODS = (("day", 1, 31), ("month", 30, 48), ("quarter", 91, 40), ("year", 365, 10_000))


def settle_dates(profile: Profile, missing_elsewhere: Collection[str]) -> DraftColumn | None:
    """Draft a column of dates; None if its texts are no dates.

    If several formats read equally many rows but as different dates, the column stays open.

    Args:
        profile: The statistics of the column, with its texts read in some date formats.
        missing_elsewhere: Texts that mean a missing value in other columns.
    """
    if not profile.dates:
        return None
    # The formats that read the most rows; several may, such as day first and month first.
    most_rows = max(values.rows for values in profile.dates.values())
    best = {p: values for p, values in profile.dates.items() if values.rows == most_rows}
    pattern = next(iter(best))
    values = best[pattern]
    if not values.lowest:  # no format reads a text
        return None
    missing = find_missing_texts(profile, values, missing_elsewhere)
    if missing is None:
        return None
    if values.rows < limits.LISTED_ROWS:
        return leave_out_sparse(profile.name, "dates")
    if "%y" in pattern and _is_in_future(values):
        return _ask_century(profile, pattern, values, missing=missing)
    if len(best) > 1 and any(v.lowest != values.lowest for v in best.values()):
        return _ambiguous(profile, best, missing)
    column = _draft_dates(profile, pattern, values, missing=missing)
    own_missing = own_missing_key(missing, missing_elsewhere)
    return replace(column, field={**column.field, **own_missing})


def _draft_dates(
    profile: Profile, pattern: str, values: Readings, *, missing: tuple[str, ...]
) -> DraftColumn:
    """Return the draft of a column of dates, in the spelling of its texts.

    Args:
        profile: The statistics of the column.
        pattern: The strptime pattern of the dates.
        values: Statistics of the dates, as seconds since 1970.
        missing: Texts that mean a missing value.
    """
    zone = _zone_of(profile) if pattern.endswith("z") else ""
    if zone:
        values = _by_clock(values, offset_at(zone, 0))
    # Midnights only are dates without a time; with an offset they are moments.
    has_times = has_time(pattern) and (bool(zone) or not values.is_whole)
    spelled = spell_pattern(pattern, profile.known_texts)
    limiting, keys = _date_keys(spelled, values, has_times)
    if zone:
        keys["synth:zone"] = zone
    if profile.also:
        keys["synth:also"] = [profile.also]
    field = draft_field(
        profile.name,
        "datetime" if has_times else "date",
        {"required": fills_all_rows(profile, values), **limiting},
        keys=keys,
    )
    reason = [f"holds dates such as {_example_in(spelled, zone)}"]
    if zone:
        reason.append("counted by the clock of " + ("UTC" if zone == "Z" else zone))
    if profile.also:
        reason.append(f"and such as {example_of(profile.also)}")
    if has_other_texts(profile, values, missing):
        reason.append("and some that are written otherwise")
    if has_times and "%f" in pattern:
        reason.append("whose fractions of a second are rounded down")
    is_detailed = has_times and is_nearly_distinct(values.rows, values.different)
    if is_detailed:
        reason.append("nearly all of them different")
    return DraftColumn(
        field=field,
        reason=", ".join(reason),
        left_out=False,
        missing=missing,
        review=Review.DETAILED if is_detailed else None,
    )


def _zone_of(profile: Profile) -> str:
    """Return the time zone of texts with offsets: the offset of all texts, or else UTC."""
    matches = [OFFSET.search(text) for text in profile.known_texts]
    offsets = {match[0].upper() for match in matches if match is not None}
    if len({offset_of(offset) for offset in offsets}) != 1:
        return "UTC"
    (length,) = {offset_of(offset) for offset in offsets}
    if length:
        return offset_text(length // SECOND)
    return "Z" if offsets == {"Z"} else "UTC"


def _by_clock(values: Readings, offset: int) -> Readings:
    """Return statistics of moments by a clock that is so many seconds before UTC."""
    lowest = [(second + offset, rows) for second, rows in values.lowest]
    highest = [(second + offset, rows) for second, rows in values.highest]
    return replace(values, lowest=lowest, highest=highest)


def _example_in(pattern: str, zone: str) -> str:
    """Return an example of dates, with the offset of their zone if they have one."""
    if not zone:
        return example_of(pattern)
    return Moment(pattern, 1, zone=zone).write(EXAMPLE_SECOND)


def _date_keys(pattern: str, values: Readings, has_times: bool) -> tuple[Document, Document]:
    """Return the bounds of dates, and further keys of the field, as JSON.

    The keys are the format, the period of the bins, and separate dates (``synth:spikes``).
    Bounds are the ends of a period, and never a date that only a few rows have.

    Args:
        pattern: The strptime pattern of the dates.
        values: Statistics of the dates, as seconds since 1970.
        has_times: Whether the dates have a time of day.
    """
    lowest, highest, spikes = _without_far(values)
    # The first dates from either end that enough rows have at or beyond them.
    first, _ = step_in(lowest, values.rows)
    last, _ = step_in(highest, values.rows)
    period = _period(pattern, (last - first) / DAY + 1)
    # A bound that is still the extreme date of a few rows moves outward by one period, if
    # the format can write that.
    minimum, _ = _round_date(first, period)
    if _is_single_rows(minimum, lowest[0], has_times):
        earlier, _ = _round_date(minimum - DAY, period)
        if _may_be_written(earlier, pattern):
            minimum = earlier
    _, maximum = _round_date(last, period)
    if _is_single_rows(maximum, highest[0], has_times):
        _, later = _round_date(min(maximum + DAY, LAST_SECOND), period)
        if _may_be_written(later, pattern):
            maximum = later
    keys: Document = {
        "format": "default" if pattern == iso_format(timed=has_times) else pattern,
        "synth:period": period,
        "synth:spikes": [_iso(second, has_times) for second in spikes],
    }
    return {"minimum": _iso(minimum, has_times), "maximum": _iso(maximum, has_times)}, keys


def _period(pattern: str, days: float) -> str:
    """Return the period of bins: day, month, quarter or year.

    It is the shortest that gives not too many bins, and not shorter than the format writes.

    Args:
        pattern: The strptime pattern of the dates.
        days: The days from the first date to the last.
    """
    period = next(name for name, length, max_bins in PERIODS if days / length <= max_bins)
    # 12 if the format writes years only, 1 if it writes months, and 0 if it writes days.
    months = months_in_step(pattern)
    if not months:
        return period
    if months == MONTHS_IN_YEAR:
        return "year"
    return "month" if period == "day" else period


def _is_single_rows(bound: float, extreme: tuple[float, int], has_times: bool) -> bool:
    """Return whether a bound is the extreme date itself, which only a few rows have.

    Args:
        bound: The bound, in seconds since 1970.
        extreme: The extreme date, in seconds since 1970, and its rows.
        has_times: Whether the dates have a time of day; if not, they are compared by day.
    """
    second, rows = extreme
    return rows < limits.LISTED_ROWS and _iso(bound, has_times) == _iso(second, has_times)


def _may_be_written(second: float, pattern: str) -> bool:
    """Return whether a format can write a date; two digits mean years of one century."""
    return "%y" not in pattern or (EPOCH + timedelta(seconds=second)).year in SHORT_YEARS


def _round_date(second: float, period: str) -> tuple[float, float]:
    """Return the first and the last second of the period around a date, since 1970.

    A quarter is treated as its month: bounds need not be ends of quarters.

    Args:
        second: The date, in seconds since 1970.
        period: Day, month, quarter or year.
    """
    day = (EPOCH + timedelta(seconds=second)).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    first = day
    if period != "day":
        first = first.replace(day=1)
    if period == "year":
        first = first.replace(month=1)
    last = first.replace(month=12) if period == "year" else first
    if period != "day":
        last = last.replace(day=monthrange(last.year, last.month)[1])
    last = last.replace(hour=23, minute=59, second=59)
    return (first - EPOCH).total_seconds(), (last - EPOCH).total_seconds()


class _Extreme(NamedTuple):
    """A value at an end of a column, with the number of its rows."""

    value: float
    rows: int


def _without_far(values: Readings) -> tuple[Counted, Counted, list[float]]:
    """Return the dates at both ends without far ones, and the far ones of enough rows.

    A date at an end is far if several rows have it, and if it is farther from the next one
    than that is from the other end. Such a date often stands for a missing one.

    Returns the least dates, ascending, and the greatest, descending, each with its rows; and
    the far dates that at least `LISTED_ROWS` rows have. Dates are seconds since 1970.
    """
    lowest = values.lowest
    highest = values.highest
    far: Counted = []
    if _is_far(highest, lowest):
        far = [highest[0]]
        highest = highest[1:]
    if _is_far(lowest, highest):
        far = [lowest[0], *far]
        lowest = lowest[1:]
    return lowest, highest, [value for value, rows in far if rows >= limits.LISTED_ROWS]


def _is_far(ends: Counted, other_ends: Counted) -> bool:
    """Return whether the extreme value at an end is far from the next one, and repeated.

    Args:
        ends: The values at the end, from the end inwards, with their rows.
        other_ends: Those at the other end.
    """
    if len(ends) <= 2:  # too few values to tell which one is far from the others
        return False
    extreme, next_to = (_Extreme(*pair) for pair in ends[:2])
    opposite = _Extreme(*other_ends[0])
    is_repeated = extreme.rows > 1
    gap = abs(extreme.value - next_to.value)
    spread = abs(next_to.value - opposite.value)
    return is_repeated and gap > spread


def _iso(second: float, has_times: bool) -> str:
    moment = EPOCH + timedelta(seconds=int(second // 1))
    return moment.isoformat() if has_times else moment.date().isoformat()


def _is_in_future(values: Readings) -> bool:
    """Return whether some dates, in seconds since 1970, are after today."""
    return values.greatest > (datetime.now() - EPOCH).total_seconds()


def _ask_century(
    profile: Profile, pattern: str, values: Readings, *, missing: tuple[str, ...]
) -> DraftColumn:
    """Return an open column of dates whose two digits for the year leave the century open.

    Python reads 69 to 99 as years from 1969 on, and 00 to 68 as those from 2000 on. A date
    of birth would then be in the future.

    Args:
        profile: The statistics of the column.
        pattern: The strptime pattern of the dates.
        values: Statistics of the dates, as seconds since 1970.
        missing: Texts that mean a missing value.
    """
    # Nobody was born later than this year, and hardly anybody a hundred years ago.
    year = datetime.now().year
    years = {"minimum": f"{year - 99}-01-01", "maximum": f"{year}-12-31"}
    field = draft_field(
        profile.name,
        "date",
        {"required": fills_all_rows(profile, values), **years},
        keys={"format": "any"},
    )
    reason = (
        f"holds dates such as {example_of(pattern)}, some of which would be after {year}, as "
        f"two digits do not say the century: type {example_of(pattern)} as their format if "
        f"they lie in {year - 99} to {year}, or first declare other bounds"
    )
    return DraftColumn(field=field, reason=reason, left_out=False, missing=missing)


def _ambiguous(
    profile: Profile, best: dict[str, Readings], missing: tuple[str, ...]
) -> DraftColumn:
    """Return an open column of dates that several formats read, as different dates.

    Its bounds are whole years that contain the dates of all formats.

    Args:
        profile: The statistics of the column.
        best: The formats that read the most rows, with statistics of the dates.
        missing: Texts that mean a missing value.
    """
    # Years as their four digits, of the first and last date by each format.
    first_years = [_iso(values.smallest, False)[:4] for values in best.values()]
    last_years = [_iso(values.greatest, False)[:4] for values in best.values()]
    limiting: Document = {
        "minimum": f"{min(first_years)}-01-01",
        "maximum": f"{max(last_years)}-12-31",
    }
    has_times = any(
        has_time(pattern) and not values.is_whole for pattern, values in best.items()
    )
    field = draft_field(
        profile.name,
        "datetime" if has_times else "date",
        {"required": fills_all_rows(profile, next(iter(best.values()))), **limiting},
        keys={"format": "any"},
    )
    ways = " or ".join(map(example_of, best))
    reason = f"holds dates that may be read in {len(best)} ways: type {ways} as their format"
    return DraftColumn(field=field, reason=reason, left_out=False, missing=missing)
