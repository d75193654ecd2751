"""Columns declared in code; `Domain` gives them their names. PUBLIC.

Dates and clocks are imported when a column of them is declared.

>>> Integer(18, 97, bins=16).build("age").size
16
>>> column_of("sex", ["f", "m"]).labels
('f', 'm')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from synth.domain import listed, numbers
from synth.domain.bins import Bound
from synth.domain.column import Column, Outside, first_repeat, refuse
from synth.util import check_types


@dataclass(frozen=True)
class Unnamed:
    """A kind of column with its options, before the column has a name.

    Attributes:
        kind: The kind of column.
        arguments: The options by name, as the kind takes them.
    """

    kind: type[Column]
    arguments: Mapping[str, Any]

    def build(self, name: str) -> Column:
        """Return the column; DomainError if the declaration makes no sense."""
        return self.kind(name=name, **self.arguments)

    def __repr__(self) -> str:
        """Return the declaration in code."""
        arguments = ", ".join(f"{key}={value!r}" for key, value in self.arguments.items())
        return f"{self.kind.__name__}({arguments})"


OutsideName = Literal["cell", "nearest", "missing", "drop"]
"""The rules for values outside the declared range or list (`Outside`), for type checkers."""
PeriodName = Literal["day", "week", "month", "quarter", "year"]
"""The cells of dates by the calendar (`Period`), for type checkers."""

# Texts of bounds, by the kind of column that they suggest.
BOUNDS = {
    "Integer": re.compile(r"[+-]?\d+"),
    "Number": re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
    "Date": re.compile(r"\d{4}-\d\d(-\d\d.*)?"),
}
# Keys of a field, and what else people call the options of a range.
FIELD_WORDS = frozenset(
    "type minimum maximum min max low high bins edges period format".split()
)

# One of the kinds, a list of categories, codes with their meanings, or ``bool``.
Declared = Unnamed | Column | type[bool] | Mapping[str, str] | Iterable[str | int]


@check_types
def Integer(  # noqa: PLR0913 - public: each option by name
    minimum: Bound | int,
    maximum: Bound | int,
    *,
    bins: int | None = None,
    edges: Iterable[Bound | int] = (),
    spikes: Iterable[Bound | int] = (),
    signs: Iterable[str] | Mapping[str, str] = (),
    missing: bool | Iterable[str] | Mapping[str, str] = False,
    outside: OutsideName | None = None,
    description: str = "",
) -> Unnamed:
    """Declare a column of whole numbers.

    Args:
        minimum: The smallest possible value; by default values below go to the nearest bound.
        maximum: The largest possible value.
        bins: Number of cells; by default a few dozen at most.
        edges: Edges of the cells instead, from the minimum to the maximum.
        spikes: Values with a cell of their own.
        signs: Texts such as "<5" that are no numbers, with a cell of their own; or a mapping
            of them to their meanings.
        missing: Whether missing values have a cell of their own; or the texts that mean
            one in this column, in addition to the empty cell, perhaps with their labels.
        outside: What happens to values outside the bounds: they get a "cell" of their own,
            go to the "nearest" bound, count as "missing", or "drop" their row.
        description: The column's content in words.

    Returns:
        The declaration; `Domain` gives the column its name.

    Raises:
        DomainError: There is no such rule; or, when the column gets its name, the declaration
            makes no sense.

    >>> from synth import Domain, Integer
    >>> Domain(age=Integer(0, 99, bins=10, missing=True)).shape
    (11,)
    """
    return Unnamed(
        numbers.Integer,
        {
            **_range_options(minimum, maximum, bins, edges=edges),
            "spikes": _list_bounds(spikes),
            **_sign_options(signs),
            **_shared_options(missing, outside, description),
        },
    )


@check_types
def Number(  # noqa: PLR0913 - public: each option by name
    minimum: Bound | float,
    maximum: Bound | float,
    *,
    bins: int | None = None,
    edges: Iterable[Bound | float] = (),
    spikes: Iterable[Bound | float] = (),
    signs: Iterable[str] | Mapping[str, str] = (),
    decimals: int | None = None,
    missing: bool | Iterable[str] | Mapping[str, str] = False,
    outside: OutsideName | None = None,
    description: str = "",
) -> Unnamed:
    """Declare a column of real numbers; a float counts as its shortest decimal form.

    Args:
        minimum: The smallest possible value; by default values below go to the nearest bound.
        maximum: The largest possible value.
        bins: Number of cells of equal width.
        edges: Edges of the cells instead, from the minimum to the maximum.
        spikes: Values with a cell of their own.
        signs: Texts such as "<5" that are no numbers, with a cell of their own; or a mapping
            of them to their meanings.
        decimals: Digits after the point of synthetic values.
        missing: Whether missing values have a cell of their own; or the texts that mean
            one in this column, in addition to the empty cell, perhaps with their labels.
        outside: What happens to values outside the bounds: they get a "cell" of their own,
            go to the "nearest" bound, count as "missing", or "drop" their row.
        description: The column's content in words.

    Returns:
        The declaration; `Domain` gives the column its name.

    Raises:
        DomainError: There is no such rule; or, when the column gets its name, the declaration
            makes no sense.

    >>> from synth import Domain, Number
    >>> Domain(share=Number(0, 1, bins=4))["share"].cells[0]
    '0 to 0.25'
    """
    return Unnamed(
        numbers.Number,
        {
            **_range_options(minimum, maximum, bins, edges=edges),
            "spikes": _list_bounds(spikes),
            **_sign_options(signs),
            "decimals": decimals,
            **_shared_options(missing, outside, description),
        },
    )


@check_types
def Date(  # noqa: PLR0913 - public: each option by name
    minimum: object,
    maximum: object,
    *,
    bins: int | None = None,
    edges: Iterable[object] = (),
    period: PeriodName | None = None,
    time: bool = False,
    format: str = "",
    signs: Iterable[str] | Mapping[str, str] = (),
    zone: str = "",
    pivot: int | None = None,
    also: Iterable[str] = (),
    missing: bool | Iterable[str] | Mapping[str, str] = False,
    outside: OutsideName | None = None,
    description: str = "",
) -> Unnamed:
    """Declare a column of dates, or of dates with a time of day.

    Args:
        minimum: The first date, or its text.
        maximum: The last one.
        bins: Number of cells of equal length.
        edges: Edges of the cells instead.
        period: Or cells by the calendar: "day", "week", "month", "quarter" or "year".
        time: Whether there is a time of day.
        format: The format of texts: an example such as 23-May-14, or a pattern; by default
            ISO 8601. Columns of dates need none.
        signs: Texts such as "unknown" that are no dates, with a cell of their own; or a
            mapping of them to their meanings.
        zone: The time zone by whose clock days and times are counted, if texts have offsets
            (``%z``): "UTC", "+02:00" or "Europe/Berlin". Each cell is read by its own offset.
        pivot: The first of the hundred years that two digits mean, such as 1930; by default
            the bounds decide.
        also: Patterns of further forms in which some cells are written; synthetic rows have
            the format.
        missing: Whether missing values have a cell of their own; or the texts that mean
            one in this column, in addition to the empty cell, perhaps with their labels.
        outside: What happens to values outside the bounds: they get a "cell" of their own,
            go to the "nearest" bound, count as "missing", or "drop" their row.
        description: The column's content in words.

    Returns:
        The declaration; `Domain` gives the column its name.

    Raises:
        DomainError: There is no such rule or period; or, when the column gets its name, the
            declaration makes no sense.

    >>> from synth import Date, Domain
    >>> Domain(visit=Date("2024-01-01", "2024-12-31", period="quarter"))["visit"].cells
    ('2024-Q1', '2024-Q2', '2024-Q3', '2024-Q4')
    """
    from synth.domain import dates
    from synth.domain.periods import Period

    if period is not None and period not in tuple(Period):
        refuse(f"There is no period '{period}'; choose one of {', '.join(Period)}.")
    return Unnamed(
        dates.Date,
        {
            **_range_options(minimum, maximum, bins, edges=edges),
            "time": time,
            "format": format,
            "zone": zone,
            "pivot": pivot,
            "also": tuple(also),
            "period": period and Period(period),
            **_sign_options(signs),
            **_shared_options(missing, outside, description),
        },
    )


@check_types
def TimeOfDay(  # noqa: PLR0913 - public: each option by name
    minimum: object = "00:00:00",
    maximum: object = "23:59:59",
    *,
    bins: int | None = None,
    edges: Iterable[object] = (),
    spikes: Iterable[object] = (),
    format: str = "",
    missing: bool = False,
    outside: OutsideName | None = None,
    description: str = "",
) -> Unnamed:
    """Declare a column of times of day.

    Args:
        minimum: The first time, such as 08:00; by default midnight.
        maximum: The last one.
        bins: Number of cells of equal length, such as 24 for the hours of a day.
        edges: Edges of the cells instead.
        spikes: Times with a cell of their own.
        format: A pattern of texts such as %H:%M or %-I:%M %p; by default %H:%M:%S.
        missing: Whether missing values have a cell of their own.
        outside: What happens to values outside the bounds: they get a "cell" of their own,
            go to the "nearest" bound, count as "missing", or "drop" their row.
        description: The column's content in words.

    Returns:
        The declaration; `Domain` gives the column its name.

    Raises:
        DomainError: There is no such rule; or, when the column gets its name, the declaration
            makes no sense.

    >>> from synth import Domain, TimeOfDay
    >>> Domain(seen=TimeOfDay("08:00", "19:59", format="%H:%M", bins=2))["seen"].cells
    ('08:00 to 13:59', '14:00 to 19:59')
    """
    from synth.domain import clocks

    return Unnamed(
        clocks.TimeOfDay,
        {
            **_range_options(minimum, maximum, bins, edges=edges),
            "spikes": _list_bounds(spikes),
            "format": format,
            **_shared_options(missing, outside, description),
        },
    )


@check_types
def Duration(  # noqa: PLR0913 - public: each option by name
    minimum: object,
    maximum: object,
    *,
    bins: int | None = None,
    edges: Iterable[object] = (),
    spikes: Iterable[object] = (),
    format: str = "",
    missing: bool = False,
    outside: OutsideName | None = None,
    description: str = "",
) -> Unnamed:
    """Declare a column of durations.

    Args:
        minimum: The shortest one, in the column's format or as PT5M.
        maximum: The longest one.
        bins: Number of cells of equal length.
        edges: Edges of the cells instead.
        spikes: Durations with a cell of their own.
        format: %H:%M:%S or %H:%M for hours of any number, %M:%S, "%d days" or
            "%d days %H:%M:%S"; %-H and %-M write no zero in front. By default ISO 8601, such
            as PT1H5M.
        missing: Whether missing values have a cell of their own.
        outside: What happens to values outside the bounds: they get a "cell" of their own,
            go to the "nearest" bound, count as "missing", or "drop" their row.
        description: The column's content in words.

    Returns:
        The declaration; `Domain` gives the column its name.

    Raises:
        DomainError: There is no such rule; or, when the column gets its name, the declaration
            makes no sense.

    >>> from synth import Domain, Duration
    >>> Domain(wait=Duration("0:00", "47:59", format="%-H:%M", bins=2))["wait"].cells
    ('0:00 to 23:59', '24:00 to 47:59')
    """
    from synth.domain import clocks

    return Unnamed(
        clocks.Duration,
        {
            **_range_options(minimum, maximum, bins, edges=edges),
            "spikes": _list_bounds(spikes),
            "format": format,
            **_shared_options(missing, outside, description),
        },
    )


@check_types
def Categorical(
    categories: Iterable[str | int] | Mapping[str, str],
    *,
    ordered: bool = False,
    missing: bool | Iterable[str] | Mapping[str, str] = False,
    outside: OutsideName | None = None,
    description: str = "",
) -> Unnamed:
    """Declare a column of listed values.

    Args:
        categories: All possible texts; or a mapping of codes to their meanings.
        ordered: Whether the list goes from the least to the greatest.
        missing: Whether missing values have a cell of their own; or the texts that mean
            one in this column, in addition to the empty cell, perhaps with their labels.
        outside: What happens to values outside the list: they get a "cell" of their own,
            count as "missing", or "drop" their row.
        description: The column's content in words.

    Returns:
        The declaration; `Domain` gives the column its name.

    Raises:
        DomainError: There is no such rule; or, when the column gets its name, the declaration
            makes no sense.

    >>> from synth import Categorical, Domain
    >>> Domain(school=Categorical(["none", "some", "all"], ordered=True)).shape
    (3,)
    """
    meanings = dict(categories) if isinstance(categories, Mapping) else {}
    return Unnamed(
        listed.Categorical,
        {
            "categories": tuple(str(code) for code in categories),
            "ordered": ordered,
            "meanings": meanings,
            **_shared_options(missing, outside, description),
        },
    )


@check_types
def Boolean(
    *,
    true_values: Iterable[str] = listed.Boolean.true_values,
    false_values: Iterable[str] = listed.Boolean.false_values,
    missing: bool | Iterable[str] | Mapping[str, str] = False,
    outside: OutsideName | None = None,
    description: str = "",
) -> Unnamed:
    """Declare a column of yes or no.

    Args:
        true_values: Spellings of yes; synthetic rows use the first.
        false_values: Spellings of no.
        missing: Whether missing values have a cell of their own; or the texts that mean
            one in this column, in addition to the empty cell, perhaps with their labels.
        outside: What happens to values outside the list: they get a "cell" of their own,
            count as "missing", or "drop" their row.
        description: The column's content in words.

    Returns:
        The declaration; `Domain` gives the column its name.

    Raises:
        DomainError: There is no such rule; or, when the column gets its name, the declaration
            makes no sense.

    >>> from synth import Boolean, Domain
    >>> Domain(smoker=Boolean(missing=True))["smoker"].cells
    ('false', 'true', '(missing)')
    """
    return Unnamed(
        listed.Boolean,
        {
            "true_values": tuple(true_values),
            "false_values": tuple(false_values),
            **_shared_options(missing, outside, description),
        },
    )


def column_of(name: str, declared: Declared) -> Column:
    """Return the column of a name, as it is declared in code.

    Args:
        name: The column's name.
        declared: A column, a kind without a name, ``bool``, a list of categories, or a
            mapping of codes to their meanings.

    Raises:
        DomainError: It is something else, or makes no sense.
    """
    if isinstance(declared, Column):
        if declared.name != name:
            refuse(f"Column '{name}' is declared as the column '{declared.name}'.")
        return declared
    if declared is bool:
        return Boolean().build(name)
    if isinstance(declared, Unnamed):
        return declared.build(name)
    # A list of categories, or codes with their meanings.
    if isinstance(declared, Iterable) and not isinstance(declared, str | bytes):
        _refuse_range(name, declared)
        listing = declared if isinstance(declared, Mapping) else tuple(declared)
        # `type` and not `isinstance`, as True and False are no categories.
        if all(isinstance(value, str) or type(value) is int for value in listing):
            _refuse_repeat(name, [str(value) for value in listing])
            return Categorical(listing).build(name)
    refuse(
        f"Column '{name}' is declared as a {type(declared).__name__}; expected Integer, "
        "Number, Date, TimeOfDay, Duration, Categorical, Boolean, or a list of categories "
        "that are texts."
    )


def _refuse_repeat(name: str, listing: Sequence[str]) -> None:
    """Raise DomainError if a list of categories repeats a value.

    Such a list may be a column of private rows, so the message does not quote the value.
    """
    repeated = first_repeat(listing)
    if repeated is not None:
        first = listing.index(repeated)
        second = listing.index(repeated, first + 1)
        refuse(
            f"Column '{name}' lists a category twice, as number {first + 1:,} and "
            f"{second + 1:,}; leave one. From the rows of a table, synth.draft drafts a "
            "domain."
        )


def _refuse_range(name: str, declared: Iterable[object]) -> None:
    """Raise DomainError if a list of categories looks like the declaration of a range.

    It may be a mapping of options such as "min", or a pair of two bounds. Read as categories
    these would fit no row of the table.
    """
    if isinstance(declared, Mapping):
        # `FIELD_WORDS` are keys of a Table Schema field and other names of its options.
        is_field = bool(declared) and {*declared} <= FIELD_WORDS
        if is_field or not all(isinstance(meaning, str) for meaning in declared.values()):
            refuse(
                f"Column '{name}' is declared by a mapping, which is for codes and the texts "
                "that they mean; for a range write synth.Integer(minimum, maximum), "
                "synth.Number or synth.Date."
            )
        return
    if not isinstance(declared, tuple) or len(declared) != 2:
        return
    kind = _kind_of_bounds(declared)
    if kind:
        pair = ", ".join(map(_spell_bound, declared))
        # Whole numbers may be categories as they are; other values must be texts.
        values = pair
        if kind != "Integer":
            values = ", ".join(repr(_text(bound)) for bound in declared)
        refuse(
            f"Column '{name}' is declared as the pair ({pair}), which may be a range or two "
            f"values: write synth.{kind}({pair}, ...) for a range, or [{values}] for the two "
            "values."
        )


def _kind_of_bounds(pair: tuple[object, ...]) -> str:
    """Return the kind of column whose bounds two values may be; empty if there is none.

    The kind is "Integer", "Number" or "Date". Dates and moments have the method `isoformat`.
    """
    if any(isinstance(bound, bool) for bound in pair):
        return ""
    if all(hasattr(bound, "isoformat") for bound in pair):
        return "Date"
    texts = [*map(_text, pair)]
    for kind, pattern in BOUNDS.items():
        if all(map(pattern.fullmatch, texts)):
            return kind
    return ""


def _spell_bound(bound: object) -> str:
    is_number = not isinstance(bound, str) and not hasattr(bound, "isoformat")
    return _text(bound) if is_number else repr(_text(bound))


def _range_options(
    minimum: object, maximum: object, bins: int | None, *, edges: Iterable[object]
) -> dict[str, Any]:
    """Return the bounds, bins and edges as arguments of a column, by name.

    Bounds and edges become texts, in which no digit of a number is lost.
    """
    return {
        "minimum": _text(minimum),
        "maximum": _text(maximum),
        "bins": bins,
        "edges": _list_bounds(edges),
    }


def _sign_options(signs: Iterable[str] | Mapping[str, str]) -> dict[str, Any]:
    """Return signs and their meanings as arguments of a column, by name.

    `signs` are texts, or a mapping of texts to their meanings.

    Raises:
        DomainError: It is one text, whose letters would each count as a sign.
    """
    if isinstance(signs, str):
        refuse("Signs are a list of texts, such as signs=['<5'], and not a single text.")
    texts = tuple(map(str, signs))
    meanings = dict(signs) if isinstance(signs, Mapping) else {}
    return {"signs": texts, "meanings": meanings}


def _shared_options(
    missing: bool | Iterable[str] | Mapping[str, str], outside: str | None, description: str
) -> dict[str, Any]:
    """Return the arguments that all kinds of columns have, by name.

    Args:
        missing: Whether missing values have a cell of their own; or the texts that mean one.
        outside: The rule for values outside the range or list; None for the kind's default.
        description: The column's content in words.

    Raises:
        DomainError: There is no such rule, or spellings are no list of texts.
    """
    if outside is not None and outside not in tuple(Outside):
        rules = ", ".join(Outside)
        refuse(f"There is no rule '{outside}' for values outside; choose one of {rules}.")
    options: dict[str, Any] = {
        "outside": None if outside is None else Outside(outside),
        "description": description,
    }
    if isinstance(missing, bool):
        return {**options, "missing": missing}
    if isinstance(missing, str) or not all(isinstance(text, str) for text in missing):
        refuse("Give the spellings of missing values as a list of texts, such as ['98'].")
    labels = missing if isinstance(missing, Mapping) else {}
    # An empty cell always is a missing value, and comes first, as synthetic rows use it.
    spellings = tuple(dict.fromkeys(("", *missing)))
    return {
        **options,
        "missing": True,
        "missing_values": spellings,
        "missing_meanings": {text: label for text, label in labels.items() if label},
    }


def _list_bounds(bounds: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(_text, bounds))


def _text(bound: object) -> str:
    # A date is written in ISO 8601, a float in its shortest decimal form.
    return bound.isoformat() if hasattr(bound, "isoformat") else str(bound)
