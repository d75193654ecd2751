"""From a file of any kind to one an engine can read: CSV in UTF-8, or Parquet. PRIVATE.

What must be changed is written to a private temporary folder, which goes with the table.
What others packed or typed is unfolded by a child process, see `synth.foreign.parent`.
"""

import codecs
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from synth import limits
from synth.errors import LimitError, TableError
from synth.foreign.cells import TABLE
from synth.foreign.folders import Folder
from synth.foreign.packed import READERS
from synth.foreign.parent import read_apart
from synth.table.csv_options import Format
from synth.table.records import line_end, split_lines

BLOCK = 1 << 20
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


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
    return "statistics" if path.suffix.lower() in READERS else "text"


def unpack_file(path: Path, packed: str, folder: Folder) -> Path:
    """The one file in a gzip or zip file.

    Raises:
        TableError: It is damaged, protected, or holds not exactly one file.
        LimitError: Unpacked it would be larger than the limit.
    """
    answer = read_apart("zip" if packed == "zip" else "gzip", path, folder.path, path.name)
    match answer.get("fault"):
        case None:
            return folder.path / str(answer["unpacked"])
        case "members":
            _refuse(f"'{path.name}' holds {answer['members']} files; expected one table.")
        case "damaged":
            _refuse(f"'{path.name}' cannot be unpacked; it is damaged or protected.")
    too_large(path.name, answer)


def too_large(name: str, answer: Mapping[str, object]) -> NoReturn:
    """Refuse a file that unfolds beyond the limits.

    Raises:
        LimitError: Always.
    """
    most = f"{limits.UNPACKED_MB:,} MB"
    size = answer.get("mb", 0)
    message = (
        f"'{name}' would unpack to {size:,} MB; the limit is {most}."
        if isinstance(size, int | float) and size > limits.UNPACKED_MB
        else f"'{name}' unpacks to more than {most} or {limits.PACKED_RATIO} times its size; "
        "that is above the limit."
    )
    raise LimitError(message)


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


def sheet(path: Path, form: Format, name: str, folder: Folder) -> tuple[Path, list[str]]:
    """A workbook's sheet as a Parquet file of texts, and what the steward should know.

    Raises:
        TableError: It is encrypted, damaged, has no such sheet, or nothing says what its columns
            are.
        LimitError: It takes more memory or time than there is.
    """
    if not form.header and not form.columns:
        _refuse(
            f"Without a line of names the format option 'columns' must say how many '{name}' has."
        )
    if form.columns > limits.FILE_COLUMNS:
        _refuse(f"'{name}' has {form.columns:,} columns; the limit is {limits.FILE_COLUMNS:,}.")
    answer = read_apart(
        "workbook", path, folder.path, name,
        sheet=form.sheet, header=form.header, columns=form.columns,
    )  # fmt: skip
    match answer.get("fault"):
        case None:
            pass
        case "damaged":
            _refuse(
                f"'{name}' cannot be read as a workbook; it is damaged or protected by a password."
            )
        case "sheet":
            _refuse(f"'{name}' has no sheet '{form.sheet}'; it has {', '.join(answer['sheets'])}.")
        case "names":
            _refuse(f"Line {form.header} of '{name}' holds no column names.")
        case _:
            too_large(name, answer)
    many = answer["sheets"] > 1
    notes = [f"Sheet '{answer['sheet']}' of {answer['sheets']} is read."] if many else []
    if answer["merged"]:
        notes.append("Merged cells count as blank but for the first.")
    return folder.path / TABLE, notes


def statistics(path: Path, name: str, folder: Folder) -> Path:
    """An SPSS, Stata or SAS file as a Parquet file of texts.

    Raises:
        TableError: The library is not installed, or the file is damaged.
        LimitError: It takes more memory or time than there is.
    """
    if not is_installed("pyreadstat"):
        _refuse(
            f"Reading '{name}' needs the package pyreadstat: "
            "pip install -r requirements-statistics.txt."
        )
    answer = read_apart("statistics", path, folder.path, name)
    if answer.get("fault") == "damaged":
        _refuse(f"'{name}' cannot be read as an SPSS, Stata or SAS file; it is damaged.")
    if answer.get("fault"):
        too_large(name, answer)
    return folder.path / TABLE


def check_footer(path: Path, name: str) -> None:
    """Refuse a Parquet file whose description takes more memory than any table's should.

    Raises:
        LimitError: With the limit.
    """
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - 8))
        length, mark = int.from_bytes(file.read(4), "little"), file.read()
    if mark == b"PAR1" and length > limits.FOOTER_MB * 2**20:
        message = f"The footer of '{name}' has more than {limits.FOOTER_MB} MB, the limit."
        raise LimitError(message)


def is_installed(library: str) -> bool:
    """Whether a library could be imported."""
    try:
        return find_spec(library) is not None
    except ValueError:
        return False


def _refuse(message: str) -> NoReturn:
    raise TableError(message) from None
