"""Other tools' declarations in JSON, to and from Table Schema.

=============== ==========================================================================
``nist``        NIST's ``data_dictionary.json``: codes with labels, smallest and largest
                values
``pgm``         private-pgm's ``domain.json``: a number of codes for each column
``sdv``         SDV metadata: of version 1 kinds of columns, of version 2 (``sdv2``)
                nearly all
``datapackage`` a Frictionless data package: the schema of one of its resources
``csvw``        CSV on the Web: the schema of one of its tables
``csvw-eo``     with public assumptions of a private release (to write; read as ``csvw``)
``codebook``    a CSV of columns' names, their categories and their labels (to write)
=============== ==========================================================================

None of them has all that a release needs; what is missing or lost is listed.

>>> document, notes = from_other({"age": 85, "sex": 2})
>>> [field["type"] for field in document["fields"]]
['integer', 'integer']
"""

from collections.abc import Callable, Mapping

from synth.domain.codebooks.contents import TABLE_SCHEMA, recognize
from synth.domain.codebooks.csvw_eo import to_csvw_eo
from synth.domain.codebooks.lost import list_losses
from synth.domain.codebooks.packages import from_csvw, from_package
from synth.domain.codebooks.sdv import from_sdv, to_sdv, to_sdv2
from synth.domain.codebooks.variables import (
    Converted,
    ForeignDocument,
    codes_of,
    describe_missing,
    exact_number,
    is_number,
    is_whole,
    label_map,
    listed_codes,
    refuse_codebook,
)
from synth.util import Json


def from_pgm(document: ForeignDocument) -> Converted:
    """Return a Table Schema of private-pgm's sizes, and a note on what they lack.

    `document` holds the number of codes of each column; the codes are 0, 1 and so on.

    Raises:
        DomainError: A size is below 1.
    """
    fields = []
    for name, size in document.items():
        if size < 1:
            refuse_codebook(f"Column '{name}' has {size} codes; expected at least 1.")
        bounds = {"minimum": 0, "maximum": size - 1, "required": True}
        fields.append(
            {"name": name, "type": "integer", "synth:bins": size, "constraints": bounds}
        )
    notes = ["Codes are whole numbers from 0; the file does not explain them."]
    return {"fields": fields}, notes


def to_pgm(document: ForeignDocument) -> Converted:
    """Return the number of cells of each column, and sentences on losses.

    The numbers stand in the fields under ``synth:cells``. DomainError is raised if a column
    lacks it, as it is not declared in full.
    """
    sizes = {field["name"]: field.get("synth:cells") for field in document["fields"]}
    unknown = [name for name, size in sizes.items() if size is None]
    if unknown:
        refuse_codebook(
            f"Column '{unknown[0]}' is not declared in full, so its cells cannot be counted."
        )
    return sizes, list_losses(document, "pgm")


def from_nist(document: ForeignDocument) -> Converted:
    """Return a Table Schema of NIST's data dictionary, and notes on missing information.

    A column has a list of codes with labels, or "min" and "max" and perhaps some codes.

    Raises:
        DomainError: The values of a column are no texts, or its bounds no numbers.
    """
    fields = []
    notes: list[str] = []
    for name, entry in document.items():
        labels = dict(_nist_values(name, entry))
        if not labels:
            notes.append(f"Column '{name}' is left out: its values are not listed.")
            continue
        # What is left of the values are labels by code.
        low = labels.pop("min", None)
        high = labels.pop("max", None)
        description = str(entry.get("description", ""))
        field: ForeignDocument = {"name": name, "description": description}
        if low is None or high is None:
            field |= listed_codes({code: str(label) for code, label in labels.items()})
        else:
            field |= _range_field(name, low, high, labels=labels, notes=notes)
        fields.append(field)
    return {"fields": fields, "missingValues": [""]}, notes


def _nist_values(name: str, entry: ForeignDocument) -> Mapping[str, Json]:
    """Return the labels by code of a column in NIST's dictionary, "min" and "max" included.

    `entry` describes the column `name`. DomainError is raised if its values are no object of
    texts.
    """
    values = entry.get("values", {})
    if not isinstance(values, Mapping) or any(
        isinstance(value, list | dict) for value in values.values()
    ):
        refuse_codebook(
            f"NIST data dictionary: expected an object of texts under 'values' of '{name}'."
        )
    return values


def _range_field(
    name: str, low: Json, high: Json, *, labels: ForeignDocument, notes: list[str]
) -> ForeignDocument:
    """Return the type, bounds and spikes of a column with bounds in NIST's dictionary.

    Numeric codes become spikes, which are values with a cell of their own. Other codes are
    words for missing values of this column.

    Args:
        name: The column's name.
        low: The smallest value.
        high: The largest value.
        labels: The labels of codes, by code.
        notes: Gets sentences on what becomes of the codes.

    Raises:
        DomainError: A bound is no number.
    """
    if not is_number(low) or not is_number(high):
        refuse_codebook(
            f"NIST data dictionary: expected numbers as 'min' and 'max' of '{name}'."
        )
    spike_codes = [code for code in labels if is_number(code)]
    if spike_codes:
        notes.append(
            f"Column '{name}': the code {', '.join(spike_codes)} gets a cell of its own."
        )
    words = [code for code in labels if not is_number(code)]
    if words:
        notes.append(f"Column '{name}': {', '.join(words)} means a missing value.")
    are_whole = all(map(is_whole, [str(low), str(high), *spike_codes]))
    field: ForeignDocument = {"type": "integer" if are_whole else "number"}
    field["constraints"] = {"minimum": str(low), "maximum": str(high), "required": not words}
    if spike_codes:
        field["synth:spikes"] = [
            {"value": code, "label": str(labels[code])} for code in spike_codes
        ]
    return field | describe_missing({code: str(labels[code]) for code in words})


def to_nist(document: ForeignDocument) -> Converted:
    """Return a Table Schema as NIST's data dictionary, and sentences on losses.

    Columns that are neither listed nor numbers with bounds are left out.
    """
    entries: ForeignDocument = {}
    notes = []
    written_fields = []
    codes_of_table = document.get("missingValues", [""])
    for field in document["fields"]:
        constraints = field.get("constraints", {})
        if "enum" in constraints:
            labels = label_map(field.get("categories", ()))
            codes = map(str, constraints["enum"])
            # A code without a label is its own label.
            values: ForeignDocument = {code: labels.get(code, code) for code in codes}
        elif field.get("type") in ("integer", "number") and "minimum" in constraints:
            values = _bounds_and_spikes(field)
            missing = field.get("missingValues", codes_of_table)
            missing_codes = [code for code in codes_of(missing) if code]
            if missing_codes and not constraints.get("required", False):
                values |= dict.fromkeys(missing_codes, "missing") | label_map(missing)
                # The entry tells of missing values, so nothing is lost.
                constraints = {**constraints, "required": True}
        else:
            notes.append(f"Column '{field['name']}' ({field.get('type')}) is left out.")
            continue
        written_field = {**field, "constraints": constraints}
        if "minimum" in constraints:  # the entry lists the codes for missing values
            written_field.pop("missingValues", None)
        written_fields.append(written_field)
        entries[field["name"]] = {
            "description": field.get("description", ""),
            "values": values,
        }
    return entries, list_losses({"fields": written_fields}, "nist") + notes


def _bounds_and_spikes(field: ForeignDocument) -> ForeignDocument:
    """Return the bounds, and the labels of spikes by code, as NIST writes values.

    `field` is a Table Schema field of numbers. A spike without a label is its own label.
    """
    constraints = field["constraints"]
    spikes = field.get("synth:spikes", ())
    values: ForeignDocument = {
        "min": exact_number(constraints["minimum"]),
        "max": exact_number(constraints["maximum"]),
    }
    values |= {code: code for code in codes_of(spikes)}
    return values | label_map(spikes)


OTHER_FORMATS = ("nist", "pgm", "sdv", "sdv2", "csvw-eo", "codebook")


def from_other(document: Json, part: str = "") -> Converted:
    """Return a Table Schema of another tool's declaration, and a list of what it lacks.

    Args:
        document: The parsed declaration.
        part: Name or address of one of several resources or tables; empty if there is one.

    Raises:
        DomainError: No known tool wrote it, or it is wrong.
    """
    kind = recognize(document)
    assert isinstance(document, Mapping)
    # The readers of formats with several tables also take the name of one.
    if kind in MULTIPLE_TABLES:
        return MULTIPLE_TABLES[kind](dict(document), part)
    return CODEBOOK_READERS[kind](dict(document))


def to_other(document: ForeignDocument, kind: str) -> Converted:
    """Return a Table Schema in another tool's format, a key of `WRITERS`, and its losses."""
    return WRITERS[kind](document)


def _to_codebook(document: ForeignDocument) -> Converted:
    """Return the rows of a code book, and sentences on losses.

    A row holds the name of a column, one of its categories and, if any has one, its label.
    The rows, the header first, stand under the key ``rows``. Columns without categories are
    left out.
    """
    fields = document["fields"]
    categorical = [field for field in fields if "enum" in field.get("constraints", {})]
    labels = {field["name"]: label_map(field.get("categories", ())) for field in categorical}
    has_labels = any(labels.values())
    rows = [["column", "category"]]
    if has_labels:
        rows[0].append("label")
    for field in categorical:
        name = field["name"]
        for code in map(str, field["constraints"]["enum"]):
            row = [name, code]
            if has_labels:
                row.append(labels[name].get(code, ""))
            rows.append(row)
    notes = list_losses({**document, "fields": categorical}, "codebook")
    for field in fields:
        if "enum" not in field.get("constraints", {}):
            notes.append(f"Column '{field['name']}' is left out: it lists no categories.")
    return {"rows": rows}, notes


def _keep_document(document: ForeignDocument) -> Converted:
    return document, []


CODEBOOK_READERS: dict[str, Callable[[ForeignDocument], Converted]] = {
    TABLE_SCHEMA: _keep_document,
    "pgm": from_pgm,
    "nist": from_nist,
    "sdv": from_sdv,
}
MULTIPLE_TABLES: dict[str, Callable[[ForeignDocument, str], Converted]] = {
    "datapackage": from_package,
    "csvw": from_csvw,
}
WRITERS: dict[str, Callable[[ForeignDocument], Converted]] = {
    "pgm": to_pgm,
    "nist": to_nist,
    "sdv": to_sdv,
    "sdv2": to_sdv2,
    "csvw-eo": to_csvw_eo,
    "codebook": _to_codebook,
}
