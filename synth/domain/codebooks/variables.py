"""The description of one column in a code book, as a field of a Table Schema.

Table Schema has one list of codes for missing values for the whole table. A code of a code
book goes into that list if no other column can have it as a value. Otherwise it gets its own
cell.

>>> age = Variable(name="age", low="0", high="99", missing={"-8": "refused"})
>>> document, notes = as_schema([age, Variable(name="sex", codes={"1": "male", "2": ""})])
>>> document["missingValues"], document["fields"][0]["constraints"]["required"]
(['', '-8'], False)
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
    """Return the entries of a Table Schema field that lists codes.

    `book` holds the label of each code, which may be empty. Without any label the field has
    no list of labels.
    """
    field: ForeignDocument = {
        "type": "string",
        "constraints": {"enum": [*book], "required": True},
    }
    if any(book.values()):
        field["categories"] = _labelled_values(book)
    return field


def codes_of(items: Iterable[Json]) -> list[str]:
    """Return the values of a list of values and objects with value and label."""
    return [str(item["value"] if isinstance(item, Mapping) else item) for item in items]


def label_map(items: Iterable[Json]) -> ForeignDocument:
    """Return the labels by value, of a list of values and objects with value and label."""
    return {str(item["value"]): item["label"] for item in items if isinstance(item, Mapping)}


def is_number(text: Json) -> bool:
    """Return whether a JSON value is a finite number, or the text of one."""
    try:
        return isinstance(text, str | int | float) and math.isfinite(float(text))
    except (TypeError, ValueError):
        return False


def is_whole(text: str) -> bool:
    """Return whether a text is a whole number in digits."""
    return text.removeprefix("-").isdecimal()


def exact_number(text: str | int | float) -> int | float:
    """Return a whole number exactly, any other as a float."""
    return int(text) if is_whole(str(text)) and len(str(text)) < INT_DIGITS else float(text)


def refuse_codebook(message: str) -> NoReturn:
    """Raise DomainError, with the message on one line."""
    raise DomainError(" ".join(message.split()))


NUMBERS = ("integer", "number")
# Labels of so few numbers, with others between them, may name points of a scale.
MAX_LABELLED_POINTS = 5
# Numbers that often mean a missing answer.
OFTEN_MISSING = frozenset((7, 8, 9, 77, 88, 97, 98, 99, 996, 997, 998, 999))
DATES = ("date", "datetime")


@dataclass(kw_only=True)
class Variable:
    """A column as a code book describes it; missing information is empty.

    Attributes:
        name: The column's name.
        kind: A type of Table Schema.
        description: The column's content in words.
        codes: Values with their labels.
        missing: Codes for missing values with their labels.
        spikes: Numbers with a cell of their own, and their labels.
        low: The smallest value.
        high: The largest value.
        form: The format of dates.
        ordered: Whether the order of the codes has a meaning.
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
        """Move the codes that lie in one of the ranges to the codes for missing values.

        `ranges` holds the lowest and the highest number of each, both inside, as texts.
        """
        disjoint_ranges = _join_ranges(ranges)
        lows = [low for low, _ in disjoint_ranges]
        for code in [*self.codes]:  # a copy, as codes are removed
            if not is_number(code):
                continue
            # The last range that begins at or below the code.
            place = bisect_right(lows, float(code)) - 1
            if place >= 0 and float(code) <= disjoint_ranges[place][1]:
                self.missing[code] = self.codes.pop(code)


def _join_ranges(ranges: Iterable[tuple[str, str]]) -> list[tuple[float, float]]:
    """Return ranges of numbers in ascending order, with overlapping ones joined.

    `ranges` holds the lowest and the highest number of each as texts. Ranges whose ends are
    no numbers, or in the wrong order, are left out.
    """
    spans = [
        (float(low), float(high))
        for low, high in ranges
        if is_number(low) and is_number(high)
    ]
    joined: list[tuple[float, float]] = []
    for low, high in sorted(span for span in spans if span[0] <= span[1]):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    return joined


def as_schema(descriptions: Iterable[Variable]) -> Converted:
    """Return a Table Schema of all columns, and a list of what the code book lacks.

    Table Schema has one list of codes for missing values. A code that is also a value of some
    column cannot be on it, so it gets a cell of its own in the column where it is missing.
    Reading of `descriptions` stops at the first column too many.

    Raises:
        DomainError: A column is listed twice or has no name, or a bound is no number.
        LimitError: There are more columns, more codes, or more codes for missing values than
            a declaration can have.
    """
    variables = _limit_variables(descriptions)
    _settle_names(variables)
    values_elsewhere = _values_among_missing(variables)
    notes: list[str] = []
    missing_codes = {"": None}
    for variable in variables:
        shared_codes = [code for code in variable.missing if code in values_elsewhere]
        if shared_codes:
            notes.append(
                f"Column '{variable.name}': {_name_codes(shared_codes)} means a missing "
                "value, and a value in another column; in this column it gets its own cell."
            )
            _give_cells(variable, shared_codes)
        missing_codes |= dict.fromkeys(variable.missing)
    if len(missing_codes) > 1:
        notes.append(
            f"{_name_codes([*missing_codes][1:])} counts as missing in every column."
        )
    fields = [_field(variable, notes) for variable in variables]
    return {"fields": fields, "missingValues": [*missing_codes]}, notes


def _settle_names(variables: Sequence[Variable]) -> None:
    """Write names with single blanks, as a table's header is read, in place.

    DomainError is raised if a name is empty or used twice.
    """
    names: set[str] = set()
    for number, variable in enumerate(variables, 1):
        variable.name = " ".join(variable.name.split())
        if not variable.name:
            refuse_codebook(f"Column {number} of the code book has no name.")
        if variable.name in names:
            refuse_codebook(f"The code book lists the column '{variable.name}' twice.")
        names.add(variable.name)


def _give_cells(variable: Variable, codes: Sequence[str]) -> None:
    """Turn some codes for missing values into values with a cell of their own, in place.

    In a column that lists codes they become ordinary codes. In a range of numbers they become
    spikes, which are numbers with a cell of their own. A column that is still open names them
    in its description.
    """
    labels = {code: variable.missing.pop(code) or "missing" for code in codes}
    if variable.codes:
        variable.codes |= labels
    else:
        variable.spikes |= labels


def _limit_variables(descriptions: Iterable[Variable]) -> list[Variable]:
    """Return descriptions of columns as a list; LimitError at the first column too many.

    All columns together may have `limits.CODES` codes. `descriptions` may be read from a
    file one by one, so no more than these are held in memory.
    """
    variables: list[Variable] = []
    code_count = 0
    for variable in descriptions:
        variables.append(variable)
        code_count += len(variable.codes) + len(variable.missing)
        if len(variables) > limits.FIELDS or code_count > limits.CODES:
            raise LimitError(
                f"The code book has more than {limits.FIELDS:,} columns or {limits.CODES:,} "
                "codes, the limit."
            )
    return variables


def _values_among_missing(variables: Sequence[Variable]) -> set[str]:
    """Return the codes for missing values that are also a value of some column.

    A column has such a value if it lists the code, or if the code is a number in its range
    and not one of its own codes for missing values. A column of numbers whose range the code
    book does not say may have any number from 0 up; code books use negative ones for missing
    values alone. LimitError is raised if there are too many codes
    for missing values.
    """
    codes = {code for variable in variables for code in variable.missing}
    if len(codes) > limits.MARKERS:
        raise LimitError(
            f"The code book lists {len(codes):,} codes for missing values; the limit is "
            f"{limits.MARKERS:,}."
        )
    values = {
        code
        for variable in variables
        for code in variable.codes.keys() & codes
        if code not in variable.missing
    }
    for variable in variables:
        has_open_range = variable.kind in NUMBERS and not (variable.low and variable.high)
        if has_open_range and not variable.codes:
            values |= {
                code
                for code in codes - variable.missing.keys()
                if is_number(code) and float(code) >= 0
            }
    codes_by_range = _missing_by_range(variables, codes)
    # Sorted, so that the codes within a range are found without a look at all others.
    numbers = sorted((float(code), code) for code in codes - values if is_number(code))
    for (low, high), codes_missing_there in codes_by_range.items():
        start = bisect_left(numbers, (low, ""))
        # Before the next double above `high`, so that a code equal to `high` is within.
        stop = bisect_left(numbers, (math.nextafter(high, math.inf), ""))
        values_in_range = {
            code for _, code in numbers[start:stop] if code not in codes_missing_there
        }
        if values_in_range:
            values |= values_in_range
            numbers = [(number, code) for number, code in numbers if code not in values]
    return values


def _missing_by_range(
    variables: Iterable[Variable], codes: set[str]
) -> dict[tuple[float, float], set[str]]:
    """Return, for each range that columns have, the codes that are missing in all of these.

    Args:
        variables: The columns; those without a range do not count.
        codes: All codes for missing values.

    Returns:
        A mapping of the lowest and highest value to the codes.
    """
    codes_by_range: dict[tuple[float, float], set[str]] = {}
    for variable in variables:
        if is_number(variable.low) and is_number(variable.high):
            ends = float(variable.low), float(variable.high)
            codes_by_range[ends] = codes_by_range.get(ends, codes) & variable.missing.keys()
    return codes_by_range


def _name_codes(codes: Sequence[str]) -> str:
    return " ".join(name_some(codes, 5).split())


def _field(variable: Variable, notes: list[str]) -> ForeignDocument:
    """Return the Table Schema field of a column.

    Two bounds make it a range of numbers or dates. Without them it is a column of yes or no,
    or a list of codes. If the code book lacks the kind, the bounds or the categories, a
    sentence is added to `notes`.
    """
    field: ForeignDocument = {"name": variable.name}
    if variable.description:
        field["description"] = variable.description
    required = variable.required and not variable.missing
    if variable.low and variable.high and variable.kind in (*DATES, *NUMBERS, ""):
        return field | _range_field(variable, required=required)
    if variable.kind == "boolean" and not variable.codes:
        return field | {"type": "boolean", "constraints": {"required": required}}
    # A number with a lower bound is no list of codes, even if it lacks the upper one.
    if variable.codes and (variable.kind not in NUMBERS or not variable.low):
        if not variable.ordered and _label_ends(variable.codes):
            return field | _open_scale(variable, notes)
        field |= listed_codes(variable.codes)
        field["constraints"]["required"] = required
        if variable.ordered:
            field["categoriesOrdered"] = True
        return field
    if not variable.kind:
        notes.append(f"Column '{variable.name}' needs a kind; the code book does not say it.")
        return field
    if variable.spikes:
        field["description"] = _describe_labels(variable.description, variable.spikes)
    lacks = "bounds" if variable.kind in (*NUMBERS, *DATES) else "categories"
    notes.append(f"Column '{variable.name}' needs {lacks}; the code book does not say them.")
    field["type"] = variable.kind
    if variable.form:
        field["format"] = variable.form
    return field


def _label_ends(labels: Mapping[str, str]) -> bool:
    """Return whether labels look like those of some points of a scale, such as its ends.

    They do if a few whole numbers up to 100 have a label, and some between them have none.
    Numbers that often mean a missing value, such as 9 and 99, do not count beside two others.
    A list of such labels would leave out all answers in between.

    >>> _label_ends({"1": "never", "10": "always"}), _label_ends({"1": "yes", "2": "no"})
    (True, False)
    >>> _label_ends({"1": "yes", "2": "no", "9": "refused"})
    False
    """
    if not all(labels.values()) or not all(map(is_whole, labels)):
        return False
    numbers = sorted(map(int, labels))
    answers = [number for number in numbers if number not in OFTEN_MISSING]
    if len(answers) < 2:
        answers = numbers
    if len(answers) not in range(2, MAX_LABELLED_POINTS + 1) or abs(answers[-1]) > 100:
        return False
    return answers[-1] - answers[0] >= len(answers)


def _open_scale(variable: Variable, notes: list[str]) -> ForeignDocument:
    """Return the entries of a column whose labels seem to name points of a scale.

    Its bounds are left open, and its labels stand in the description.

    Args:
        variable: The column, with labelled codes.
        notes: A sentence is added that says what to decide.
    """
    points = name_some(list(variable.codes), 5)
    notes.append(
        f"Column '{variable.name}' has labels for {points} only, and may have more values: "
        "give its bounds, or list its values if these are all of them."
    )
    description = _describe_labels(variable.description, variable.codes)
    return {"type": "integer", "description": description}


def _describe_labels(description: str, labels: Mapping[str, str]) -> str:
    """Return a column's description, which may be empty, followed by labels of values.

    >>> _describe_labels("How often?", {"1": "never", "9": "always"})
    'How often? (1 = never; 9 = always)'
    """
    listing = "; ".join(f"{code} = {label}" for code, label in labels.items())
    text = f"{description} ({listing})" if description else listing
    return text[: limits.LABEL_LENGTH]


def _range_field(variable: Variable, *, required: bool) -> ForeignDocument:
    """Return type, bounds and spikes of a column of numbers or dates as entries of a field.

    Labelled numbers become spikes, which are values with a cell of their own, and labelled
    short texts become signs. DomainError is raised if a bound of numbers is no number.
    """
    ends = {"minimum": variable.low, "maximum": variable.high}
    constraints: ForeignDocument = {**ends, "required": required}
    if variable.kind in DATES:
        form = {"format": variable.form} if variable.form else {}
        return {"type": variable.kind, **form, "constraints": constraints}
    for end, value in ends.items():
        if not is_number(value):
            refuse_codebook(
                f"Column '{variable.name}': the {end} of the code book is no number."
            )
    labels = variable.codes | variable.spikes
    numbers = {code: label for code, label in labels.items() if is_number(code)}
    are_whole = all(map(is_whole, [*ends.values(), *numbers]))
    kind = "integer" if are_whole and variable.kind != "number" else "number"
    field: ForeignDocument = {"type": kind, "constraints": constraints}
    if numbers:
        field["synth:spikes"] = _labelled_values(numbers)
    signs = {
        code: label
        for code, label in labels.items()
        if code not in numbers and len(code) <= limits.SIGN_LENGTH
    }
    if signs:
        field["synth:signs"] = _labelled_values(signs)
    return field


def _labelled_values(labels: Mapping[str, str]) -> list[Json]:
    """Return values as a Table Schema field lists them, from their labels by value.

    A value with a label becomes an object, and one with an empty label a text.
    """
    return [
        {"value": code, "label": label} if label else code for code, label in labels.items()
    ]
