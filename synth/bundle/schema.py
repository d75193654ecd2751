"""The published JSON schemas of certificates, made from their classes. PUBLIC.

``python -m synth.bundle.schema`` writes them. Every bundle holds its schema. If a schema
changes, raise the number of its form (``format``): then `verify` does not refute earlier
bundles.

>>> schema(tuple[int, ...])
{'type': 'array', 'items': {'type': 'integer'}}
"""

import json
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

from synth.bundle.certificate import (
    FORMS,
    Certificate,
    LinkedCertificate,
    MarginalsCertificate,
    schema_path,
)
from synth.bundle.typed_json import hints, may_lack
from synth.noise import MECHANISMS, Mechanism
from synth.privacy import Guarantee
from synth.util import Document, Json

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
    return {
        "type": "object",
        "required": list(units),
        "additionalProperties": False,
        "properties": dict.fromkeys(units, _POSITIVE),
    }


def _definitions(*, gaussian: bool) -> Document:
    forms = [_cost("epsilon"), _cost("rho"), _cost("epsilon", "delta")]
    forms += [_cost("mu_squared")] * gaussian
    return {
        "rational": {"type": "string", "pattern": "^[0-9]+(/[1-9][0-9]*)?$"},
        "positive": {"type": "string", "pattern": "^[1-9][0-9]*(/[1-9][0-9]*)?$"},
        "cost": {"oneOf": forms},
    }


def schema_text(kind: type[Certificate]) -> str:
    whole: Document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": kind.TITLE,
        **_object(kind),
        "$defs": _definitions(gaussian=kind in (MarginalsCertificate, LinkedCertificate)),
    }
    return json.dumps(whole, indent=1) + "\n"


def schema(hint: object) -> Document:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        noted = dict(pair for note in parts[1:] for pair in note)
        said = {name: one() if callable(one) else one for name, one in noted.items()}
        return said if "enum" in said else schema(parts[0]) | said
    if origin in (Union, UnionType):
        return _one_of([part for part in parts if part is not NoneType], NoneType in parts)
    if origin is Literal:
        return {"const": parts[0]} if len(parts) == 1 else {"enum": list(parts)}
    if origin is tuple:
        return {"type": "array", "items": schema(parts[0])}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": schema(parts[1])}
    if hint is object:
        return {}
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    assert isinstance(hint, type)
    assert is_dataclass(hint)
    return _mechanism(hint) if issubclass(hint, Mechanism) else _object(hint)


def _mechanism(kind: type[Mechanism]) -> Document:
    properties: Document = {"law": {"const": kind.law}}
    for one in fields(kind):
        hint = hints(kind)[one.name]
        properties[one.name] = _EXACT.get(hint) or schema(hint)
    return {
        "type": "object",
        "required": [*properties],
        "additionalProperties": False,
        "properties": properties,
    }


def _one_of(parts: list[object], is_nullable: bool) -> Document:
    known = MECHANISMS.values()
    parts = [one for part in parts for one in (known if part is Mechanism else (part,))]
    if len(parts) > 1:
        null: list[Json] = [{"type": "null"}] * is_nullable
        return {"oneOf": [*(schema(part) for part in parts), *null]}
    base = schema(parts[0])
    return {**base, "type": [base["type"], "null"]} if is_nullable else base


def _object(kind: type) -> Document:
    known, listed = hints(kind), fields(kind)
    properties: Document = {
        one.name: schema(_written_hint(one, known[one.name])) for one in listed
    }
    return {
        "type": "object",
        "required": [one.name for one in listed if not may_lack(one)],
        "additionalProperties": False,
        "properties": properties,
    }


def _written_hint(one: Field[object], hint: object) -> object:
    # A field that is left out for None is never null.
    parts = get_args(hint)
    if not may_lack(one) or NoneType not in parts:
        return hint
    return Union[tuple(part for part in parts if part is not NoneType)]  # noqa: UP007


def main() -> None:
    for kind in FORMS:
        schema_path(kind).write_text(schema_text(kind), encoding="utf-8")


if __name__ == "__main__":
    main()
