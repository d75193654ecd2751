"""Public tables as files, written piece by piece.

Pieces are made at the same time but written in their order, so a file does not depend on the
number of threads."""

from collections.abc import Callable, Iterable, Iterator
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

Maker = Callable[[], pa.Table]
Pieces = Iterable[pa.Table | Maker]

# Most different texts that are joined once instead of row by row.
MAX_JOINED_TEXTS = 2**13
# Rows joined at a time; they fit the processor's cache.
JOINED_ROWS = 2**16

_Part = Callable[[slice], list[pa.Array | pa.Scalar]]

_MUST_QUOTE = ',"\r\n'


def write_csv(
    pieces: Pieces, path: str | Path, *, missing: str = "", headed: bool = True
) -> None:
    """Write tables with the same columns as one CSV file.

    Args:
        pieces: At least one table, or its maker.
        missing: The text of a missing value.

    Raises:
        ReleaseError: The file cannot be written.
    """
    blank = quote(missing)
    with (
        _open_file(path) as file,
        closing(each_part(partial(_text, blank=blank), pieces)) as done,
    ):
        for header, lines in done:
            if headed and not file.tell():
                file.write(header)
            file.writelines(lines)


def write_parquet(pieces: Pieces, path: str | Path) -> None:
    """Write such pieces as one Parquet file.

    Raises:
        ReleaseError: The file cannot be written.
    """
    from pyarrow import parquet  # a tenth of a second that a CSV does without

    writers: list[parquet.ParquetWriter] = []
    with _open_file(path) as file, closing(each_part(made, pieces)) as done:
        try:
            for piece in done:
                if not writers:
                    writers.append(parquet.ParquetWriter(file, piece.schema))
                writers[0].write_table(piece)
        finally:
            for writer in writers:
                writer.close()


def slices(table: pa.Table) -> list[pa.Table]:
    step = limits.ROWS_AT_A_TIME
    return [table.slice(start, step) for start in range(0, max(1, table.num_rows), step)]


def quote(text: str) -> str:
    """Return a text as a CSV cell, in quotes if needed.

    >>> quote("plain"), quote('5" or, so')
    ('plain', '"5"" or, so"')
    """
    doubled = text.replace('"', '""')
    return f'"{doubled}"' if any(mark in text for mark in _MUST_QUOTE) else text


@contextmanager
def _open_file(path: str | Path) -> Iterator[IO[bytes]]:
    try:
        with Path(path).open("wb") as file:
            yield file
    except OSError:
        raise ReleaseError(f"The file '{path}' cannot be written.") from None


def made(piece: pa.Table | Maker) -> pa.Table:
    return piece() if callable(piece) else piece


def _text(piece: pa.Table | Maker, blank: str) -> tuple[bytes, list[pa.Buffer]]:
    table = made(piece)
    header = ",".join(map(quote, table.column_names))
    return f"{header}\n".encode(), _lines(table, blank)


def _lines(piece: pa.Table, missing: str) -> list[pa.Buffer]:
    comma, end, blank = (label_texts([text]) for text in (",", "\n", missing))
    groups = _groups([column.combine_chunks() for column in piece.columns], blank)
    behind = [*[comma[0]] * (len(groups) - 1), end[0]]
    parts = [_part(*pair, blank) for pair in zip(groups, behind, strict=True)]
    found = []
    for start in range(0, piece.num_rows, JOINED_ROWS):
        fields = (
            field for part in parts for field in part(slice(start, start + JOINED_ROWS))
        )
        found.append(_join_fields(*fields).buffers()[2])
    return found


def _part(group: "_Listed | pa.Array", behind: pa.Scalar, blank: pa.Array) -> _Part:
    if not isinstance(group, _Listed):
        return lambda some: [_cells(group[some]).fill_null(blank[0]), behind]
    cells = _join_fields(group.cells, behind)
    return lambda some: [cells.take(numbers(group.codes[some]))]


def _join_fields(*fields: pa.Array | pa.Scalar) -> pa.Array:
    return pc.binary_join_element_wise(
        *fields, label_texts([""])[0]
    )  # no Python text: see `columns`


@dataclass(frozen=True, eq=False)
class _Listed:
    # All combinations of neighbouring columns as CSV text, and the one of each row.
    cells: pa.Array
    codes: Codes

    def join(self, other: "_Listed") -> "_Listed":
        # The left one varies slowest.
        left, right = np.divmod(
            np.arange(len(self.cells) * len(other.cells)), len(other.cells)
        )
        cells = (
            self.cells.take(numbers(left)),
            label_texts([","])[0],
            other.cells.take(numbers(right)),
        )
        return _Listed(
            _join_fields(*cells), self.codes * np.int32(len(other.cells)) + other.codes
        )


def _groups(columns: list[pa.Array], blank: pa.Array) -> list[_Listed | pa.Array]:
    # Joining texts takes most of the time.
    groups: list[_Listed | pa.Array] = []
    for column in columns:
        found, last = _list_column(column, blank), groups[-1] if groups else None
        if found is None:
            groups.append(column)
        elif (
            isinstance(last, _Listed)
            and len(last.cells) * len(found.cells) <= MAX_JOINED_TEXTS
        ):
            groups[-1] = last.join(found)
        else:
            groups.append(found)
    return groups


def _list_column(column: pa.Array, blank: pa.Array) -> _Listed | None:
    if pa.types.is_dictionary(column.type) and len(column.dictionary) < MAX_JOINED_TEXTS:
        cells, low = label_texts(list(map(quote, column.dictionary.to_pylist()))), 0
        codes = column.indices.cast(pa.int32())
    elif pa.types.is_int64(column.type) and len(column) > column.null_count:
        ends = pc.min_max(column)
        low, high = ends["min"].as_py(), ends["max"].as_py()
        if high - low >= MAX_JOINED_TEXTS - 1:
            return None
        cells, codes = numbers(np.arange(low, high + 1)).cast(pa.string()), column
    else:
        return None
    if column.null_count:
        behind = numbers(np.array([low + len(cells)])).cast(codes.type)
        codes, cells = codes.fill_null(behind[0]), pa.concat_arrays([cells, blank])
    given = np.from_dlpack(codes)  # `to_numpy` would import pandas: see `columns`
    return _Listed(cells, (given - low).astype(np.int32, copy=False))


def _cells(column: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        return label_texts(list(map(quote, column.dictionary.to_pylist()))).take(
            column.indices
        )
    if not pa.types.is_string(column.type):
        return column.cast(pa.string())
    special = pc.match_substring_regex(column, f"[{_MUST_QUOTE}]")
    if not pc.any(special).as_py():
        return column
    mark, doubled = label_texts(['"'])[0], pc.replace_substring(column, '"', '""')
    return pc.if_else(special, _join_fields(mark, doubled, mark), column)
