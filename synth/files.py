"""From a file of any kind to one an engine can read: CSV in UTF-8, or Parquet. PRIVATE.

What must be changed is written to a private temporary folder, which goes with the table.
Packed files are measured against the declared limits before they are unpacked.
"""

import codecs
import csv
import gzip
import importlib
import shutil
import struct
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from synth import limits
from synth.errors import LimitError, TableError
from synth.formats import Format
from synth.records import line_end, split_lines

BLOCK = 1 << 20
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
STATISTICS = {".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta",
              ".sas7bdat": "read_sas7bdat", ".xpt": "read_xport"}  # fmt: skip


class Folder:
    """A private folder: made when it is first needed, removed with its owner or the process."""

    @cached_property
    def path(self) -> Path:
        """Where it is."""
        path = Path(tempfile.mkdtemp(prefix="synth-"))
        weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)
        return path


def kind(path: Path) -> str:
    """What a file is by its first bytes, and where they do not tell, by its name."""
    if path.is_dir():
        return "parquet"
    with path.open("rb") as file:
        start = file.read(8)
    if start[:4] == b"PAR1":
        return "parquet"
    if start[:2] == b"\x1f\x8b":
        return "gzip"
    if start[:4] == b"\xd0\xcf\x11\xe0":
        return "workbook"
    if start[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return "workbook" if path.suffix.lower() in WORKBOOKS else "zip"
    return "statistics" if path.suffix.lower() in STATISTICS else "text"


def unpack(path: Path, packed: str, folder: Folder) -> Path:
    """The one file in a gzip or zip file.

    Raises:
        TableError: It is damaged, protected, or holds not exactly one file.
        LimitError: Unpacked it would be larger than the limit.
    """
    target = folder.path / "unpacked"
    try:
        return _unzip(path, target) if packed == "zip" else _gunzip(path, target)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError):
        pass
    _refuse(f"'{path.name}' cannot be unpacked; it is damaged or protected.")


def _unzip(path: Path, target: Path) -> Path:
    with zipfile.ZipFile(path) as archive:
        members = [m for m in archive.infolist() if not m.is_dir()]
        members = [m for m in members if not m.filename.startswith("__MACOSX")]
        if len(members) != 1:
            _refuse(f"'{path.name}' holds {len(members)} files; expected one table.")
        _check_size(path, members[0].file_size)
        with archive.open(members[0]) as source:
            _copy(path, source, target)
    return target.rename(target.with_suffix(Path(members[0].filename).suffix.lower()))


def _gunzip(path: Path, target: Path) -> Path:
    with path.open("rb") as file:
        file.seek(-4, 2)
        _check_size(path, struct.unpack("<I", file.read(4))[0])
    with gzip.open(path) as source:
        _copy(path, source, target)
    return target


def _check_size(path: Path, unpacked: int) -> None:
    if unpacked > limits.UNPACKED_MB * 2**20:
        message = (
            f"'{path.name}' would unpack to {unpacked // 2**20:,} MB; "
            f"the limit is {limits.UNPACKED_MB:,} MB."
        )
        raise LimitError(message)


def _copy(path: Path, source: Any, target: Path) -> None:
    """Copy with an eye on the limit: a file may unpack to more than it says."""
    most = min(limits.UNPACKED_MB * 2**20, path.stat().st_size * limits.PACKED_RATIO + 2**20)
    written = 0
    with target.open("wb") as file:
        while block := source.read(BLOCK):
            written += len(block)
            if written > most:
                message = (
                    f"'{path.name}' unpacks to more than {limits.UNPACKED_MB:,} MB or "
                    f"{limits.PACKED_RATIO} times its size; that is above the limit."
                )
                raise LimitError(message)
            file.write(block)


def transcode(path: Path, encoding: str, folder: Folder) -> Path:
    """The same text in UTF-8; bytes that do not follow the encoding become one that is no text."""
    target = folder.path / "utf8.csv"
    decoder, first = codecs.getincrementaldecoder(encoding)("synth-unreadable"), True
    with path.open("rb") as source, target.open("wb") as file:
        while True:
            block = source.read(BLOCK)
            text = decoder.decode(block, final=not block)
            file.write(text.removeprefix("\ufeff" * first).encode(errors="synth-unreadable"))
            first = first and not text
            if not block:
                return target


def _unreadable(error: UnicodeError) -> tuple[str | bytes, int]:
    """A lone surrogate, which no text holds, and then the byte 0xFF, which is never UTF-8."""
    if isinstance(error, UnicodeEncodeError):
        return b"\xff", error.end
    assert isinstance(error, UnicodeDecodeError)
    return "\udcff", error.end


codecs.register_error("synth-unreadable", _unreadable)


def without_comments(path: Path, mark: str, folder: Folder) -> Path:
    """The same lines without those that start with the mark."""
    target = folder.path / "lines.csv"
    with path.open("rb") as source, target.open("wb") as file:
        end = line_end(source.read(BLOCK))
        source.seek(0)
        lines = split_lines(source, end)
        file.writelines(line + end for line in lines if not line.startswith(mark.encode()))
    return target


def rewrite(rows: Iterable[Iterable[Any]], folder: Folder) -> Path:
    """Rows of any values as a plain CSV file."""
    target = folder.path / "plain.csv"
    with target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(
            [_text(cell) for cell in row] for row in rows
        )
    return target


def sheet_rows(path: Path, form: Format, name: str) -> tuple[list[list[Any]], list[str]]:
    """The rows of a workbook's sheet, and what the steward should know.

    Raises:
        TableError: It is encrypted, damaged, or has no such sheet.
    """
    calamine = importlib.import_module("python_calamine")
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        sheets = book.sheet_names
    except Exception:  # noqa: BLE001 - the library's messages may quote the file
        sheets = None
    if sheets is None:
        _refuse(f"'{name}' cannot be read as a workbook; it is damaged or protected by a password.")
    if form.sheet and form.sheet not in sheets:
        _refuse(f"'{name}' has no sheet '{form.sheet}'; it has {', '.join(sheets)}.")
    chosen = form.sheet or sheets[0]
    sheet = book.get_sheet_by_name(chosen)
    rows = sheet.to_python(skip_empty_area=False)
    notes = [f"Sheet '{chosen}' of {len(sheets)} is read."] if len(sheets) > 1 else []
    if getattr(sheet, "merged_cell_ranges", None):
        notes.append("Merged cells count as blank but for the first.")
    return rows, notes


def statistics_rows(path: Path, name: str) -> Iterator[list[Any]]:
    """Header and rows of an SPSS, Stata or SAS file.

    Raises:
        TableError: The library is not installed, or the file is damaged.
    """
    try:
        library = importlib.import_module("pyreadstat")
    except ImportError:
        library = None
    if library is None:
        _refuse(
            f"Reading '{name}' needs the package pyreadstat: "
            "pip install -r requirements-statistics.txt."
        )
    try:
        read = getattr(library, STATISTICS[path.suffix.lower()])
        frame, _ = read(str(path), user_missing=True) if "sav" in path.suffix else read(str(path))
    except Exception:  # noqa: BLE001 - the library's messages may quote the file
        frame = None
    if frame is None:
        _refuse(f"'{name}' cannot be read as an SPSS, Stata or SAS file; it is damaged.")
    yield list(map(str, frame.columns))
    for row in frame.itertuples(index=False, name=None):
        yield ["" if value != value or value is None else value for value in row]


def _text(value: Any) -> str:
    """A typed cell as text: whole numbers without a point, dates in ISO 8601."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 2**53:
            return str(int(value))
        case datetime() if value.time() == time(0):
            return value.date().isoformat()
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case bytes():
            return value.decode("utf-8", "replace")
    return str(value)


def _refuse(message: str) -> NoReturn:
    raise TableError(message) from None
