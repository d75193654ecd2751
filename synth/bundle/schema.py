"""The published JSON schemas of certificates, made from their classes. PUBLIC.

``python -m synth.bundle.schema`` writes them anew. They are part of every bundle: a bundle verifies
only as long as they stay as they are, so that another form needs files of its own, as the forms of
certificates without caveats have (``*.first.schema.json``).

>>> schema(tuple[int, ...])
{'type': 'array', 'items': {'type': 'integer'}}
"""

import json
from collections.abc import Mapping
from dataclasses import Field, is_dataclass
from enum import Enum
from fractions import Fraction
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, cast, get_args, get_origin

from synth.bundle.certificate import (
    FORMS,
    Certificate,
    HistogramCertificate,
    MarginalsCertificate,
    schema_path,
)
from synth.bundle.typed_json import LEFT_OUT, hints, in_order, is_required
from synth.check import Document, Json
from synth.privacy.guarantee import Guarantee

_PLAIN: dict[object, Document] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    float: {"type": "number"},
    Fraction: {"$ref": "#/$defs/rational"},
    Guarantee: {"$ref": "#/$defs/cost"},
}

_POSITIVE: Document = {"$ref": "#/$defs/positive"}


def _cost(*units: str) -> Document:
    properties: Document = {"properties": dict.fromkeys(units, _POSITIVE)}
    needed: Document = {"required": list(units)}
    return {"type": "object", **needed, **properties, "additionalProperties": False}


_RATIONAL: Document = {
    "rational": {"type": "string", "pattern": "^[0-9]+(/[1-9][0-9]*)?$"},
}


def _costs(*, gaussian: bool) -> Document:
    """What may be paid: an epsilon, with or without a delta, a rho, or mu^2 of Gaussian DP."""
    forms = [_cost("epsilon"), _cost("rho"), _cost("epsilon", "delta")]
    forms += [_cost("mu_squared")] * gaussian
    positive = {"type": "string", "pattern": "^[1-9][0-9]*(/[1-9][0-9]*)?$"}
    return {"positive": positive, "cost": {"oneOf": forms}}


def published(kind: type[Certificate]) -> str:
    """The schema of a form of certificates, as the file has it."""
    first = kind is HistogramCertificate
    whole: Document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": kind.TITLE,
        **_object(kind),
        "$defs": _RATIONAL | _costs(gaussian=kind is MarginalsCertificate),
    }
    opened = ("properties", "$defs", *(() if first else ("required",)))
    return _laid_out(whole, opened, width=102 if first else 103) + "\n"


def schema(hint: object) -> Document:
    """The schema of what a field may hold."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(schema(parts[0]), parts[1:])
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
    return _object(hint)


def _annotated(base: Document, notes: tuple[tuple[tuple[str, Json], ...], ...]) -> Document:
    """With keywords behind the type; None stands for what the type gives by itself."""
    added = {name: value for note in notes for name, value in note}
    first = {"type": base["type"]} if "type" in base else {}
    said = {name: value for name, value in added.items() if value is not None}
    return {**first, **added, **base, **said}


def _one_of(parts: list[object], is_nullable: bool) -> Document:
    if len(parts) > 1:
        null: list[Json] = [{"type": "null"}] * is_nullable
        return {"oneOf": [*(schema(part) for part in parts), *null]}
    base = schema(parts[0])
    return {**base, "type": [base["type"], "null"]} if is_nullable else base


def _object(kind: type) -> Document:
    """The schema of a dataclass: what it has to hold, may hold, and nothing else."""
    known, listed = hints(kind), in_order(kind, written=False)
    needed: Document = {"required": [one.name for one in listed if is_required(one)]}
    properties: Document = {
        "properties": {one.name: schema(_said(one, known[one.name])) for one in listed}
    }
    closed: Document = {"additionalProperties": False}
    rest = properties | closed if hasattr(kind, "CLOSED_LAST") else closed | properties
    return {"type": "object", **needed, **rest}


def _said(one: Field[object], hint: object) -> object:
    """What a field holds where it is written: one that is left out for None is never null."""
    parts = get_args(hint)
    if LEFT_OUT not in one.metadata or NoneType not in parts:
        return hint
    return Union[tuple(part for part in parts if part is not NoneType)]  # noqa: UP007


def _laid_out(whole: Document, opened: tuple[str, ...], *, width: int) -> str:
    """JSON text whose objects stand on one line where they fit."""

    def text(value: Json, name: str, depth: int) -> str:
        lead = f"{json.dumps(name)}: " if name else ""
        flat = lead + json.dumps(value, ensure_ascii=False)
        is_open = not depth or (depth == 1 and name in opened)
        if not is_open and (not _holds_more(value) or depth + len(flat) <= width):
            return " " * depth + flat
        named = (
            value.items()
            if isinstance(value, dict)
            else [("", v) for v in cast("list[Json]", value)]
        )
        inside = ",\n".join(text(part, key, depth + 1) for key, part in named)
        start, end = "{}" if isinstance(value, dict) else "[]"
        return f"{' ' * depth}{lead}{start}\n{inside}\n{' ' * depth}{end}"

    return text(whole, "", 0)


def _holds_more(value: Json) -> bool:
    """Whether it is an object, or a list of some."""
    listed = isinstance(value, list) and any(isinstance(part, dict) for part in value)
    return isinstance(value, dict) or listed


def main() -> None:
    """Write the files of today's forms."""
    for kind in FORMS:
        schema_path(kind).write_text(published(kind), encoding="utf-8")


if __name__ == "__main__":
    main()
