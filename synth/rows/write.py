"""Public tables as files, written piece by piece.

Pieces are made at the same time but written in their order, so a file does not depend on the
number of threads.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from synth import limits
from synth.errors import ReleaseError
from synth.rows.values import label_texts, numbers
from synth.util import Codes, each_part

# Makes a piece of a table when it is called.
Maker = Callable[[], pa.Table]
Pieces = Iterable[pa.Table | Maker]

# Most different texts that are joined once instead of row by row.
MAX_JOINED_TEXTS = 2**13
# Rows joined at a time; they fit the processor's cache.
JOINED_ROWS = 2**16

# Returns the texts of some columns for a slice of rows: arrays, and texts behind each row.
_Part = Callable[[slice], list[pa.Array | pa.Scalar]]

# A cell with one of these must be in quotes.
_MUST_QUOTE = ',"\r\n'


def write_csv(
    pieces: Pieces,
    path: str | Path,
    *,
    missing: str | Sequence[str] = "",
    headed: bool = True,
) -> None:
    """Write tables with the same columns as one CSV file.

    Args:
        pieces: At least one table, or a function that makes it.
        path: Where the file is written.
        missing: The text of a missing value: one for all columns, or one for each.
        headed: Whether the first line has the names of the columns.

    Raises:
        ReleaseError: The file cannot be written.
    """
    blanks = quote(missing) if isinstance(missing, str) else [*map(quote, missing)]
    with (
        _open_file(path) as file,
        closing(each_part(partial(_text, blanks=blanks), pieces)) as done,
    ):
        for header, lines in done:
            if headed and not file.tell():  # nothing is written yet
                file.write(header)
            file.writelines(lines)


def write_parquet(pieces: Pieces, path: str | Path) -> None:
    """Write tables with the same columns as one Parquet file.

    Args:
        pieces: Tables, or functions that make them.
        path: Where the file is written.

    Raises:
        ReleaseError: The file cannot be written.
    """
    from pyarrow import parquet  # a tenth of a second that a CSV does without

    # Empty or one: the writer needs the columns of the first piece.
    writers: list[parquet.ParquetWriter] = []
    with _open_file(path) as file, closing(each_part(make_piece, pieces)) as made_pieces:
        try:
            for piece in made_pieces:
                if not writers:
                    writers.append(parquet.ParquetWriter(file, piece.schema))
                writers[0].write_table(piece)
        finally:
            for writer in writers:
                writer.close()


def slices(table: pa.Table) -> list[pa.Table]:
    """Return a table in pieces of limited length; one piece if it has no rows."""
    step = limits.ROWS_AT_A_TIME
    return [table.slice(start, step) for start in range(0, max(1, table.num_rows), step)]


def quote(text: str) -> str:
    """Return a text as a CSV cell.

    It is in quotes if it contains a comma, a quote or a line break; quotes are doubled.

    >>> quote("plain"), quote('5" or, so')
    ('plain', '"5"" or, so"')
    """
    doubled = text.replace('"', '""')
    return f'"{doubled}"' if any(mark in text for mark in _MUST_QUOTE) else text


@contextmanager
def _open_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing, which replaces an old one.

    Raises:
        ReleaseError: It cannot be opened or written.
    """
    try:
        with Path(path).open("wb") as file:
            yield file
    except OSError:
        raise ReleaseError(f"The file '{path}' cannot be written.") from None


def make_piece(piece: pa.Table | Maker) -> pa.Table:
    """Return a piece, made if it is not there yet."""
    return piece() if callable(piece) else piece


def _text(
    piece: pa.Table | Maker, blanks: str | Sequence[str]
) -> tuple[bytes, list[pa.Buffer]]:
    """Return the head and the lines of a piece as UTF-8 text.

    Args:
        piece: A table, or a function that makes it.
        blanks: The CSV cell of a missing value, in all columns or in each.
    """
    table = make_piece(piece)
    if isinstance(blanks, str):
        blanks = [blanks] * table.num_columns
    header = ",".join(map(quote, table.column_names))
    return f"{header}\n".encode(), _lines(table, blanks)


def _lines(piece: pa.Table, blanks: Sequence[str]) -> list[pa.Buffer]:
    """Return the lines of a piece as UTF-8 text, `JOINED_ROWS` rows in each buffer.

    Args:
        piece: The rows.
        blanks: The CSV cell of a missing value in each column.
    """
    columns = [
        _Single(column.combine_chunks(), label_texts([blank]))
        for column, blank in zip(piece.columns, blanks, strict=True)
    ]
    # Each group of columns becomes a function that writes its cells for some rows, with what
    # comes after them: a comma, and after the last group the end of the line.
    groups = _groups(columns)
    (comma,) = label_texts([","])
    (line_end,) = label_texts(["\n"])
    writers = [_part(group, comma) for group in groups[:-1]]
    writers += [_part(group, line_end) for group in groups[-1:]]
    lines = []
    for start in range(0, piece.num_rows, JOINED_ROWS):
        rows = slice(start, start + JOINED_ROWS)
        fields: list[pa.Array | pa.Scalar] = []
        for write_cells in writers:
            fields += write_cells(rows)
        # An Arrow array of texts has all of them, one after the other, in its third buffer.
        _, _, all_texts = _join_fields(*fields).buffers()
        lines.append(all_texts)
    return lines


def _part(group: "_Listed | _Single", separator: pa.Scalar) -> _Part:
    """Return the function that gives the CSV text of a group of columns for some rows.

    Args:
        group: Neighbouring columns as a list of combinations, or a single column.
        separator: The text behind them: a comma, or the end of the line.
    """
    if not isinstance(group, _Listed):
        column = group.column
        blank = group.blank[0]

        def write_cells(rows: slice) -> list[pa.Array | pa.Scalar]:
            """Return the cells of the column, and what is behind each."""
            return [_cells(column[rows]).fill_null(blank), separator]

        return write_cells
    cells = _join_fields(group.cells, separator)
    codes = group.codes

    def take_cells(rows: slice) -> list[pa.Array | pa.Scalar]:
        """Return the combination of each row, with what is behind it."""
        return [cells.take(numbers(codes[rows]))]

    return take_cells


def _join_fields(*fields: pa.Array | pa.Scalar) -> pa.Array:
    """Return the joined texts of each row."""
    # The empty text between them is no Python text, which would import pandas.
    return pc.binary_join_element_wise(*fields, label_texts([""])[0])


@dataclass(frozen=True, eq=False)
class _Single:
    """A column of a piece.

    Attributes:
        column: Its cells.
        blank: The CSV cell of a missing value, as an array of one text.
    """

    column: pa.Array
    blank: pa.Array


@dataclass(frozen=True, eq=False)
class _Listed:
    """All combinations of neighbouring columns as CSV text, and the one of each row.

    Attributes:
        cells: The texts of the combinations.
        codes: The number of each row's combination, shape (rows,).
    """

    cells: pa.Array
    codes: Codes

    def join(self, right: "_Listed") -> "_Listed":
        """Return the combinations of these columns with those to the right.

        All pairs of combinations are listed; those of the right columns vary fastest.
        """
        left_codes, right_codes = np.divmod(
            np.arange(len(self.cells) * len(right.cells)), len(right.cells)
        )
        cells = _join_fields(
            self.cells.take(numbers(left_codes)),
            label_texts([","])[0],
            right.cells.take(numbers(right_codes)),
        )
        return _Listed(cells, self.codes * np.int32(len(right.cells)) + right.codes)


def _groups(columns: list[_Single]) -> list[_Listed | _Single]:
    """Return all columns in order, neighbouring ones joined to groups of few combinations.

    Joining texts takes most of the time, so combinations are joined once. A column with too
    many different cells is not joined. `columns` are those of a piece.
    """
    groups: list[_Listed | _Single] = []
    for column in columns:
        combinations = _list_column(column.column, column.blank)
        last = groups[-1] if groups else None
        if combinations is None:
            groups.append(column)
        elif (
            isinstance(last, _Listed)
            and len(last.cells) * len(combinations.cells) <= MAX_JOINED_TEXTS
        ):
            groups[-1] = last.join(combinations)
        else:
            groups.append(combinations)
    return groups


def _list_column(column: pa.Array, blank: pa.Array) -> _Listed | None:
    """Return the different CSV cells of a column, and each row's; None if they may be many.

    Texts by code and whole numbers of a short range can be listed.

    Args:
        column: The column.
        blank: The CSV cell of a missing value, as an array of one text.
    """
    if pa.types.is_dictionary(column.type) and len(column.dictionary) < MAX_JOINED_TEXTS:
        lowest = 0  # the least code
        cells = label_texts(list(map(quote, column.dictionary.to_pylist())))
        codes = column.indices.cast(pa.int32())
    elif pa.types.is_int64(column.type) and len(column) > column.null_count:
        ends = pc.min_max(column)
        lowest = ends["min"].as_py()
        highest = ends["max"].as_py()
        # Missing values may need one cell more than the numbers from lowest to highest.
        if highest - lowest >= MAX_JOINED_TEXTS - 1:
            return None
        cells = numbers(np.arange(lowest, highest + 1)).cast(pa.string())
        codes = column
    else:
        return None
    if column.null_count:
        # Missing values are one more cell, behind all others.
        code_of_blank = numbers(np.array([lowest + len(cells)])).cast(codes.type)
        codes = codes.fill_null(code_of_blank[0])
        cells = pa.concat_arrays([cells, blank])
    # `to_numpy` would import pandas.
    code_array = np.from_dlpack(codes)
    return _Listed(cells, (code_array - lowest).astype(np.int32, copy=False))


def _cells(column: pa.Array) -> pa.Array:
    """Return a column as CSV cells, in quotes where needed; null for missing values."""
    if pa.types.is_dictionary(column.type):
        labels = label_texts(list(map(quote, column.dictionary.to_pylist())))
        return labels.take(column.indices)
    if not pa.types.is_string(column.type):
        return column.cast(pa.string())
    special = pc.match_substring_regex(column, f"[{_MUST_QUOTE}]")
    if not pc.any(special).as_py():
        return column
    mark = label_texts(['"'])[0]
    doubled = pc.replace_substring(column, '"', '""')
    return pc.if_else(special, _join_fields(mark, doubled, mark), column)
