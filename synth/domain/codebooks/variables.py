"""The description of one column in a code book, as a field of a Table Schema.

Codes for missing values stay with their column: another one may have the same number as a
value.

>>> age = Variable(name="age", low="0", high="99", missing={"-8": ""})
>>> document, notes = as_schema([age, Variable(name="sex", codes={"1": "male", "2": ""})])
>>> document["fields"][0]["missingValues"], document["missingValues"]
(['', '-8'], [''])
>>> is_number("-8"), is_whole("1.5"), exact_number("7")
(True, False, 7)
"""

import math
from bisect import bisect_right
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
    return {
        str(item["value"]): item["label"]
        for item in items
        if isinstance(item, Mapping) and "label" in item
    }


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
# Most codes for missing values of a column with a cell of their own; Stata has 26 letters.
MAX_REASONS = 26


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
        is_closed: Whether the codes are all values, as the code book says by its kind. The
            labels of a data file only annotate some values.
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
    is_closed: bool = True
    ordered: bool = False
    required: bool = False

    @property
    def reasons(self) -> dict[str, str]:
        """The codes for missing values that say why a value is missing, with their labels.

        These are the labelled codes, up to `MAX_REASONS` of them. In a list they keep a cell
        of their own.
        """
        labelled = {code: label for code, label in self.missing.items() if code and label}
        return labelled if len(labelled) <= MAX_REASONS else {}

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

    Codes for missing values stand with their column, as another one may have the same code
    as a value. Reading of `descriptions` stops at the first column too many.

    Raises:
        DomainError: A column is listed twice or has no name, or a bound is no number.
        LimitError: There are more columns, more codes, or more codes for missing values of
            one column than a declaration can have.
    """
    variables = _limit_variables(descriptions)
    _settle_names(variables)
    notes: list[str] = []
    fields = [
        _field(variable, notes) | describe_missing(variable.missing) for variable in variables
    ]
    return {"fields": fields, "missingValues": [""]}, notes


def describe_missing(codes: Mapping[str, str]) -> ForeignDocument:
    """Return the entry of a Table Schema field for its codes for missing values.

    `codes` holds their labels, which may be empty. Without any code the field has no such
    entry. The empty cell comes first, as synthetic rows use it.

    >>> describe_missing({"8": "refused", "9": ""})
    {'missingValues': ['', {'value': '8', 'label': 'refused'}, '9']}
    """
    labels = {code: label for code, label in codes.items() if code}
    return {"missingValues": ["", *_labelled_values(labels)]} if labels else {}


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
        if len(variable.missing) >= limits.MARKERS:
            raise LimitError(
                f"The code book lists {len(variable.missing):,} codes for missing values of "
                f"a column; the limit is {limits.MARKERS - 1:,}."
            )
    return variables


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
        is_list = variable.is_closed and variable.ordered
        if not is_list and _are_few_points(variable):
            return field | _open_scale(variable, notes)
        field |= listed_codes(variable.codes | variable.reasons)
        field["constraints"]["required"] = required
        if variable.ordered:
            field["categoriesOrdered"] = True
        return field if variable.is_closed else field | _open_list(variable, notes)
    if not variable.kind:
        notes.append(f"Column '{variable.name}' needs a kind; the code book does not say it.")
        return field
    if variable.spikes:
        field["description"] = _describe_labels(variable.description, variable.spikes)
        field["synth:labels"] = _labelled_values(variable.spikes)
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


def _are_few_points(variable: Variable) -> bool:
    """Return whether labelled codes seem to be but some points of a scale.

    A single label of a data file is one, too: a list of one value would leave out all others.
    """
    is_single = not variable.is_closed and len(variable.codes) == 1
    return is_single or _label_ends(variable.codes)


def _open_list(variable: Variable, notes: list[str]) -> ForeignDocument:
    """Return the entries of a list of labelled values that may lack others.

    The others get a cell of their own. That they may exist is noted, as somebody has to
    decide it.

    Args:
        variable: The column, with labelled codes.
        notes: A sentence is added that says what to decide.
    """
    values = name_some(list(variable.codes), 5)
    notes.append(
        f"Column '{variable.name}' lists the values with a label, {values}. Whether there "
        "are others is to decide: a look at the rows tells. Until then, others come out as "
        "(other)."
    )
    return {"synth:outside": "cell", "synth:open_list": True}


def _open_scale(variable: Variable, notes: list[str]) -> ForeignDocument:
    """Return the entries of a column whose labels seem to name points of a scale.

    Its bounds are left open, and its labels stand in the description and by themselves.

    Args:
        variable: The column, with labelled codes.
        notes: A sentence is added that says what to decide.
    """
    points = name_some(list(variable.codes), 5)
    notes.append(
        f"Column '{variable.name}' has labels for {points} only, and may have more values: "
        "give its bounds, or list its values if these are all of them."
    )
    are_whole = all(map(is_whole, variable.codes)) and variable.kind != "string"
    return {
        "type": "integer" if are_whole else variable.kind or "string",
        "description": _describe_labels(variable.description, variable.codes),
        "synth:labels": _labelled_values(variable.codes),
    }


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
    spikes = _numbers_with_cells(variable)
    are_whole = all(map(is_whole, [*ends.values(), *spikes]))
    kind = "integer" if are_whole and variable.kind != "number" else "number"
    field: ForeignDocument = {"type": kind, "constraints": constraints}
    if spikes:
        field["synth:spikes"] = _labelled_values(spikes)
    signs = {
        code: label
        for code, label in (variable.codes | variable.spikes | variable.reasons).items()
        if not is_number(code) and len(code) <= limits.SIGN_LENGTH
    }
    if signs:
        field["synth:signs"] = _labelled_values(signs)
    return field


def _numbers_with_cells(variable: Variable) -> dict[str, str]:
    """Return the numbers of a range that get a cell of their own, with their labels.

    These are the numbers that the code book labels. A labelled code for missing values is one
    of them only outside the bounds, where it cannot be an ordinary number.
    """
    labels = variable.codes | variable.spikes
    numbers = {code: label for code, label in labels.items() if is_number(code)}
    low = float(variable.low)
    high = float(variable.high)
    for code, label in variable.reasons.items():
        if is_number(code) and not low <= float(code) <= high:
            numbers[code] = label
    return numbers


def _labelled_values(labels: Mapping[str, str]) -> list[Json]:
    """Return values as a Table Schema field lists them, from their labels by value.

    A value with a label becomes an object, and one with an empty label a text.
    """
    return [
        {"value": code, "label": label} if label else code for code, label in labels.items()
    ]
