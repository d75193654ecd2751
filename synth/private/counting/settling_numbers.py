"""A column of numbers: measures with bounds, listed codes, or keys. PRIVATE."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import Decimal

from synth import limits
from synth.domain import CODE_WORDS, sounds_like, sounds_like_key
from synth.drafting import (
    DraftColumn,
    Review,
    draft_field,
    identifying_column,
    listed_texts,
    single_bins,
)
from synth.private.counting.missing_texts import (
    count_other_rows,
    leave_out_sparse,
)
from synth.private.counting.number_holes import has_code_holes
from synth.private.counting.ordering import place_of
from synth.private.counting.profiles import Counted, Profile, Readings
from synth.private.counting.rounding import (
    RoundBounds,
    find_run,
    find_spikes,
    follow_shape,
    round_bounds,
)
from synth.private.counting.sentinels import far_codes
from synth.private.counting.settling_texts import FEW_NUMBERS, LISTED_SHARE, list_texts
from synth.private.counting.shapes import (
    are_coordinates,
    is_key,
    is_nearly_distinct,
    odd_numbers,
)
from synth.private.counting.signs import TextsAmong, split_texts
from synth.util import Document

# Least length of a run from 0 on that counts something, and is no list of codes.
LEAST_COUNTS = 5
# Share of unused whole numbers between two ends from which the used ones are codes.
HOLES_SHARE = 0.5
# A list of few numbers that loses a larger share of the rows is no good description.
LOST_SHARE = 0.01
# Share of rows with a multiple of five from which numbers are rounded measures.
FIFTHS_SHARE = 0.8
# Share of the frequent numbers that are multiples of three or two if measures are rounded so.
ROUNDED_SHARE = 0.9
# Most declared decimals; more come from arithmetic.
MAX_DECIMALS = 6


def settle_numbers(
    profile: Profile, missing_elsewhere: Collection[str]
) -> DraftColumn | None:
    """Draft a column of numbers, or of listed codes; None if its texts are no numbers.

    Keys and coordinates are left out, as they identify persons. Texts of enough rows among
    the numbers, such as <5, become signs with a cell of their own.

    Args:
        profile: The statistics of the column.
        missing_elsewhere: Texts that mean a missing value in other columns.
    """
    values = profile.numbers
    # Whole numbers with leading zeros, such as 007, are codes and lose something as numbers.
    if not values.lowest or (values.is_whole and profile.zeros):
        return None
    texts = split_texts(profile, missing_elsewhere)
    if texts is None:
        return None
    missing = texts.missing
    # One number beside texts, such as 0 beside names of wars, is one more text.
    if values.different == 1 and count_other_rows(profile, values, missing):
        return None
    if values.rows < limits.LISTED_ROWS:
        return leave_out_sparse(profile.name, "numbers")
    if max(abs(values.smallest), abs(values.greatest)) > limits.BOUND:
        return DraftColumn(
            field={"name": profile.name},
            reason="holds numbers too large to be counted",
            left_out=True,
        )
    codes = far_codes(values.lowest, values.highest)  # such as 999 for a missing value
    coordinates = are_coordinates(profile, values)
    if coordinates or is_key(profile, values):
        reason = (
            "holds coordinates" if coordinates else "is a key that identifies rows or persons"
        )
        bounds = round_bounds(values, codes)
        field = _number(profile, texts, codes, bounds=bounds)
        return identifying_column(field, reason, missing)
    if _is_listed(profile, values, texts.described, codes=codes):
        return list_texts(profile, missing, numbers=True)
    bounds = _bounds(profile, values, codes)
    field = _number(profile, texts, codes, bounds=bounds)
    reason, review, offer = _describe_numbers(profile, texts, field, bounds=bounds)
    return DraftColumn(
        field=field,
        reason=reason,
        left_out=False,
        missing=missing,
        review=review,
        offer=offer,
    )


def _describe_numbers(
    profile: Profile, texts: TextsAmong, field: Document, *, bounds: RoundBounds
) -> tuple[str, Review | None, str]:
    """Return what a column of numbers holds in words, and what the steward should review.

    Args:
        profile: The statistics of the column.
        texts: The texts of the column that are no numbers.
        field: The column's field, which names the numbers with cells of their own.
        bounds: The bounds of the other numbers.

    Returns the words, the list for review that shows the column or None, and the text of what
    is offered there or ''.
    """
    values = profile.numbers
    reason = "holds whole numbers" if values.is_whole else "holds numbers"
    is_detailed = not bounds.is_cut and is_nearly_distinct(values.rows, values.different)
    if is_detailed:
        reason += ", nearly all of them different"
    spikes = listed_texts(field, "synth:spikes")
    special_texts = [*spikes, *texts.signs]
    if special_texts:
        reason += f", with a cell for each of {', '.join(special_texts)}"
    # Their share follows where it is large (`losses`).
    if count_other_rows(profile, values, texts.described):
        reason += "; rarer texts count as missing"
        if spelling := odd_numbers(profile):
            reason += f", among them {spelling}"
    if bounds.is_cut:
        first, last = (_spell(end) for end in bounds.middle)
        reason += f"; 99 % lie in {first} to {last}"
        offer = f"Use {_spell(bounds.low)} to {_spell(bounds.high)}, others to the nearest"
        return reason, Review.QUESTIONS, offer
    extremes = (
        value for value, _ in (*values.lowest, *values.highest) if _spell(value) not in spikes
    )
    if any(not bounds.low <= Decimal(value) <= bounds.high for value in extremes):
        reason += "; a few rows lie outside the bounds, and count as the nearest"
    return reason, Review.DETAILED if is_detailed else None, ""


def _bounds(profile: Profile, values: Readings, codes: Sequence[float]) -> RoundBounds:
    """Return bounds of numbers: round ones, or the exact ends of a run of whole numbers.

    A run of few successive whole numbers that all occur, such as 1 to 5, keeps its ends.

    Args:
        profile: The statistics of the column, with its most common texts.
        values: Those of its numbers.
        codes: Numbers that stand for missing values, and do not count.
    """
    bounds = round_bounds(values, codes)
    # `single_bins` is None if whole numbers are too many for a bin of each.
    if not values.is_whole or single_bins(float(bounds.low), float(bounds.high)) is None:
        return bounds
    # Only if all texts are known can it be said that all numbers of a run occur.
    known_texts = profile.common if profile.is_listed else []
    counts = Counter(dict(_list_numbers(known_texts, codes)))
    run = find_run(counts, values.rows) if counts else None
    return replace(bounds, low=Decimal(run[0]), high=Decimal(run[1])) if run else bounds


def _is_listed(
    profile: Profile, values: Readings, described: Sequence[str], *, codes: Sequence[float]
) -> bool:
    """Return whether numbers are codes, which are listed as texts.

    Codes are few numbers, mostly of enough rows, that name categories and measure nothing:
    by the column's name, or by what is unusual for measures.

    Args:
        profile: The statistics of the column, with its most common texts.
        values: Those of its numbers.
        described: Texts that mean a missing value, and signs.
        codes: Numbers far from the others that stand for missing values.
    """
    # Each number must have one spelling.
    if values.different != values.distinct:
        return False
    texts = [(text, rows) for text, rows in profile.common if text not in described]
    common = [(text, rows) for text, rows in texts if rows >= limits.LISTED_ROWS]
    if not common or sum(rows for _, rows in common) < LISTED_SHARE * values.rows:
        return False
    # An ID that many rows share, such as that of a company, is a code.
    is_shared_id = sounds_like_key(profile.name) and values.different <= limits.LISTED_UNASKED
    is_code = sounds_like(profile.name, CODE_WORDS) or is_shared_id
    # All numbers must be known, unless the name says that they are codes.
    if not is_code and not profile.is_listed:
        return False
    # Few numbers are codes unless they count something.
    if len(texts) <= FEW_NUMBERS:
        return (
            is_code
            or not values.is_whole
            or not (_are_counts(common) or _is_measured(texts, codes))
        )
    if not values.is_whole or len(common) < 2:
        return False
    if is_code:
        return True
    if _are_rounded(_list_numbers(texts, codes=()), values.rows):
        return False
    # On average each number must have enough rows to be listed.
    return values.rows >= limits.LISTED_ROWS * len(texts) and _has_holes(texts, codes)


def _are_rounded(rows_by_number: Sequence[tuple[int, int]], rows: int) -> bool:
    """Return whether numbers are measures that people round, to five or to half a year.

    To other multiples than those of five, nearly all of the frequent numbers must be rounded,
    too: one frequent code may be a multiple by chance.

    Args:
        rows_by_number: The numbers, ascending, each with its rows.
        rows: The rows of all numbers.
    """
    frequent = [number for number, n in rows_by_number if n >= limits.LISTED_ROWS]
    for step in (5, 3, 2):
        rounded_rows = sum(n for number, n in rows_by_number if number % step == 0)
        rounded = sum(number % step == 0 for number in frequent)
        are_most = step == 5 or rounded >= ROUNDED_SHARE * len(frequent)
        if are_most and rounded_rows >= FIFTHS_SHARE * rows:
            return True
    return False


def _are_counts(common: Counted) -> bool:
    """Return whether numbers say how many of something: 0, 1, 2, 3, 4 and so on.

    A shorter run than `LEAST_COUNTS` numbers may be codes.

    Args:
        common: The texts of the numbers and their rows.
    """
    numbers = sorted(place_of(text)[0] for text, _ in common)
    return len(numbers) >= LEAST_COUNTS and numbers == [*range(len(numbers))]


def _is_measured(texts: Counted, codes: Sequence[float]) -> bool:
    """Return whether a few whole numbers measure something, and a list would lose rows.

    They are at least `LEAST_COUNTS`, such as the sizes of households, and the rare ones are
    those of the tails. A range then describes all rows.

    Args:
        texts: All texts of the column and their rows.
        codes: Numbers that stand for missing values, and do not count.
    """
    rows_by_number = _list_numbers(texts, codes)
    rare_rows = sum(rows for _, rows in rows_by_number if rows < limits.LISTED_ROWS)
    all_rows = sum(rows for _, rows in rows_by_number)
    loses_rows = rare_rows > LOST_SHARE * all_rows
    return (
        loses_rows
        and len(rows_by_number) >= LEAST_COUNTS
        and not has_code_holes(rows_by_number)
    )


def _has_holes(texts: Counted, codes: Sequence[float]) -> bool:
    """Return whether so many whole numbers between the ends are unused that these are codes.

    In a long range a share of the numbers must be unused as well. A number that only a few
    rows have is used, too: rare heights are no holes among heights.

    Args:
        texts: All texts of the column and their rows.
        codes: Numbers that stand for missing values, and do not count.
    """
    rows_by_number = _list_numbers(texts, codes)
    low = rows_by_number[0][0]
    high = rows_by_number[-1][0]
    unused = high - low + 1 - len(rows_by_number)
    is_short = single_bins(low, high) is not None
    if not is_short and unused <= HOLES_SHARE * (high - low):
        return False
    return has_code_holes(rows_by_number)


def _list_numbers(texts: Counted, codes: Sequence[float]) -> list[tuple[int, int]]:
    """Return the whole numbers of a column, ascending, each with its rows.

    Args:
        texts: All texts of the column and their rows.
        codes: Numbers that stand for missing values, and are left out.
    """
    rows_by_number = Counter[int]()
    for text, rows in texts:
        place, _ = place_of(text)
        if place not in codes and place != float("inf"):
            rows_by_number[int(place)] += rows
    return sorted(rows_by_number.items())


def _number(
    profile: Profile, texts: TextsAmong, codes: Sequence[float], *, bounds: RoundBounds
) -> Document:
    """Return the field of a column of numbers, as JSON in the form of a table schema.

    Args:
        profile: The statistics of the column.
        texts: The texts of the column that are no numbers.
        codes: Numbers that have cells of their own if they have enough rows.
        bounds: The bounds of the other numbers.
    """
    values = profile.numbers
    is_whole = values.is_whole
    # Spikes are numbers with cells of their own; places are digits after the decimal mark.
    spikes = _frequent_codes(values, codes)
    places: int | None = profile.decimals
    bins: int | None = None
    if is_whole:
        places = 0
        bins = single_bins(float(bounds.low), float(bounds.high))
    elif profile.decimals > MAX_DECIMALS:
        places = None
    # With a bin for each whole number, no number needs a cell or an edge of its own.
    edges: list[Decimal] = []
    if bins is None:
        frequent_values = find_spikes(values, codes)
        edges = follow_shape(values, [*codes, *frequent_values], bounds, places=places)
        spikes += frequent_values
    keys: Document = {
        "synth:spikes": [_spell(value) for value in sorted(spikes)],
        "synth:signs": sorted(texts.signs),
        "synth:bins": bins,
        "synth:edges": [_spell(edge) for edge in edges],
        "synth:decimals": None if is_whole else places,
    }
    ends: Document = {"minimum": _spell(bounds.low), "maximum": _spell(bounds.high)}
    return draft_field(
        profile.name,
        "integer" if is_whole else "number",
        {"required": _fills_all_rows(profile, texts), **ends},
        keys=keys,
    )


def _frequent_codes(values: Readings, codes: Sequence[float]) -> list[float]:
    """Return the codes, such as 999, that enough rows have for a cell of their own."""
    rows_by_value = dict([*values.lowest, *values.highest])
    return [code for code in codes if rows_by_value[code] >= limits.LISTED_ROWS]


def _fills_all_rows(profile: Profile, texts: TextsAmong) -> bool:
    """Return whether all rows have a number or a sign."""
    no_rows_left = not count_other_rows(profile, profile.numbers, texts.signs)
    return not profile.blank and no_rows_left


def _spell(value: float | Decimal) -> str:
    exact = value if isinstance(value, Decimal) else Decimal(repr(float(value)))
    return f"{exact.normalize():f}"
