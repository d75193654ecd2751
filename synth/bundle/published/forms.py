"""Pieces of a JSON schema, each with its description. PUBLIC.

>>> whole("The number of rows.", minimum=1)
{'description': 'The number of rows.', 'type': 'integer', 'minimum': 1}
"""

from collections.abc import Iterable, Mapping

from synth.util import Document, Json

DIALECT = "https://json-schema.org/draft/2020-12/schema"
HASH = "^[0-9a-f]{64}$"

# The schema of each field of an object, by the field's name.
Fields = Mapping[str, Json]


def document(title: str, about: str, *, content: Fields, definitions: Fields) -> Document:
    """Return the schema of a file.

    Args:
        title: What the file is, in a few words.
        about: What it holds, in sentences.
        content: The schema of its content; its own description gives way to `about`.
        definitions: The schemas that it refers to, by name.
    """
    head: Document = {"$schema": DIALECT, "title": title}
    return {**head, **content, "description": about, "$defs": dict(definitions)}


def text(about: str, **keywords: Json) -> Document:
    """Return the schema of a text, with further keywords of JSON Schema."""
    return {"description": about, "type": "string", **keywords}


def digest(about: str) -> Document:
    """Return the schema of a SHA-256 digest in hexadecimal digits."""
    return text(about, pattern=HASH)


def truth(about: str) -> Document:
    """Return the schema of true or false."""
    return {"description": about, "type": "boolean"}


def whole(about: str, *, minimum: int = 0, maximum: int | None = None) -> Document:
    """Return the schema of a whole number between two bounds; None for no upper one."""
    schema: Document = {"description": about, "type": "integer", "minimum": minimum}
    if maximum is not None:
        schema["maximum"] = maximum
    return schema


def word(about: str, words: Iterable[str]) -> Document:
    """Return the schema of one of some words."""
    return {"description": about, "enum": [str(word) for word in words]}


def constant(about: str, value: str) -> Document:
    """Return the schema of one text and no other."""
    return {"description": about, "const": value}


def or_null(schema: Document, meaning: str) -> Document:
    """Return the schema of a value that may be null, which has this meaning.

    Args:
        schema: The schema of the other values.
        meaning: A sentence on null, which is put behind the description.
    """
    words = f"{schema['description']} {meaning}"
    if "type" in schema:
        return {**schema, "description": words, "type": [schema["type"], "null"]}
    other = {name: part for name, part in schema.items() if name != "description"}
    return {"description": words, "anyOf": [other, {"type": "null"}]}


def listing(about: str, items: Json, **keywords: Json) -> Document:
    """Return the schema of a list whose entries have a schema."""
    return {"description": about, "type": "array", "items": items, **keywords}


def texts(about: str, **keywords: Json) -> Document:
    """Return the schema of a list of texts."""
    return listing(about, {"type": "string"}, **keywords)


def mapping(about: str, values: Json) -> Document:
    """Return the schema of an object with any names, whose values have a schema."""
    return {"description": about, "type": "object", "additionalProperties": values}


def record(about: str, required: Fields, optional: Fields | None = None) -> Document:
    """Return the schema of an object with these fields and no others.

    Args:
        about: What the object is.
        required: The fields that it has.
        optional: The fields that it may lack.
    """
    return {
        "description": about,
        "type": "object",
        "required": list(required),
        "additionalProperties": False,
        "properties": {**required, **(optional or {})},
    }


def describe(schema: Document, about: str) -> Document:
    """Return a schema with another description."""
    return {**schema, "description": about}


def add_words(schema: Document, sentence: str) -> Document:
    """Return a schema with one more sentence in its description."""
    return {**schema, "description": f"{schema['description']} {sentence}"}


def refer(about: str, name: str) -> Document:
    """Return a reference to a definition, with a description of its own."""
    return {"description": about, "$ref": f"#/$defs/{name}"}
