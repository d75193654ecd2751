"""Declarations as files: a Domain from and to Frictionless Table Schema JSON.

The native format has a few keys of our own (`synth.domain.fields`). ``constraints.required:
false`` gives the column a cell for missing values. ``synth:draft`` lists the paid drafts, so
that every release with the declaration counts them.

>>> from synth.domain.table_schema import read_schema
>>> read_schema(
...     {
...         "fields": [
...             {
...                 "name": "age",
...                 "type": "integer",
...                 "synth:bins": 10,
...                 "constraints": {"minimum": 0, "maximum": 99, "required": True},
...             }
...         ]
...     }
... ).shape
(10,)
"""

from collections.abc import Mapping
from pathlib import Path

from synth.domain.column import write_field
from synth.domain.domain import Domain
from synth.domain.frozen import thaw
from synth.domain.origin import DECLARED
from synth.util import Document, Json

SCHEMA = "https://datapackage.org/profiles/2.0/tableschema.json"


def read_schema(source: str | Path | bytes | Mapping[str, Json]) -> Domain:
    """Read a declaration from a path, the bytes of a file, or the parsed JSON object.

    Raises:
        DomainError: It is no Table Schema, or wrong; the message names the field.
        LimitError: The file is larger than a declaration can be.
    """
    from synth.domain.documents import load_schema

    return finish(load_schema(source)[0])


def finish(document: Mapping[str, Json]) -> Domain:
    """Return the domain of a Table Schema; DomainError names a wrong or incomplete field."""
    from synth.domain.documents import read_document

    return Domain(**read_document(document)._asdict())


def write_schema(domain: Domain) -> Document:
    """Return the Table Schema of a domain as a JSON object; `read_schema` restores it.

    It also says how many cells the universe has, and what the declaration owes to the rows.
    """
    provenance: Document = {}
    if domain.origin != DECLARED:
        provenance["synth:origin"] = domain.origin
    if domain.drafts:
        provenance["synth:draft"] = thaw(domain.drafts)
    if domain.looked:
        provenance["synth:looked"] = True
    if domain.vouched:
        provenance["synth:taken_is_public"] = True
    provenance |= domain.decisions.write()
    fields = {column.name: write_field(column) for column in domain.columns}
    fields |= {column.name: column.write_field() for column in domain.uncounted}
    return {
        "$schema": SCHEMA,
        "fields": [fields[name] for name in domain.written],
        "missingValues": list(domain.missing_values),
        "synth:universe_cells": domain.size,
        **provenance,
    }
