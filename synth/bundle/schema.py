"""The published JSON schemas of certificates, made from their classes. PUBLIC.

``python -m synth.bundle.schema`` writes them, and the schemas of all other files that stay
(`synth.bundle.published`). Every bundle holds its schema. If a schema
changes, raise the number of its form (``format``): then `verify` does not refute earlier
bundles.

>>> schema(tuple[int, ...])
{'type': 'array', 'items': {'type': 'integer'}}
"""

from collections.abc import Iterable, Mapping
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, cast, get_args, get_origin

from synth.bundle import certificate
from synth.bundle.certificate import (
    FORMS,
    Certificate,
    LinkedCertificate,
    MarginalsCertificate,
    schema_file_text,
    schema_path,
)
from synth.bundle.published.catalogue import write_schemas
from synth.bundle.typed_json import hints
from synth.noise import MECHANISMS, Mechanism
from synth.privacy import Guarantee
from synth.util import Document, Json, may_lack

_PLAIN: dict[object, Document] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    float: {"type": "number"},
    Fraction: {"$ref": "#/$defs/rational"},
    Guarantee: {"$ref": "#/$defs/cost"},
}

_POSITIVE: Document = {"$ref": "#/$defs/positive"}


# Parameters of a mechanism, which `Mechanism.describe` writes as texts.
_EXACT: Mapping[object, Document] = {
    Fraction: _POSITIVE,
    int: {"type": "string", "pattern": "^[1-9][0-9]{0,9}$"},
}


def _cost(*units: str) -> Document:
    """Return the schema of a cost: an object with a positive number for each unit."""
    return {
        "type": "object",
        "required": list(units),
        "additionalProperties": False,
        "properties": dict.fromkeys(units, _POSITIVE),
    }


def _definitions(*, gaussian: bool) -> Document:
    """Return the definitions that the schemas of fields refer to.

    Args:
        gaussian: Whether costs may be of Gaussian differential privacy (``mu_squared``).
    """
    costs: list[Json] = [_cost("epsilon"), _cost("rho"), _cost("epsilon", "delta")]
    if gaussian:
        costs.append(_cost("mu_squared"))
    return {
        "rational": {"type": "string", "pattern": "^[0-9]+(/[1-9][0-9]*)?$"},
        "positive": {"type": "string", "pattern": "^[1-9][0-9]*(/[1-9][0-9]*)?$"},
        "cost": {"oneOf": costs},
    }


def schema_text(kind: type[Certificate]) -> str:
    """Return the published schema of a kind of certificate, as the text of its file."""
    document: Document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": kind.TITLE,
        **_object(kind),
        "$defs": _definitions(gaussian=kind in (MarginalsCertificate, LinkedCertificate)),
    }
    return schema_file_text(document)


def schema(hint: object) -> Document:
    """Return the JSON Schema of a type hint.

    Hints are classes, `Annotated` with keywords of JSON Schema, unions, literals, tuples of
    one type and mappings from texts.
    """
    origin = get_origin(hint)
    if origin is None:
        return _plain_type(hint)
    arguments = get_args(hint)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:])
    if origin in (Union, UnionType):
        choices = [choice for choice in arguments if choice is not NoneType]
        return _one_of(choices, is_nullable=NoneType in arguments)
    if origin is Literal:
        if len(arguments) == 1:
            return {"const": arguments[0]}
        return {"enum": list(arguments)}
    if origin is tuple:
        return {"type": "array", "items": schema(arguments[0])}
    assert origin is Mapping
    return {"type": "object", "additionalProperties": schema(arguments[1])}


def _annotated(hint: object, notes: tuple[Iterable[tuple[str, object]], ...]) -> Document:
    """Return the schema of a type hint with keywords of JSON Schema.

    Args:
        hint: The type.
        notes: Names and values of keywords. A value that is a function stands for its result.
    """
    keywords: Document = {}
    for note in notes:
        for name, value in note:
            keywords[name] = cast("Json", value() if callable(value) else value)
    # A list of values says all about them.
    return keywords if "enum" in keywords else schema(hint) | keywords


def _plain_type(hint: object) -> Document:
    """Return the schema of a class: a plain type, an enumeration or a dataclass."""
    if hint is object:  # any JSON
        return {}
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    assert isinstance(hint, type)
    assert is_dataclass(hint)
    return _mechanism(hint) if issubclass(hint, Mechanism) else _object(hint)


def _mechanism(kind: type[Mechanism]) -> Document:
    """Return the schema of a mechanism of noise: an object of its law and its parameters.

    Parameters are exact, so most of them are written as texts.
    """
    properties: Document = {"law": {"const": kind.law}}
    for parameter in fields(kind):
        hint = hints(kind)[parameter.name]
        properties[parameter.name] = _EXACT.get(hint) or schema(hint)
    return {
        "type": "object",
        "required": [*properties],
        "additionalProperties": False,
        "properties": properties,
    }


def _one_of(choices: list[object], *, is_nullable: bool) -> Document:
    """Return the schema of a union of types.

    Args:
        choices: The types without None; `Mechanism` stands for all mechanisms of noise.
        is_nullable: Whether None is allowed too.
    """
    hints_of_all: list[object] = []
    for choice in choices:
        if choice is Mechanism:
            hints_of_all += [find_class() for find_class in MECHANISMS.values()]
        else:
            hints_of_all.append(choice)
    schemas: list[Json] = [schema(hint) for hint in hints_of_all]
    if len(schemas) > 1:
        if is_nullable:
            schemas.append({"type": "null"})
        return {"oneOf": schemas}
    base = schema(hints_of_all[0])
    if is_nullable:
        return {**base, "type": [base["type"], "null"]}
    return base


def _object(kind: type) -> Document:
    """Return the schema of a dataclass: an object with its fields and no others.

    Fields that files leave out if they have their default are not required.
    """
    hint_of = hints(kind)
    properties: Document = {
        part.name: schema(_written_hint(part, hint_of[part.name])) for part in fields(kind)
    }
    return {
        "type": "object",
        "required": [part.name for part in fields(kind) if not may_lack(part)],
        "additionalProperties": False,
        "properties": properties,
    }


def _written_hint(part: Field[object], hint: object) -> object:
    """Return the type hint of a field as files have it.

    A field that is left out instead of being null loses the None in its hint.

    Args:
        part: The field.
        hint: The type hint of the field.
    """
    choices = get_args(hint)
    if not may_lack(part) or NoneType not in choices:
        return hint
    # The types are known only at run time, so the union cannot be spelled out with ``|``.
    return Union[tuple(c for c in choices if c is not NoneType)]  # noqa: UP007


def main() -> None:
    """Write the schemas of all kinds of certificate, and of all other published files."""
    for kind in FORMS:
        schema_path(kind).write_text(schema_text(kind), encoding="utf-8")
    # The folder is asked of the module each time, so that a test can write elsewhere.
    write_schemas(certificate.SCHEMAS)


if __name__ == "__main__":
    main()
