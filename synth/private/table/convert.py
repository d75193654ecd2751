"""From a file of any kind to one an engine can read: CSV in UTF-8, or Parquet. PRIVATE.

Changed data is written to a private temporary folder, deleted with the table. A child process
unfolds packed and typed files, see `synth.foreign.parent`.
"""

import codecs
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NoReturn

from synth import limits
from synth.errors import LimitError, TableError
from synth.foreign import MISSING_KINDS, TABLE, Facts, Folder, open_file, read_apart
from synth.private.table.columns import nested_notes
from synth.private.table.csv_options import Format
from synth.private.table.file_kinds import kind
from synth.private.table.in_use import SIBLINGS, refuse_use
from synth.private.table.records import line_blocks
from synth.private.table.remarks import reads, remarks_of

# Files that hold tables with names.
LISTED_KINDS: tuple[Literal["sqlite"], Literal["duckdb"]] = ("sqlite", "duckdb")
# No table has this name: asked for it, a reader lists those there are.
NO_TABLE = "\0"


def unpack_file(path: Path, packed: str, folder: Folder) -> Path:
    """Unpack the one file in a gzip or zip file, and return where it is.

    Args:
        path: The packed file.
        packed: How the file is packed: gzip or zip.
        folder: The private folder of the copy.

    Raises:
        TableError: It is damaged, protected, or does not hold exactly one file.
        LimitError: Unpacked it would be larger than the limit.
    """
    answer = read_apart(
        "zip" if packed == "zip" else "gzip", path, folder.path, name=path.name
    )
    match answer.get("fault"):
        case None:
            return folder.path / str(answer["unpacked"])
        case "members":
            _refuse(f"'{path.name}' holds {answer['members']} files; expected one table.")
        case "damaged":
            _refuse(f"'{path.name}' cannot be unpacked; it is damaged or protected.")
    too_large(path.name, answer)


def too_large(name: str, answer: Mapping[str, object]) -> NoReturn:
    """Refuse a file that unpacks beyond the limits.

    Args:
        name: The file in messages.
        answer: What the child process said; ``mb`` is the unpacked size if it is known.

    Raises:
        LimitError: Always.
    """
    max_size = f"{limits.UNPACKED_MB:,} MB"
    size = answer.get("mb", 0)
    if isinstance(size, int | float) and size > limits.UNPACKED_MB:
        raise LimitError(f"'{name}' would unpack to {size:,} MB; the limit is {max_size}.")
    raise LimitError(
        f"'{name}' unpacks to more than {max_size} or {limits.PACKED_RATIO} times its size; "
        "that is above the limit."
    )


def transcode(path: Path, form: Format, end: bytes, *, folder: Folder) -> Path:
    """Write a copy of a text file in UTF-8, each line decoded by itself; return its path.

    If lines are rows, line ends are searched at every byte, as a stray byte shifts everything
    after it on its line. Bytes that do not match the encoding become one that is no text.

    Args:
        path: The file.
        form: The format of the file: its encoding, and what a line is.
        end: The line end, in ASCII.
        folder: The private folder of the copy, by which remarks are kept.
    """
    target = folder.path / "utf8.csv"
    remarks = remarks_of(folder)
    remarks.has_bytes = False
    with path.open("rb") as source, target.open("wb") as file:
        codec = _codec(form.encoding, source.read(4))  # the longest byte order mark
        encoded_end = end.decode().encode(codec)
        source.seek(0)
        decoder = codecs.getincrementaldecoder(codec)("synth-unreadable")
        is_inside_line = False
        for block, is_complete in line_blocks(
            source, encoded_end, aligned=form.lines == "span"
        ):
            # A block without faults is decoded in one go.
            text = None
            if is_complete and not is_inside_line:
                text = _decode_block(block, codec, encoded_end, end=end)
            is_inside_line = not is_complete
            if text is not None:
                file.write(text)
                continue
            # Otherwise each line for itself. Of a line in several blocks, the decoder keeps a
            # character that is cut in two until the line is complete.
            for line in _lines(block, encoded_end, form) if is_complete else [block]:
                if not reads(codec, line):
                    remarks.add_bytes(line)
                has_end = line.endswith(encoded_end) and is_complete
                content = line.removesuffix(encoded_end) if has_end else line
                body = decoder.decode(content, final=is_complete)
                file.write(body.encode(errors="synth-unreadable"))
                if has_end:
                    file.write(end)
    return target


def _codec(encoding: str, start: bytes) -> str:
    """Return the name of an encoding, with the byte order that the first bytes show.

    Without a byte order mark it is little-endian. Only UTF-16 and UTF-32 have an order.
    """
    name = codecs.lookup(encoding).name
    if name not in ("utf-16", "utf-32"):
        return name
    is_big_endian = start.startswith((b"\xfe\xff", b"\0\0\xfe\xff"))
    return f"{name}-{'be' if is_big_endian else 'le'}"


def _decode_block(
    block: bytes, codec: str, encoded_end: bytes, *, end: bytes
) -> bytes | None:
    """Return a block in UTF-8; None if its lines have to be decoded one by one.

    That is so if some bytes do not match the encoding, or if the decoded text has another
    number of line ends than the bytes seem to have.

    Args:
        block: Whole lines.
        codec: The name of the encoding, with its byte order.
        encoded_end: The line end in this encoding.
        end: The line end in ASCII.
    """
    try:
        text = block.decode(codec)
    except UnicodeDecodeError:
        return None
    return text.encode() if text.count(end.decode()) == block.count(encoded_end) else None


def _lines(block: bytes, encoded_end: bytes, form: Format) -> Iterator[bytes]:
    """Yield the lines of a block with their ends, the last one perhaps without.

    Where quoted cells may span lines, an end counts only between whole characters: at a
    multiple of its length from the beginning of the line. If lines are rows, it counts at
    every byte.

    Args:
        block: The bytes of some lines.
        encoded_end: The line end in the file's encoding.
        form: What a line is.
    """
    step = len(encoded_end) if form.lines == "span" else 1
    start = 0
    while start < len(block):
        # Bytes of two characters together may look like a line end: go on behind these.
        stop = block.find(encoded_end, start)
        while stop >= 0 and (stop - start) % step:
            stop = block.find(encoded_end, stop + 1)
        stop = stop + len(encoded_end) if stop >= 0 else len(block)
        yield block[start:stop]
        start = stop


def _unreadable(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return what replaces a character that has no code, and the position to go on.

    This is a handler of errors for Python's codecs. Decoding gives a lone surrogate, which no
    text holds. Encoding turns that into the byte 0xFF, which is never UTF-8.
    """
    if isinstance(error, UnicodeEncodeError):
        return b"\xff", error.end
    assert isinstance(error, UnicodeDecodeError)
    return "\udcff", error.end


codecs.register_error("synth-unreadable", _unreadable)


def sheet(
    path: Path, form: Format, *, name: str, folder: Folder
) -> tuple[Path, list[str], Facts]:
    """Return a workbook's sheet as a Parquet file of texts, with remarks for the steward.

    The facts are counts of hidden things: see `describe_sheet`. PRIVATE.

    Args:
        path: The workbook.
        form: Which sheet, and where its header is.
        name: The file in messages.
        folder: The private folder of the copy.

    Raises:
        TableError: It is encrypted, damaged, has no such sheet, or has no recognisable
            columns.
        LimitError: It needs more memory or time than there is.
    """
    if not form.header and not form.columns:
        _refuse(
            "Without a line of names, the reading option 'columns' must say how many "
            f"'{name}' has."
        )
    if form.columns > limits.FILE_COLUMNS:
        _refuse(
            f"'{name}' has {form.columns:,} columns; the limit is {limits.FILE_COLUMNS:,}."
        )
    answer = read_apart(
        "workbook",
        path,
        folder.path,
        name=name,
        sheet=form.sheet,
        header=form.header,
        below=form.below,
        columns=form.columns,
    )
    match answer.get("fault"):
        case None:
            pass
        case "damaged":
            _refuse(
                f"'{name}' cannot be read as a workbook; it is damaged or protected by a "
                "password."
            )
        case "sheet":
            _refuse(
                f"'{name}' has no sheet '{form.sheet}'; it has {', '.join(answer['sheets'])}."
            )
        case "names":
            _refuse(
                f"Line {form.header} of '{name}' holds no column names. If they stand on "
                "another line, choose it, such as --read header=3 for line 3."
            )
        case _:
            too_large(name, answer)
    notes = []
    if answer["sheets"] > 1:
        notes.append(f"Sheet '{answer['sheet']}' of {answer['sheets']} is read.")
    if answer["merged"]:
        notes.append("Merged cells count as blank but for the first.")
    return folder.path / TABLE, notes, answer["facts"]


def stored_table(
    store: Literal["sqlite", "duckdb", "arrow"],
    path: Path,
    form: Format,
    *,
    name: str,
    folder: Folder,
) -> tuple[Path, list[str]]:
    """Copy a table of an SQLite, DuckDB or Arrow file to Parquet.

    Args:
        store: The kind of the file.
        path: The file.
        form: Its ``sheet`` is the name of the table; empty for the first.
        name: The file in messages.
        folder: The private folder of the copy.

    Returns:
        The copy, and remarks for the steward.

    Raises:
        TableError: It is damaged or in use, holds functions, has no such table, or only
            computed or nested columns.
        LimitError: It needs more memory or time than there is.
    """
    answer = _read_store(store, path, name, folder=folder.path, sheet=form.sheet)
    match answer.get("fault"):
        case None:
            notes = []
            if answer["sheets"] > 1:
                notes.append(f"Table '{answer['sheet']}' of {answer['sheets']} is read.")
            notes += nested_notes(answer.get("nested", []))
            if computed_names := answer.get("computed"):
                listing = ", ".join(f"'{column}'" for column in computed_names)
                notes.append(
                    f"Left out, as their values are computed and not stored: {listing}."
                )
            return folder.path / TABLE, notes
        case "nested":
            listing = ", ".join(f"'{column}'" for column in answer["columns"])
            raise TableError(
                f"'{name}' has nested columns, which are not supported: {listing}."
            )
        case "computed":
            raise TableError(
                f"The table of '{name}' has computed columns; store their values."
            )
        case "sheet" if not answer["sheets"]:
            raise TableError(
                f"'{name}' holds no table; views and virtual tables are not read."
            )
        case "sheet":
            has = ", ".join(answer["sheets"])
            raise TableError(f"'{name}' has no table '{form.sheet}'; it has {has}.")
    too_large(name, answer)


def list_stored(path: Path, name: str, folder: Path) -> list[str]:
    """Return the names of the tables of an SQLite or DuckDB file.

    Args:
        path: The file.
        name: What messages call it.
        folder: A private folder for the child process that reads it.

    Raises:
        TableError: There is no such file, or it is another one, damaged, in use or with
            functions.
        LimitError: It takes more memory or time than there is.
    """
    file_kind = kind(path) if path.is_file() else ""
    store = next((store for store in LISTED_KINDS if store == file_kind), None)
    if store is None:
        raise TableError(f"'{name}' is no file of SQLite or DuckDB.")
    # We ask for a table that no file has. The answer is the fault "sheet" with the names of
    # the tables that there are.
    answer = _read_store(store, path, name, folder=folder, sheet=NO_TABLE)
    if answer.get("fault") != "sheet":
        raise TableError(f"'{name}' cannot be read; it is damaged.")
    return list(answer["sheets"])


def _read_store(
    store: Literal["sqlite", "duckdb", "arrow"],
    path: Path,
    name: str,
    *,
    folder: Path,
    sheet: str,
) -> Facts:
    """Return the answer of the child process that reads a file of tables.

    Args:
        store: The kind of the file.
        path: The file.
        name: What messages call it.
        folder: The private folder of the copy.
        sheet: The name of the table; empty for the first.

    Raises:
        TableError: The file as a whole can't be read. Other faults are in the answer.
    """
    with refuse_use(path, name, SIBLINGS.get(store, ())):
        answer = read_apart(store, path, folder, name=name, sheet=sheet)
    match answer.get("fault"):
        case "damaged":
            _refuse(f"'{name}' cannot be read; it is damaged.")
        case "locked":
            _refuse(f"'{name}' is in use by another program. Close it there and try again.")
        case "functions":
            _refuse(
                f"'{name}' holds functions of its own (macros), which could stand in for "
                "those of DuckDB. Remove them, or copy the table into a new file."
            )
    return answer


def list_missing_kinds(path: Path) -> tuple[str, ...]:
    """Return the texts of missing values that say why one is missing, in a file's copy.

    Stata and SAS have such values; SPSS has codes among the numbers.

    Args:
        path: An SPSS, Stata or SAS file.

    >>> list_missing_kinds(Path("t.dta"))[:2], list_missing_kinds(Path("t.sav"))
    (('.a', '.b'), ())
    """
    return MISSING_KINDS.get(path.suffix.lower(), ())


def statistics(path: Path, name: str, folder: Folder) -> Path:
    """Return an SPSS, Stata or SAS file as a Parquet file of texts.

    Args:
        path: The file.
        name: What messages call it.
        folder: The private folder of the copy.

    Raises:
        TableError: The library is not installed, or the file is damaged.
        LimitError: It needs more memory or time than there is.
    """
    if not is_installed("pyreadstat"):
        _refuse(f"Reading '{name}' needs the package pyreadstat: pip install 'pyreadstat<2'.")
    answer = read_apart("statistics", path, folder.path, name=name)
    if answer.get("fault") == "damaged":
        _refuse(f"'{name}' cannot be read as an SPSS, Stata or SAS file; it is damaged.")
    if answer.get("fault"):
        too_large(name, answer)
    return folder.path / TABLE


def check_footer(path: Path, name: str) -> None:
    """Refuse a Parquet file whose footer, which describes its columns, is too large.

    The file ends with the footer's length in four bytes, and the mark ``PAR1``.

    Raises:
        LimitError: The footer would need too much memory.
    """
    with open_file(path) as file:
        file.seek(max(0, file.seek(0, 2) - 8))
        length = int.from_bytes(file.read(4), "little")
        mark = file.read()
    if mark == b"PAR1" and length > limits.FOOTER_MB * 2**20:
        raise LimitError(
            f"The footer of '{name}' has more than {limits.FOOTER_MB} MB, the limit."
        )


def is_installed(library: str) -> bool:
    """Return whether a library can be imported."""
    try:
        return find_spec(library) is not None
    except ValueError:  # a module of this name is loaded, but does not say from where
        return False


def _refuse(message: str) -> NoReturn:
    raise TableError(message) from None
