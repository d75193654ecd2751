"""The kind of a file, by its first bytes or its name. PRIVATE."""

from pathlib import Path

from synth.foreign import READERS
from synth.private.table.csv_options import DEFAULT, Format

# Files that hold tables: their kind, the position of their signature, it, and their endings.
STORES = (
    ("sqlite", 0, b"SQLite format 3\0", (".sqlite", ".sqlite3")),
    ("duckdb", 8, b"DUCK", (".duckdb",)),
    ("arrow", 0, b"ARROW1", (".arrow", ".feather")),
    ("arrow", 0, b"\xff\xff\xff\xff", (".arrows",)),
)
JSON_LINES = (".jsonl", ".ndjson")
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


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
    for store, place, mark, endings in STORES:
        if start[place:].startswith(mark) or (not form.header and ending in endings):
            return store
    if start[:4] == b"PAR1" or (not form.header and ending == ".parquet"):
        return "parquet"
    if start[:2] == b"\x1f\x8b" or (not form.header and ending == ".gz"):
        return "gzip"
    # Newer workbooks are zip files, so their ending tells them from others.
    if start[:4] in (b"PK\x03\x04", b"PK\x05\x06") or (not form.header and ending == ".zip"):
        return "workbook" if ending in WORKBOOKS else "zip"
    if start[:4] == b"\xd0\xcf\x11\xe0" or (not form.header and ending in WORKBOOKS):
        return "workbook"
    return "statistics" if ending in READERS else "text"
