"""The description of one column in a code book, as a field of a Table Schema.

Table Schema has one list of codes for missing values for the whole table. A code of a code
book goes into that list if no other column can have it as a value. Otherwise it gets its own
cell.

>>> age = Variable(name="age", low="0", high="99", missing={"-8": "refused"})
>>> document, notes = as_schema([age, Variable(name="sex", codes={"1": "male", "2": ""})])
>>> document["missingValues"], document["fields"][0]["constraints"]["required"]
(['', '-8'], False)

Common parts of readers and writers of other tools' declarations.

>>> is_number("-8"), is_whole("1.5"), exact_number("7")
(True, False, 7)
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from synth import limits
from synth.errors import DomainError, LimitError, name_some
from synth.util import Json

ForeignDocument = dict[str, Any]
# A Table Schema, and a list of what the other tool's declaration lacks.
Converted = tuple[ForeignDocument, list[str]]

# From this many digits on, Python reads no whole number.
INT_DIGITS = 4_300


def listed_codes(book: Mapping[str, str]) -> ForeignDocument:
    named = {code: label for code, label in book.items() if label}
    labels = [{"value": c, "label": named[c]} if c in named else c for c in book]
    field = {"type": "string", "constraints": {"enum": [*book], "required": True}}
    return field | ({"categories": labels} if named else {})


def codes_of(items: Iterable[Json]) -> list[str]:
    return [str(item["value"] if isinstance(item, Mapping) else item) for item in items]


def label_map(items: Iterable[Json]) -> ForeignDocument:
    return {str(item["value"]): item["label"] for item in items if isinstance(item, Mapping)}


def is_number(text: Json) -> bool:
    try:
        return isinstance(text, str | int | float) and math.isfinite(float(text))
    except (TypeError, ValueError):
        return False


def is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def exact_number(text: str | int | float) -> int | float:
    return int(text) if is_whole(str(text)) and len(str(text)) < INT_DIGITS else float(text)


def refuse_codebook(message: str) -> NoReturn:
    """Raise DomainError, with the message on one line."""
    raise DomainError(" ".join(message.split()))


NUMBERS, DATES = ("integer", "number"), ("date", "datetime")


@dataclass(kw_only=True)
class Variable:
    """A column as a code book describes it; missing information is empty.

    Attributes:
        kind: A type of Table Schema.
        codes, missing: Values, and codes for missing values, with their labels.
        spikes: Numbers with a cell of their own, and their labels.
        low, high: The smallest and the largest value.
        form: The format of dates.
        required: Whether every row has a value.
    """

    name: str
    kind: str = ""
    description: str = ""
    codes: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    spikes: dict[str, str] = field(default_factory=dict)
    low: str = ""
    high: str = ""
    form: str = ""
    ordered: bool = False
    required: bool = False

    def set_missing(self, ranges: Iterable[tuple[str, str]]) -> None:
        ends = [(float(a), float(b)) for a, b in ranges if is_number(a) and is_number(b)]
        joined: list[tuple[float, float]] = []
        for low, high in sorted(end for end in ends if end[0] <= end[1]):
            if joined and low <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(high, joined[-1][1])
            else:
                joined.append((low, high))
        lows = [low for low, _ in joined]
        for code in [*self.codes] if joined else ():
            place = bisect_right(lows, float(code)) - 1 if is_number(code) else -1
            if place >= 0 and float(code) <= joined[place][1]:
                self.missing[code] = self.codes.pop(code)


def as_schema(told: Iterable[Variable]) -> Converted:
    """Return a Table Schema of all columns, and a list of what the code book lacks.

    Reading stops at the first column too many.

    Raises:
        DomainError: A column is listed twice or has no name, or a bound is no number.
        LimitError: There are more columns, more codes, or more codes for missing values than
        a
            declaration can have.
    """
    variables = _limit_variables(told)
    for one in variables:
        one.name = " ".join(one.name.split())  # as a table's header is read
    seen: set[str] = set()
    for number, name in enumerate([one.name for one in variables], 1):
        if not name:
            refuse_codebook(f"Column {number} of the code book has no name.")
        if name in seen:
            refuse_codebook(f"The code book lists the column '{name}' twice.")
        seen.add(name)
    elsewhere = _values_among_missing(variables)
    notes: list[str] = []
    for one in variables:
        held = [code for code in one.missing if code in elsewhere]
        if held:
            notes.append(
                f"Column '{one.name}': {_some(held)} means a missing value, and a value in "
                "another column; in this column it gets its own cell."
            )
            own = one.spikes if one.kind in NUMBERS and not one.codes else one.codes
            own |= {code: one.missing.pop(code) or "missing" for code in held}
    missing = {"": None} | {code: None for one in variables for code in one.missing}
    if len(missing) > 1:
        notes.append(f"{_some([*missing][1:])} counts as missing in every column.")
    return {
        "fields": [_field(one, notes) for one in variables],
        "missingValues": [*missing],
    }, notes


def _limit_variables(told: Iterable[Variable]) -> list[Variable]:
    variables: list[Variable] = []
    codes = 0
    for one in told:
        variables.append(one)
        codes += len(one.codes) + len(one.missing)
        if len(variables) > limits.FIELDS or codes > limits.CODES:
            raise LimitError(
                f"The code book has more than {limits.FIELDS:,} columns or {limits.CODES:,} "
                "codes, the limit."
            )
    return variables


def _values_among_missing(variables: Sequence[Variable]) -> set[str]:
    codes = {code for one in variables for code in one.missing}
    if len(codes) > limits.MARKERS:
        raise LimitError(
            f"The code book lists {len(codes):,} codes for missing values; the limit is "
            f"{limits.MARKERS:,}."
        )
    found = {
        code
        for one in variables
        for code in one.codes.keys() & codes
        if code not in one.missing
    }
    spans: dict[tuple[float, float], set[str]] = {}
    for one in variables:
        if is_number(one.low) and is_number(one.high):
            span = float(one.low), float(one.high)
            spans[span] = spans.get(span, codes) & one.missing.keys()
    numbers = sorted((float(code), code) for code in codes - found if is_number(code))
    for (low, high), known in spans.items():
        start = bisect_left(numbers, (low, ""))
        stop = bisect_left(numbers, (math.nextafter(high, math.inf), ""))
        new = [one for one in numbers[start:stop] if one[1] not in known]
        found |= {code for _, code in new}
        numbers = [one for one in numbers if one[1] not in found] if new else numbers
    return found


def _some(listed: Sequence[str]) -> str:
    return " ".join(name_some(listed, 5).split())


def _field(one: Variable, notes: list[str]) -> ForeignDocument:
    said: ForeignDocument = {"name": one.name}
    if one.description:
        said["description"] = one.description
    required = one.required and not one.missing
    if one.low and one.high and one.kind in (*DATES, *NUMBERS, ""):
        return said | _range_field(one, required=required)
    if one.kind == "boolean" and not one.codes:
        return said | {"type": "boolean", "constraints": {"required": required}}
    if one.codes and (one.kind not in NUMBERS or not one.low):
        found = listed_codes(one.codes)
        found["constraints"]["required"] = required
        return said | (found | ({"categoriesOrdered": True} if one.ordered else {}))
    if one.kind:
        lacks = "bounds" if one.kind in (*NUMBERS, *DATES) else "categories"
        notes.append(f"Column '{one.name}' needs {lacks}; the code book does not say them.")
        return said | {"type": one.kind} | ({"format": one.form} if one.form else {})
    notes.append(f"Column '{one.name}' needs a kind; the code book does not say it.")
    return said


def _range_field(one: Variable, *, required: bool) -> ForeignDocument:
    ends = {"minimum": one.low, "maximum": one.high}
    if one.kind in DATES:
        form = {"format": one.form} if one.form else {}
        return {"type": one.kind, **form, "constraints": {**ends, "required": required}}
    for end, value in ends.items():
        if not is_number(value) or not math.isfinite(float(value)):
            refuse_codebook(f"Column '{one.name}': the {end} of the code book is no number.")
    numbers = {
        code: label for code, label in (one.codes | one.spikes).items() if is_number(code)
    }
    whole = all(map(is_whole, [*ends.values(), *numbers])) and one.kind != "number"
    found: ForeignDocument = {"type": "integer" if whole else "number"}
    found["constraints"] = {**ends, "required": required}
    spikes = [{"value": c, "label": label} if label else c for c, label in numbers.items()]
    return found | ({"synth:spikes": spikes} if spikes else {})
