"""The confidential table: a file with a known header and private rows.

This module reads only the header. An engine reads the rows, as text, under the declared
domain. Synth converts other files (packed, in another encoding, or a workbook) to a copy in a
private folder, which is removed with the table.

>>> import tempfile, pathlib
>>> from synth.private.table.private_table import open_table
>>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
>>> _ = path.write_text("age,sex\\n41,F\\n")
>>> open_table(path).header
('age', 'sex')
"""

import codecs
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from synth import limits
from synth.domain import Domain
from synth.errors import TableError
from synth.foreign import JSON_LINES, Fault, Folder, read_file
from synth.privacy import RowReading
from synth.private.table.addresses import is_address
from synth.private.table.choices import (
    DELIMITERS_TRIED,
    SIGHT_BYTES,
    Cut,
    delimiters_of,
    encodings_of,
    excel_delimiter,
    marked_encoding,
    refuse_encoding,
)
from synth.private.table.columns import nested_notes, read_type, split_nested
from synth.private.table.csv_options import DEFAULT, JSON_OBJECTS, Format, parse_format
from synth.private.table.file_kinds import kind, refuse_other_files
from synth.private.table.records import line_end, parse_cells, read_header
from synth.util import check_path

if TYPE_CHECKING:
    import pyarrow as pa

    from synth.foreign import Facts
    from synth.private.table.frame_types import FrameTypes

# Most bytes up to the end of a file's header.
MAX_HEADER_BYTES = 1 << 20
# What sentences call a table of record batches, which has no name.
STREAM_NAME = Path("table")


class HeaderError(TableError):
    """The line that should hold the column names is no header of the expected form.

    Attributes:
        cause: What was seen, as a sentence without advice.
        delimiter: The delimiter that cuts the line into names, if one was seen; else empty.
    """

    def __init__(self, cause: str, advice: str, delimiter: str) -> None:
        """Store the cause, and the sentence for people with the advice behind it."""
        super().__init__(f"{cause}{advice}")
        self.cause = f"{cause}."
        self.delimiter = delimiter


class ColumnsError(TableError):
    """The table does not name its columns, and nobody did."""


@dataclass(frozen=True, kw_only=True)
class PrivateTable:
    """A confidential table, on disk or in memory. Its header may be shown; its rows may not.

    Attributes:
        path: The file that the steward named; for rows in memory, a name for messages.
        header: Column names in file order: blanks squeezed, empty ones filled, repeated ones
            numbered.
        data: The file that an engine reads: the named one, or a private copy in plain form.
        form: How to read ``data``.
        skip: Lines of ``data`` before the first row.
        types: Arrow types of the columns, as read, for a Parquet file or a table in memory.
        stored: Those types in Parquet files, if all files agree.
        careful: Whether each cell is read by itself, since an engine's own reader failed on
            one.
        notes: Changes to the file's names or sheets, for the steward.
        remarks: Counts of hidden things of a workbook, for the steward alone.
        asked: The requested options of the format.
        keeper: Holds the folder of the private copy.
        parts: The files of a folder of Parquet files.
        catalog: The name of a table that only a cluster knows.
        database: The name of a table of a database, whose rows have no order.
        line_end: The bytes at the end of a line of ``data``.
        left_out: Rows that are not in ``data``, because their cells could not be separated.
        held: The rows themselves, if they are in memory.
        frame_types: The types of a frame in memory.
        scales: The categories of its ordered columns in order, by column.
        missing_kinds: Texts of the file's own missing values that say why one is missing,
            such as ``.a`` of Stata. They count as empty cells in columns that do not declare
            them.
        is_sheet: Whether it is a sheet of a workbook with names of columns.
        row_reading: What counts as a row, if the rows were copied since; None if not.
    """

    path: Path
    header: tuple[str, ...]
    data: Path
    form: Format = DEFAULT
    skip: int = 1
    types: tuple[str, ...] = ()
    stored: tuple[str, ...] = ()
    careful: bool = False
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=(), repr=False)
    asked: tuple[str, ...] = ()
    keeper: Folder = field(default_factory=Folder)
    parts: tuple[Path, ...] = ()
    catalog: str = ""
    database: str = ""
    line_end: bytes = b"\n"
    left_out: int = 0
    held: "pa.Table | None" = field(default=None, repr=False, compare=False)
    frame_types: "FrameTypes | None" = field(default=None, repr=False, compare=False)
    scales: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    missing_kinds: tuple[str, ...] = ()
    is_sheet: bool = False
    row_reading: RowReading | None = None

    @property
    def has_name(self) -> bool:
        """Whether a file or an address names the rows; frames and streams have no name."""
        is_stream = self.path == STREAM_NAME and self.database == str(STREAM_NAME)
        return self.held is None and not is_stream

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that hold the rows; none if a database, a cluster or memory does."""
        if self.catalog or self.database or self.held is not None:
            return ()
        return self.parts or (self.path,)

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The file or folder that was read, which no output may replace; none in memory."""
        if self.catalog or self.held is not None:
            return ()
        return (self.path,)

    @property
    def reading(self) -> RowReading:
        """What counts as a row: of a frame or a typed file, a line, or lines with quotes."""
        if self.row_reading is not None:
            return self.row_reading
        if self.held is not None:
            return RowReading.FRAME
        if self.types:
            return RowReading.TYPED
        return RowReading.SPAN if self.form.lines == "span" else RowReading.LINES

    @property
    def bytes(self) -> int:
        """The size of the rows in bytes, on disk or in memory."""
        if self.held is not None:
            return int(self.held.nbytes)
        return sum(path.stat().st_size for path in self.parts or (self.data,))

    def positions(self, domain: Domain) -> tuple[int, ...]:
        """Return each declared column's position, from 0; TableError if one is absent."""
        return tuple(self.position(name) for name in domain.names)

    def position(self, name: str) -> int:
        """Return a column's position in the file, from 0.

        Raises:
            TableError: There is no such column. The sentence names a similar one, if any.
        """
        if name in self.header:
            return self.header.index(name)
        folded = {title.casefold(): title for title in self.header}
        # A repeated name got a number at its end, such as "id_1".
        near = [title for title in folded if title.rpartition("_")[0] == name.casefold()]
        near = near or get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
        hint = f"; it has a similar one, '{folded[near[0]]}'" if near else ""
        raise TableError(f"The table has no column '{name}'{hint}.{self.hint()}")

    def hint(self) -> str:
        """Return how the file may have to be read, as sentences that follow another one.

        It is empty, or begins with a blank.
        """
        sentences = ""
        options = self.suggest_options()
        if len(self.header) == 1 and not options and self._header_line():
            sentences += (
                " As it is read, the table has only one column: is its delimiter right?"
            )
        if options:
            sentences += f" Its shape suggests the format {' '.join(options)}."
        doubt = self.doubt_header()
        if doubt and "header=0" not in options:  # else the suggestion answers it
            sentences += f" {doubt}"
        return sentences

    def cuts(self) -> tuple[Cut, ...]:
        """Return the ways to cut the header of a text file of one column into names.

        It is empty if the file has several columns, or if there is only one way.
        """
        if len(self.header) > 1:
            return ()
        cuts = delimiters_of(self._header_line())
        return cuts if len(cuts) > 1 else ()

    def _header_line(self) -> str:
        """Return the line of a text file that holds the column names; else an empty text."""
        if self.types or not self.form.header or self.catalog:
            return ""
        return _read_names(self.data, self.form)

    def sure_cut(self) -> Cut | None:
        """Return the only way to cut the header into several names, if these are sound.

        It is None if there are several such ways or none, or if a name repeats, or one but
        the last is empty.
        """
        several = [cut for cut in self.cuts() if len(cut.names) > 1]
        if len(several) != 1:
            return None
        (cut,) = several
        names = [name.strip() for name in cut.names]
        # A delimiter at the end of each line makes a last column without a name.
        if not names[-1]:
            names.pop()
        is_sound = len({*names} - {""}) == len(names) > 1
        return cut if is_sound else None

    def sure_form(self) -> Format:
        """Return the format, with another delimiter if the header surely has one.

        A first line such as ``sep=;``, as Excel reads it, names the delimiter; the column
        names are on the next line then. Otherwise it is the delimiter of `sure_cut`. No row
        is looked at.
        """
        if self.form.header == 1 and (named := excel_delimiter(self._header_line())):
            return replace(self.form, delimiter=named, header=2)
        cut = self.sure_cut()
        return self.form if cut is None else replace(self.form, delimiter=cut.delimiter)

    def suggest_options(self) -> tuple[str, ...]:
        """Return options that fit the beginning of the file, as `parse_format` reads them.

        It is empty if the format has them already, or if the file is no delimited text. No
        option makes a row the header. PRIVATE: it reads rows.
        """
        if below := self._count_below_names():
            return (f"below={below}",)
        if self.types or self.form.lines == JSON_OBJECTS:
            return ()
        from synth.private.table.format_guesses import suggest

        with self.data.open("rb") as file:
            suggested = suggest(file.read(SIGHT_BYTES), self.form)
        return () if set(suggested.options) <= set(self.form.options) else suggested.options

    def doubt_header(self) -> str:
        """Return a sentence if the column names may be on another line, or the first one a
        record; if the first record may be names; or if the rows right below the names may
        hold no records.

        It is empty if there is no doubt, or if the steward chose the lines. PRIVATE: it reads
        rows.
        """
        from synth.private.table import format_guesses, lines_below

        form = self.form
        if self.types:
            return lines_below.ask_lines_below(self._count_below_names())
        if form.lines == JSON_OBJECTS or form.below:
            return ""
        with self.data.open("rb") as file:
            start = file.read(SIGHT_BYTES)
        if not form.header:
            return format_guesses.doubt_first_record(start, form)
        is_chosen = form.header > 1 or form.comment or form.row_names
        doubt = ""
        if not is_chosen:
            doubt = format_guesses.doubt_header(start, form)
        return doubt or format_guesses.doubt_below(start, form)

    def _count_below_names(self) -> int:
        """Return how many rows below the names of a workbook look like no records.

        It is 0 for other files, and if the steward chose how the sheet is read.
        """
        if not self.is_sheet or parse_format(self.asked).below:
            return 0
        from pyarrow import parquet

        from synth.private.table.format_guesses import SEEN_LINES
        from synth.private.table.lines_below import count_lines_below

        # A name that was empty is called by the number of its column.
        names = [
            "" if name == f"column_{number}" else name
            for number, name in enumerate(self.header, 1)
        ]
        with parquet.ParquetFile(self.data) as file:
            batch = next(file.iter_batches(SEEN_LINES), None)
        columns = [] if batch is None else [column.to_pylist() for column in batch.columns]
        rows = zip(*columns, strict=True)
        return count_lines_below([names, *([cell or "" for cell in row] for row in rows)])


def open_table(path: str | Path, form: Format = DEFAULT) -> PrivateTable:
    """Open a table of any kind: CSV, Parquet, a workbook, SPSS, Stata or SAS; packed or not.

    Args:
        path: The file, a folder of Parquet files, or the address of a table of PostgreSQL.
        form: How the file is read.

    Raises:
        TableError: There is no such file, or it is no table.
        LimitError: It would unpack to more than the limit.
    """
    if is_address(path):
        from synth.private.table.postgresql import copy_table

        _check_applicable("The table", "database", form)
        folder = Folder()
        name, data = copy_table(str(path), folder)
        return replace(open_parquet(Path(name), data, folder), database=name)
    check_path(path, "the table")
    path = Path(path)
    if path.is_dir():
        _check_applicable(f"'{path.name}'", "parquet", form)
        return _open_folder(path)
    _check_file(path)
    return _open_file(path, form)


def _check_applicable(name: str, table_kind: str, form: Format) -> None:
    """Refuse options of a format that do not apply to a kind of table.

    Args:
        name: The table for the sentence.
        table_kind: Its kind, as `synth.private.table.applicable` names it.
        form: The format that was asked for.

    Raises:
        TableError: An option would change nothing.
    """
    # Names that are expected are no option of the format.
    if replace(form, names=DEFAULT.names) != DEFAULT:
        from synth.private.table.applicable import check_options

        check_options(name, table_kind, form)


def _open_file(path: Path, form: Format) -> PrivateTable:
    """Open one file of any kind, after unpacking or copying it where needed.

    Raises the errors of `open_table`.
    """
    folder = Folder()
    requested = form  # before the kind of file changes it
    form = _as_lines_of_json(path, form)
    data = path
    file_kind = kind(path, form)
    if file_kind in ("gzip", "zip"):
        from synth.private.table.convert import unpack_file

        data = unpack_file(path, file_kind, folder)
        form = _as_lines_of_json(data, form)
        file_kind = kind(data, form)
        if file_kind in ("gzip", "zip"):
            raise TableError(f"'{path.name}' is packed twice; unpack it once.")
    is_json = file_kind == "text" and form.lines == JSON_OBJECTS
    _check_applicable(f"'{path.name}'", JSON_OBJECTS if is_json else file_kind, requested)
    if file_kind == "parquet":
        return open_parquet(path, data, folder)
    if file_kind == "text":
        table = _open_text(path, data, form, folder=folder)
        return replace(table, asked=requested.options) if is_json else table
    table = _open_copied(path, data, form, file_kind=file_kind, folder=folder)
    return replace(table, asked=requested.options)


def _open_copied(
    path: Path, data: Path, form: Format, *, file_kind: str, folder: Folder
) -> PrivateTable:
    """Open a workbook, a file with tables or a statistics file, copied into Parquet.

    Args:
        path: The file for sentences.
        data: The file itself, or its unpacked content.
        form: How it is read.
        file_kind: Its kind, as `kind` returns it.
        folder: The private folder of the copy.
    """
    from synth.private.table import convert
    from synth.private.table.sheet_remarks import describe_sheet

    facts: Facts = {}
    missing_kinds: tuple[str, ...] = ()
    notes: list[str] = []
    match file_kind:
        case "workbook":
            data, notes, facts = convert.sheet(data, form, name=path.name, folder=folder)
        case "sqlite" | "duckdb" | "arrow":
            data, notes = convert.stored_table(
                file_kind, data, form, name=path.name, folder=folder
            )
        case "statistics":
            missing_kinds = convert.list_missing_kinds(data)
            data = convert.statistics(data, path.name, folder)
    table = open_parquet(path, data, folder)
    # Rows of a database have no order.
    if file_kind in ("sqlite", "duckdb"):
        table = replace(table, database=path.name)
    if file_kind == "workbook" and not form.header:
        notes.append(_no_header_note(table.header))
    else:
        notes.extend(table.notes)
    return replace(
        table,
        notes=tuple(notes),
        remarks=tuple(describe_sheet(facts, table.header)),
        missing_kinds=missing_kinds,
        is_sheet=file_kind == "workbook" and bool(form.header),
    )


def _no_header_note(names: Sequence[str]) -> str:
    return f"There is no header; the columns are called {names[0]} and so on."


def _as_lines_of_json(path: Path, form: Format) -> Format:
    """Return a format for lines of JSON if the file holds such, else the format unchanged.

    The file's name or the format says so. Lines of JSON have no header: all lines are rows,
    and no column name is taken from them.
    """
    is_named_so = path.name.lower().removesuffix(".gz").endswith(JSON_LINES)
    if form.lines == JSON_OBJECTS or is_named_so:
        return replace(form, lines=JSON_OBJECTS, header=0, columns=0)
    return form


def _open_text(path: Path, data: Path, form: Format, *, folder: Folder) -> PrivateTable:
    """Open a file of text; one that is not in UTF-8 is copied first.

    Args:
        path: The file for sentences.
        data: The file itself, or its unpacked content.
        form: How it is read.
        folder: The folder of a private copy.
    """
    notes = []
    with data.open("rb") as file:
        start = file.read(MAX_HEADER_BYTES)
    if form.header == 1 and form.lines != JSON_OBJECTS:
        refuse_other_files(path.name, start)
    marked = marked_encoding(start)
    if marked and form.header and form.encoding == DEFAULT.encoding:
        form = replace(form, encoding=marked)
        notes.append(f"The first bytes of the file say that it is {marked.upper()} text.")
    # The line end is looked for in UTF-8, in which it is one byte.
    end = line_end(start.decode(form.encoding, "replace").encode(errors="replace"), form)
    is_utf8 = codecs.lookup(form.encoding).name in ("utf-8", "utf-8-sig", "ascii")
    if is_utf8:
        plain = data
    else:
        from synth.private.table.convert import transcode

        plain = transcode(data, form, end, folder=folder)
    titles, skip = _titles(path, data, plain, form=form, end=end)
    if form.lines == JSON_OBJECTS:
        header = form.names
    else:
        header, renamed = unique_names(titles)
        notes.extend(renamed if form.header else [_no_header_note(header)])
    return PrivateTable(
        path=path,
        header=header,
        data=plain,
        form=form,
        skip=skip,
        notes=tuple(notes),
        asked=form.options,
        keeper=folder,
        line_end=end,
    )


def _titles(
    path: Path, data: Path, plain: Path, *, form: Format, end: bytes
) -> tuple[list[str], int]:
    """Return the column names in the header, and the number of lines down to its end.

    Without a header the names are empty, and there are no lines.

    Args:
        path: The file for sentences.
        data: The file, or its unpacked content.
        plain: The same in UTF-8.
        form: How it is read.
        end: The bytes at the end of a line.

    Raises:
        HeaderError: The line of the names is no header.
        TableError: There are no names.
        ColumnsError: They are those of the declaration, which is not known yet.
        EncodingError: They do not follow the encoding.
    """
    if form.lines == JSON_OBJECTS:
        if not form.names:
            raise ColumnsError(
                f"The lines of '{path.name}' are JSON objects without a header. Declare the "
                "columns first, or name them by --columns (in Python by names=)."
            )
        return [*form.names], 0
    if not form.header:
        if not form.columns:
            raise TableError(
                f"Without a header, say how many columns '{path.name}' has: --read "
                "columns=NUMBER (also encoding= and line_end=, if not utf-8 and lf)."
            )
        return [""] * form.columns, 0
    with plain.open("rb") as file:
        cells, skip = read_header(file, form, end)
    if cells is None:
        line = _read_names(plain, form)
        # Names quoted between other marks are one as they stand; `cuts` offers the marks.
        other_marks = {*DELIMITERS_TRIED} - {form.delimiter}
        if line.startswith('"') and any(_cuts(line, mark) for mark in other_marks):
            return [line], skip
        _refuse_header(path, line, form)
    titles = _decode_titles(cells, path, data, form=form)
    # Names of rows are a column without a name.
    return ["", *titles] if form.row_names else titles, skip


def _read_names(plain: Path, form: Format) -> str:
    """Return the line of a file in UTF-8 that should hold the names; empty if there is none.

    It is several lines if a quoted name may hold line ends. No more of the file is read than
    that, as every file of text is opened in this way.
    """
    line = ""
    with plain.open(encoding="utf-8-sig", errors="replace") as file:
        for _ in range(form.header):
            line = file.readline(MAX_HEADER_BYTES)
        is_open = form.lines == "span" and line.count('"') % 2 == 1
        while is_open and len(line) < MAX_HEADER_BYTES:
            next_line = file.readline(MAX_HEADER_BYTES)
            if not next_line:
                break
            line += next_line
            is_open ^= next_line.count('"') % 2 == 1
    return line.rstrip("\n")


def _refuse_header(path: Path, line: str, form: Format) -> NoReturn:
    """Raise HeaderError for a line that should hold the column names, with what was seen.

    Args:
        path: The file for the sentence.
        line: The line.
        form: How the file is read.
    """
    cause = f"The first line of '{path.name}' cannot be read as a CSV header"
    advice = "."
    delimiter = ""
    if _cuts(line, " "):  # as R writes names
        cause += ": there are blanks between its names"
        advice = ". Choose --read delimiter=space, or write the file with commas."
        delimiter = " "
    elif form.lines == "one":
        advice = "; if cells hold line ends, choose --read lines=span."
    raise HeaderError(cause, advice, delimiter)


def _cuts(line: str, mark: str) -> bool:
    """Return whether a delimiter cuts a line into several cells, as a table is read."""
    return len(parse_cells(line.encode(), mark) or []) > 1


def _decode_titles(cells: list[bytes], path: Path, data: Path, *, form: Format) -> list[str]:
    """Return the names in a header as text.

    Args:
        cells: The bytes of the names, in UTF-8.
        path: The file for sentences.
        data: The file, or its unpacked content, in its own encoding.
        form: How it is read.

    Raises:
        EncodingError: The names do not follow the encoding.
        TableError: There are none, or the file is no text.
    """
    try:
        titles = [cell.decode() for cell in cells]
    except UnicodeDecodeError:
        titles = []
    if cells and not titles:
        refuse_encoding(path.name, _header_bytes(data, form))
    # Zero bytes are in no text, unless UTF-16 is read as UTF-8.
    if any("\0" in title for title in titles):
        header = _header_bytes(data, form)
        encodings = {candidate.encoding for candidate in encodings_of(header)}
        if encodings & {"utf-16-le", "utf-16-be"}:
            refuse_encoding(path.name, header)
        raise TableError(f"'{path.name}' is not a table in CSV text.")
    if not any(title.strip() for title in titles):
        raise TableError(
            f"The file '{path.name}' is empty, or its first line holds no column names."
        )
    return titles


def _header_bytes(data: Path, form: Format) -> bytes:
    """Return the bytes of the header line, for finding its encoding.

    With zero bytes it may be UTF-16, so half a character at the end is left out.

    Args:
        data: The file, in its own encoding.
        form: Says on which line the header is.
    """
    with data.open("rb") as file:
        start = file.read(SIGHT_BYTES)
    lines = start.removeprefix(b"\xef\xbb\xbf").splitlines()[max(0, form.header - 1) :]
    line = lines[0] if lines else b""
    return line[: len(line) // 2 * 2] if b"\0" in line else line


def unique_names(titles: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Return column names that are all different and not empty, and remarks on changes.

    An empty name becomes ``column_`` and its number; repeated ones get numbers at their ends.

    Args:
        titles: The names as they are in the file.

    Raises:
        TableError: There are too many, or one is too long.

    >>> names, notes = unique_names(["id", "", "id", " b "])
    >>> names, notes[0]
    (('id_1', 'column_2', 'id_2', 'b'), "Column 1 is one of 2 called 'id'; here it is 'id_1'.")
    """  # noqa: E501
    if len(titles) > limits.FILE_COLUMNS:
        raise TableError(
            f"The table has {len(titles):,} columns; the limit is {limits.FILE_COLUMNS:,}."
        )
    for number, title in enumerate(titles, 1):
        if len(title) > limits.NAME_LENGTH:
            raise TableError(
                f"The name of column {number} has {len(title):,} characters; "
                f"the limit is {limits.NAME_LENGTH:,}."
            )
    plain = [" ".join(title.split()) for title in titles]
    times = Counter(plain)
    taken = set(plain)
    notes = []
    names = []
    last: dict[str, int] = {}  # the last number given to a repeated name
    for number, title in enumerate(plain, 1):
        name = title
        if not title or times[title] > 1:
            stem, start = (title, 1) if title else ("column", number)
            start = max(start, last.get(title, 0) + 1)  # what is below is taken
            last[title] = next(i for i in count(start) if f"{stem}_{i}" not in taken)
            name = f"{stem}_{last[title]}"
            reason = f"is one of {times[title]} called '{title}'" if title else "has no name"
            notes.append(f"Column {number} {reason}; here it is '{name}'.")
        elif title != titles[number - 1].strip(" "):
            notes.append(f"Blanks in the name of column {number} are squeezed: '{name}'.")
        taken.add(name)
        names.append(name)
    return tuple(names), notes


def check_names(names: Iterable[Any]) -> None:
    """Refuse names of columns that are no texts, or that repeat.

    Raises:
        TableError: A name is refused; the message has the place of the first such column, or
            its name.
    """
    taken: set[str] = set()
    for place, name in enumerate(names, 1):
        if not isinstance(name, str):
            raise TableError(
                f"The name of column {place} is no text but of the type "
                f"{type(name).__name__}; rename it, such as by df.columns = "
                "df.columns.map(str)."
            )
        if name in taken:
            raise TableError(f"The table has two columns called '{name}'; rename one.")
        taken.add(name)


def open_parquet(path: Path, data: Path, folder: Folder) -> PrivateTable:
    """Open a Parquet file as a table.

    Args:
        path: What sentences call it.
        data: The file.
        folder: The folder of a private copy.

    Raises:
        TableError: It is damaged, or has no columns but nested ones.
        LimitError: It has nested columns, and its copy without them would be too large.
    """
    from pyarrow import ArrowException, parquet  # a tenth of a second CSV does without

    from synth.private.table.convert import check_footer

    check_footer(data, path.name)
    try:
        schema = parquet.read_schema(data)
    except (ArrowException, OSError):
        schema = None
    if schema is None:
        raise TableError(f"'{path.name}' cannot be read as a Parquet file; it is damaged.")
    _, nested_names = split_nested(schema)
    if nested_names:
        # Positions of columns in the file would be others than those in the table.
        flat = _copy_flat(path, data, folder, nested_names=nested_names)
        table = open_parquet(path, flat, folder)
        return replace(table, notes=(*nested_notes(nested_names), *table.notes))
    if not schema.names:
        raise TableError(f"'{path.name}' has no columns.")
    header, notes = unique_names(schema.names)
    kinds = tuple(str(read_type(field.type)) for field in schema)
    stored = tuple(str(field.type) for field in schema)
    return PrivateTable(
        path=path,
        header=header,
        data=data,
        form=DEFAULT,
        skip=0,
        types=kinds,
        stored=stored,
        notes=tuple(notes),
        keeper=folder,
    )


def _copy_flat(
    path: Path, data: Path, folder: Folder, *, nested_names: Sequence[str]
) -> Path:
    """Return a private copy of a Parquet file without its nested columns.

    Args:
        path: What sentences call it.
        data: The file.
        folder: The folder of the copy.
        nested_names: The names of the nested columns.

    Raises:
        TableError: It is damaged, or all columns are nested.
        LimitError: The copy would be too large.
    """
    from pyarrow import ArrowException

    from synth.private.table.arrow_copy import copy_flat_parquet

    target = folder.path / "flat.parquet"
    try:
        copy_flat_parquet(data, target, path.name)
    except Fault:
        listing = ", ".join(f"'{name}'" for name in nested_names)
        raise TableError(
            f"'{path.name}' has nested columns, which are not supported: {listing}."
        ) from None
    except (ArrowException, OSError):
        raise TableError(f"'{path.name}' cannot be read to its end; it is damaged.") from None
    return target


def _open_folder(path: Path) -> PrivateTable:
    """Open a folder of Parquet files as one table.

    Raises:
        TableError: It holds no such files, or they have different columns, or only some of
            them are rows of the table.
    """
    from synth.private.table.in_use import refuse_versioned_folder

    refuse_versioned_folder(path)
    parts = tuple(sorted(path.glob("*.parquet")))
    if not parts:
        raise TableError(f"'{path.name}' is a folder without Parquet files, not a table.")
    tables = [open_parquet(part, part, Folder()) for part in parts]
    if any(table.data != part for part, table in zip(parts, tables, strict=True)):
        raise TableError(
            f"The files in '{path.name}' have nested columns, which are not supported."
        )
    for part, table in zip(parts, tables, strict=True):
        if (table.header, table.types) != (tables[0].header, tables[0].types):
            raise TableError(
                f"In '{path.name}', '{part.name}' has other columns than '{parts[0].name}'."
            )
    stored = tables[0].stored if len({table.stored for table in tables}) == 1 else ()
    return replace(tables[0], path=path, data=path, stored=stored, parts=parts)


def explain_failure(table: PrivateTable) -> NoReturn:
    """Raise TableError without the engine's message, which would quote cells."""
    raise TableError(f"'{table.path.name}' cannot be read to its end; it is damaged.")


def _check_file(path: Path) -> None:
    """Refuse a file that is absent, empty or cannot be opened, by a TableError."""
    try:
        start = read_file(path, 0)  # one byte, if there is one
    except FileNotFoundError:
        raise TableError(f"There is no file '{path}'.") from None
    except OSError:
        raise TableError(f"The file '{path}' cannot be opened.") from None
    if not start:
        raise TableError(f"The file '{path.name}' is empty.")
