"""The schemas of lists of files: parts, replicates, and the manifest of an exported file.
PUBLIC."""

from synth.bundle.exports.export import MANIFEST
from synth.bundle.published.forms import (
    constant,
    digest,
    document,
    listing,
    mapping,
    record,
    text,
    texts,
    whole,
)
from synth.bundle.replicas import REPLICATES_FORMAT
from synth.util import Document, Json

_VERSIONS = mapping(
    "The versions of the packages that wrote the files, by the package's name.",
    {"type": "string"},
)
_CERTIFICATE = digest("The SHA-256 of the certificate of the bundle that the rows are from.")
_PART: Document = record(
    "A file with consecutive rows of a table.",
    {
        "name": text("The name of the file.", pattern=r"^part-\d{5,}\.(csv|parquet)$"),
        "rows": whole("The number of its rows."),
        "bytes": whole("The size of the file, in bytes."),
        "sha256": digest("The SHA-256 of the file."),
    },
)
_PARTED: Document = record(
    "The parts of a table; absent if it was not written.",
    {"parts": listing("The parts, in the order of the rows.", _PART)},
    {
        "sha256": digest(
            "The SHA-256 of all parts joined in order. Absent if the parts are no text."
        )
    },
)


def parts_schema() -> Document:
    """Return the schema of the list of parts.

    The reader checks more: that the parts are numbered in order, and that the numbers of
    their rows add up.
    """
    tables: Json = {
        **record(
            "The parts of each table, by the name of its file.",
            {},
            {"synthetic.csv": _PARTED, "synthetic.parquet": _PARTED},
        ),
        "minProperties": 1,
    }
    content = record(
        "The list.",
        {
            "rows": whole("The number of rows of each table."),
            "tables": tables,
            "format": constant("The form of the file.", "synth-parts-1"),
        },
    )
    return document(
        title="List of parts",
        about="The files of a release whose rows are in parts: parts.json of its folder.",
        content=content,
        definitions={},
    )


def replicates_schema() -> Document:
    """Return the schema of the list of replicates. Synth writes it and never reads it."""
    table: Document = record(
        "A table.",
        {
            "number": whole("Its number, from 1 up.", minimum=1),
            "seed": text("The seed of its rows.", pattern="^[0-9]+$"),
            "sha256": mapping(
                "The SHA-256 of each of its files, by name.", digest("The SHA-256 of a file.")
            ),
        },
    )
    pair: Json = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}
    content = record(
        "The list.",
        {
            "format": constant("The form of the file.", REPLICATES_FORMAT),
            "certificate_sha256": _CERTIFICATE,
            "rows": whole("The number of rows of each table."),
            "tables": listing("The tables, in order.", table, minItems=1),
            "rule": text("How estimates from the tables are combined, in words."),
            "relations": text("Which relations between columns the rows keep, in words."),
            "not_measured_together": listing(
                "Pairs of columns that the release did not measure together.", pair
            ),
            "notes": mapping(
                "Losses of each format in sentences, by its name.",
                {"type": "array", "items": {"type": "string"}},
            ),
            "versions": _VERSIONS,
        },
    )
    return document(
        title="List of replicates",
        about="Several synthetic tables of one release: replicates.json of their folder.",
        content=content,
        definitions={},
    )


def export_schema() -> Document:
    """Return the schema of the manifest of an exported file.

    The reader checks more: that all of it is what Synth would write for that file again.
    """
    content = record(
        "The manifest.",
        {
            "format": constant("The form of the manifest.", MANIFEST),
            "file": text("The name of the file.", minLength=1),
            "sha256": digest("The SHA-256 of the file."),
            "kind": text("The format of the file, as in `synth export --formats`."),
            "certificate_sha256": _CERTIFICATE,
            "versions": _VERSIONS,
            "notes": texts("Losses of the format, in sentences."),
        },
    )
    return document(
        title="Manifest of an exported file",
        about="The digest of an exported file, and its release: FILE.json next to FILE.",
        content=content,
        definitions={},
    )
