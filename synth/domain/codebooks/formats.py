"""Other tools' declarations in JSON, to and from Table Schema.

=============== ==========================================================================
``nist``        NIST's ``data_dictionary.json``: codes with labels, smallest and largest values
``pgm``         private-pgm's ``domain.json``: a number of codes for each column
``sdv``         SDV metadata: of version 1 kinds of columns, of version 2 (``sdv2``) nearly all
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
from synth.domain.codebooks.nist import from_nist, to_nist
from synth.domain.codebooks.packages import from_csvw, from_package
from synth.domain.codebooks.pgm import from_pgm, to_pgm
from synth.domain.codebooks.pieces import Converted, ForeignDocument, label_map
from synth.domain.codebooks.sdv import from_sdv, to_sdv, to_sdv2
from synth.util import Json

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
    rows = [["column", "category", "label"]] if any(labels.values()) else [["column", "category"]]
    for field in listed:
        for code in map(str, field["constraints"]["enum"]):
            rows.append([field["name"], code, labels[field["name"]].get(code, "")][: len(rows[0])])
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
