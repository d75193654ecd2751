"""The schema of the declaration of linked tables. PUBLIC."""

from synth import limits
from synth.bundle.published.declaration import OF_DECLARATION, OF_TABLE
from synth.bundle.published.fields import IDENTIFIER, NOT_BLANK
from synth.bundle.published.forms import (
    Fields,
    document,
    listing,
    record,
    refer,
    text,
    truth,
    whole,
    word,
)
from synth.domain import ID_KEY
from synth.util import Document

_NAMES: Document = {
    "description": "The name of a column, or a list of names, each once.",
    "anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    ],
}
_LINK: Document = {
    "description": "A link: columns that name a row of another table.",
    "type": "object",
    "required": ["fields", "reference"],
    "properties": {
        "fields": refer("The columns of this table.", "names"),
        "reference": {
            "description": "The columns that they name.",
            "type": "object",
            "required": ["fields"],
            "properties": {
                "resource": text(
                    "The name of the other table. If empty or absent, this table itself."
                ),
                "fields": refer("The columns there, in the same order.", "names"),
            },
        },
    },
}
# A column that only names rows has no values to declare.
_KEY_FIELD: Document = record(
    "A column that only names rows.",
    {"name": text("The name of the column.", minLength=1)},
    {
        "type": text("The type of the keys, by Table Schema; if absent, string."),
        "title": text("A title for readers; not used."),
        "description": text("The content in words; not used."),
        "constraints": record(
            "Limits of the keys; not used.",
            {},
            {
                "required": truth("Whether each row has a key; not used."),
                "unique": truth("Whether no two rows have one key; not used."),
            },
        ),
        ID_KEY: IDENTIFIER,
    },
)
_SCHEMA: Document = {
    "description": "The columns of the table and its keys, as a Table Schema.",
    "type": "object",
    "required": ["fields"],
    "properties": {
        "fields": listing(
            "The columns in order, also the ones that only name rows.",
            {"anyOf": [{"$ref": "#/$defs/field"}, {"$ref": "#/$defs/key"}]},
            minItems=1,
        ),
        "primaryKey": refer(
            "The columns in which no two rows are equal. Absent if rows may be equal; the "
            "table without a parent needs one.",
            "names",
        ),
        "foreignKeys": listing(
            "The links to other tables: at most one to a protected table, which is its "
            "parent. Absent without links.",
            {"$ref": "#/$defs/link"},
        ),
        **OF_TABLE,
    },
}
_RESOURCE: Document = {
    "description": "One table.",
    "type": "object",
    "required": ["name", "path", "schema"],
    "properties": {
        "name": text("The name of the table.", pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$"),
        "path": text(
            "The file of its rows, in the folder of the package.",
            pattern=r"^(?!/)(?!.*\.\.).+$",
        ),
        "synth:maxRows": whole(
            "The most rows of one parent that are kept. Absent only for the table without a "
            "parent, and for public tables.",
            minimum=1,
            maximum=limits.LINKED_ROWS,
        ),
        "synth:keep": word(
            "Which rows of a parent are kept, if there are more. random: by a hash of their "
            "content. first: by an order. If absent, random.",
            ("random", "first"),
        ),
        "synth:order": refer(
            "The columns by which rows are first; absent unless the first are kept.", "names"
        ),
        "synth:public": truth(
            "Whether the table is no secret, so that its rows need no protection. If absent, "
            "it is protected."
        ),
        "schema": _SCHEMA,
    },
    "if": {
        "required": ["synth:keep"],
        "properties": {"synth:keep": {"const": "first"}},
    },
    "then": {"required": ["synth:order"]},
}
PACKAGE: Document = {
    "description": "A declaration of linked tables.",
    "type": "object",
    "required": ["resources"],
    "properties": {
        "name": text("The name of the package. If absent, package.", pattern=NOT_BLANK),
        "resources": listing(
            "The tables: one without a parent, and tables that link to it or to each other.",
            {"$ref": "#/$defs/resource"},
            minItems=1,
            maxItems=limits.LINKED_TABLES,
        ),
    },
}
OF_PACKAGE: Fields = {
    **OF_DECLARATION,
    "names": _NAMES,
    "link": _LINK,
    "key": _KEY_FIELD,
    "resource": _RESOURCE,
    "package": PACKAGE,
}


def package_schema() -> Document:
    """Return the schema of the declaration of linked tables.

    The reader checks more, which no schema can: that links lead to declared columns, and that
    all tables hang together below one.
    """
    return document(
        title="Declaration of linked tables",
        about=(
            "Tables that keys link: a data package (Data Package 2.0) with keys of Synth. "
            "Rows that belong to one row of the first table are protected together."
        ),
        content={"$ref": "#/$defs/package"},
        definitions=OF_PACKAGE,
    )
