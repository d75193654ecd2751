"""What kind of column a profile speaks for, why, and whether it should take part. PRIVATE.

Dates come first, then numbers, then lists of texts. What may be read in two ways is left open,
with a reason; what no noise can hide is left out, with a reason.
"""

import re
from collections.abc import Collection, Sequence
from datetime import timedelta

from synth import limits
from synth.domain import (
    DAY,
    EPOCH,
    MONTH_NAMES,
    WEEKDAYS,
    example_of,
    has_time,
    iso_format,
)
from synth.estimate import DraftColumn, draft_field, open_column, single_bins
from synth.private.counting.profiles import KEPT, Profile, Readings
from synth.private.counting.sentinels import far_codes
from synth.private.counting.shapes import (
    MAYBE,
    SURE,
    are_codes,
    contact,
    is_free_text,
    is_key,
    is_nearly_distinct,
    odd_spelling,
)
from synth.util import Document

FAR_APART = 10
"""So few numbers that are no neighbours are listed, in their order."""
MAX_DECIMALS = 6
"""Most decimals that are declared; more come of arithmetic."""
ODD_TEXTS = 3
"""So many different texts may stand for missing values among numbers."""
READABLE_SHARE = 0.8
"""Share of the rows that say something which must be read as dates, or as numbers."""
STRICT = 0.999
"""The same where the others look like codes beside numbers."""
LISTED_SHARE = 0.5
"""Share of the rows that the most common texts must cover to be listed for all."""
PERIODS = (("day", 1, 31), ("month", 30, 48), ("quarter", 91, 40), ("year", 365, 10_000))
"""Bins by the calendar, their days, and up to how many there may be."""


def settle_column(profile: Profile, known: Collection[str] = ()) -> DraftColumn:
    """What a column is, by what it holds, and by texts that others hold for missing values."""
    name = profile.name
    if not profile.rows:
        return open_column(name, "has no row to look at")
    if not profile.filled_rows:
        return DraftColumn({"name": name}, "is empty", True)
    found = _dates(profile, known) or _numbers(profile, known)
    return found or _texts(profile)


def _fill_all(profile: Profile, values: Readings) -> bool:
    """Whether every row has a value, so that the column is required."""
    return values.rows == profile.rows


def _holds_others(profile: Profile, values: Readings, missing: Sequence[str]) -> bool:
    """Whether some cells are neither values nor missing."""
    gone = sum(rows for text, rows in values.others if text in missing)
    return values.rows + gone < profile.filled_rows


def _missing_texts(
    profile: Profile, values: Readings, known: Collection[str], *, loose: bool
) -> tuple[str, ...] | None:
    """Texts beside values that stand for missing ones; None where it is no column of values."""
    sure = [(t, n) for t, n in values.others if t in known or t.casefold() in SURE | MAYBE]
    odd = [pair for pair in values.others if pair not in sure]
    filled = profile.filled_rows - sum(rows for _, rows in sure)
    few = len(odd) <= ODD_TEXTS and all(rows > 1 and len(text) < 13 for text, rows in odd)
    if few and values.different > 2 and 2 * values.rows >= filled:
        return tuple(text for text, _ in [*sure, *odd])
    if values.rows >= (READABLE_SHARE if loose else STRICT) * filled:
        return tuple(text for text, _ in sure)
    return None


def _dates(profile: Profile, known: Collection[str]) -> DraftColumn | None:
    """A column of dates, if most of its texts are; open where two formats read as many."""
    if not profile.dates:
        return None
    most = max(values.rows for values in profile.dates.values())
    best = {p: values for p, values in profile.dates.items() if values.rows == most}
    pattern = next(iter(best))
    values = best[pattern]
    missing = _missing_texts(profile, values, known, loose=True) if values.lowest else None
    if missing is None:
        return None
    if len(best) > 1 and any(v.lowest != values.lowest for v in best.values()):
        return _ambiguous(profile, best, missing)
    timed = has_time(pattern) and not values.whole
    strange = _holds_others(profile, values, missing)
    limiting, keys = _date_keys(pattern, values, timed)
    kind = "datetime" if timed else "date"
    field = draft_field(profile.name, kind, limiting, keys, required=_fill_all(profile, values))
    if timed and is_nearly_distinct(values.rows, values.different):
        return DraftColumn(field, "holds exact times, nearly all of them different", True, missing)
    said = f"holds dates such as {example_of(pattern)}"
    return DraftColumn(
        field, said + (", and some that are written otherwise" * strange), False, missing
    )


def _date_keys(pattern: str, values: Readings, timed: bool) -> tuple[Document, Document]:
    """The bounds of dates in one format, and what else is declared of them."""
    lowest, highest, spikes = _without_far(values)
    last = highest if "%d" in pattern else _end_of_month(highest)
    days = (highest - lowest) / DAY + 1
    keys: Document = {
        "format": "default" if pattern == iso_format(timed=timed) else pattern,
        "synth:period": next(name for name, length, most in PERIODS if days / length <= most),
        "synth:spikes": [_iso(second, timed) for second in spikes],
    }
    return {"minimum": _iso(lowest, timed), "maximum": _iso(last, timed)}, keys


def _without_far(values: Readings) -> tuple[float, float, list[float]]:
    """The first and the last date but for repeated ones farther off than all others reach."""
    low, high = values.lowest, values.highest
    spikes = []
    if len(high) > 2 and high[0][1] > 1 and high[0][0] - high[1][0] > high[1][0] - low[0][0]:
        spikes, high = [high[0][0]], high[1:]
    if len(low) > 2 and low[0][1] > 1 and low[1][0] - low[0][0] > high[0][0] - low[1][0]:
        spikes, low = [low[0][0], *spikes], low[1:]
    return low[0][0], high[0][0], spikes


def _end_of_month(second: float) -> float:
    after = (EPOCH + timedelta(seconds=second)).replace(day=28) + timedelta(days=4)
    return (after - timedelta(days=after.day) - EPOCH).total_seconds()


def _iso(second: float, timed: bool) -> str:
    moment = EPOCH + timedelta(seconds=int(second // 1))
    return moment.isoformat() if timed else moment.date().isoformat()


def _ambiguous(
    profile: Profile, best: dict[str, Readings], missing: tuple[str, ...]
) -> DraftColumn:
    """Dates that several formats read: bounds that hold for all, and no format."""
    ends = [(_iso(v.smallest, False)[:4], _iso(v.greatest, False)[:4]) for v in best.values()]
    limiting: Document = {
        "minimum": f"{min(low for low, _ in ends)}-01-01",
        "maximum": f"{max(high for _, high in ends)}-12-31",
    }
    timed = any(has_time(pattern) and not v.whole for pattern, v in best.items())
    kind, whole = "datetime" if timed else "date", _fill_all(profile, next(iter(best.values())))
    field = draft_field(profile.name, kind, limiting, {"format": "any"}, required=whole)
    ways = " or ".join(map(example_of, best))
    said = f"holds dates that may be read in {len(best)} ways: type {ways} as their format"
    return DraftColumn(field, said, False, missing)


def _numbers(profile: Profile, known: Collection[str]) -> DraftColumn | None:
    """A column of numbers, if nearly all its texts are."""
    values = profile.numbers
    if not values.lowest or (values.whole and profile.zeros):
        return None
    missing = _missing_texts(profile, values, known, loose=not are_codes(profile))
    if missing is None:
        return None
    if is_key(profile, values):
        field = _number(profile, values, [])
        return DraftColumn(field, "is a key: it tells rows or persons apart", True, missing)
    if max(abs(values.smallest), abs(values.greatest)) > limits.BOUND:
        return DraftColumn({"name": profile.name}, "holds numbers too large to be counted", True)
    apart = far_codes(values.lowest, values.highest)
    if _is_listed(profile, values, apart):
        return _numbers_listed(profile, missing)
    what = "whole numbers" if values.whole else "numbers"
    beside = "; codes far from them have cells of their own" if apart else ""
    beside += "; some cells hold none" * _holds_others(profile, values, missing)
    field = _number(profile, values, apart)
    return DraftColumn(field, f"holds {what}{beside}", False, missing)


def _is_listed(profile: Profile, values: Readings, apart: Sequence[float]) -> bool:
    """Whether the numbers are so few, and no neighbours, that a list says more than bins do."""
    kept = [value for value, _ in values.lowest if value not in apart]
    spelled_once = values.different == len(values.lowest) and profile.is_listed
    if not spelled_once or not kept or len(kept) > FAR_APART:
        return False
    if not values.whole:
        return True
    return single_bins(kept[0], kept[-1]) is None or len(kept) == 1


def _numbers_listed(profile: Profile, missing: tuple[str, ...]) -> DraftColumn:
    """Few numbers, as categories in their order."""
    texts = sorted(_spell_texts(profile, missing), key=_place)
    keys: Document = {"categoriesOrdered": len(texts) > 1 or None}
    field = _list_field(profile, missing, texts, keys)
    few = "holds few numbers, far apart, listed in their order"
    return DraftColumn(field, few if len(texts) > 1 else "holds one value only", False, missing)


def _number(profile: Profile, values: Readings, apart: Sequence[float]) -> Document:
    """The field of a column of numbers, bounds without the codes apart."""
    low = next(value for value, _ in values.lowest if value not in apart)
    high = next(value for value, _ in values.highest if value not in apart)
    kind, whole = "integer" if values.whole else "number", values.whole
    keys: Document = {
        "synth:spikes": [_text(value, whole) for value in apart],
        "synth:bins": single_bins(low, high) if whole else None,
        "synth:decimals": None if whole or profile.decimals > MAX_DECIMALS else profile.decimals,
    }
    ends: Document = {"minimum": _text(low, whole), "maximum": _text(high, whole)}
    return draft_field(profile.name, kind, ends, keys, required=_fill_all(profile, values))


def _text(value: float, whole: bool) -> str:
    return str(int(value)) if whole else repr(float(value))


def _place(text: str) -> tuple[float, str]:
    """Where a text stands in a list: by the first number in it."""
    found = re.search(r"(?<![\d.])-?\d+([.,]\d+)?", text)
    return float(found[0].replace(",", ".")) if found else float("inf"), text


def _texts(profile: Profile) -> DraftColumn:
    """A column of texts: listed where they are few, left out where nearly all are different."""
    missing = tuple(text for text, _ in profile.common if text.casefold() in SURE)
    gone = [(text, rows) for text, rows in profile.common if text in missing]
    rows = profile.filled_rows - sum(rows for _, rows in gone)
    different = profile.different - len(gone)
    if not different:
        return DraftColumn({"name": profile.name}, "is empty", True, missing)
    text = _list_field(profile, missing, [], {})
    if what := contact(profile):
        return DraftColumn(text, f"holds {what}", True, missing)
    if (said := odd_spelling(profile)) and different > 1:
        return DraftColumn(text, f"holds {said}", False, missing)
    if unfit := _why_unfit(profile, rows, different):
        return DraftColumn(text, unfit, True, missing)
    return _list_texts(profile, different, missing)


def _why_unfit(profile: Profile, rows: int, different: int) -> str:
    """Why texts are left out; empty where they are not."""
    if profile.longest > KEPT or (
        different > FAR_APART and is_free_text(profile) and is_nearly_distinct(rows, different)
    ):
        return "holds free text"
    if different > FAR_APART and is_nearly_distinct(rows, different):
        return "holds keys or names: nearly every row has a text of its own"
    many = different > limits.LOOKED_UP_VALUES
    if many and is_free_text(profile) and 5 * different > rows:
        return "holds free text"
    if many and sum(n for _, n in profile.common[: limits.LOOKED_UP_VALUES]) < LISTED_SHARE * rows:
        return "holds so many different texts that a list of the common ones says little"
    return ""


def _list_texts(profile: Profile, different: int, missing: tuple[str, ...]) -> DraftColumn:
    """A list of the texts, or of the most common ones and a cell for the others."""
    texts = _spell_texts(profile, missing)[: limits.LOOKED_UP_VALUES]
    some = different > len(texts)
    texts, ordered = ordered_texts(texts)
    keys: Document = {"synth:outside": "cell" * some, "categoriesOrdered": ordered or None}
    field = _list_field(profile, missing, texts, keys)
    said = "holds few different texts" if different > 1 else "holds one value only"
    if some:
        said = f"lists the {len(texts)} most common texts; the others share a cell"
    return DraftColumn(field, said, False, missing)


def _list_field(
    profile: Profile, missing: Sequence[str], texts: Sequence[str], keys: Document
) -> Document:
    """The field of a column of texts, listed or not yet."""
    listed: Document = {"enum": list(texts)} if texts else {}
    required = not (profile.blank or missing)
    return draft_field(profile.name, "string", listed, keys, required=required)


def _spell_texts(profile: Profile, missing: Sequence[str]) -> list[str]:
    """The common texts as categories are spelled; those that only blanks tell apart are one."""
    texts = (text.strip() for text, _ in profile.common if text not in missing)
    return list(dict.fromkeys(filter(None, texts)))


def ordered_texts(texts: Sequence[str]) -> tuple[list[str], bool]:
    """Texts in the order of the calendar or of the numbers in them, and whether that means it.

    >>> ordered_texts(["oct", "jan"]), ordered_texts(["[10-20)", "[0-10)"])
    ((['jan', 'oct'], True), (['[0-10)', '[10-20)'], True))
    >>> ordered_texts(["b", "a"])
    (['a', 'b'], False)
    """
    for names in (MONTH_NAMES, WEEKDAYS):
        known = {n: i for i, name in enumerate(names) for n in (name, name[:3])}
        if len(texts) > 1 and all(text.casefold() in known for text in texts):
            return sorted(texts, key=lambda text: known[text.casefold()]), True
    bands = [re.fullmatch(r"\W*\d[\d.,]*(\s*(-|–|to|,)\s*\d[\d.,]*|\+)?\W*", t) for t in texts]
    if len(texts) > 1 and all(bands):
        band = any(re.search(r"[^\d.,]", text) for text in texts)
        return sorted(texts, key=_place), band
    return sorted(texts), False
