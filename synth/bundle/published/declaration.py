"""The schema of a declaration of columns. PUBLIC."""

from synth import limits
from synth.bundle.published.fields import OF_FIELDS, missing_values
from synth.bundle.published.forms import (
    Fields,
    document,
    listing,
    mapping,
    text,
    truth,
    word,
)
from synth.bundle.published.shared import DRAFT
from synth.domain import DRAFTED, ORIGINS
from synth.util import Document

ORIGIN = word(
    "Where the declaration comes from. If absent, a person declared all of it.",
    ORIGINS,
)
LEFT_OUT = mapping(
    "Why a release leaves a column out, by the column's name; absent if it leaves out none.",
    {"type": "string"},
)
AGREED = mapping(
    "What becomes of values that a column loses, by the column's name; absent if none does.",
    {"type": "string"},
)
FIELDS = listing(
    "The columns, in the order in which they are written.",
    {"$ref": "#/$defs/field"},
    minItems=1,
    maxItems=limits.MAX_COLUMNS,
)
# Keys of the whole declaration, besides its fields.
OF_TABLE: Fields = {
    "$schema": text("The profile of Table Schema; for other programs, and not read."),
    "missingValues": missing_values(
        "The spellings of a missing value in all columns. If absent, the empty text alone."
    ),
    "synth:origin": ORIGIN,
    "synth:draft": listing(
        "The paid drafts from which it was made, in order; absent without any. Each release "
        "with it counts their cost.",
        {"$ref": "#/$defs/draft"},
        maxItems=limits.DRAFTS,
    ),
    "synth:looked": truth(
        "Whether somebody saw exact numbers of rows that fit it. If absent, nobody did."
    ),
    "synth:taken_is_public": truth(
        "Whether the steward vouches that all values taken from the rows are public. If "
        "absent, not."
    ),
    "synth:left_out": LEFT_OUT,
    "synth:agreed": AGREED,
    "synth:note": text("A remark for readers; absent without one. Synth does not read it."),
    "synth:universe_cells": {
        "description": (
            "The number of cells of all columns together, for readers; Synth computes it and "
            "never reads it."
        )
    },
}
# A declaration that says it was drafted lists the drafts.
_DRAFTED: Document = {
    "if": {
        "required": ["synth:origin"],
        "properties": {"synth:origin": {"const": DRAFTED}},
    },
    "then": {
        "required": ["synth:draft"],
        "properties": {"synth:draft": {"minItems": 1}},
    },
}
TABLE: Document = {
    "description": "A declaration of the columns of one table.",
    "type": "object",
    "required": ["fields"],
    "maxProperties": limits.MAX_KEYS,
    "properties": {"fields": FIELDS, **OF_TABLE},
    **_DRAFTED,
}
OF_DECLARATION: Fields = {**OF_FIELDS, "draft": DRAFT, "declaration": TABLE}


def declaration_schema() -> Document:
    """Return the schema of a declaration.

    The reader is wider in two ways. It allows other keys of the whole declaration, which it
    names as not used, and it reads texts where the standard wants them without refusing
    other values, such as a number as a description.
    """
    return document(
        title="Declaration of the columns of a table",
        about=(
            "The possible values of each column: a Table Schema (Data Package 2.0) with keys "
            "of Synth. It comes from a data dictionary and holds no rows."
        ),
        content={"$ref": "#/$defs/declaration"},
        definitions=OF_DECLARATION,
    )
