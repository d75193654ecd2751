"""The kind of column that fits a profile, why, and whether it should take part. PRIVATE.

Dates come first, then numbers, then lists of texts. A column that can be read in two ways
stays open; one that no noise can hide is left out; both with a reason."""

from calendar import monthrange
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from synth import limits
from synth.domain import (
    CODE_WORDS,
    DAY,
    EPOCH,
    MONTHS_IN_YEAR,
    SHORT_YEARS,
    TEXT_WORDS,
    example_of,
    has_time,
    iso_format,
    months_in_step,
    sounds_like,
)
from synth.estimate import (
    DraftColumn,
    Review,
    draft_field,
    open_column,
    single_bins,
    truth_field,
)
from synth.private.counting.ordering import ordered_texts, place_of
from synth.private.counting.profiles import KEPT, Counted, Profile, Readings
from synth.private.counting.rounding import (
    RoundBounds,
    find_run,
    find_spikes,
    follow_shape,
    round_bounds,
    step_in,
)
from synth.private.counting.sentinels import far_codes
from synth.private.counting.shapes import (
    MAYBE,
    SURE,
    are_codes,
    are_coordinates,
    contact,
    is_file_number,
    is_free_text,
    is_key,
    is_nearly_distinct,
    odd_spelling,
)
from synth.util import Document

# Up to this many different numbers count as codes, and are listed in order.
FEW_NUMBERS = 10
# Least length of a run from 0 on that counts something, and is no list of codes.
LEAST_COUNTS = 5
# Share of unused whole numbers between two ends from which the used ones are codes.
HOLES_SHARE = 0.5
# Share of rows with a multiple of five from which numbers are rounded measures.
FIFTHS_SHARE = 0.8
# Most declared decimals; more come from arithmetic.
MAX_DECIMALS = 6
# Most different texts that may mean missing values among numbers.
ODD_TEXTS = 3
# Share of filled rows that must be dates, or numbers.
READABLE_SHARE = 0.8
# That share if the others look like codes.
STRICT = 0.999
# Share of the rows that the most common texts must cover to be listed for all.
LISTED_SHARE = 0.5
# The last possible second of a date, since 1970.
LAST_SECOND = (datetime.max - EPOCH).total_seconds() // 1
# Bins by the calendar, their days, and their largest number.
PERIODS = (("day", 1, 31), ("month", 30, 48), ("quarter", 91, 40), ("year", 365, 10_000))


def settle_column(profile: Profile, missing_elsewhere: Collection[str] = ()) -> DraftColumn:
    """Return the drafted column; open, without any value or bound, if the table has few rows.

    Args:
        profile: The content of the column.
        missing_elsewhere: Texts that mean a missing value in other columns.
    """
    name = profile.name
    if not profile.rows:
        return open_column(name, "has no rows")
    if profile.has_few_rows:
        return open_column(name, "has too few rows to draft from")
    if not profile.filled_rows:
        return DraftColumn(field={"name": name}, reason="is empty", left_out=True)
    if profile.filled_rows < limits.LISTED_ROWS:
        return _leave_out_sparse(name, "values")
    return (
        _dates(profile, missing_elsewhere)
        or _numbers(profile, missing_elsewhere)
        or _texts(profile)
    )


def _leave_out_sparse(name: str, content: str) -> DraftColumn:
    few = (
        f"has {content} in fewer than {limits.LISTED_ROWS} rows: it would come out all empty"
    )
    return DraftColumn(field={"name": name}, reason=few, left_out=True)


def _fill_all(profile: Profile, values: Readings) -> bool:
    return values.rows == profile.rows


def _holds_others(profile: Profile, values: Readings, missing: Sequence[str]) -> bool:
    """Return whether some texts are neither read in this way nor missing values."""
    missing_rows = sum(rows for text, rows in values.others if text in missing)
    return values.rows + missing_rows < profile.filled_rows


def _missing_texts(
    profile: Profile, values: Readings, missing_elsewhere: Collection[str], *, loose: bool
) -> tuple[str, ...] | None:
    """Return the texts that mean missing values; None if too many others are no values.

    Args:
        values: The texts that are dates, or numbers.
        missing_elsewhere: Texts that mean a missing value in other columns.
        loose: Whether some other texts may be left over.
    """
    sure = [
        (t, n)
        for t, n in values.others
        if t in missing_elsewhere or t.casefold() in SURE | MAYBE
    ]
    odd = [pair for pair in values.others if pair not in sure]
    filled = profile.filled_rows - sum(rows for _, rows in sure)
    few = len(odd) <= ODD_TEXTS and all(
        rows >= limits.LISTED_ROWS and len(text) < 13 for text, rows in odd
    )
    if few and values.different > 2 and 2 * values.rows >= filled:
        return tuple(text for text, _ in [*sure, *odd])
    if values.rows >= (READABLE_SHARE if loose else STRICT) * filled:
        return tuple(text for text, _ in sure)
    return None


def _dates(profile: Profile, missing_elsewhere: Collection[str]) -> DraftColumn | None:
    """Draft a column of dates; None if the texts are none."""
    if not profile.dates:
        return None
    most_rows = max(values.rows for values in profile.dates.values())
    best = {p: values for p, values in profile.dates.items() if values.rows == most_rows}
    pattern = next(iter(best))
    values = best[pattern]
    if not values.lowest:
        return None
    missing = _missing_texts(profile, values, missing_elsewhere, loose=True)
    if missing is None:
        return None
    if values.rows < limits.LISTED_ROWS:
        return _leave_out_sparse(profile.name, "dates")
    if len(best) > 1 and any(v.lowest != values.lowest for v in best.values()):
        return _ambiguous(profile, best, missing)
    has_times = has_time(pattern) and not values.is_whole
    has_other_forms = _holds_others(profile, values, missing)
    limiting, keys = _date_keys(pattern, values, has_times)
    kind = "datetime" if has_times else "date"
    field = draft_field(
        profile.name, kind, limiting, keys=keys, required=_fill_all(profile, values)
    )
    reason = f"holds dates such as {example_of(pattern)}"
    if has_other_forms:
        reason += ", and some that are written otherwise"
    if has_times and "%f" in pattern:
        reason += ", whose fractions of a second are rounded down"
    is_detailed = has_times and is_nearly_distinct(values.rows, values.different)
    if is_detailed:
        reason += ", nearly all of them different"
    return DraftColumn(
        field=field,
        reason=reason,
        left_out=False,
        missing=missing,
        review=Review.DETAILED if is_detailed else None,
    )


def _date_keys(pattern: str, values: Readings, has_times: bool) -> tuple[Document, Document]:
    """Return the bounds of dates, and their format, period and separate dates."""
    lowest, highest, spikes = _without_far(values)
    first, _ = step_in(lowest, values.rows)
    last, _ = step_in(highest, values.rows)
    period = _period(pattern, (last - first) / DAY + 1)
    minimum, _ = _round_date(first, period)
    if _is_single_rows(minimum, lowest[0], has_times):
        earlier, _ = _round_date(min(minimum - DAY, LAST_SECOND), period)
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
    """Return the period of bins for so many days, not shorter than dates are written."""
    period = next(name for name, length, max_bins in PERIODS if days / length <= max_bins)
    months = months_in_step(pattern)
    if not months:
        return period
    if months == MONTHS_IN_YEAR:
        return "year"
    return "month" if period == "day" else period


def _is_single_rows(bound: float, extreme: tuple[float, int], has_times: bool) -> bool:
    """Return whether a bound is the extreme date itself, which only a few rows have."""
    second, rows = extreme
    return rows < limits.LISTED_ROWS and _iso(bound, has_times) == _iso(second, has_times)


def _may_be_written(second: float, pattern: str) -> bool:
    """Return whether a format can write a date; two digits mean years of one century."""
    return "%y" not in pattern or (EPOCH + timedelta(seconds=second)).year in SHORT_YEARS


def _round_date(second: float, period: str) -> tuple[float, float]:
    """Return the first and the last second of the period around a date."""
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
    """Return the dates at both ends without a far one, and far ones of enough rows.

    A date at an end is far if several rows have it, and if it is farther from the next one
    than that is from the other end.
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
    """Return whether the extreme value at an end is far from the next one, and repeated."""
    if len(ends) <= 2:
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


def _ambiguous(
    profile: Profile, best: dict[str, Readings], missing: tuple[str, ...]
) -> DraftColumn:
    """Return a column of dates that may be read in several ways, which are to decide."""
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
        limiting,
        keys={"format": "any"},
        required=_fill_all(profile, next(iter(best.values()))),
    )
    ways = " or ".join(map(example_of, best))
    reason = f"holds dates that may be read in {len(best)} ways: type {ways} as their format"
    return DraftColumn(field=field, reason=reason, left_out=False, missing=missing)


def _numbers(profile: Profile, missing_elsewhere: Collection[str]) -> DraftColumn | None:
    """Draft a column of numbers, or of listed codes; None if the texts are no numbers."""
    values = profile.numbers
    if not values.lowest or (values.is_whole and profile.zeros):
        return None
    missing = _missing_texts(profile, values, missing_elsewhere, loose=not are_codes(profile))
    if missing is None:
        return None
    if values.rows < limits.LISTED_ROWS:
        return _leave_out_sparse(profile.name, "numbers")
    if max(abs(values.smallest), abs(values.greatest)) > limits.BOUND:
        return DraftColumn(
            field={"name": profile.name},
            reason="holds numbers too large to be counted",
            left_out=True,
        )
    codes = far_codes(values.lowest, values.highest)
    coordinates = are_coordinates(profile, values)
    if coordinates or is_key(profile, values):
        return DraftColumn(
            field=_number(profile, values, codes, bounds=round_bounds(values, codes)),
            reason="holds coordinates"
            if coordinates
            else "is a key that identifies rows or persons",
            left_out=True,
            missing=missing,
            review=Review.IDENTIFIERS,
            offer="Take in",
        )
    if _is_listed(profile, values, missing):
        return _list_texts(profile, missing, numbers=True)
    bounds = _bounds(profile, values, codes)
    reason, review, offer = _describe_numbers(profile, missing, codes, bounds=bounds)
    return DraftColumn(
        field=_number(profile, values, codes, bounds=bounds),
        reason=reason,
        left_out=False,
        missing=missing,
        review=review,
        offer=offer,
    )


def _describe_numbers(
    profile: Profile, missing: Sequence[str], codes: Sequence[float], *, bounds: RoundBounds
) -> tuple[str, Review | None, str]:
    """Return what a column of numbers holds, the list that shows it, and its offer."""
    values = profile.numbers
    reason = "holds whole numbers" if values.is_whole else "holds numbers"
    if codes:
        reason += "; codes far from them have cells of their own"
    if _holds_others(profile, values, missing):
        reason += "; some cells hold none"
    if bounds.is_cut:
        first, last = (_spell(end) for end in bounds.middle)
        reason += f"; 99 % lie in {first} to {last}"
        offer = f"Use {_spell(bounds.low)} to {_spell(bounds.high)}, others to the nearest"
        return reason, Review.QUESTIONS, offer
    extremes = (value for value, _ in (*values.lowest, *values.highest) if value not in codes)
    if any(not bounds.low <= Decimal(value) <= bounds.high for value in extremes):
        reason += "; a few rows lie outside the bounds, and count as the nearest"
    if is_nearly_distinct(values.rows, values.different):
        return f"{reason}, nearly all of them different", Review.DETAILED, ""
    return reason, None, ""


def _bounds(profile: Profile, values: Readings, codes: Sequence[float]) -> RoundBounds:
    """Return bounds of numbers; of a few whole ones, those of a run that all occur."""
    bounds = round_bounds(values, codes)
    if not values.is_whole or single_bins(float(bounds.low), float(bounds.high)) is None:
        return bounds
    counts = Counter[int]()
    for text, rows in profile.common if profile.is_listed else ():
        place = place_of(text)[0]
        if place not in codes and place != float("inf"):
            counts[int(place)] += rows
    run = find_run(counts, values.rows) if counts else None
    return replace(bounds, low=Decimal(run[0]), high=Decimal(run[1])) if run else bounds


def _is_listed(profile: Profile, values: Readings, missing: Sequence[str]) -> bool:
    """Return whether numbers are codes, which are listed as texts."""
    if values.different != values.distinct or not profile.is_listed:
        return False
    texts = [(text, rows) for text, rows in profile.common if text not in missing]
    common = [(text, rows) for text, rows in texts if rows >= limits.LISTED_ROWS]
    if not common or sum(rows for _, rows in common) < LISTED_SHARE * values.rows:
        return False
    is_code = sounds_like(profile.name, CODE_WORDS)
    if len(texts) <= FEW_NUMBERS:
        return is_code or not values.is_whole or not _are_counts(common)
    if not values.is_whole or len(common) < 2:
        return False
    if is_code:
        return True
    if len(texts) > limits.LISTED_UNASKED:
        return False
    rows_of_fifths = sum(rows for text, rows in texts if text[-1:] in ("0", "5"))
    if rows_of_fifths >= FIFTHS_SHARE * values.rows:
        return False
    return values.rows >= limits.LISTED_ROWS * len(texts) and _has_holes(common)


def _are_counts(common: Counted) -> bool:
    """Return whether numbers say how many of something: 0, 1, 2, 3, 4 and so on.

    A shorter run may be codes.
    """
    places = sorted(place_of(text)[0] for text, _ in common)
    return len(places) >= LEAST_COUNTS and places == [*range(len(places))]


def _has_holes(common: Counted) -> bool:
    """Return whether so many numbers between the ends are unused that these are codes."""
    places = sorted(place_of(text)[0] for text, _ in common)
    holes = places[-1] - places[0] + 1 - len(places)
    single = single_bins(places[0], places[-1]) is not None
    return holes > (0 if single else HOLES_SHARE * (places[-1] - places[0]))


def _number(
    profile: Profile, values: Readings, codes: Sequence[float], *, bounds: RoundBounds
) -> Document:
    """Return the field of a column of numbers.

    Args:
        codes: Numbers that have cells of their own if they have enough rows.
    """
    is_whole = values.is_whole
    rows_by_value = dict([*values.lowest, *values.highest])
    spikes = [code for code in codes if rows_by_value[code] >= limits.LISTED_ROWS]
    places: int | None = profile.decimals
    bins: int | None = None
    if is_whole:
        places = 0
        bins = single_bins(float(bounds.low), float(bounds.high))
    elif profile.decimals > MAX_DECIMALS:
        places = None
    edges: list[Decimal] = []
    if bins is None:
        frequent_values = find_spikes(values, codes)
        edges = follow_shape(values, [*codes, *frequent_values], bounds, places=places)
        spikes += frequent_values
    keys: Document = {
        "synth:spikes": [_spell(value) for value in sorted(spikes)],
        "synth:bins": bins,
        "synth:edges": [_spell(edge) for edge in edges],
        "synth:decimals": None if is_whole else places,
    }
    ends: Document = {"minimum": _spell(bounds.low), "maximum": _spell(bounds.high)}
    return draft_field(
        profile.name,
        "integer" if is_whole else "number",
        ends,
        keys=keys,
        required=_fill_all(profile, values),
    )


def _spell(value: float | Decimal) -> str:
    exact = value if isinstance(value, Decimal) else Decimal(repr(float(value)))
    return f"{exact.normalize():f}"


def _texts(profile: Profile) -> DraftColumn:
    """Draft a column of texts: left out, or a list of the common ones."""
    missing = tuple(text for text, _ in profile.common if text.casefold() in SURE)
    missing_rows = sum(rows for text, rows in profile.common if text in missing)
    rows = profile.filled_rows - missing_rows
    different = profile.different - len(missing)
    if not different:
        return DraftColumn(
            field={"name": profile.name}, reason="is empty", left_out=True, missing=missing
        )
    text = _list_field(profile, missing, [], keys={})
    if kind_of_contact := contact(profile):
        return DraftColumn(
            field=text,
            reason=f"holds {kind_of_contact}",
            left_out=True,
            missing=missing,
            review=Review.IDENTIFIERS,
            offer="Take in",
        )
    if (spelling := odd_spelling(profile)) and different > 1:
        return DraftColumn(
            field=text, reason=f"holds {spelling}", left_out=False, missing=missing
        )
    if identifying := _why_identifying(profile, rows, different):
        return DraftColumn(
            field=text,
            reason=identifying,
            left_out=True,
            missing=missing,
            review=Review.IDENTIFIERS,
            offer="Take in",
        )
    if unfit := _why_unfit(profile, rows, different):
        return DraftColumn(field=text, reason=unfit, left_out=True, missing=missing)
    return _list_texts(profile, missing)


def _why_identifying(profile: Profile, rows: int, different: int) -> str:
    """Return why texts may identify persons; empty if they do not seem to."""
    nearly_distinct = different > FEW_NUMBERS and is_nearly_distinct(rows, different)
    if nearly_distinct and profile.longest <= KEPT and not is_free_text(profile):
        return "holds keys or names: nearly every row has a text of its own"
    if is_file_number(profile, different):
        return "holds numbers of files or persons"
    if different > limits.LISTED_UNASKED and sounds_like(profile.name, TEXT_WORDS):
        if profile.longest > KEPT:
            return "holds long texts"
        return "holds many names or addresses"
    return ""


def _why_unfit(profile: Profile, rows: int, different: int) -> str:
    """Return why texts can't be listed; empty if they can."""
    if profile.longest > KEPT:
        return "holds free text"
    is_free = is_free_text(profile)
    if different > FEW_NUMBERS and is_free and is_nearly_distinct(rows, different):
        return "holds free text"
    if different <= limits.LOOKED_UP_VALUES:
        return ""
    if is_free and 5 * different > rows:
        return "holds free text"
    listed_rows = sum(n for _, n in profile.common[: limits.LOOKED_UP_VALUES])
    if listed_rows < LISTED_SHARE * rows:
        return "holds so many different texts that a list of the common ones says little"
    return ""


def _list_texts(
    profile: Profile, missing: tuple[str, ...], *, numbers: bool = False
) -> DraftColumn:
    """Draft a list of the common texts, or truth.

    Args:
        missing: Texts that mean missing values.
        numbers: Whether the texts are numbers, which are sorted as such.
    """
    rows_by_text = Counter[str]()
    for text, rows in profile.common:
        if text not in missing and text.strip():
            rows_by_text[text.strip()] += rows
    common = [text for text, rows in rows_by_text.most_common() if rows >= limits.LISTED_ROWS]
    enough_rows = f"at least {limits.LISTED_ROWS} rows"
    if not common:
        reason = f"has no value of {enough_rows}: it would come out all empty"
        return DraftColumn(
            field=_list_field(profile, missing, [], keys={}),
            reason=reason,
            left_out=True,
            missing=missing,
        )
    unlisted = max(0, profile.different - len(profile.common))
    others = len(rows_by_text) + unlisted - len(common)
    texts, ordered = ordered_texts(common[: limits.LOOKED_UP_VALUES])
    if numbers:
        texts = sorted(texts, key=place_of)
        ordered = len(texts) > 2
    keys: Document = {
        "synth:outside": "cell" if others > 0 else "",
        "categoriesOrdered": ordered or None,
    }
    field = _list_field(profile, missing, texts, keys=keys)
    if (truth := truth_field(field)) is not None:
        return DraftColumn(
            field=truth, reason="holds true and false", left_out=False, missing=missing
        )
    values = "one value" if len(texts) == 1 else f"{len(texts)} values"
    reason = "holds one value only" if len(rows_by_text) == 1 else f"lists {values}"
    if others:
        rare = "one rarer value comes" if others == 1 else f"{others:,} rarer values come"
        reason += f" of {enough_rows}; {rare} out as (other)"
    if len(common) <= limits.LISTED_UNASKED:
        return DraftColumn(field=field, reason=reason, left_out=False, missing=missing)
    return DraftColumn(
        field=field,
        reason=reason,
        left_out=True,
        missing=missing,
        review=Review.QUESTIONS,
        offer=f"List {len(texts)} values",
    )


def _list_field(
    profile: Profile, missing: Sequence[str], texts: Sequence[str], *, keys: Document
) -> Document:
    values: Document = {"enum": list(texts)} if texts else {}
    required = not (profile.blank or missing)
    return draft_field(profile.name, "string", values, keys=keys, required=required)
