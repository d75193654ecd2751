"""A bundle as a Frictionless data package: `datapackage.json`. PUBLIC.

It follows from the certificate, the domain and the digests of the files, so `verify` compares
it. Source: https://datapackage.org/standard/data-package/.

>>> from synth.domain import Boolean, Domain
>>> domain = Domain((Boolean(name="x", true_values=("y",), false_values=("n",)),))
>>> synthetic_fields(domain)[0]["trueValues"]
['y']
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import cast

from synth.bundle.certificate import (
    AnswersCertificate,
    Certificate,
    DrawnCertificate,
    HistogramCertificate,
)
from synth.bundle.certificate_parts import STEMS
from synth.bundle.croissant import croissant, title_bundle
from synth.bundle.dictionary import DICTIONARY, HEADER
from synth.bundle.file_names import NOISY, SYNTHETIC
from synth.bundle.guard import guard_cell
from synth.bundle.resources import (
    ANSWER_COLUMNS,
    CROISSANT,
    DATA_PACKAGE,
    TABLE,
    Described,
    WrittenFile,
    listed_files,
)
from synth.bundle.texts import json_bytes
from synth.bundle.writer import noisy_names
from synth.domain import (
    OTHER_LABEL,
    Clock,
    Column,
    Domain,
    Moment,
    Span,
    plain_pattern,
    write_field,
)
from synth.util import Document, Json

PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"

# The fields of a Table Schema.
Fields = list[dict[str, Json]]

# Keys that a field of the released file takes from the declaration, besides constraints.
_DECLARED_KEYS = {"type", "format", "trueValues", "falseValues", "categoriesOrdered"}


def describe_files(certificate: Certificate, domain: Domain) -> Described:
    """Return the function that describes written files: data package and Croissant.

    It takes the digest and size of each written file, by name. It returns the bytes of the
    two describing files, by name.
    """
    tables = table_fields(certificate, domain)

    def describe(written: Mapping[str, WrittenFile]) -> dict[str, bytes]:
        """Return the bytes of the two describing files, by name."""
        package = data_package(certificate, written, tables)
        return {
            DATA_PACKAGE: json_bytes(package),
            CROISSANT: json_bytes(croissant(certificate, written, tables)),
        }

    return describe


def data_package(
    certificate: Certificate, written: Mapping[str, WrittenFile], tables: Mapping[str, Fields]
) -> Document:
    """Return the bundle's metadata as a Frictionless data package.

    Args:
        certificate: The certificate of the bundle.
        written: The digest and size of each written file, by name.
        tables: The columns of the tables among them, as fields of a Table Schema, by name.
    """
    resources: list[Json] = []
    for name, resource, file in listed_files(written):
        path = PurePath(name)
        entry: Document = {
            "name": name if path.suffix != ".csv" else path.stem,
            "path": name,
            "type": "file",
            "description": resource.about,
            "format": path.suffix[1:],
            "mediatype": resource.mediatype,
            "bytes": file.bytes,
            "hash": f"sha256:{file.sha256}",
        }
        if name in tables:
            schema: Json = {"fields": list(tables[name]), "missingValues": []}
            entry |= {"type": "table", "encoding": "utf-8", "schema": schema}
        resources.append(entry)
    return {
        "$schema": PROFILE,
        "title": title_bundle(certificate),
        "description": certificate.guarantee.statement,
        "created": certificate.created,
        "resources": resources,
    }


def table_fields(certificate: Certificate, domain: Domain) -> dict[str, Fields]:
    """Return the columns of each table of a bundle, by the name of its CSV file.

    Columns are fields of a Table Schema.

    Args:
        certificate: The certificate, whose kind decides which tables there are.
        domain: The declared columns.
    """
    if isinstance(certificate, AnswersCertificate):
        return {TABLE: _texts(ANSWER_COLUMNS)}
    if isinstance(certificate, DrawnCertificate):
        stem = STEMS[certificate.source]
        return {f"{stem}.csv": synthetic_fields(domain), DICTIONARY: _texts(HEADER)}
    # Where several histograms were measured, the first column has their number.
    has_numbers = not isinstance(certificate, HistogramCertificate)
    # ``labels`` are the names of all columns before the last one, which has the counts.
    *labels, count = noisy_names(domain, has_numbers=has_numbers)
    counts: dict[str, Json] = {"name": guard_cell(count), "type": "integer"}
    counts["description"] = "The count of rows, with noise: it may be negative."
    noisy = [*_texts(map(guard_cell, labels)), counts]
    return {SYNTHETIC: synthetic_fields(domain), NOISY: noisy, DICTIONARY: _texts(HEADER)}


def synthetic_fields(domain: Domain) -> Fields:
    """Return the columns of the synthetic rows as fields of a Table Schema.

    Texts are those of the CSV file, where an apostrophe precedes what a spreadsheet would
    take for a formula.

    Frictionless calls a row blank if every cell is missing. If there may be such a row, one
    column lists its missing-value marker as an ordinary text.
    """
    marker = guard_cell(domain.missing_marker)
    fields = [
        _describe_field(column.respell(guard_cell), column.description, marker)
        for column in domain.written_columns
    ]
    if all(column.missing for column in domain.written_columns):
        number = _first_with_texts(domain.written_columns)
        fields[number] = _list_marker(fields[number], marker)
    return fields


def _first_with_texts(columns: Sequence[Column]) -> int:
    """Return the position of the first column whose values are declared texts.

    If there is none, it is 0.
    """
    for number, column in enumerate(columns):
        if column.declared_texts:
            return number
    return 0


def _list_marker(field: dict[str, Json], marker: str) -> dict[str, Json]:
    """Return a field of texts whose missing-value marker is an ordinary text.

    Args:
        field: The field of a column.
        marker: The text of a missing value.
    """
    # The listed values, if the column lists any.
    texts = cast("Mapping[str, list[Json]]", field["constraints"]).get("enum")
    constraints: Json = {"enum": [*texts, marker]} if texts else {}
    about = {key: field[key] for key in field if key in ("name", "description")}
    return {
        **about,
        "type": "string",
        "constraints": constraints,
        "missingValues": [],
    }


def _describe_field(column: Column, description: str, marker: str) -> dict[str, Json]:
    """Return the field of a column of the synthetic rows.

    Args:
        column: The column, with its texts as in the CSV file.
        description: Its declared description; empty for none.
        marker: The text of a missing value.
    """
    field: dict[str, Json] = {"name": column.name}
    if description:
        field["description"] = description
    markers: list[Json] = [marker] if column.missing else []
    return {**field, **_describe_values(column), "missingValues": markers}


def _describe_values(column: Column) -> dict[str, Json]:
    """Return the type of a column's values, and their constraints.

    If values outside the declared ones are written as `OTHER_LABEL`, all values are texts.
    """
    if column.other_code is None:  # no value is written as `OTHER_LABEL`
        field = write_field(column)
        declared = {key: field[key] for key in field if key in _DECLARED_KEYS}
        has_pattern = declared.get("format", "default") != "default"
        # Table Schema knows durations in ISO 8601 only, and other programs know no flags.
        if isinstance(column.reading, Span) and has_pattern:
            return {"type": "string", "constraints": {"required": not column.missing}}
        if isinstance(column.reading, Moment | Clock) and has_pattern:
            declared["format"] = plain_pattern(str(declared["format"]))
        constraints = cast("Mapping[str, Json]", field["constraints"])
        return {
            **declared,
            "constraints": {**constraints, "required": not column.missing},
        }
    limits: dict[str, Json] = {} if column.missing else {"required": True}
    if column.declared_texts:
        limits["enum"] = [*column.labels, OTHER_LABEL]
    return {"type": "string", "constraints": limits}


def _texts(names: Iterable[str]) -> Fields:
    """Return fields of texts with these names."""
    return [{"name": name, "type": "string"} for name in names]
