"""A bundle as a Frictionless data package: `datapackage.json`. PUBLIC.

It follows from the certificate, the domain and the digests of the files, so `verify` compares
it. Source: https://datapackage.org/standard/data-package/.

>>> from synth.domain import Boolean, Domain
>>> domain = Domain((Boolean(name="x", true_values=("y",), false_values=("n",)),))
>>> synthetic_fields(domain)[0]["trueValues"]
['y']
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
_DECLARED_KEYS = {
    "type",
    "format",
    "trueValues",
    "falseValues",
    "categoriesOrdered",
    "synth:signs",
}


def describe_files(certificate: Certificate, domain: Domain) -> Described:
    """Return the function that describes written files: data package and Croissant.

    It takes the digest and size of each written file, by name. It returns the bytes of the
    two describing files, by name.
    """
    tables = table_fields(certificate, domain)

    def describe(written: Mapping[str, WrittenFile]) -> dict[str, bytes]:
        """Return the bytes of the two describing files, by name."""
        package = data_package(certificate, written, tables)
        # Croissant reads the CSV files only.
        csv_tables = {
            name: fields for name, fields in tables.items() if name.endswith(".csv")
        }
        return {
            DATA_PACKAGE: json_bytes(package),
            CROISSANT: json_bytes(croissant(certificate, written, csv_tables)),
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
            entry["schema"] = {"fields": list(tables[name]), "missingValues": []}
            # A Parquet file says itself how it is read.
            if path.suffix == ".csv":
                entry |= {"type": "table", "encoding": "utf-8"}
        resources.append(entry)
    return {
        "$schema": PROFILE,
        "title": title_bundle(certificate),
        "description": certificate.guarantee.statement,
        "created": certificate.created,
        "resources": resources,
    }


def table_fields(certificate: Certificate, domain: Domain) -> dict[str, Fields]:
    """Return the columns of each table of a bundle, by the name of its file.

    Columns are fields of a Table Schema. The rows have the same ones in CSV and in Parquet,
    where texts are as declared.

    Args:
        certificate: The certificate, whose kind decides which tables there are.
        domain: The declared columns.
    """
    if isinstance(certificate, AnswersCertificate):
        return {TABLE: _texts(ANSWER_COLUMNS)}
    if isinstance(certificate, DrawnCertificate):
        stem = STEMS[certificate.source]
        return {**_fields_of_rows(stem, domain), DICTIONARY: _texts(HEADER)}
    # Where several histograms were measured, the first column has their number.
    has_numbers = not isinstance(certificate, HistogramCertificate)
    # ``labels`` are the names of all columns before the last one, which has the counts.
    *labels, count = noisy_names(domain, has_numbers=has_numbers)
    counts: dict[str, Json] = {"name": guard_cell(count), "type": "integer"}
    counts["description"] = "The count of rows, with noise: it may be negative."
    noisy = [*_texts(map(guard_cell, labels)), counts]
    rows = _fields_of_rows(PurePath(SYNTHETIC).stem, domain)
    return {**rows, NOISY: noisy, DICTIONARY: _texts(HEADER)}


def _fields_of_rows(stem: str, domain: Domain) -> dict[str, Fields]:
    """Return the columns of the rows by the names of their files, which begin with `stem`."""
    return {
        f"{stem}.csv": synthetic_fields(domain),
        f"{stem}.parquet": synthetic_fields(domain, spell=str),
    }


def synthetic_fields(domain: Domain, *, spell: Callable[[str], str] = guard_cell) -> Fields:
    """Return the columns of the synthetic rows as fields of a Table Schema.

    `spell` returns a text as the file has it. By default that is the CSV file, where an
    apostrophe precedes what a spreadsheet would take for a formula.

    Frictionless calls a row blank if every cell is missing. If there may be such a row, one
    column lists its missing-value marker as an ordinary text.
    """
    markers = [*map(spell, domain.markers)]
    fields = [
        _describe_field(column, marker, spell)
        for column, marker in zip(domain.written_columns, markers, strict=True)
    ]
    if all(
        column.missing or column.signs or column.reasons for column in domain.written_columns
    ):
        number = _first_with_texts(domain.written_columns)
        fields[number] = _list_marker(fields[number], markers[number])
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
    if "categories" in field:
        about["categories"] = [*cast("list[Json]", field["categories"]), {"value": marker}]
    return {
        **about,
        "type": "string",
        "constraints": constraints,
        "missingValues": [],
    }


def _describe_field(
    column: Column, marker: str, spell: Callable[[str], str]
) -> dict[str, Json]:
    """Return the field of a column of the synthetic rows.

    Args:
        column: The declared column.
        marker: The text of a missing value, as the file has it.
        spell: Returns a text as the file has it.
    """
    written = column.respell(spell)
    field: dict[str, Json] = {"name": written.name}
    if column.description:
        field["description"] = column.description
    markers: list[Json] = [marker] if column.missing else []
    # A value that means a missing one is missing to programs that read the file. So is a
    # sign to those that read numbers or dates.
    signs = () if column.other_code is not None else column.signs
    markers += map(spell, dict.fromkeys((*column.reasons, *signs)))
    return {
        **field,
        **_describe_values(written, required=not markers),
        **_describe_labels(column, spell),
        "missingValues": markers,
    }


def _describe_labels(column: Column, spell: Callable[[str], str]) -> dict[str, Json]:
    """Return the labels of a column's values as an entry of its field; empty without any.

    If the column lists its values, they are its categories, with or without labels. A column
    of numbers may have labels for a few of them, such as 999. The standard has no place for
    these, so they get a key of our own.

    Args:
        column: The declared column.
        spell: Returns a text as the file has it.
    """
    # Signs are listed with their labels by themselves.
    labels = {
        code: text for code, text in column.meanings.items() if code not in column.signs
    }
    if not labels:
        return {}

    def describe(value: str) -> Json:
        """Return a value with its label, if it has one."""
        if value in labels:
            return {"value": spell(value), "label": labels[value]}
        return {"value": spell(value)}

    if not column.list_size:
        return {"synth:labels": [describe(value) for value in labels]}
    listed_values = [
        cell for code, cell in enumerate(column.cells) if code != column.missing_code
    ]
    return {"categories": [describe(value) for value in listed_values]}


def _describe_values(column: Column, *, required: bool) -> dict[str, Json]:
    """Return the type of a column's values, and their constraints.

    If values outside the declared ones are written as `OTHER_LABEL`, all values are texts.

    Args:
        column: The column, with its texts as in the file.
        required: Whether no value is missing.
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
            "constraints": {**constraints, "required": required},
        }
    limits: dict[str, Json] = {"required": True} if required else {}
    if column.declared_texts:
        limits["enum"] = [*column.labels, OTHER_LABEL]
    return {"type": "string", "constraints": limits}


def _texts(names: Iterable[str]) -> Fields:
    """Return fields of texts with these names."""
    return [{"name": name, "type": "string"} for name in names]
