"""The cells of foreign files as texts, and the Parquet file that holds them.

An empty cell is null. An unreadable cell, such as an impossible date, is `UNREADABLE`, which
no domain declares.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from synth.foreign.fault import UNREADABLE, Fault, Request

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

TABLE = "table.parquet"
# Cells written at a time.
CELLS_AT_A_TIME = 1 << 20

Text = str | None
# The texts of a row's non-blank cells, by column from 0; '' for an error.
SheetRow = dict[int, str]
MAX_SHEET_COLUMNS = 1 << 14

# Whole numbers below this are exact.
MAX_EXACT_NUMBER = 2**53


def cell_text(value: object) -> str:
    """Return a typed cell as text: whole numbers without a point, dates in ISO 8601.

    None becomes an empty text. A moment at midnight is written as its day.
    """
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < MAX_EXACT_NUMBER:
            return str(int(value))
        case datetime() if value.time() == time(0):
            return value.date().isoformat()
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return _span_text(value)
    return str(value)


def _span_text(span: timedelta) -> str:
    """Return a duration in hours, minutes and seconds, such as 29:48:13; -0:05:00 below 0."""
    sign = "-" if span < timedelta(0) else ""
    seconds = abs(span) // timedelta(seconds=1)
    fraction = abs(span).microseconds
    minutes, second = divmod(seconds, 60)
    text = f"{sign}{minutes // 60}:{minutes % 60:02d}:{second:02d}"
    return f"{text}.{fraction:06d}".rstrip("0") if fraction else text


def finite_text(number: float) -> str:
    """Return the text of a number; `UNREADABLE` if it is not finite."""
    return cell_text(number) if math.isfinite(number) else UNREADABLE


def iso_text(text: str) -> str:
    """Return the text of a date or a moment in ISO 8601, without a time zone.

    Raises:
        ValueError: It is neither.
    """
    return cell_text(datetime.fromisoformat(text).replace(tzinfo=None))


def kept_text(text: str, max_bytes: int) -> Text:
    """Return a text as it is stored: null if empty, `UNREADABLE` if it is too long or no
    text.

    ``max_bytes`` is the most bytes of the text in UTF-8.
    """
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError:  # a lone surrogate, half a character
        return UNREADABLE
    if size > max_bytes:
        return UNREADABLE
    return text or None


def start_copy(target: Path, schema: "pa.Schema") -> "ParquetWriter":
    """Return a writer of a private copy in Parquet.

    The copy has no statistics. They follow from all rows, and an engine could decide by them
    how it reads each one.

    Args:
        target: The path of the new file.
        schema: The names and types of its columns.

    Raises:
        OSError: The file cannot be written.
    """
    from pyarrow import parquet

    return parquet.ParquetWriter(target, schema, write_statistics=False)


def write_table(
    request: Request, names: Sequence[str], rows: Iterable[Sequence[Text]]
) -> None:
    """Write rows as a Parquet file of texts into the request's folder, some at a time.

    Args:
        request: Its "folder", and its limit "unpacked_mb".
        names: The names of the columns.
        rows: For each row the text of each cell, None for an empty one.

    Raises:
        Fault: They need more than the limit of bytes.
    """
    import pyarrow as pa

    # Parquet holds valid Unicode only, so half characters in names are replaced.
    schema = pa.schema(
        [(name.encode(errors="replace").decode(), pa.string()) for name in names]
    )
    step = max(1, CELLS_AT_A_TIME // max(1, len(names)))
    free_bytes = request["unpacked_mb"] * 2**20
    remaining_rows = iter(rows)
    try:
        with start_copy(Path(request["folder"]) / TABLE, schema) as writer:
            while batch := list(islice(remaining_rows, step)):
                columns = [
                    pa.array(column, pa.string()) for column in zip(*batch, strict=True)
                ]
                free_bytes -= sum(column.nbytes for column in columns)
                # Handled below, like a full disk.
                if free_bytes < 0:
                    raise OSError
                writer.write_batch(pa.record_batch(columns, schema=schema))
    except OSError:  # the limit of one file, or of the disk
        raise Fault("size", mb=request["unpacked_mb"]) from None
