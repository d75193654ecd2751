"""Opens a table of any kind: a path, a frame in memory, or one that is open already. PRIVATE.

>>> import pyarrow as pa
>>> open_any(pa.table({"age": [41, 35]})).header
('age',)
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from synth.private.table import private_table
from synth.private.table.choices import name_delimiter
from synth.private.table.csv_options import DEFAULT, Format
from synth.private.table.private_table import PrivateTable

if TYPE_CHECKING:
    import pyarrow as pa

# Types of floats, with the limit below which whole numbers are exact.
EXACT_WHOLE_BY_TYPE = {"float": 2**24, "double": 2**53}


class Arrow(Protocol):
    """A table of any library that passes on its rows by Arrow's C interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows as a capsule of an Arrow stream."""


class Cursor(Protocol):
    """A cursor of a database that gives its rows as record batches."""

    def fetch_record_batch(self) -> "pa.RecordBatchReader":
        """Return a reader of the rows to come."""


TableLike = str | Path | PrivateTable | Arrow | Cursor | Iterable["pa.RecordBatch"]


def open_table(path: str | Path, form: Format = DEFAULT) -> PrivateTable:
    """Open a table of any kind, and split its columns of several answers as the format says.

    Args:
        path: The file, a folder of Parquet files, or the address of a table of PostgreSQL.
        form: How the file is read.

    Raises:
        TableError: There is no such file, it is no table, or it lacks a column to split.
        LimitError: It would unpack to more than the limit.
    """
    table = private_table.open_table(path, form)
    if not form.split:
        return table
    from synth.private.table.answer_columns import split_answers

    return replace(split_answers(table, form.split), asked=form.options)


def open_any(source: TableLike, names: Iterable[str] = ()) -> PrivateTable:
    """Open a table of any kind: a path, a frame in memory, or one that is open already.

    If the header of a text file has no comma but one other mark that surely cuts it into
    names, it is read with that mark, and a remark says so.

    Args:
        source: A path, a frame of pandas, Polars or Arrow, record batches, or an open table.
        names: The declared columns; only lines of JSON need them.

    Raises:
        TableError: It is no table.
        LimitError: It would unpack to more than the limit.
    """
    if isinstance(source, PrivateTable):
        return source
    if not isinstance(source, str | Path):
        from synth.private.table.frames import held_table

        return held_table(source)
    table = private_table.open_table(
        source, Format(names=tuple(dict.fromkeys(filter(None, names))))
    )
    form = table.sure_form()
    if form == table.form:
        return table
    mark = name_delimiter(form.delimiter)
    if form.header == table.form.header:
        note = (
            f"Read with {mark} between the cells: open_table(path, delimiter=',') reads it "
            "as one column."
        )
    else:
        note = (
            f"Read with {mark} between the cells, as its first line says, and with the "
            "column names on the next line."
        )
    again = private_table.open_table(source, form)
    return replace(again, notes=(*again.notes, note))


def float_note(table: PrivateTable, name: str) -> str:
    """Return a warning if a column that names persons is of floats; empty otherwise.

    It depends on the column's type alone, and not on its values.

    Args:
        table: The table.
        name: The person column.
    """
    if not table.types:
        return ""
    exact_below = EXACT_WHOLE_BY_TYPE.get(table.types[table.position(name)])
    if exact_below is None:
        return ""
    return (
        f"Column '{name}' is of floats, which are exact where whole numbers are below "
        f"{exact_below:,}: above, two persons may be taken for one; make it a column of "
        "integers or texts."
    )
