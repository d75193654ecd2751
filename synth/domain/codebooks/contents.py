"""The bytes of a declaration or code book: their limit, their encoding, whether they are
JSON.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn, cast

from synth import limits
from synth.domain.codebooks.variables import refuse_codebook
from synth.errors import DomainError, LimitError
from synth.foreign import LABEL_ENDINGS, load_file
from synth.util import Json, read_json

PACKED = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
# The file with the child's result.
SAID = "said.json"
TABLE_SCHEMA = "table schema"


def has_labels(path: str | Path) -> bool:
    return Path(path).suffix.lower() in LABEL_ENDINGS


def is_json(content: bytes) -> bool:
    """Return whether a file is meant as JSON: it begins like JSON, or its first line is no
    row.
    """
    first = without_mark(content).partition(b"\n")[0]
    several = any(mark in first for mark in (b",", b";", b"\t", b"|"))
    if content.startswith((*PACKED, b"\xff\xfe", b"\xfe\xff")) or first.startswith(b"<"):
        return False
    return first.startswith((b"{", b"[")) or not several


def parse_json(content: bytes) -> Json:
    """Read a JSON value with numbers as text, so that 0.1 means exactly one tenth.

    Raises:
        DomainError: It is no JSON, or nested too deeply.
    """
    return cast("Json", read_json(content, "The domain file", exact=True, kind=DomainError))


def decode_text(content: bytes) -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark; DomainError for other encodings."""
    wide = len(content) > 2 and content.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        refuse_codebook("The domain file is not UTF-8 text.")


def load_bytes(path: str | Path) -> bytes:
    """Return the content of a file.

    Raises:
        DomainError: It can't be read.
        LimitError: It is larger than a declaration can be.
    """
    content = load_file(path, limits.SCHEMA_MB * 2**20, "The domain file", kind=DomainError)
    check_size(content)
    return content


def check_size(content: bytes) -> None:
    """Refuse a file that is larger than a declaration can be; LimitError names the limit."""
    if len(content) > limits.SCHEMA_MB * 2**20:
        refuse_size()


def refuse_size() -> NoReturn:
    raise LimitError(f"The domain file is larger than {limits.SCHEMA_MB} MB.")


def without_mark(content: bytes) -> bytes:
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()


def recognize(document: Json) -> str:
    """Return the tool that wrote a declaration, a key of `formats.CODEBOOK_READERS`.

    Raises:
        DomainError: No known tool wrote it.
    """
    said = document if isinstance(document, Mapping) else {}
    if "fields" in said:
        return TABLE_SCHEMA
    if isinstance(said.get("resources"), list):
        return "datapackage"
    if isinstance(said.get("tableSchema"), Mapping | str) or isinstance(
        said.get("tables"), list
    ):
        return "csvw"
    if {"columns", "tables"} & set(said):
        return "sdv"
    if isinstance(said.get("properties"), Mapping):
        refuse_codebook(
            "This looks like a JSON Schema; expected a list of columns under 'fields'."
        )
    values = list(said.values())
    if values and all(type(value) is int for value in values):
        return "pgm"
    if values and all(
        isinstance(v, Mapping) and {"values", "description"} & set(v) for v in values
    ):
        return "nist"
    refuse_codebook(
        "This is no Table Schema, which is a JSON object with a list under 'fields'. Synth "
        "also reads data packages, CSV on the Web, SDV metadata, NIST data dictionaries and "
        "private-pgm's domain.json."
    )
