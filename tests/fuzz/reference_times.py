"""How a date, a time of day or a duration is read, in plain Python and without SQL.

- A date is read from left to right: a number takes as many digits as stand there, at most two
  (``%j`` three, ``%f`` six), and ``%Y`` exactly four. ``%y`` is one of the hundred years from
  the column's first one on. Names of months and days are English, in capital letters or not.
  Other characters stand for themselves, and a run of blanks for one or more. An offset comes
  last: Z, UTC, GMT, or a sign with two digits of hours and perhaps two of minutes.
- Of several forms, the first that reads a text counts.
- Where a form has a day, a blank or a T, and then a time of day, the day alone is a midnight.
- A time of day has one or two digits of hours, of minutes and of seconds, in their ranges.
- A duration has any number of its first unit, within some digits; a bare number is seconds.
- Fractions of a second are left out.
"""

import re
from datetime import date as day
from datetime import timedelta

from synth.domain import Date, Duration, TimeOfDay

WHITE = " \t\n\v\f\r"
MONTHS = (
    "january february march april may june july august september october november december"
)
DAYS = "monday tuesday wednesday thursday friday saturday sunday"


def second_of(column: Date | TimeOfDay | Duration, text: str) -> float | None:
    """The second that a text means in a column; None if it means none."""
    text = text.strip(WHITE)
    if isinstance(column, TimeOfDay):
        return clock(text, column.reading.form)
    if isinstance(column, Duration):
        return span(text, column.reading.form)
    forms = [column.pattern, *column.also]
    days = [re.split("(?:T| +)%-?[HI]", form)[0] for form in forms if "z" not in form[-1:]]
    has_days = column.time and not re.search("%-?[HI].*%[-^_]?[YymbBdj]", column.pattern)
    seconds = (moment(text, form, column.first_year) for form in (*forms, *(days * has_days)))
    return next((second for second in seconds if second is not None), None)


def clock(text: str, form: str) -> int | None:
    """The second of the day that a text means."""
    form = re.sub("%[-^_:]", "%", form)
    # What stands between the parts, and the parts of the text between these.
    marks = [mark for mark in re.split("%[A-Za-z]", form)[1:-1] if mark not in ("", " ")]
    noon = ""
    if "%p" in form:
        text, noon = text[:-2], text[-2:].lower()
        digits_only = text.rstrip(" ")
        if noon not in ("am", "pm") or (digits_only != text) != (" %p" in form):
            return None
        text = digits_only
    parts = []
    for mark in marks:
        part, found, text = text.partition(mark)
        if not found:
            return None
        parts.append(part)
    parts.append(text)
    if "%f" not in form and "%S" in form:  # a fraction may stand there
        parts[2] = re.sub("[.,][0-9]{1,9}$", "", parts[2])
    elif "%f" in form and not re.fullmatch("[0-9]{1,9}", parts.pop()):
        return None
    if not all(re.fullmatch("[0-9]{1,2}", part) for part in parts):
        return None
    hour, minute, second = (*map(int, parts), 0, 0)[:3]
    if minute > 59 or second > 59 or hour > 23 or (noon and not 1 <= hour <= 12):
        return None
    if noon:
        hour = hour % 12 + 12 * (noon == "pm")
    return hour * 3600 + minute * 60 + second


def span(text: str, form: str) -> int | None:
    """The seconds of a duration."""
    if re.fullmatch(r"[0-9]{1,12}([.][0-9]*)?", text):
        return int(text.partition(".")[0])
    if form == "default":
        units = {"D": (6, 86_400), "H": (7, 3600), "M": (9, 60), "S": (9, 1)}
        days, separator, time = text.removeprefix("P").partition("T")
        time = re.sub(r"(?<=[0-9])[.,][0-9]{1,9}S$", "S", time)
        pairs = re.findall("([0-9]+)([DHMS])", days + time)
        letters = "".join(letter for _, letter in pairs)
        is_whole = "".join(map("".join, pairs)) == days + time and text[:1] == "P"
        has_order = sorted(letters, key="DHMS".index) == list(letters)
        is_split = set(re.findall("[A-Z]", days)) <= {"D"} and "D" not in time
        if not (pairs and is_whole and has_order and is_split) or bool(separator) != bool(
            time
        ):
            return None
        if len(set(letters)) < len(letters):
            return None
        if any(len(number) > units[letter][0] for number, letter in pairs):
            return None
        return sum(int(number) * units[letter][1] for number, letter in pairs)
    days = "0"
    if "days" in form:
        match = re.match("([0-9]{1,6}) days?", text)
        if form == "%d days":
            return int(match[1]) * 86_400 if match and match[0] == text else None
        if match:
            days, text = match[1], text[match.end() :].removeprefix(",")
            if text[:1] != " ":
                return None
            text = text[1:]
    places = re.findall("%-?([HMS])", form)
    parts = text.split(":")
    if len(parts) != len(places):
        return None
    if places[-1] == "S":
        parts[-1] = re.sub("[.,][0-9]{1,9}$", "", parts[-1])
    most_digits = [9 if places[0] == "M" else 7] + [2] * (len(places) - 1)
    for part, digits in zip(parts, most_digits, strict=True):
        if not re.fullmatch(f"[0-9]{{1,{digits}}}", part):
            return None
    if any(int(part) > 59 for part in parts[1:]):
        return None
    seconds = {"H": 3600, "M": 60, "S": 1}
    second = sum(int(p) * seconds[place] for p, place in zip(parts, places, strict=True))
    return int(days) * 86_400 + second


def moment(text: str, pattern: str, first_year: int) -> float | None:
    """The second since 1970 that a text spells, in UTC if it has an offset."""
    parts: dict[str, int] = {}
    # Flags such as that of %-d say how a part is written, not how it is read.
    unread, marks = text.strip(WHITE), re.sub("%[-^_:](?=[A-Za-z])", "%", pattern.strip())
    while marks:
        mark, marks = (marks[:2], marks[2:]) if marks[0] == "%" else (marks[0], marks[1:])
        if mark in WHITE:
            marks, trimmed = marks.lstrip(WHITE), unread.lstrip(WHITE)
            if trimmed == unread:
                return None
            unread = trimmed
        elif mark in ("%b", "%B", "%a", "%A", "%p"):
            names = {"%b": MONTHS, "%B": MONTHS, "%p": "am pm"}.get(mark, DAYS).split()
            names = [name[:3] for name in names] if mark in ("%b", "%a") else names
            index = next(
                (i for i, name in enumerate(names) if unread[: len(name)].lower() == name),
                None,
            )
            if index is None:
                return None
            parts[mark], unread = index, unread[len(names[index]) :]
        elif mark == "%z":
            offset = offset_second(unread)
            if offset is None:
                return None
            parts[mark], unread = offset, ""
        elif len(mark) == 2 and mark != "%%":
            max_digits = {"%Y": 4, "%j": 3, "%f": 6}.get(mark, 2)
            digits = re.match(f"[0-9]{{1,{max_digits}}}", unread)
            if digits is None or (mark == "%Y" and len(digits[0]) < 4):
                return None
            parts[mark], unread = int(digits[0]), unread[len(digits[0]) :]
        elif unread[:1] == mark[0]:
            unread = unread[1:]
        else:
            return None
    return None if unread else _second(parts, first_year)


def offset_second(text: str) -> int | None:
    """The seconds of an offset from UTC; None if the text is none."""
    if text.upper() in ("Z", "UTC", "GMT"):
        return 0
    hours, minutes = text[1:3], text[3:].removeprefix(":")
    is_digits = (hours + minutes).isdecimal() and text.isascii()
    if text[:1] not in ("+", "-") or not is_digits or len(hours) != 2:
        return None
    if len(minutes) not in (0, 2) or text[3:] == ":":
        return None
    if int(hours) > 23 or int(minutes or 0) > 59:
        return None
    return (int(hours) * 3600 + int(minutes or 0) * 60) * (-1 if text[0] == "-" else 1)


def _second(parts: dict[str, int], first_year: int) -> float | None:
    limits = {"%H": (0, 23), "%I": (1, 12), "%M": (0, 59), "%S": (0, 59), "%j": (1, 366)}
    if any(
        not low <= parts[mark] <= high
        for mark, (low, high) in limits.items()
        if mark in parts
    ):
        return None
    # The year from the first one on that ends in these two digits.
    short = first_year + (parts.get("%y", 0) - first_year) % 100
    year = parts.get("%Y", short)
    month = parts.get("%m", parts.get("%b", parts.get("%B", 0)) + 1)
    try:
        date = day(year, 1, 1) if "%j" in parts else day(year, month, parts.get("%d", 1))
        date += timedelta(days=parts.get("%j", 1) - 1)
    except (ValueError, OverflowError):
        return None
    hour = parts.get("%H", parts.get("%I", 0) % 12 + 12 * parts.get("%p", 0))
    hours = (date - day(1970, 1, 1)).days * 24 + hour
    second = hours * 3600 + parts.get("%M", 0) * 60 + parts.get("%S", 0)
    return second - parts.get("%z", 0)
