"""The schema of one column of a declaration. PUBLIC.

It follows `synth.domain.fields` and its kinds of columns; a test compares the keys. Some of
their refusals need arithmetic, which no schema can state: edges that do not ascend, a bound
that is no date, a value that is listed twice, a formula that names no column."""

from synth import limits
from synth.bundle.published.forms import (
    Fields,
    listing,
    mapping,
    or_null,
    record,
    text,
    truth,
    whole,
    word,
)
from synth.domain import ID_KEY, KEY, Outside, Period
from synth.util import Document, Json

NOT_BLANK = r"\S"
# Signs of a pattern of IDs; it holds a sign that varies, or is one of two words.
_ID_SIGNS = (
    r"^(uuid|number|(?=.*[#@])[A-Za-z0-9#@]([A-Za-z0-9#@_./: -]*[A-Za-z0-9#@_./:-])?)$"
)

_VALUE: Document = {
    "description": "A bound, an edge or a code: a text, or a number.",
    "type": ["string", "number"],
}
_CODE: Document = {
    "description": "A value, alone or with a label.",
    "anyOf": [
        {"type": ["string", "number"]},
        {
            "type": "object",
            "required": ["value"],
            "properties": {
                "value": {**_VALUE, "description": "The value as the table has it."},
                "label": text("The meaning of the value, in words; absent without one."),
            },
        },
    ],
}
_SPELLING: Document = {
    "description": "A text that means a missing value, alone or with a label.",
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "required": ["value"],
            "properties": {
                "value": text("The text as the table has it."),
                "label": text("Why the value is missing, in words; absent without a label."),
            },
        },
    ],
}


def missing_values(about: str) -> Document:
    """Return the schema of a list of the spellings of a missing value."""
    return listing(about, {"$ref": "#/$defs/spelling"}, maxItems=limits.MARKERS)


def _codes(about: str) -> Document:
    return listing(about, {"$ref": "#/$defs/code"})


_CONSTRAINTS: Document = {
    "description": "Limits of the values; absent without any. Synth uses these four only.",
    "type": "object",
    "maxProperties": limits.MAX_KEYS,
    "properties": {
        "required": truth(
            "Whether no value is missing. If false or absent, missing values have a cell."
        ),
        "minimum": {**_VALUE, "description": "The least value; absent if the edges say it."},
        "maximum": {**_VALUE, "description": "The largest one; absent if the edges say it."},
        "enum": listing(
            "The possible values, in order. Absent if `categories` lists them.",
            {"type": ["string", "number"], "pattern": NOT_BLANK},
            minItems=1,
            maxItems=limits.CATEGORIES,
        ),
    },
}

# The keys of Table Schema that Synth uses.
_STANDARD: Fields = {
    "name": text("The name of the column, as in the table's header.", pattern=NOT_BLANK),
    "type": text("The type of the values, by Table Schema; if absent, string."),
    "description": text("The content of the column in words; absent without any."),
    "format": text(
        "For dates, times of day and durations: a pattern of strftime, or one example. "
        "If default or absent, as in ISO 8601."
    ),
    "constraints": _CONSTRAINTS,
    "categories": _codes("The possible values with their labels; absent without labels."),
    "categoriesOrdered": truth("Whether the listed values have an order. If absent, not."),
    "missingValues": missing_values(
        "The spellings of a missing value in this column alone. If absent, those of the "
        "table count."
    ),
    "trueValues": listing(
        "For yes or no: the spellings of yes. Synthetic rows use the first. If absent: "
        "true, True, TRUE and 1.",
        {"type": ["string", "number"]},
        minItems=1,
    ),
    "falseValues": listing(
        "For yes or no: the spellings of no. Synthetic rows use the first. If absent: "
        "false, False, FALSE and 0.",
        {"type": ["string", "number"]},
        minItems=1,
    ),
}
# Keys of our own that columns of all kinds may have.
_OURS: Fields = {
    "synth:bins": whole(
        "The number of bins of equal width. If absent, edges or a period cut the values; "
        f"without these there are {limits.DEFAULT_BINS} bins.",
        minimum=1,
        maximum=limits.BINS,
    ),
    "synth:edges": listing(
        "The ends of the bins, ascending, from the least to the largest value. Absent if "
        "bins are of equal width, or by the calendar.",
        {"type": ["string", "number"]},
        minItems=1,
    ),
    "synth:period": word("Bins by the calendar. Absent if dates are cut otherwise.", Period),
    "synth:spikes": _codes(
        "Values with a cell of their own, inside the bounds or not; absent without any."
    ),
    "synth:signs": _codes(
        "Texts among numbers or dates, such as <5, each with a cell of its own; absent "
        "without any."
    ),
    "synth:labels": _codes(
        "Labels of values that have no cell of their own; absent without any."
    ),
    "synth:outside": word(
        "What happens to a value that is not declared. cell: it gets a cell of its own. "
        "nearest: it goes to the nearest bound. missing: it counts as missing. drop: its row "
        "is left out. If absent: nearest for numbers and dates; missing for others, or drop "
        "if no value is missing.",
        [*Outside, "own cell", "nearest bound", "drop the row"],
    ),
    "synth:open_list": truth(
        "Whether there may be other values, as a code book labels only these. If absent, the "
        "list is whole."
    ),
    "synth:decimals": whole(
        "The digits after the point of synthetic numbers. If absent, as many as give about "
        "a thousand values in the narrowest bin.",
        maximum=15,
    ),
    "synth:zone": text(
        "The time zone by which days are counted, if texts have offsets: UTC, +02:00 or "
        "Europe/Berlin. Absent without offsets.",
        maxLength=limits.FORMAT_LENGTH,
    ),
    "synth:pivot": {
        "description": (
            "The first of the hundred years that two digits of a year mean. If null or "
            "absent, the bounds decide."
        ),
        "type": ["integer", "null"],
    },
    "synth:also": listing(
        "Patterns of further forms in which some dates are written; absent without any.",
        {"type": ["string", "number"]},
    ),
    "synth:cells": {
        "description": "The number of cells, for readers. Synth computes it, and reads none."
    },
}

_DERIVED_OPTIONS: Fields = {
    "default": or_null(
        text("The value for entries that the lookup table lacks.", minLength=1),
        "Null or absent: none.",
    ),
    "missing": truth(
        "Whether the value may be missing, as by a division by zero. If absent, not."
    ),
    "taken": truth("Whether a look at the rows proposed the rule. If absent, not."),
}
_LOOKUP: Document = {
    **mapping("The value for each value of that column.", {"type": "string", "minLength": 1}),
    "minProperties": 1,
    "maxProperties": limits.CATEGORIES,
}
DERIVED: Document = {
    "description": (
        "The public rule by which the column follows from others. It costs nothing and has "
        "no cells. Absent for other columns."
    ),
    "oneOf": [
        record(
            "A formula.",
            {"formula": text("The formula over other columns.", pattern=NOT_BLANK)},
            _DERIVED_OPTIONS,
        ),
        record(
            "A lookup table.",
            {
                "lookup": text("The name of the column to look up.", minLength=1),
                "table": _LOOKUP,
            },
            _DERIVED_OPTIONS,
        ),
    ],
}
_PATTERN = text(
    "# is a digit, @ a capital letter, and any other sign is itself; or uuid, or number for "
    "1, 2, 3 and so on.",
    pattern=_ID_SIGNS,
    maxLength=100,
)
IDENTIFIER: Document = {
    "description": (
        "The pattern from which unique IDs are drawn. No real ID is ever read. Absent for "
        "other columns."
    ),
    "anyOf": [
        {**_PATTERN},
        record(
            "A pattern with a limit.",
            {"pattern": _PATTERN},
            {
                "most": or_null(
                    whole("The most rows that get an ID; rows beyond have none.", minimum=1),
                    "Null or absent: as many as the pattern has.",
                )
            },
        ),
    ],
}

_BINNED = ("integer", "year", "number", "date", "datetime", "time", "duration")
_TIMED = ("date", "datetime", "time", "duration")
_DATED = ("date", "datetime")
_LISTED = ("string", "integer", "number", "any", "year")


def _has_type(names: tuple[str, ...]) -> Document:
    return {"required": ["type"], "properties": {"type": {"enum": list(names)}}}


def _requires(*names: str) -> Document:
    return {"required": list(names)}


# A field that lists its values; the type may be absent.
_IS_LISTED: Document = {
    "properties": {"type": {"enum": list(_LISTED)}},
    "anyOf": [
        _requires("categories"),
        {**_requires("constraints"), "properties": {"constraints": _requires("enum")}},
    ],
}
_WITHOUT_SIGNS: Document = {"properties": {"synth:signs": {"maxItems": 0}}}
# What numbers, dates, times and durations need, and what they may not have together.
_CUT: Document = {
    "anyOf": [
        _requires("synth:edges"),
        {
            **_requires("constraints"),
            "properties": {"constraints": _requires("minimum", "maximum")},
        },
    ],
    "not": {
        "anyOf": [
            _requires("synth:bins", "synth:edges"),
            _requires("synth:bins", "synth:period"),
            _requires("synth:edges", "synth:period"),
        ]
    },
    "allOf": [
        {"if": _has_type(_DATED), "else": {"properties": {"synth:period": False}}},
        {
            "if": _has_type(_TIMED),
            "then": {"properties": {"format": {"not": {"const": "any"}}}},
        },
    ],
}
_OF_A_KIND: Document = {
    "if": _IS_LISTED,
    "then": _WITHOUT_SIGNS,
    "else": {
        **_has_type((*_BINNED, "boolean")),
        "if": _has_type(("boolean",)),
        "then": _WITHOUT_SIGNS,
        "else": _CUT,
    },
}


def _unknown_keys() -> str:
    """Return the pattern of keys that begin like ours and are none of them."""
    names = [key.removeprefix("synth:") for key in (*_OURS, KEY, ID_KEY)]
    return f"^synth:(?!({'|'.join(names)})$)"


FIELD: Document = {
    "description": (
        "A column: a field of Table Schema, with keys of our own that begin with synth:. "
        "Synth ignores other keys of Table Schema, and names those it does not use."
    ),
    "type": "object",
    "required": ["name"],
    "maxProperties": limits.MAX_KEYS,
    "properties": {**_STANDARD, **_OURS, KEY: DERIVED, ID_KEY: IDENTIFIER},
    "patternProperties": {_unknown_keys(): False},
    "not": _requires(KEY, ID_KEY),
    # A derived column and a column of IDs have no values of their own to declare.
    "if": {"not": {"anyOf": [_requires(KEY), _requires(ID_KEY)]}},
    "then": _OF_A_KIND,
}
OF_FIELDS: dict[str, Json] = {"code": _CODE, "spelling": _SPELLING, "field": FIELD}
