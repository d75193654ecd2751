"""A bundle in Croissant's metadata, for catalogues of machine learning. PUBLIC.

Source: Croissant Format Specification 1.1 (https://docs.mlcommons.org/croissant/). It has no
missing values and few types, so a column is a text unless each of its cells is a number.

>>> data_type({"type": "integer", "missingValues": []})
'sc:Integer'
>>> data_type({"type": "integer", "missingValues": ["-9"]})
'sc:Text'
"""

from collections.abc import Mapping

from synth.bundle.certificate import AnswersCertificate, Certificate, DrawnCertificate
from synth.bundle.resources import WrittenFile, listed_files
from synth.util import Document, Json

CROISSANT_VERSION = "http://mlcommons.org/croissant/1.1"
# The specification's own terms.
_TERMS = (
    "citeAs column equivalentProperty extract field fileObject fileProperty fileSet format "
    "includes isLiveDataset jsonPath key md5 parentField path recordSet references regex "
    "repeated replace samplingRate separator source subField transform"
).split()
_OTHER_TERMS: dict[str, Json] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}
# The context that the specification requires in every file.
CONTEXT = {
    name: _OTHER_TERMS.get(name, f"cr:{name}") for name in sorted({*_TERMS, *_OTHER_TERMS})
}

_NUMBER_TYPES = {"integer": "sc:Integer", "number": "sc:Float"}


def title_bundle(certificate: Certificate) -> str:
    """Return the title of a bundle in words: its content, and the name of the dataset."""
    content = "Synthetic table made from"
    if isinstance(certificate, DrawnCertificate):
        if not certificate.release:  # the digest of the release; a dummy has none
            return "Dummy table made from a declaration alone"
        content = "Rows with set shares of"
    elif isinstance(certificate, AnswersCertificate):
        content = "Differentially private answers about"
    return f"{content} '{certificate.dataset}'"


def croissant(
    certificate: Certificate,
    written: Mapping[str, WrittenFile],
    tables: Mapping[str, list[dict[str, Json]]],
) -> Document:
    """Return the bundle's metadata in Croissant's form.

    Args:
        certificate: The certificate of the bundle.
        written: The digest and size of each written file, by name.
        tables: The columns of the tables among them, as fields of a Table Schema, by name.
    """
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CROISSANT_VERSION,
        "name": title_bundle(certificate),
        "description": certificate.guarantee.statement,
        "datePublished": certificate.created,
        "version": "1.0.0",
        "isLiveDataset": False,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "description": resource.about,
                "contentUrl": name,
                "contentSize": f"{file.bytes} B",
                "encodingFormat": resource.mediatype,
                "sha256": file.sha256,
            }
            for name, resource, file in listed_files(written)
        ],
        "recordSet": [
            _record_set(name, tables[name])
            for name, _, _ in listed_files(written)
            if name in tables
        ],
    }


def _record_set(name: str, fields: list[dict[str, Json]]) -> Json:
    """Return the metadata of a table's rows.

    Args:
        name: The name of the table's CSV file.
        fields: Its columns, as fields of a Table Schema.
    """
    stem = name.removesuffix(".csv")
    described_fields = [
        _describe_field(name, f"{stem}/{number}", field)
        for number, field in enumerate(fields, 1)
    ]
    return {"@type": "cr:RecordSet", "@id": stem, "name": stem, "field": described_fields}


def _describe_field(file: str, key: str, field: Mapping[str, Json]) -> Json:
    """Return the metadata of a column.

    Args:
        file: The name of the CSV file.
        field: The column, as a field of a Table Schema.
        key: Its identifier, by its position, as names may hold any character.
    """
    return {
        "@type": "cr:Field",
        "@id": key,
        "name": field["name"],
        "description": field.get("description", field["name"]),
        "dataType": data_type(field),
        "source": {"fileObject": {"@id": file}, "extract": {"column": field["name"]}},
    }


def data_type(field: Mapping[str, Json]) -> str:
    """Return Croissant's type of a column: a text unless all cells are numbers.

    Args:
        field: The column, as a field of a Table Schema.
    """
    if field.get("missingValues"):
        return "sc:Text"
    return _NUMBER_TYPES.get(str(field["type"]), "sc:Text")
