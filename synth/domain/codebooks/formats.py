"""Other tools' declarations in JSON, to and from Table Schema.

=============== ==========================================================================
``nist``        NIST's ``data_dictionary.json``: codes with labels, smallest and largest
values ``pgm``         private-pgm's ``domain.json``: a number of codes for each column
``sdv``         SDV metadata: of version 1 kinds of columns, of version 2 (``sdv2``) nearly
all ``datapackage`` a Frictionless data package: the schema of one of its resources ``csvw``
CSV on the Web: the schema of one of its tables ``csvw-eo``     with public assumptions of a
private release (to write; read as ``csvw``) ``codebook``    a CSV of columns' names, their
categories and their labels (to write) ===============
==========================================================================

None of them has all that a release needs; what is missing or lost is listed.

>>> document, notes = from_other({"age": 85, "sex": 2})
>>> [field["type"] for field in document["fields"]]
['integer', 'integer']

NIST's ``data_dictionary.json``: codes with labels, smallest and largest values.

private-pgm's ``domain.json``: a number of codes for each column.
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
    exact_number,
    is_number,
    is_whole,
    label_map,
    listed_codes,
    refuse_codebook,
)
from synth.util import Json


def from_pgm(document: ForeignDocument) -> Converted:
    fields = []
    for name, size in document.items():
        if size < 1:
            refuse_codebook(f"Column '{name}' has {size} codes; expected at least 1.")
        bounds = {"minimum": 0, "maximum": size - 1, "required": True}
        fields.append(
            {"name": name, "type": "integer", "synth:bins": size, "constraints": bounds}
        )
    return {"fields": fields}, [
        "Codes are whole numbers from 0; the file does not explain them."
    ]


def to_pgm(document: ForeignDocument) -> Converted:
    """Return the sizes of the columns, which `write_schema` notes in a finished schema."""
    sizes = {field["name"]: field.get("synth:cells") for field in document["fields"]}
    unknown = [name for name, size in sizes.items() if size is None]
    if unknown:
        refuse_codebook(
            f"Column '{unknown[0]}' is not declared in full, so its cells cannot be counted."
        )
    return sizes, list_losses(document, "pgm")


def from_nist(document: ForeignDocument) -> Converted:
    fields, notes, missing = [], [], {"": None}
    for name, entry in document.items():
        values = entry.get("values", {})
        if not isinstance(values, Mapping) or any(
            isinstance(v, list | dict) for v in values.values()
        ):
            refuse_codebook(
                "NIST data dictionary: expected an object of texts under 'values' of "
                f"'{name}'."
            )
        book = dict(values)
        if not book:
            notes.append(f"Column '{name}' is left out: its values are not listed.")
            continue
        low, high = book.pop("min", None), book.pop("max", None)
        field: ForeignDocument = {
            "name": name,
            "description": str(entry.get("description", "")),
        }
        if low is None or high is None:
            field |= listed_codes({code: str(label) for code, label in book.items()})
        else:
            field |= _range_field(name, low, high, codes=book, notes=notes)
            missing |= dict.fromkeys(code for code in book if not is_number(code))
        fields.append(field)
    return {"fields": fields, "missingValues": [*missing]}, notes


def _range_field(
    name: str, low: Json, high: Json, *, codes: ForeignDocument, notes: list[str]
) -> ForeignDocument:
    # Numeric codes are spikes, words are missing values.
    if not is_number(low) or not is_number(high):
        refuse_codebook(
            f"NIST data dictionary: expected numbers as 'min' and 'max' of '{name}'."
        )
    ends = {"minimum": str(low), "maximum": str(high)}
    spikes = [{"value": code, "label": str(codes[code])} for code in codes if is_number(code)]
    if spikes:
        shown = ", ".join(spike["value"] for spike in spikes)
        notes.append(f"Column '{name}': the code {shown} gets a cell of its own.")
    words = [code for code in codes if not is_number(code)]
    if words:
        notes.append(f"Column '{name}': {', '.join(words)} means a missing value.")
    whole = all(map(is_whole, [*ends.values(), *(spike["value"] for spike in spikes)]))
    field: ForeignDocument = {"type": "integer" if whole else "number"}
    field |= {"constraints": {**ends, "required": not words}}
    return field | ({"synth:spikes": spikes} if spikes else {})


def to_nist(document: ForeignDocument) -> Converted:
    entries: ForeignDocument = {}
    notes, kept = [], []
    words = [word for word in codes_of(document.get("missingValues", [""])) if word]
    for field in document["fields"]:
        constraints = field.get("constraints", {})
        if "enum" in constraints:
            labels = label_map(field.get("categories", ()))
            codes = map(str, constraints["enum"])
            values: ForeignDocument = {code: labels.get(code, code) for code in codes}
        elif field.get("type") in ("integer", "number") and "minimum" in constraints:
            values = {
                end[:3]: exact_number(constraints[end]) for end in ("minimum", "maximum")
            }
            spikes = field.get("synth:spikes", ())
            values |= dict(zip(codes_of(spikes), codes_of(spikes), strict=True)) | label_map(
                spikes
            )
            if words and not constraints.get("required", False):
                values |= dict.fromkeys(words, "missing")
                constraints = {**constraints, "required": True}
        else:
            notes.append(f"Column '{field['name']}' ({field.get('type')}) is left out.")
            continue
        kept.append({**field, "constraints": constraints})
        entries[field["name"]] = {
            "description": field.get("description", ""),
            "values": values,
        }
    return entries, [*list_losses({"fields": kept}, "nist"), *notes]


OTHER_FORMATS = ("nist", "pgm", "sdv", "sdv2", "csvw-eo", "codebook")


def from_other(document: Json, part: str = "") -> Converted:
    """Return a Table Schema of another tool's declaration, and a list of what it lacks.

    Args:
        part: Name or address of one of several resources or tables.

    Raises:
        DomainError: No known tool wrote it, or it is wrong.
    """
    kind = recognize(document)
    assert isinstance(document, Mapping)
    if kind in MULTIPLE_TABLES:
        return MULTIPLE_TABLES[kind](dict(document), part)
    return CODEBOOK_READERS[kind](dict(document))


def to_other(document: ForeignDocument, kind: str) -> Converted:
    return WRITERS[kind](document)


def _to_codebook(document: ForeignDocument) -> Converted:
    listed = [f for f in document["fields"] if "enum" in f.get("constraints", {})]
    labels = {f["name"]: label_map(f.get("categories", ())) for f in listed}
    rows = (
        [["column", "category", "label"]]
        if any(labels.values())
        else [["column", "category"]]
    )
    for field in listed:
        for code in map(str, field["constraints"]["enum"]):
            rows.append(
                [field["name"], code, labels[field["name"]].get(code, "")][: len(rows[0])]
            )
    left = [f["name"] for f in document["fields"] if "enum" not in f.get("constraints", {})]
    notes = [f"Column '{name}' is left out: it lists no categories." for name in left]
    return {"rows": rows}, [*list_losses({**document, "fields": listed}, "codebook"), *notes]


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
