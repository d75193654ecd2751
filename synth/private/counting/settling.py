"""The kind of column that fits a profile, why, and whether it should take part. PRIVATE.

Dates come first, then numbers, then lists of texts. A column that can be read in two ways
stays open; one that no noise can hide is left out; both with a reason."""

from calendar import monthrange
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

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
from synth.drafting import (
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


def settle_column(profile: Profile, known: Collection[str] = ()) -> DraftColumn:
    """Return the drafted column; open, without any value or bound, if the table has few rows.

    Args:
        profile: The content of the column.
        known: Texts that mean a missing value in other columns.
    """
    name = profile.name
    if profile.has_few_rows:
        return open_column(
            name, "has too few rows to draft from" if profile.rows else "has no rows"
        )
    if not profile.filled_rows:
        return DraftColumn(field={"name": name}, reason="is empty", left_out=True)
    if profile.filled_rows < limits.LISTED_ROWS:
        return _leave_out_sparse(name, "values")
    return _dates(profile, known) or _numbers(profile, known) or _texts(profile)


def _leave_out_sparse(name: str, what: str) -> DraftColumn:
    few = f"has {what} in fewer than {limits.LISTED_ROWS} rows: it would come out all empty"
    return DraftColumn(field={"name": name}, reason=few, left_out=True)


def _fill_all(profile: Profile, values: Readings) -> bool:
    return values.rows == profile.rows


def _holds_others(profile: Profile, values: Readings, missing: Sequence[str]) -> bool:
    gone = sum(rows for text, rows in values.others if text in missing)
    return values.rows + gone < profile.filled_rows


def _missing_texts(
    profile: Profile, values: Readings, known: Collection[str], *, loose: bool
) -> tuple[str, ...] | None:
    sure = [(t, n) for t, n in values.others if t in known or t.casefold() in SURE | MAYBE]
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


def _dates(profile: Profile, known: Collection[str]) -> DraftColumn | None:
    if not profile.dates:
        return None
    most = max(values.rows for values in profile.dates.values())
    best = {p: values for p, values in profile.dates.items() if values.rows == most}
    pattern = next(iter(best))
    values = best[pattern]
    missing = _missing_texts(profile, values, known, loose=True) if values.lowest else None
    if missing is None:
        return None
    if values.rows < limits.LISTED_ROWS:
        return _leave_out_sparse(profile.name, "dates")
    if len(best) > 1 and any(v.lowest != values.lowest for v in best.values()):
        return _ambiguous(profile, best, missing)
    timed = has_time(pattern) and not values.whole
    strange = _holds_others(profile, values, missing)
    limiting, keys = _date_keys(pattern, values, timed)
    kind = "datetime" if timed else "date"
    field = draft_field(
        profile.name, kind, limiting, keys=keys, required=_fill_all(profile, values)
    )
    said = f"holds dates such as {example_of(pattern)}"
    said += ", and some that are written otherwise" * strange
    said += ", whose fractions of a second are rounded down" * (timed and "%f" in pattern)
    detailed = timed and is_nearly_distinct(values.rows, values.different)
    said += ", nearly all of them different" * detailed
    return DraftColumn(
        field=field,
        reason=said,
        left_out=False,
        missing=missing,
        review=Review.DETAILED if detailed else None,
    )


def _date_keys(pattern: str, values: Readings, timed: bool) -> tuple[Document, Document]:
    low, high, spikes = _without_far(values)
    first, last = step_in(low, values.rows)[0], step_in(high, values.rows)[0]
    days = (last - first) / DAY + 1
    period = next(name for name, length, most in PERIODS if days / length <= most)
    months = months_in_step(pattern)
    if months:
        period = (
            "year" if months == MONTHS_IN_YEAR else "month" if period == "day" else period
        )
    ends = [_round_date(end, period) for end in (first, last)]
    for place, outer, way in ((0, low, -1), (1, high, 1)):
        exact, rows = outer[0]
        if rows < limits.LISTED_ROWS and _iso(ends[place][place], timed) == _iso(
            exact, timed
        ):
            moved = _round_date(min(ends[place][place] + way * DAY, LAST_SECOND), period)
            ends[place] = moved if _may_be_written(moved[place], pattern) else ends[place]
    keys: Document = {
        "format": "default" if pattern == iso_format(timed=timed) else pattern,
        "synth:period": period,
        "synth:spikes": [_iso(second, timed) for second in spikes],
    }
    return {"minimum": _iso(ends[0][0], timed), "maximum": _iso(ends[1][1], timed)}, keys


def _may_be_written(second: float, pattern: str) -> bool:
    # Two digits of a year mean those of one century.
    return "%y" not in pattern or (EPOCH + timedelta(seconds=second)).year in SHORT_YEARS


def _round_date(second: float, period: str) -> tuple[float, float]:
    day = (EPOCH + timedelta(seconds=second)).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    first = day.replace(day=1) if period != "day" else day
    first = first.replace(month=1) if period == "year" else first
    last = {"day": first, "year": first.replace(month=12)}.get(period, first).replace(hour=23)
    if period != "day":
        last = last.replace(day=monthrange(last.year, last.month)[1])
    last = last.replace(minute=59, second=59)
    return (first - EPOCH).total_seconds(), (last - EPOCH).total_seconds()


def _without_far(values: Readings) -> tuple[Counted, Counted, list[float]]:
    low, high = values.lowest, values.highest
    far: Counted = []
    if len(high) > 2 and high[0][1] > 1 and high[0][0] - high[1][0] > high[1][0] - low[0][0]:
        far, high = high[:1], high[1:]
    if len(low) > 2 and low[0][1] > 1 and low[1][0] - low[0][0] > high[0][0] - low[1][0]:
        far, low = [low[0], *far], low[1:]
    return low, high, [value for value, rows in far if rows >= limits.LISTED_ROWS]


def _iso(second: float, timed: bool) -> str:
    moment = EPOCH + timedelta(seconds=int(second // 1))
    return moment.isoformat() if timed else moment.date().isoformat()


def _ambiguous(
    profile: Profile, best: dict[str, Readings], gone: tuple[str, ...]
) -> DraftColumn:
    ends = [(_iso(v.smallest, False)[:4], _iso(v.greatest, False)[:4]) for v in best.values()]
    limiting: Document = {
        "minimum": f"{min(low for low, _ in ends)}-01-01",
        "maximum": f"{max(high for _, high in ends)}-12-31",
    }
    timed = any(has_time(pattern) and not v.whole for pattern, v in best.items())
    kind, whole = (
        "datetime" if timed else "date",
        _fill_all(profile, next(iter(best.values()))),
    )
    field = draft_field(profile.name, kind, limiting, keys={"format": "any"}, required=whole)
    ways = " or ".join(map(example_of, best))
    said = f"holds dates that may be read in {len(best)} ways: type {ways} as their format"
    return DraftColumn(field=field, reason=said, left_out=False, missing=gone)


def _numbers(profile: Profile, known: Collection[str]) -> DraftColumn | None:
    values = profile.numbers
    if not values.lowest or (values.whole and profile.zeros):
        return None
    missing = _missing_texts(profile, values, known, loose=not are_codes(profile))
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
    reason = "holds whole numbers" if values.whole else "holds numbers"
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


def _bounds(profile: Profile, values: Readings, apart: Sequence[float]) -> RoundBounds:
    found = round_bounds(values, apart)
    if not values.whole or single_bins(float(found.low), float(found.high)) is None:
        return found
    counts = Counter[int]()
    for text, rows in profile.common if profile.is_listed else ():
        place = place_of(text)[0]
        if place not in apart and place != float("inf"):
            counts[int(place)] += rows
    run = find_run(counts, values.rows) if counts else None
    return replace(found, low=Decimal(run[0]), high=Decimal(run[1])) if run else found


def _is_listed(profile: Profile, values: Readings, missing: Sequence[str]) -> bool:
    if values.different != values.distinct or not profile.is_listed:
        return False
    texts = [(t, n) for t, n in profile.common if t not in missing]
    common = [(t, n) for t, n in texts if n >= limits.LISTED_ROWS]
    if not common or sum(n for _, n in common) < LISTED_SHARE * values.rows:
        return False
    is_code = sounds_like(profile.name, CODE_WORDS)
    if len(texts) <= FEW_NUMBERS:
        return is_code or not values.whole or not _are_counts(common)
    if not values.whole or len(common) < 2:
        return False
    if is_code:
        return True
    fifths = sum(n for t, n in texts if t[-1:] in ("0", "5")) >= FIFTHS_SHARE * values.rows
    repeated = len(texts) <= limits.LISTED_UNASKED and not fifths
    return repeated and values.rows >= limits.LISTED_ROWS * len(texts) and _has_holes(common)


def _are_counts(common: Counted) -> bool:
    # How many of something: 0, 1, 2, 3, 4 and so on. A shorter run may be codes.
    places = sorted(place_of(text)[0] for text, _ in common)
    return len(places) >= LEAST_COUNTS and places == [*range(len(places))]


def _has_holes(common: Counted) -> bool:
    places = sorted(place_of(text)[0] for text, _ in common)
    holes = places[-1] - places[0] + 1 - len(places)
    single = single_bins(places[0], places[-1]) is not None
    return holes > (0 if single else HOLES_SHARE * (places[-1] - places[0]))


def _number(
    profile: Profile, values: Readings, apart: Sequence[float], *, bounds: RoundBounds
) -> Document:
    kind, whole = "integer" if values.whole else "number", values.whole
    counted = dict([*values.lowest, *values.highest])
    spikes = [code for code in apart if counted[code] >= limits.LISTED_ROWS]
    places = 0 if whole else None if profile.decimals > MAX_DECIMALS else profile.decimals
    bins = single_bins(float(bounds.low), float(bounds.high)) if whole else None
    edges: list[Decimal] = []
    if bins is None:
        often = find_spikes(values, apart)
        edges = follow_shape(values, [*apart, *often], bounds, places=places)
        spikes += often
    keys: Document = {
        "synth:spikes": [_spell(value) for value in sorted(spikes)],
        "synth:bins": bins,
        "synth:edges": [_spell(edge) for edge in edges],
        "synth:decimals": None if whole else places,
    }
    ends: Document = {"minimum": _spell(bounds.low), "maximum": _spell(bounds.high)}
    return draft_field(
        profile.name, kind, ends, keys=keys, required=_fill_all(profile, values)
    )


def _spell(value: float | Decimal) -> str:
    exact = value if isinstance(value, Decimal) else Decimal(repr(float(value)))
    return f"{exact.normalize():f}"


def _texts(profile: Profile) -> DraftColumn:
    missing = tuple(text for text, _ in profile.common if text.casefold() in SURE)
    gone = [(text, rows) for text, rows in profile.common if text in missing]
    rows = profile.filled_rows - sum(rows for _, rows in gone)
    different = profile.different - len(gone)
    if not different:
        return DraftColumn(
            field={"name": profile.name}, reason="is empty", left_out=True, missing=missing
        )
    text = _list_field(profile, missing, [], keys={})
    if what := contact(profile):
        return DraftColumn(
            field=text,
            reason=f"holds {what}",
            left_out=True,
            missing=missing,
            review=Review.IDENTIFIERS,
            offer="Take in",
        )
    if (said := odd_spelling(profile)) and different > 1:
        return DraftColumn(
            field=text, reason=f"holds {said}", left_out=False, missing=missing
        )
    if named := _why_identifying(profile, rows, different):
        return DraftColumn(
            field=text,
            reason=named,
            left_out=True,
            missing=missing,
            review=Review.IDENTIFIERS,
            offer="Take in",
        )
    if unfit := _why_unfit(profile, rows, different):
        return DraftColumn(field=text, reason=unfit, left_out=True, missing=missing)
    return _list_texts(profile, missing)


def _why_identifying(profile: Profile, rows: int, different: int) -> str:
    alone = different > FEW_NUMBERS and is_nearly_distinct(rows, different)
    if alone and profile.longest <= KEPT and not is_free_text(profile):
        return "holds keys or names: nearly every row has a text of its own"
    if is_file_number(profile, different):
        return "holds numbers of files or persons"
    if different > limits.LISTED_UNASKED and sounds_like(profile.name, TEXT_WORDS):
        return (
            f"holds {'long texts' if profile.longest > KEPT else 'many names or addresses'}"
        )
    return ""


def _why_unfit(profile: Profile, rows: int, different: int) -> str:
    if profile.longest > KEPT or (
        different > FEW_NUMBERS
        and is_free_text(profile)
        and is_nearly_distinct(rows, different)
    ):
        return "holds free text"
    many = different > limits.LOOKED_UP_VALUES
    if many and is_free_text(profile) and 5 * different > rows:
        return "holds free text"
    if (
        many
        and sum(n for _, n in profile.common[: limits.LOOKED_UP_VALUES]) < LISTED_SHARE * rows
    ):
        return "holds so many different texts that a list of the common ones says little"
    return ""


def _list_texts(
    profile: Profile, gone: tuple[str, ...], *, numbers: bool = False
) -> DraftColumn:
    spelled = Counter[str]()
    for text, rows in profile.common:
        if text not in gone and text.strip():
            spelled[text.strip()] += rows
    common = [text for text, rows in spelled.most_common() if rows >= limits.LISTED_ROWS]
    least = f"at least {limits.LISTED_ROWS} rows"
    if not common:
        said = f"has no value of {least}: it would come out all empty"
        return DraftColumn(
            field=_list_field(profile, gone, [], keys={}),
            reason=said,
            left_out=True,
            missing=gone,
        )
    others = len(spelled) + max(0, profile.different - len(profile.common)) - len(common)
    texts, ordered = ordered_texts(common[: limits.LOOKED_UP_VALUES])
    if numbers:
        texts, ordered = sorted(texts, key=place_of), len(texts) > 2
    keys: Document = {
        "synth:outside": "cell" * (others > 0),
        "categoriesOrdered": ordered or None,
    }
    field = _list_field(profile, gone, texts, keys=keys)
    if (truth := truth_field(field)) is not None:
        return DraftColumn(
            field=truth, reason="holds true and false", left_out=False, missing=gone
        )
    values = "one value" if len(texts) == 1 else f"{len(texts)} values"
    said = "holds one value only" if len(spelled) == 1 else f"lists {values}"
    if others:
        rare = "one rarer value comes" if others == 1 else f"{others:,} rarer values come"
        said += f" of {least}; {rare} out as (other)"
    if len(common) <= limits.LISTED_UNASKED:
        return DraftColumn(field=field, reason=said, left_out=False, missing=gone)
    return DraftColumn(
        field=field,
        reason=said,
        left_out=True,
        missing=gone,
        review=Review.QUESTIONS,
        offer=f"List {len(texts)} values",
    )


def _list_field(
    profile: Profile, missing: Sequence[str], texts: Sequence[str], *, keys: Document
) -> Document:
    listed: Document = {"enum": list(texts)} if texts else {}
    required = not (profile.blank or missing)
    return draft_field(profile.name, "string", listed, keys=keys, required=required)
