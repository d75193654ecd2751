"""Keys, contacts and free text, recognised by the shape of a column's content. PRIVATE."""

import re
from collections import Counter
from collections.abc import Sequence

from synth.domain import (
    CODE_WORDS,
    MAX_KEY_VALUES,
    PLACE_WORDS,
    TIME_WORDS,
    sounds_like,
    sounds_like_key,
)
from synth.drafting import MISSING
from synth.limits import LISTED_UNASKED
from synth.private.counting.profiles import Profile, Readings
from synth.private.table import GROUP_MARKS, Format, guess_marks, parse_format

# MySQL and PostgreSQL write \N.
_MORE_SURE = r"\n n.a. <na> (null) .. ?? --- – — :".split()
# What SPSS and Excel write where a cell has no value, in some languages.
_MORE_SURE += "#null! #div/0! #ref! #name? #num! #value! #nv #wert! #bezug! #zahl!".split()
# Spellings, in small letters, of a missing value among any other texts.
SURE = frozenset((*map(str.casefold, MISSING), *_MORE_SURE)) - {"missing"}
# Spellings of a missing value among numbers and dates; values among other texts.
MAYBE = frozenset("none missing empty nil void unknown unk undefined".split()) | {
    "not available",
    "not known",
    "no answer",
    "not applicable",
    "prefer not to say",
}

# With fewer rows, all different values are no surprise.
MIN_KEY_ROWS = 20
# Share of the random texts that must have a shape.
LEAST_SHAPED_SHARE = 0.9
# Most rows of a person, on average, by which its numbers are told from those of years.
ROWS_OF_PERSON = 20
# Least characters of the numbers of persons or files.
MIN_KEY_LENGTH = 4
# Largest difference from evenly spread rows, as a share.
MAX_UNEVENNESS = 0.1
# Mean number of words from which texts are free text.
LONG_WORDS = 4.0
# Numbers from here on have more digits than most measures.
LONG_NUMBER = 1e8
# Long numbers with a smaller share of multiples of ten were not rounded.
ROUND_SHARE = 0.2
# Among n rows spread over a span, about n * n / (2 * span) pairs of measures would coincide.
# If n * n is 6 spans or more, three are expected, so that there being none is no chance.
SURE_PAIRS = 6

# Contacts that must never be published, and their spelling.
CONTACTS = {
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "web addresses": r"(https?://|www\.)\S+",
    "identifiers (UUID)": r"\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?",
    "network addresses": r"(\d{1,3}\.){3}\d{1,3}|([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}",
    "account numbers": r"[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?",
    # No number of a telephone begins with 000, as those of SAP do.
    "telephone numbers": r"(\+|\(?0{1,2})(?!0)[\d ()/.-]{7,}|\(?\d{3}\)?[ "
    r".-]\d{3}[ .-]\d{4}( ?x\d+)?",
    # KoBo and ODK write height and accuracy behind.
    "coordinates": r"[(\[]?-?\d{1,3}\.\d{3,}°?\s*[NS]?\s*[,; "
    r"]\s*-?\d{1,3}\.\d{3,}°?\s*[EW]?[)\]]?(\s-?\d+(\.\d+)?){0,2}|"
    r"POINT ?\(.*\)|\d{1,3}°.*[NSEW]",
    "street addresses": r"(?i:\d+[a-z]?,? .*\b(st|street|ave|avenue|rd|road|dr|drive|ln|lane|"
    r"blvd|boulevard|way|ct|court|pl|place|square|hwy|highway)\b.*|"
    r".*(str\.?|straße|strasse|weg|platz|allee|gasse|gata|vej|laan|straat) ?\d+.*|"
    r"(\d+,? )?(rue|via|calle|rua|viale|avenida)\b.*\w)",
}

# Parts of dates. A year has four digits, so that most numbers of persons are no dates.
_WEEKDAY = r"[^\W\d_]{2,10}\.?,? "
_DAY = r"(0?[1-9]|[12]\d|3[01])\.?"
_MONTH = r"(0?[1-9]|1[0-2]|[^\W\d_]{3,10})\.?"
_YEAR = r"(1[89]|20)\d\d"
_ORDERS = "|".join(
    "[-/. ]+".join(parts)
    for parts in (
        (_YEAR, _MONTH, _DAY),
        (_DAY, _MONTH, _YEAR),
        (_MONTH, rf"{_DAY},?", _YEAR),
    )
)

# Years have two digits only behind the name of a month, and before a time of day.
_OTHER_MOMENT = r"\d{1,2}[-/. ][^\W\d_]{3,10}[-/. ]\d\d[T ,:]+\d.*"

# Signs of money, as R$ and ₹ are; accounts have brackets for minus and a dash for nothing.
_MONEY = "[A-Z]{0,3}[$€£¥₹₽₩₪₫₱₴₺₦฿¢]"
_AMOUNT = r"([\d.,]+|-)"
_BEFORE = r"[+-]?\(?"

# Numbers with other marks than Synth reads by itself.
OTHER_MARKS = "numbers with a decimal comma or with marks between thousands"
# Texts that would be values in another spelling, and what to do; for `OTHER_MARKS` that
# depends on the column (`settling_texts`).
MARKED = {
    OTHER_MARKS: (
        rf"[+-]?\d+,\d+|[+-]?\d{{1,3}}([,.{''.join(GROUP_MARKS)}]\d{{3}})+([,.]\d+)?"
    ),
    "numbers with a sign of money or per cent, which are read as text: leave out the "
    "sign": rf"{_BEFORE}{_MONEY}\s*{_BEFORE}{_AMOUNT}\)?"
    rf"|{_BEFORE}{_AMOUNT}[\s\u00a0\u202f]?({_MONEY}|%)\)?",
    "times with offsets from UTC, in several forms: write them in one form, or leave them "
    "out": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)? ?(Z|[+-]\d\d:?\d\d)",
    "dates in several forms, or in one that is not read: write them in one form such as "
    "2024-12-31, or leave them out": rf"({_WEEKDAY})?({_ORDERS})([T ,:].*)?|{_OTHER_MOMENT}",
    "times of day in several forms: write them in one form such as 14:05:00, or leave them "
    "out": r"\d{1,2}:\d\d(:\d\d)?( ?[AaPp][Mm])?",
}

# Texts that would be numbers in another spelling, and what to do if they make no good list.
MANY_MARKED = {
    "two numbers in a cell, such as a blood pressure: write each into a column of its "
    "own": r"\d{1,3}\s?/\s?\d{1,3}",
}
OTHER_MINUS = (
    "numbers, some with another minus than - or with one behind them, which are read as "
    "text: write them with - in front"
)
# The sign that typography has for minus, dashes and full-width signs; SAP writes it behind.
_MINUS = "[\u2212\u2012\u2013\u2014\ufe63\uff0d]"
_NUMBER_OR_OTHER_MINUS = rf"{_MINUS}?\s?\d+([.,]\d+)*-?|-\d+([.,]\d+)*"
BRACKETED = "numbers in brackets, which mean negative ones: write them with a minus"
_NUMBER_OR_BRACKETED = r"\(?[+-]?[$€£¥]?\s?\d[\d.,]*\)?\s?[$€£¥%]?"
WITH_UNIT = "numbers with a unit of measurement, which are read as text: leave out the unit"
FLAGGED = (
    "numbers, some with a flag behind them, as offices of statistics write them: write the "
    "flags into a column of their own"
)
_NUMBER_OR_FLAGGED = r"[+-]?\d+([.,]\d+)?( [a-z]{1,3})?"
# Weeks, months, quarters and halves of years, which are no numbers of files.
_PERIOD = r"(1[89]|20)\d\d[-/ ]?[WwMmQqHhSs]\d{1,2}"
_NUMBER_AND_UNIT = re.compile(r"[+-]?\d+(?:[.,]\d+)?\s?([^\W\d_][^\s]{0,9})")
# Letters and digits with a few marks, as keys and names have them.
_KEY_OR_NAME = re.compile(r"[\w .,'’&()/-]*[^\W\d_][\w .,'’&()/-]*|[\d -]{4,}")


def contact(profile: Profile) -> str:
    """Return what kind of contact a column holds, as `CONTACTS` names it; empty if none."""
    return next((noun for noun, shape in CONTACTS.items() if _has_shape(profile, shape)), "")


def odd_spelling(profile: Profile) -> str:
    """Return in which odd spelling a column holds values, as `MARKED` names it, or ''."""
    return next((noun for noun, shape in MARKED.items() if _has_shape(profile, shape)), "")


def name_marks(profile: Profile) -> tuple[str, ...]:
    """Return the options of a format that read a column's texts as numbers; none if unclear.

    They are such as ``decimal=,``. The texts have the odd spelling of numbers with marks.
    Marks that other columns of the file show decide where a column may be read in two ways:
    12,000 is a dozen beside 1.234,5.
    """
    texts = [text for text, _rows in profile.common if text.casefold() not in SURE]
    if profile.marks:
        marks_of_file = parse_format(profile.marks)
        decimal, between = re.escape(marks_of_file.decimal), marks_of_file.thousands
        thousands = rf"\d{{1,3}}({re.escape(between)}\d{{3}})+|" if between else ""
        number = re.compile(rf"[+-]?({thousands}\d+)({decimal}\d+)?", re.ASCII)
        if all(map(number.fullmatch, texts)):
            return profile.marks
    decimal, thousands = guess_marks(texts, may_be_codes=False)
    return Format(decimal=decimal, thousands=thousands).options


def odd_numbers(profile: Profile) -> str:
    """Return in which odd spelling a column holds many numbers, as `MANY_MARKED` names it.

    It is empty if there is none. All numbers must have the same unit, so that texts such as
    12a and 7b are none.
    """
    for noun, shape in MANY_MARKED.items():
        if _has_shape(profile, shape):
            return noun
    has_other_minus = any(
        re.match(_MINUS, text) or text.endswith("-") for text in profile.sample
    )
    if has_other_minus and _has_shape(profile, _NUMBER_OR_OTHER_MINUS):
        return OTHER_MINUS
    has_brackets = any(text.startswith("(") for text in profile.sample)
    if has_brackets and _has_shape(profile, _NUMBER_OR_BRACKETED):
        return BRACKETED
    has_flags = any(re.search(r"\d [a-z]{1,3}$", text) for text in profile.sample)
    if has_flags and _has_shape(profile, _NUMBER_OR_FLAGGED):
        units = {text.partition(" ")[2] for text in profile.sample}
        return FLAGGED if len(units) > 1 else WITH_UNIT
    texts = [text for text in profile.sample if text.casefold() not in SURE]
    matches = (_NUMBER_AND_UNIT.fullmatch(text) for text in texts)
    times = Counter(match[1] for match in matches if match)
    hits = max(times.values(), default=0)
    return WITH_UNIT if hits and hits >= LEAST_SHAPED_SHARE * len(texts) else ""


def seem_keys_or_names(profile: Profile) -> bool:
    """Return whether nearly all sampled texts are spelled as keys or names are.

    They have letters, or as many digits as keys have, and no marks but those of names.
    """
    hits = sum(_KEY_OR_NAME.fullmatch(text) is not None for text in profile.sample)
    return hits >= LEAST_SHAPED_SHARE * len(profile.sample)


def are_periods(profile: Profile) -> bool:
    """Return whether texts are weeks, months, quarters or halves of years (2019w12)."""
    return _has_shape(profile, _PERIOD)


def _has_shape(profile: Profile, shape: str) -> bool:
    """Return whether nearly all sampled texts fully match a regular expression.

    Spellings of a missing value do not count.
    """
    texts = [text for text in profile.sample if text.casefold() not in SURE]
    hits = sum(bool(re.fullmatch(shape, text, re.ASCII)) for text in texts)
    return bool(texts) and hits >= LEAST_SHAPED_SHARE * len(texts)


def is_key(profile: Profile, numbers: Readings) -> bool:
    """Return whether whole numbers identify rows or persons.

    Among n rows, measures coincide by chance about n^2 / (2 span) times; keys never do. If
    some repeat, as the numbers of persons do, the name may decide, or more digits than any
    measure has.

    Args:
        profile: The statistics of the column.
        numbers: Those of its texts read as numbers.
    """
    rows = numbers.rows
    different = numbers.different
    is_named_key = sounds_like_key(profile.name)
    if not numbers.is_whole or rows < MIN_KEY_ROWS or numbers.smallest < 0:
        return False
    if sounds_like(profile.name, TIME_WORDS):
        return False
    span = numbers.greatest - numbers.smallest + 1
    # Numbers that were given out at random or in turn are of one length and evenly spread.
    given_out = _have_equal_lengths(profile.sample) and _is_even(numbers)
    if different == rows:  # no number repeats
        are_long = numbers.greatest >= LONG_NUMBER
        never_coincide = rows * rows >= SURE_PAIRS * span
        return is_named_key or given_out or are_long or never_coincide
    # From here on some numbers repeat. If half of the rows or more differ, a number has two
    # rows at most on average.
    if is_named_key and 2 * different >= rows:
        return True
    # Numbers with fewer different values are rarely keys.
    if is_named_key and different > MAX_KEY_VALUES:
        return _is_even(numbers) or _counted_up(numbers)
    if (
        is_named_key
        and different > LISTED_UNASKED
        and not sounds_like(profile.name, CODE_WORDS)
    ):
        # Persons with several rows each have numbers given out in turn, nearly all used.
        are_persons = (
            span <= (1 + MAX_UNEVENNESS) * different and rows <= ROWS_OF_PERSON * different
        )
        return given_out or are_persons
    return 2 * different >= rows and (_counted_up(numbers) or _begin_alike(profile, numbers))


def _counted_up(numbers: Readings) -> bool:
    """Return whether numbers look like those of a counter that began high.

    They are long, or of six digits or more and close together, and they are not rounded.
    """
    low, high = numbers.middle  # of four fifths of the different values
    # ``decade`` is the share of multiples of ten, which is large for rounded numbers.
    are_close = low >= 1e5 and high - low <= low / 10
    are_long = numbers.greatest >= LONG_NUMBER or are_close
    return are_long and numbers.decade < ROUND_SHARE


def _is_even(numbers: Readings) -> bool:
    """Return whether rows are spread evenly between the ends.

    The test is the largest gap of cumulative shares, as by Kolmogorov and Smirnov.
    """
    low = numbers.smallest
    width = numbers.greatest - low
    if not width or not numbers.ranks:
        return False
    rows_so_far = 0
    largest_gap = 0.0
    # ``ranks`` are the sorted numbers in groups. At the end of each, two shares are compared:
    # of the rows so far, and of the way from the least to the greatest number.
    for group in numbers.ranks:
        rows_so_far += group.rows
        gap = abs(rows_so_far / numbers.rows - (group.high - low) / width)
        largest_gap = max(largest_gap, gap)
    return largest_gap < MAX_UNEVENNESS


def _have_equal_lengths(texts: Sequence[str]) -> bool:
    """Return whether nearly all texts are equally long, and long enough for keys."""
    # The most common length, and how many texts have it.
    times = Counter(map(len, texts))
    length, times_of_length = max(times.items(), key=lambda pair: pair[1], default=(0, 0))
    return length >= MIN_KEY_LENGTH and times_of_length >= LEAST_SHAPED_SHARE * len(texts)


def _begin_alike(profile: Profile, numbers: Readings) -> bool:
    """Return whether long numbers share their first four digits, as series of keys do.

    They need not be equal: most of them may differ by a tenth. Rounded numbers are none.

    Args:
        profile: The statistics of the column, with a random sample of its texts.
        numbers: Those of its texts read as numbers.
    """
    texts = sorted(
        text for text in profile.sample if text.isdecimal() and len(text) > MIN_KEY_LENGTH
    )
    if len(texts) < LEAST_SHAPED_SHARE * len(profile.sample) or len(texts) < MIN_KEY_ROWS:
        return False
    # Sorted as texts, so by their first digits: those of four fifths of the numbers.
    low = int(texts[int(0.1 * len(texts))][:4])
    high = int(texts[int(0.9 * len(texts))][:4])
    return high - low <= low / 10 and numbers.decade < ROUND_SHARE


def is_file_number(profile: Profile, different: int) -> bool:
    """Return whether texts look like numbers of files or persons.

    They are many, of equal length, and hold six digits or more on average. Four digits are
    enough if the column's name says that it holds keys.

    Args:
        profile: The statistics of the column, with a random sample of its texts.
        different: The number of its different texts.
    """
    if different <= LISTED_UNASKED or not _have_equal_lengths(profile.sample):
        return False
    if sounds_like(profile.name, CODE_WORDS) or are_periods(profile):
        return False
    digits = sum(map(str.isdecimal, "".join(profile.sample)))
    return digits >= len(profile.sample) * (4 if sounds_like_key(profile.name) else 6)


def are_coordinates(profile: Profile, numbers: Readings) -> bool:
    """Return whether numbers look like places on a map.

    The column's name says so, and there are many numbers: decimal ones of three places or
    more, or whole ones beyond 10,000, as metres of a grid are.
    """
    far = max(abs(numbers.smallest), abs(numbers.greatest))
    likely = far > 10_000 if numbers.is_whole else profile.decimals > 2
    return (
        sounds_like(profile.name, PLACE_WORDS)
        and likely
        and numbers.different > LISTED_UNASKED
    )


def is_free_text(profile: Profile) -> bool:
    """Return whether sampled texts have many words on average; False without any."""
    words = [len(text.split()) for text in profile.sample]
    return bool(words) and sum(words) >= LONG_WORDS * len(words)


def is_nearly_distinct(rows: int, different: int) -> bool:
    """Return whether more than half of the rows have a value of their own."""
    return rows >= MIN_KEY_ROWS and 2 * different > rows


def are_codes(profile: Profile) -> bool:
    """Return whether the texts that are no numbers look like codes, such as E90.1.

    More than half of the different ones must: a few letters and then a digit. Spellings of a
    missing value do not count.
    """
    others = [
        text for text, _ in profile.numbers.others if text.casefold() not in SURE | MAYBE
    ]
    hits = sum(bool(re.fullmatch(r"[A-Za-z]{1,4}[-.]?\d[\w.]*", text)) for text in others)
    return 2 * hits > len(others) and bool(others)
