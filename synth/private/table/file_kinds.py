"""The kind of a file, by its first bytes or its name. PRIVATE.

Files of other kinds may have the name of a text file: JSON, web pages, data of R.
"""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from synth.errors import TableError
from synth.foreign import READERS, WORKBOOKS
from synth.private.table.csv_options import DEFAULT, Format

# Files that hold tables: their kind, the position of their signature, it, and their endings.
STORES = (
    ("sqlite", 0, b"SQLite format 3\0", (".sqlite", ".sqlite3")),
    ("duckdb", 8, b"DUCK", (".duckdb",)),
    ("arrow", 0, b"ARROW1", (".arrow", ".feather")),
    ("arrow", 0, b"\xff\xff\xff\xff", (".arrows",)),
)
# Beginnings of files, after blanks, and what to do with such a file.
OTHER_FILES = {
    # Names of columns may be in brackets, too, as in [id],[age].
    "holds one JSON list, and no lines of a table. Write one object a line (JSON lines), and "
    "name the file .jsonl": rb"\[\s*([\[{\]]|$)",
    "holds JSON. If each line is an object, name the file .jsonl or choose --read "
    "lines=json; else write it as CSV": rb'\{\s*("|$)',
    "is a web page. Open it in a spreadsheet program, and save it as .xlsx or "
    ".csv": rb"(?i:<!doctype html|<html|<table)",
    "holds XML, and no lines of a table. Open it in the program that wrote it, and save it "
    "as .csv, .ods or .xlsx": rb"<\?xml",
    "holds data of R. Write it by write.csv, or by haven's write_dta or "
    "write_sav": rb"RD[AX][234]\n|[XA]\n\0\0|A\n[234]\n|structure\(",
    "is a document in PDF. Save its table as .csv": rb"%PDF-",
}
_MARK = b"\xef\xbb\xbf"


def kind(path: Path, form: Format = DEFAULT) -> str:
    """Return the kind of a file by its first bytes, or, if they do not show it, by its name.

    Without a header the first bytes are those of a row, so the name alone decides.

    Returns one of: parquet, gzip, zip, workbook, statistics (of SPSS, Stata or SAS), sqlite,
    duckdb, arrow, or text. A folder is parquet.
    """
    if path.is_dir():
        return "parquet"
    ending = path.suffix.lower()
    with path.open("rb") as file:
        start = file.read(16) if form.header else b""

    def begins(marks: Sequence[bytes], endings: Collection[str], *, place: int = 0) -> bool:
        """Return whether the file begins with a mark, or has an ending that decides."""
        has_mark = any(start[place:].startswith(mark) for mark in marks)
        return has_mark or (not form.header and ending in endings)

    for store, place, mark, endings in STORES:
        if begins([mark], endings, place=place):
            return store
    if begins([b"PAR1"], [".parquet"]):
        return "parquet"
    if begins([b"\x1f\x8b"], [".gz"]):
        return "gzip"
    # Newer workbooks are zip files, so their ending tells them from others.
    if begins([b"PK\x03\x04", b"PK\x05\x06"], [".zip"]):
        return "workbook" if ending in WORKBOOKS else "zip"
    if begins([b"\xd0\xcf\x11\xe0"], WORKBOOKS):  # older workbooks
        return "workbook"
    return "statistics" if ending in READERS else "text"


def refuse_other_files(name: str, start: bytes) -> None:
    """Refuse a text file that is of another kind by its first bytes.

    Args:
        name: The file in the message.
        start: The first bytes of the file, in any encoding that has ASCII.

    Raises:
        TableError: It is of another kind.

    Example:
        >>> refuse_other_files("people.csv", b"sex,age")
        >>> refuse_other_files("people.csv", b"[id],[age]")
    """
    beginning = start.removeprefix(_MARK).lstrip()
    for sentence, pattern in OTHER_FILES.items():
        if re.match(pattern, beginning):
            raise TableError(f"'{name}' {sentence}.")
