"""The confidential table: a file whose header is known and whose rows stay private.

Only the header is read here. Rows are read by an engine, as text, under the declared domain.
A file that no engine can read as it is, packed or in another encoding or a workbook, is
copied to a private folder that is removed with the table.

>>> import tempfile, pathlib
>>> from synth.table import open_table
>>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
>>> _ = path.write_text("age,sex\\n41,F\\n")
>>> open_table(path).header
('age', 'sex')
"""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain, count, islice
from pathlib import Path
from typing import NoReturn, TextIO

from synth import limits
from synth.domain import Domain
from synth.errors import TableError
from synth.files import (
    check_footer,
    kind,
    rewrite,
    sheet,
    statistics,
    transcode,
    unpack,
    without_comments,
)
from synth.formats import DEFAULT, SIGHT, Format, suggest
from synth.temporary import Folder

NAMED_LINES = 5
"""How many offending lines a message names."""

csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True)
class PrivateTable:
    """A confidential table on disk. Its header may be shown; its rows may not.

    Attributes:
        path: The file the steward named.
        header: Column names in file order: blanks squeezed, empty ones filled, repeated ones
            numbered.
        data: What an engine reads: the file itself, or a private copy in plain form.
        form: How ``data`` is to be read.
        skip: Lines of ``data`` before the first row.
        types: Arrow types of the columns where ``data`` is a Parquet file, else empty.
        notes: What was done to the file's names or sheets, for the steward.
        asked: The format options that were asked for.
        keeper: Holds the folder of the private copy.
        parts: The files of a folder of Parquet files.
        catalog: The name of a table that only a cluster knows, in place of a file.
    """

    path: Path
    header: tuple[str, ...]
    data: Path
    form: Format = DEFAULT
    skip: int = 1
    types: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    keeper: Folder | None = None
    parts: tuple[Path, ...] = ()
    catalog: str = ""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files the steward named; none for a table of a cluster."""
        return () if self.catalog else self.parts or (self.path,)

    def positions(self, domain: Domain) -> tuple[int, ...]:
        """Where each declared column stands in the file, counted from 0.

        Raises:
            TableError: A declared column is absent.
        """
        return tuple(self.position(name) for name in domain.names)

    def position(self, name: str) -> int:
        """Where a column stands in the file, counted from 0.

        Raises:
            TableError: It is absent.
        """
        if name in self.header:
            return self.header.index(name)
        folded = {title.casefold(): title for title in self.header}
        near = [title for title in folded if title.rpartition("_")[0] == name.casefold()]
        near = near or get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
        hint = f"; it has a similar one, '{folded[near[0]]}'" if near else ""
        _refuse(f"The table has no column '{name}'{hint}.{self.hint()}")

    def hint(self) -> str:
        """A sentence about the format that the file's shape suggests, if it is another one."""
        options = self.suggested()
        return f" Its shape suggests the format {' '.join(options)}." if options else ""

    def suggested(self) -> tuple[str, ...]:
        """The format options that the file's shape suggests, if they are not in use."""
        if self.types:
            return ()
        with self.data.open("rb") as file:
            found = suggest(file.read(SIGHT))
        return () if set(found.options) <= set(self.form.options) else found.options


def open_table(path: str | Path, form: Format = DEFAULT) -> PrivateTable:
    """Open a table of any kind: CSV, Parquet, a workbook, SPSS, Stata or SAS; packed or not.

    Args:
        path: The file, or a folder of Parquet files.
        form: How it is to be read.

    Raises:
        TableError: There is no such file, or it is no table.
        LimitError: It would unpack to more than the limit.
    """
    path = Path(path)
    if path.is_dir():
        return _open_folder(path)
    _check_file(path)
    folder = Folder()
    data, found, asked = path, kind(path), form.options
    if found in ("gzip", "zip"):
        data = unpack(path, found, folder)
        found = kind(data)
        if found in ("gzip", "zip"):
            _refuse(f"'{path.name}' is packed twice; unpack it once.")
    match found:
        case "parquet":
            return _open_parquet(path, data, folder)
        case "workbook":
            data, notes = sheet(data, form, path.name, folder)
            form = Format(header=min(form.header, 1))
        case "statistics":
            data = statistics(data, path.name, folder)
            notes, form = [], DEFAULT
        case _:
            data, form = _plain_text(path, data, form, folder)
            notes = []
    return replace(_titled(path, data, form, notes, folder), asked=asked)


def _plain_text(path: Path, data: Path, form: Format, folder: Folder) -> tuple[Path, Format]:
    """Text as an engine can read it: UTF-8 with line feeds and without NUL bytes."""
    with data.open("rb") as file:
        start = file.read(SIGHT)
    if not start.strip():
        _refuse(f"The file '{path.name}' is empty.")
    if form.encoding.lower().replace("_", "-") not in ("utf-8", "utf-8-sig", "utf8", "ascii"):
        data = transcode(data, form.encoding, folder, path.name)
        with data.open("rb") as file:
            start = file.read(SIGHT)
    elif start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        _refuse(f"'{path.name}' is UTF-16 text; choose the format encoding=utf-16.")
    if b"\0" in start:
        _refuse(f"'{path.name}' is not a table in CSV text.")
    if b"\r" in start and b"\n" not in start:
        with _text(data) as lines:
            data = rewrite(csv.reader(lines, delimiter=form.delimiter), folder)
        form = Format(header=form.header, decimal=form.decimal, thousands=form.thousands)
    if form.comment:
        data = without_comments(data, form.comment, folder)
    return data, form


def _titled(
    path: Path, data: Path, form: Format, notes: Sequence[str], folder: Folder
) -> PrivateTable:
    """Read the header line of CSV text, or count its columns where there is none."""
    try:
        titles, skip = _first_row(data, form)
        "".join(titles).encode()
    except (csv.Error, UnicodeEncodeError):
        _refuse(f"The first line of '{path.name}' cannot be read as a CSV header.")
    if form.header and not any(title.strip() for title in titles):
        _refuse(f"The first line of '{path.name}' holds no column names.")
    header, renamed = unique_names(titles if form.header else [""] * len(titles))
    if form.header and skip > form.header:  # engines disagree on what a line is inside quotes
        data = _relaid(data, form, header, folder)
        form, skip = Format(decimal=form.decimal, thousands=form.thousands), 1
    if not form.header:
        skip, renamed = 0, [f"There is no header; the columns are called {header[0]} and so on."]
    return PrivateTable(path, header, data, form, skip, (), (*notes, *renamed), keeper=folder)


def _first_row(data: Path, form: Format) -> tuple[list[str], int]:
    """The cells of the header, or of the first row, and the number of lines up to its end."""
    with _text(data) as file:
        lead = max(0, form.header - 1)
        for _ in range(lead):
            file.readline()
        reader = csv.reader(file, delimiter=form.delimiter, strict=True)
        return next(reader, []), lead + reader.line_num


def _relaid(data: Path, form: Format, header: Sequence[str], folder: Folder) -> Path:
    """The same rows below a header of one line."""
    with _text(data) as file:
        for _ in range(form.header - 1):
            file.readline()
        reader = csv.reader(file, delimiter=form.delimiter)
        next(reader)
        return rewrite(chain([header], reader), folder)


def unique_names(titles: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Column names that are all different and not empty, and a note on each that was changed.

    >>> names, notes = unique_names(["id", "", "id", " b "])
    >>> names, notes[0]
    (('id_1', 'column_2', 'id_2', 'b'), "Column 1 is one of 2 called 'id'; here it is 'id_1'.")
    """
    if len(titles) > limits.FILE_COLUMNS:
        _refuse(f"The table has {len(titles):,} columns; the limit is {limits.FILE_COLUMNS:,}.")
    for number, title in enumerate(titles, 1):
        if len(title) > limits.NAME_LENGTH:
            _refuse(
                f"The name of column {number} has {len(title):,} characters; "
                f"the limit is {limits.NAME_LENGTH:,}."
            )
    plain = [" ".join(title.split()) for title in titles]
    times, taken, notes, names = Counter(plain), set(plain), [], []
    last: dict[str, int] = {}
    for number, title in enumerate(plain, 1):
        name = title
        if not title or times[title] > 1:
            stem, start = (title, 1) if title else ("column", number)
            start = max(start, last.get(title, 0) + 1)  # what is below is taken
            last[title] = next(i for i in count(start) if f"{stem}_{i}" not in taken)
            name = f"{stem}_{last[title]}"
            what = f"is one of {times[title]} called '{title}'" if title else "has no name"
            notes.append(f"Column {number} {what}; here it is '{name}'.")
        elif title != titles[number - 1].strip(" "):
            notes.append(f"Blanks in the name of column {number} are squeezed: '{name}'.")
        taken.add(name)
        names.append(name)
    return tuple(names), notes


def _open_parquet(path: Path, data: Path, folder: Folder) -> PrivateTable:
    from pyarrow import ArrowException, parquet, types  # a tenth of a second CSV does without

    check_footer(data, path.name)
    try:
        schema = parquet.read_schema(data)
    except (ArrowException, OSError):
        schema = None
    if schema is None:
        _refuse(f"'{path.name}' cannot be read as a Parquet file; it is damaged.")
    nested = [field.name for field in schema if types.is_nested(field.type)]
    if nested:
        listing = ", ".join(f"'{name}'" for name in nested)
        _refuse(f"'{path.name}' has nested columns, which are not supported: {listing}.")
    header, notes = unique_names(schema.names)
    kinds = tuple(str(field.type) for field in schema)
    return PrivateTable(path, header, data, DEFAULT, 0, kinds, tuple(notes), keeper=folder)


def _open_folder(path: Path) -> PrivateTable:
    """Parquet files of the same columns, as Spark and others leave them, as one table."""
    parts = tuple(sorted(path.glob("*.parquet")))
    if not parts:
        _refuse(f"'{path.name}' is a folder without Parquet files, not a table.")
    tables = [_open_parquet(part, part, Folder()) for part in parts]
    for part, table in zip(parts, tables, strict=True):
        if (table.header, table.types) != (tables[0].header, tables[0].types):
            _refuse(f"In '{path.name}', '{part.name}' has other columns than '{parts[0].name}'.")
    return replace(tables[0], path=path, data=path, parts=parts)


def explain_failure(table: PrivateTable) -> NoReturn:
    """Say in one sentence why an engine could not read the table, naming lines and no values.

    Engines quote the offending cells in their messages; this reads the file again instead.

    Raises:
        TableError: Always.
    """
    name = table.path.name
    if table.types:
        _refuse(f"'{name}' cannot be read to its end; it is damaged.")
    lines = list(islice(_undecodable_lines(table.data), NAMED_LINES + 1))
    if lines:
        _refuse(f"'{name}' holds bytes that are not UTF-8 text on {_lines(lines)}.{table.hint()}")
    lines = list(islice(_ragged_lines(table), NAMED_LINES + 1))
    if lines and lines[-1] < 0:
        _refuse(
            f"'{name}' has a quotation mark that is opened and never closed, or not doubled "
            f"inside quotes, in the row that starts on line {-lines[-1]}.{table.hint()}"
        )
    if lines:
        _refuse(
            f"'{name}' has {len(table.header)} columns in its header, but another number of "
            f"cells on {_lines(lines)}.{_commented(table)}{table.hint()}"
        )
    _refuse(f"'{name}' cannot be read as a table in CSV text.{table.hint()}")


def _check_file(path: Path) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(65_536)
    except FileNotFoundError:
        _refuse(f"There is no file '{path}'.")
    except OSError:
        _refuse(f"The file '{path}' cannot be opened.")
    if not start.strip():
        _refuse(f"The file '{path.name}' is empty.")


@contextmanager
def _text(path: Path) -> Iterator[TextIO]:
    # Bytes that are no text come through as surrogates, so that only their own line suffers.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        yield file


def _undecodable_lines(path: Path) -> Iterator[int]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                yield number


def _commented(table: PrivateTable) -> str:
    return " Lines of comments are not counted." if table.form.comment else ""


def _ragged_lines(table: PrivateTable) -> Iterator[int]:
    """Lines of rows that are too short or long; the last is negative where quotes go wrong."""
    width = len(table.header)
    with _text(table.data) as file:
        for _ in range(table.skip):
            file.readline()
        reader = csv.reader(file, delimiter=table.form.delimiter, strict=True)
        while True:
            start = table.skip + reader.line_num + 1
            try:
                row = next(reader, None)
            except csv.Error:
                yield -start
                return
            if row is None:
                return
            trailing = len(row) == width + 1 and not row[-1]
            if row and len(row) != width and not trailing:
                yield table.skip + reader.line_num


def _lines(numbers: list[int]) -> str:
    if len(numbers) > NAMED_LINES:
        return f"lines {', '.join(map(str, numbers[:NAMED_LINES]))} and more"
    return f"line {numbers[0]}" if len(numbers) == 1 else f"lines {_listing(numbers)}"


def _listing(numbers: list[int]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def _refuse(message: str) -> NoReturn:
    raise TableError(message)
