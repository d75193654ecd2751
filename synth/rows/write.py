"""Public tables as files, written piece by piece.

CSV cells are quoted only where they must be, and listed texts once a piece. Writing has a
thread of its own, so that the next piece is made meanwhile.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from synth.arrays import Codes
from synth.errors import ReleaseError
from synth.rows.values import numbers, texts

Pieces = Iterable[pa.Table]

FEW = 2**13
"""Up to so many different texts are joined once and not row by row."""

_MUST_QUOTE = ',"\r\n'


def write_csv(pieces: Pieces, path: str | Path, *, missing: str = "") -> None:
    """Write tables of the same columns as one CSV file with a header.

    Args:
        pieces: At least one table.
        path: The file.
        missing: What stands for a missing value.

    Raises:
        ReleaseError: The file cannot be written.
    """
    with _opened(path) as file:

        def write(piece: pa.Table) -> None:
            if not file.tell():
                header = ",".join(map(quoted, piece.column_names))
                file.write(f"{header}\n".encode())
            if piece.num_rows:
                file.write(_lines(piece, quoted(missing)))

        _overlapped(pieces, write)


def write_parquet(pieces: Pieces, path: str | Path) -> None:
    """Write tables of the same columns as one Parquet file.

    Raises:
        ReleaseError: The file cannot be written.
    """
    from pyarrow import parquet  # a tenth of a second that a CSV does without

    writers: list[parquet.ParquetWriter] = []
    with _opened(path) as file:

        def write(piece: pa.Table) -> None:
            if not writers:
                writers.append(parquet.ParquetWriter(file, piece.schema))
            writers[0].write_table(piece)

        try:
            _overlapped(pieces, write)
        finally:
            for writer in writers:
                writer.close()


def quoted(text: str) -> str:
    """A CSV cell: the text, in quotes where it must be.

    >>> quoted("plain"), quoted('5" or, so')
    ('plain', '"5"" or, so"')
    """
    doubled = text.replace('"', '""')
    return f'"{doubled}"' if any(mark in text for mark in _MUST_QUOTE) else text


@contextmanager
def _opened(path: str | Path) -> Iterator[IO[bytes]]:
    try:
        with Path(path).open("wb") as file:
            yield file
    except OSError:
        message = f"The file '{path}' cannot be written."
        raise ReleaseError(message) from None


def _overlapped(pieces: Pieces, write: Callable[[pa.Table], None]) -> None:
    """Write each piece while the next one is made."""
    pending: Future[None] | None = None
    with ThreadPoolExecutor(1) as pool:
        for piece in pieces:
            if pending is not None:
                pending.result()
            pending = pool.submit(write, piece)
        if pending is not None:
            pending.result()


def _lines(piece: pa.Table, missing: str) -> pa.Buffer:
    """The rows as lines of text, in the memory Arrow joined them in."""
    comma, end, blank = (texts([text]) for text in (",", "\n", missing))
    groups = _groups([column.combine_chunks() for column in piece.columns], blank)
    fields: list[pa.Array] = []
    for number, group in enumerate(groups, 1):
        behind = end[0] if number == len(groups) else comma[0]
        if isinstance(group, _Listed):
            fields.append(_joined(group.cells, behind).take(numbers(group.codes)))
        else:
            fields += [_cells(group).fill_null(blank[0]), behind]
    return _joined(*fields).buffers()[2]


def _joined(*fields: pa.Array | pa.Scalar) -> pa.Array:
    return pc.binary_join_element_wise(*fields, texts([""])[0])  # no Python text: see `columns`


@dataclass(frozen=True, eq=False)
class _Listed:
    """Neighbouring columns of few different values: all of them as CSV text, and each row's."""

    cells: pa.Array
    codes: Codes

    def beside(self, other: "_Listed") -> "_Listed":
        """Both side by side; what is on the left is the slowest."""
        left, right = np.divmod(np.arange(len(self.cells) * len(other.cells)), len(other.cells))
        cells = (self.cells.take(numbers(left)), texts([","])[0], other.cells.take(numbers(right)))
        return _Listed(_joined(*cells), self.codes * np.int32(len(other.cells)) + other.codes)


def _groups(columns: list[pa.Array], blank: pa.Array) -> list[_Listed | pa.Array]:
    """The columns in order, neighbours of few values as one: joining texts is what takes long."""
    groups: list[_Listed | pa.Array] = []
    for column in columns:
        found, last = _listed(column, blank), groups[-1] if groups else None
        if found is None:
            groups.append(column)
        elif isinstance(last, _Listed) and len(last.cells) * len(found.cells) <= FEW:
            groups[-1] = last.beside(found)
        else:
            groups.append(found)
    return groups


def _listed(column: pa.Array, blank: pa.Array) -> _Listed | None:
    """A column of texts from a short list, or of whole numbers close together; None for another."""
    if pa.types.is_dictionary(column.type) and len(column.dictionary) < FEW:
        cells, low = texts(list(map(quoted, column.dictionary.to_pylist()))), 0
        codes = column.indices.cast(pa.int32())
    elif pa.types.is_int64(column.type) and len(column) > column.null_count:
        ends = pc.min_max(column)
        low, high = ends["min"].as_py(), ends["max"].as_py()
        if high - low >= FEW - 1:
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
    """A column's values as they stand in the file, quoted where they must be."""
    if pa.types.is_dictionary(column.type):
        return texts(list(map(quoted, column.dictionary.to_pylist()))).take(column.indices)
    if not pa.types.is_string(column.type):
        return column.cast(pa.string())
    special = pc.match_substring_regex(column, f"[{_MUST_QUOTE}]")
    if not pc.any(special).as_py():
        return column
    mark, doubled = texts(['"'])[0], pc.replace_substring(column, '"', '""')
    return pc.if_else(special, _joined(mark, doubled, mark), column)
