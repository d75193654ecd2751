"""Declarations broken in every place with every odd value: one sentence each, nothing
else.
"""

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from operator import setitem
from typing import Any

import pytest

from synth.domain import DECLARED, OTHER_FORMATS, finish, load_schema, to_other, write_schema
from synth.errors import DomainError

NATIVE: dict[str, Any] = {
    "fields": [
        {
            "name": "sex",
            "type": "string",
            "description": "as registered",
            "categories": [{"value": "1", "label": "male"}, "2"],
            "categoriesOrdered": True,
            "constraints": {"enum": ["1", "2"], "required": True},
        },
        {"name": "smoker", "type": "boolean", "trueValues": ["yes"], "falseValues": ["no"]},
        {
            "name": "hours",
            "type": "integer",
            "synth:bins": 5,
            "synth:outside": "cell",
            "synth:spikes": [40, {"value": 999, "label": "unknown"}],
            "constraints": {"minimum": 0, "maximum": 99},
        },
        {
            "name": "pay",
            "type": "number",
            "synth:edges": [0, 10, 99],
            "synth:decimals": 2,
            "constraints": {"minimum": 0, "maximum": 99, "required": False},
        },
        {
            "name": "day",
            "type": "date",
            "format": "%d.%m.%Y",
            "synth:period": "week",
            "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"},
        },
    ],
    "missingValues": ["", {"value": "NA", "label": "not asked"}],
    "synth:origin": DECLARED,
}
NIST = {
    "sex": {"description": "as registered", "values": {"1": "male", "N": "unknown"}},
    "pay": {
        "description": "a year",
        "values": {"min": 0, "max": 99, "999": "more", "N": "none"},
    },
}
SDV = {
    "METADATA_SPEC_VERSION": "V1",
    "tables": {
        "t": {
            "columns": {
                "age": {"sdtype": "numerical", "computer_representation": "Int64"},
                "day": {"sdtype": "datetime", "datetime_format": "%d.%m.%Y"},
            }
        }
    },
}
PGM = {"age": 100, "sex": 2}
# Values that are put in the place of each part of a declaration.
ODD = [
    None,
    True,
    -3,
    10**20,
    "x",
    "",
    "\u0000",
    [],
    ["x"],
    [None],
    {},
    {"x": 1},
    [[]],
    "1e999",
]


def list_paths(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every part of a document, the whole included."""
    yield path
    items = document.items() if isinstance(document, dict) else ()
    for key, value in items if isinstance(document, dict) else enumerate(document):
        if isinstance(value, dict | list):
            yield from list_paths(value, (*path, key))
        else:
            yield (*path, key)


def break_document(document: Any) -> Iterator[bytes]:
    """The document with one part replaced, taken out, or called otherwise."""
    for path in list_paths(document):
        for odd in ODD if path else [*ODD, 3]:
            yield _changed(document, path, lambda part, key, odd=odd: setitem(part, key, odd))
        if path and isinstance(path[-1], str):
            yield _changed(
                document, path, lambda part, key: setitem(part, f"{key}s", part.pop(key))
            )


def _changed(
    document: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]
) -> bytes:
    """The document after a change to what is at a path, told the part around it and its
    place.
    """
    around = [copy.deepcopy(document)]
    part = around
    for key in (0, *path)[:-1]:
        part = part[key]
    change(part, (0, *path)[-1])
    return json.dumps(around[0]).encode()


@cache
def read_declaration(content: bytes) -> tuple[Any, Any] | str:
    """A declaration as it is read and its fields as they are written, or the sentence it
    earns.
    """
    try:
        loaded, notes = load_schema(content)
        assert all(isinstance(note, str) and "\n" not in note for note in notes)
        return loaded, write_schema(finish(loaded))["fields"]
    except DomainError as error:
        return str(error)


def refusal_of(content: bytes, kind: str = "") -> str | None:
    """What is said of a declaration that is refused; None where it can be read and
    written.
    """
    declaration = read_declaration(content)
    if isinstance(declaration, str):
        return declaration
    loaded, written = declaration
    try:
        if kind:
            to_other(
                {**loaded, "fields": [field | {"synth:cells": 3} for field in written]}, kind
            )
    except DomainError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    "document", [NATIVE, NIST, SDV, PGM], ids=["native", "nist", "sdv", "private-pgm"]
)
def test_every_break_is_one_sentence_or_a_declaration(document: Any) -> None:
    """A declaration with any one part broken is either read or refused in one sentence.

    `break_document` puts every odd value in the place of each part, and takes out or renames
    each part. Any other error than a refusal fails the test. More than 20 refusals show that
    the breaks do break.
    """
    refusals = [refusal_of(content) for content in break_document(document)]
    refused = [words for words in refusals if words is not None]
    assert len(refused) > 20
    assert all(words.endswith(".") and "\n" not in words for words in refused)


@pytest.mark.parametrize("kind", OTHER_FORMATS)
def test_every_break_converts_or_is_one_sentence(kind: str) -> None:
    """A broken declaration that can be read is also converted to each other format, or
    refused.

    Some breaks must convert (None), so that the conversion is tested at all.
    """
    refusals = [refusal_of(content, kind) for content in break_document(NATIVE)]
    assert None in refusals
    assert all(words.endswith(".") for words in refusals if words is not None)
