"""Public tables as files, written piece by piece.

CSV cells are quoted only where they must be, and listed texts once a piece. Writing has a
thread of its own, so that the next piece is made meanwhile.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc

from synth.columns import texts
from synth.errors import ReleaseError

Pieces = Iterable[pa.Table]

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

        _overlapped(pieces, write)
        writers[0].close()


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
    comma, nothing, end, blank = texts([",", "", "\n", missing])  # no Python text: see `columns`
    cells = [_cells(column.combine_chunks()).fill_null(blank) for column in piece.columns]
    rows = pc.binary_join_element_wise(*cells, comma)
    lines = pc.binary_join_element_wise(rows, nothing, end)
    return lines.buffers()[2]


def _cells(column: pa.Array) -> pa.Array:
    """A column's values as they stand in the file, quoted where they must be."""
    if pa.types.is_dictionary(column.type):
        return texts(list(map(quoted, column.dictionary.to_pylist()))).take(column.indices)
    if not pa.types.is_string(column.type):
        return column.cast(pa.string())
    special = pc.match_substring_regex(column, f"[{_MUST_QUOTE}]")
    if not pc.any(special).as_py():
        return column
    doubled = pc.replace_substring(column, '"', '""')
    return pc.if_else(special, pc.binary_join_element_wise('"', doubled, '"', ""), column)
