"""The child process, ``python -P -m synth.foreign.child``: one foreign file in, plain files out.

What others' tools have packed or typed can ask for any amount of memory and time, or break the
library that reads it. So that happens here, under limits the system keeps, and what comes back
to `synth.foreign.parent` is CSV or Parquet in a private folder and a short answer in JSON: facts,
or what is wrong as one word, of which the parent makes a sentence. It imports next to nothing
before it knows its task.
"""

import csv
import importlib
import json
import os
import struct
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from pathlib import Path, PurePosixPath
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import gzip

    import pyarrow as pa
    from pyarrow import parquet

Reply = dict[str, object]
Request = dict[str, Any]

ANSWER = "answer.json"
PLAIN = "plain.csv"
ROWS = "rows.parquet"
JOINED = "joined"
BLOCK = 1 << 20
CELLS = 10_000_000
"""Cells of a statistics file that are held at a time."""

READERS = {".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta",
           ".sas7bdat": "read_sas7bdat", ".xpt": "read_xport"}  # fmt: skip


class Fault(Exception):
    """What is wrong with the file, in one word, and facts about it."""

    def __init__(self, word: str, **facts: object) -> None:
        super().__init__(word)
        self.answer = {"fault": word, **facts}


def main() -> None:
    """Read a request from standard input, do what it asks for, and leave the answer."""
    request = json.loads(sys.stdin.buffer.readline())
    Thread(target=_end_with_parent, daemon=True).start()
    os.umask(0o077)
    _limit(request)
    try:
        answer = TASKS[request["task"]](request)
    except Fault as fault:
        answer = fault.answer
    except MemoryError:
        answer = {"fault": "memory"}
    (Path(request["folder"]) / ANSWER).write_text(json.dumps(answer), encoding="utf-8")
    os._exit(0)


def _end_with_parent() -> None:
    os.read(0, 1)  # not by way of `sys.stdin`, whose lock the end of the interpreter needs
    os._exit(1)


def _limit(request: Request) -> None:
    """Memory, time on the processor, and bytes of one file, as far as the system limits them."""
    with suppress(ImportError):
        import resource

        wanted = {
            resource.RLIMIT_AS: request["memory_mb"] * 2**20,
            resource.RLIMIT_CPU: request["seconds"],
            resource.RLIMIT_FSIZE: request["unpacked_mb"] * 2**20,
            resource.RLIMIT_CORE: 0,
        }
        for what, most in wanted.items():
            hard = resource.getrlimit(what)[1]
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            with suppress(ValueError, OSError):
                resource.setrlimit(what, (least, least))


# Packed files.


def _gzip(request: Request) -> Reply:
    import gzip
    import zlib

    path, target = Path(request["source"]), Path(request["folder"]) / "unpacked"
    try:
        with path.open("rb") as file:
            file.seek(-4, 2)
            _check_size(request, struct.unpack("<I", file.read(4))[0])
        with gzip.open(path) as source:
            _copy(request, source, target)
    except (zlib.error, EOFError, OSError):
        raise Fault("damaged") from None
    return {"unpacked": target.name}


def _zip(request: Request) -> Reply:
    """The one table of a zip file."""
    with _opened_zip(request) as archive:
        members = [m for m in archive.infolist() if not m.is_dir()]
        members = [m for m in members if not m.filename.startswith("__MACOSX")]
        if len(members) != 1:
            raise Fault("members", members=len(members))
        suffix = PurePosixPath(members[0].filename).suffix.lower()
        target = f"unpacked{suffix if suffix in KEPT else ''}"
        _unzip(request, archive, members[0], target)
    return {"unpacked": target}


def _bundle(request: Request) -> Reply:
    """All members of a bundle, under numbers; their names are text and never a path."""
    with _opened_zip(request) as archive:
        members = archive.infolist()
        names = [member.filename for member in members]
        for name in names:
            parts = PurePosixPath(name.replace("\\", "/")).parts
            if len(parts) != 1 or parts[0] in ("..", "/") or ":" in name:
                raise Fault("names")
        if len(set(names)) < len(names):
            raise Fault("twice")
        if len(names) > request["members"]:
            raise Fault("members", members=len(names))
        for number, member in enumerate(members):
            _unzip(request, archive, member, str(number))
    return {"members": names}


def _joined(request: Request) -> Reply:
    """The members of a zip, in folders or not, one behind the other in one file.

    Many small files would take longer to make and to remove than to read.
    """
    with _opened_zip(request) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        names = [member.filename for member in members]
        if len(set(names)) < len(names):
            raise Fault("twice")
        if len(names) > request["members"]:
            raise Fault("members", members=len(names))
        (Path(request["folder"]) / JOINED).touch()
        for member in members:
            _unzip(request, archive, member, JOINED, "ab")
    return {"members": [[member.filename, member.file_size] for member in members]}


def _opened_zip(request: Request) -> zipfile.ZipFile:
    """The zip file, if the sizes that its members declare are within the limits."""
    try:
        archive = zipfile.ZipFile(request["source"])
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise Fault("damaged") from None
    _check_size(request, sum(member.file_size for member in archive.infolist()))
    return archive


def _unzip(
    request: Request,
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    target: str,
    mode: Literal["xb", "ab"] = "xb",
) -> None:
    import zlib

    try:
        with archive.open(member) as source:
            _copy(request, source, Path(request["folder"]) / target, mode)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError):
        raise Fault("damaged") from None


def _check_size(request: Request, unpacked: int) -> None:
    if unpacked > request["unpacked_mb"] * 2**20:
        raise Fault("size", mb=unpacked // 2**20)
    if unpacked > _most(request):
        raise Fault("ratio")


def _most(request: Request) -> int:
    packed = Path(request["source"]).stat().st_size
    most: int = max(packed * request["ratio"], request["free_mb"] * 2**20)
    return most


def _copy(
    request: Request,
    source: "IO[bytes] | gzip.GzipFile",
    target: Path,
    mode: Literal["xb", "ab"] = "xb",
) -> None:
    """Copy with an eye on the limit: a file may unpack to more than it says."""
    most, written = min(_most(request), request["unpacked_mb"] * 2**20), 0
    with target.open(mode) as file:
        while block := source.read(BLOCK):
            written += len(block)
            if written > most:
                raise Fault("ratio")
            file.write(block)


# Workbooks and statistics files.


def _workbook(request: Request) -> Reply:
    """One sheet as CSV."""
    if zipfile.is_zipfile(request["source"]):
        _opened_zip(request).close()
    calamine = importlib.import_module("python_calamine")
    try:
        book = calamine.CalamineWorkbook.from_path(request["source"])
        sheets = book.sheet_names
    except Exception:  # noqa: BLE001 - the library's messages may quote the file
        raise Fault("damaged") from None
    if request["sheet"] and request["sheet"] not in sheets:
        raise Fault("sheet", sheets=sheets)
    chosen = request["sheet"] or sheets[0]
    try:
        sheet = book.get_sheet_by_name(chosen)
        rows = sheet.to_python(skip_empty_area=False)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001
        raise Fault("damaged") from None
    _write(request, rows[request["lead"] :])
    merged = bool(getattr(sheet, "merged_cell_ranges", None))
    return {"sheet": chosen, "sheets": len(sheets), "merged": merged}


def _statistics(request: Request) -> Reply:
    """An SPSS, Stata or SAS file as CSV, some rows at a time."""
    library = importlib.import_module("pyreadstat")
    path = Path(request["source"])
    options: dict[str, object] = {"output_format": "dict"}  # a frame would take pandas to start
    if "sav" in path.suffix.lower():
        options["user_missing"] = True
    read = getattr(library, READERS[path.suffix.lower()])
    _write(request, _columns(lambda **part: read(str(path), **part, **options)[0]))
    return {}


def _labels(request: Request) -> Reply:
    """What an SPSS or Stata file says of its own variables; no row is read."""
    write_labels = importlib.import_module("synth.foreign.labels").write_labels
    try:
        write_labels(Path(request["source"]), Path(request["folder"]))
    except MemoryError:
        raise
    except OSError:
        raise Fault("size") from None
    except Exception:  # noqa: BLE001 - the library's messages may quote the file
        raise Fault("damaged") from None
    return {}


def _columns(read: Callable[..., dict[str, list[object]]]) -> Iterator[list[object]]:
    """Header and rows, read in parts."""
    try:
        names = list(read(row_limit=1))
        yield list(map(str, names))
        step = max(1_000, CELLS // max(1, len(names)))
        start, rows = 0, step
        while rows == step:
            columns = list(read(row_offset=start, row_limit=step).values())
            rows = len(columns[0]) if columns else 0
            for row in zip(*columns, strict=True):
                yield ["" if value != value or value is None else value for value in row]
            start += step
    except (MemoryError, Fault):
        raise
    except Exception:  # noqa: BLE001 - the library's messages may quote the file
        raise Fault("damaged") from None


def _write(request: Request, rows: Iterable[Iterable[object]]) -> None:
    """Rows of any values as a plain CSV file."""
    target = Path(request["folder"]) / PLAIN
    try:
        with target.open("x", encoding="utf-8", errors="replace", newline="") as file:
            bounded = _Bounded(file, request)
            writer = csv.writer(bounded, lineterminator="\n", quoting=csv.QUOTE_ALL)
            writer.writerows([cell_text(cell) for cell in row] for row in rows)
    except OSError:  # the limit of one file, or of the disk
        raise Fault("size", mb=request["unpacked_mb"]) from None


class _Bounded:
    """A file that takes so many characters and no more, also where the system sets no limit."""

    def __init__(self, file: IO[str], request: Request) -> None:
        self._file, self._most = file, request["unpacked_mb"] * 2**20

    def write(self, text: str) -> int:
        """Write a line."""
        self._most -= len(text)
        if self._most < 0:
            raise OSError
        return self._file.write(text)


def cell_text(value: object) -> str:
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


# The rows of a bundle.


def _parquet(request: Request) -> Reply:
    """Synthetic rows once more as Parquet, if they are laid out as Synth writes them.

    The footer is looked at first: columns and rows as expected, row groups of the usual size.
    Texts come as a list of different ones for each group, which together are no longer than a
    declaration can be.
    """
    import pyarrow as pa
    from pyarrow import parquet

    target = Path(request["folder"]) / ROWS
    try:
        with parquet.ParquetFile(
            request["source"],
            read_dictionary=request["names"],
            thrift_string_size_limit=request["footer_mb"] * 2**20,
            thrift_container_size_limit=1_000_000,
        ) as file:
            _check_footer(file, request)
            with parquet.ParquetWriter(target, _plain_schema(file.schema_arrow)) as out:
                for number in range(file.metadata.num_row_groups):
                    out.write_table(_plain_group(file.read_row_group(number), request))
    except pa.ArrowMemoryError:
        raise Fault("memory") from None
    except KeyError:
        raise Fault("columns") from None
    except (pa.ArrowException, OSError):
        raise Fault("damaged") from None
    return {}


def _check_footer(file: "parquet.ParquetFile", request: Request) -> None:
    schema, footer, step = file.schema_arrow, file.metadata, request["step"]
    if schema.names != request["names"] or len(request["names"]) != footer.num_columns:
        raise Fault("columns")
    if footer.num_rows != request["rows"]:
        raise Fault("rows")
    sizes = [footer.row_group(i).num_rows for i in range(footer.num_row_groups)]
    if any(size != step for size in sizes[:-1]) or any(size > step for size in sizes[-1:]):
        raise Fault("groups")


def _plain_schema(schema: "pa.Schema") -> "pa.Schema":
    """The same columns: lists of texts, whole numbers, numbers; nothing else is ever written."""
    import pyarrow as pa

    listed = pa.dictionary(pa.int32(), pa.string())
    known = {pa.string(): listed, pa.large_string(): listed, pa.int64(): None, pa.float64(): None}
    fields = []
    for field in schema:
        kind = field.type
        value = kind.value_type if pa.types.is_dictionary(kind) else kind
        if value not in known or (known[value] is None and value != kind):
            raise Fault("values")
        fields.append(pa.field(field.name, known[value] or kind))
    return pa.schema(fields)


def _plain_group(table: "pa.Table", request: Request) -> "pa.Table":
    """One group of rows with its texts listed once each."""
    import pyarrow as pa

    schema = _plain_schema(table.schema)
    columns = []
    for column, field in zip(table.columns, schema, strict=True):
        whole = column.combine_chunks()
        if pa.types.is_dictionary(field.type):
            whole = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
            if whole.dictionary.nbytes > request["group_mb"] * 2**20:
                raise Fault("values")
        columns.append(whole.cast(field.type))
    return pa.Table.from_arrays(columns, schema=schema)


KEPT = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", *READERS}
"""Endings that say what a file is where its first bytes do not."""

TASKS: dict[str, Callable[[Request], Reply]] = {
    "gzip": _gzip,
    "zip": _zip,
    "bundle": _bundle,
    "joined": _joined,
    "workbook": _workbook,
    "statistics": _statistics,
    "labels": _labels,
    "parquet": _parquet,
}

if __name__ == "__main__":
    main()
