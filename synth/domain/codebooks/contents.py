"""The bytes of a declaration or code book: limit, encoding, whether they are JSON."""

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn, cast

from synth import limits
from synth.errors import DomainError, LimitError
from synth.foreign import LABEL_ENDINGS, load_file
from synth.util import Json, read_json

# First bytes of workbooks: of archives (zip), and of older workbooks.
PACKED = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# The file with the child's result.
SAID = "said.json"
TABLE_SCHEMA = "table schema"


def has_labels(path: str | Path) -> bool:
    """Return whether a file of a statistics program holds labels, by its name's ending."""
    return Path(path).suffix.lower() in LABEL_ENDINGS


def is_json(content: bytes) -> bool:
    """Return whether a file is meant as JSON.

    It is, if it begins like JSON, or if its first line is no row of a sheet. It is not, if it
    is a workbook or UTF-16 text, or begins like XML. Nothing is parsed here.
    """
    first_line = without_mark(content).partition(b"\n")[0]
    # A row of a sheet has a sign between its cells.
    is_row = any(delimiter in first_line for delimiter in (b",", b";", b"\t", b"|"))
    if content.startswith((*PACKED, *UTF16_MARKS)) or first_line.startswith(b"<"):
        return False
    return first_line.startswith((b"{", b"[")) or not is_row


def parse_json(content: bytes) -> Json:
    """Read a JSON value with numbers as text, so that 0.1 means exactly one tenth.

    Raises:
        DomainError: It is no JSON, or nested too deeply.
    """
    return cast("Json", read_json(content, "The domain file", exact=True, kind=DomainError))


def decode_text(content: bytes) -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark; DomainError for other encodings."""
    # The mark alone is no text in UTF-16.
    is_utf16 = len(content) > 2 and content.startswith(UTF16_MARKS)
    try:
        return content.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise DomainError("The domain file is not UTF-8 text.") from None


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
    """Raise LimitError, which names the limit of a declaration's size."""
    raise LimitError(f"The domain file is larger than {limits.SCHEMA_MB} MB.")


def without_mark(content: bytes) -> bytes:
    """Return the content without a byte order mark and blanks before it."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()


def recognize(document: Json) -> str:
    """Return the format of a parsed declaration, by the keys that it has.

    The formats are "table schema", "datapackage", "csvw", "sdv", "pgm" and "nist".

    Raises:
        DomainError: No known tool wrote it.
    """
    top = document if isinstance(document, Mapping) else {}
    if "fields" in top:
        return TABLE_SCHEMA
    if isinstance(top.get("resources"), list):
        return "datapackage"
    # In CSV on the Web a text is the address of a schema; its list of tables differs from
    # SDV's, which is an object.
    if isinstance(top.get("tableSchema"), Mapping | str) or isinstance(
        top.get("tables"), list
    ):
        return "csvw"
    if {"columns", "tables"} & set(top):
        return "sdv"
    if isinstance(top.get("properties"), Mapping):
        raise DomainError(
            "This looks like a JSON Schema; expected a list of columns under 'fields'."
        )
    # The last two formats have the names of the table's columns as keys.
    values = list(top.values())
    if values and all(type(value) is int for value in values):
        return "pgm"
    if values and all(
        isinstance(value, Mapping) and {"values", "description"} & set(value)
        for value in values
    ):
        return "nist"
    raise DomainError(
        "This is no Table Schema, which is a JSON object with a list under 'fields'. Synth "
        "also reads data packages, CSV on the Web, SDV metadata, NIST data dictionaries and "
        "private-pgm's domain.json."
    )
