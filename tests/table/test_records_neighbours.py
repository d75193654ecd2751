"""Every way that was found from one changed record to other rows: none is left."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.domain import Categorical, Domain, Outside
from synth.private.counting import count
from synth.private.table import PrivateTable, open_table, parse_format
from synth.private.table.frames import held_table

pyreadstat = pytest.importorskip("pyreadstat")

GOOD = b"a,b\n" + b"x,y\n" * 1000
ROW = b"x,y\n"
LINES = int(os.environ.get("SYNTH_LONG_ROW", "700000"))
"""Line ends in a long row of more than 2 MB."""
UTF16 = ("a,b\n" + "x,y\n" * 50).encode("utf-16-le"), ("x,y\n" * 50).encode("utf-16-le")
END = "\n".encode("utf-16-le")

# name: (a table, its neighbour, options)
TEXTS: dict[str, tuple[bytes, bytes, str]] = {
    "a long row": (GOOD + ROW, GOOD + b'x,"' + ROW * LINES + b'"\n', "lines=span"),
    "a mark that is not doubled": (
        GOOD + b'x,"' + b"y\n" * 500 + b'y"\n',
        GOOD + b'x,"' + b"y\n" * 250 + b'""y\n' + b"y\n" * 249 + b'y"\n',
        "lines=span",
    ),
    "a mark that opens": (GOOD + ROW + b'6",y\n', GOOD + b'"x,y\n' + b'6",y\n', ""),
    "a mark far above another": (
        b"a,b\n" + ROW + GOOD[4:] + b'6",y\n',
        b"a,b\n" + b'"x,y\n' + GOOD[4:] + b'6",y\n',
        "",
    ),
    "a comment": (GOOD + ROW, GOOD + b"#N/A,y\n", "comment=#"),
    "an empty line": (GOOD + ROW, GOOD + b"\n", ""),
    "a byte that is no text behind the header's CR": (
        b"a,b\rx,y\ra,2\r",
        b"a,b\r\xff\n,1\ra,2\r",
        "",
    ),
    "a stray byte in UTF-16": (
        b"\xff\xfe" + UTF16[0] + "x,y\n".encode("utf-16-le") + UTF16[1],
        b"\xff\xfe" + UTF16[0] + b"x" + END + UTF16[1],
        "",
    ),
    "Out of Memory": (GOOD + ROW, GOOD + b"x,Out of Memory,1\n", ""),
    **{
        f"{odd} in the first row": (ROW * 100, first + ROW * 99, "header=0 columns=2")
        for odd, first in {
            "line ends": b"x,y\rx\n",
            "a cell more": b"x,y,z\n",
            "a mark of byte order": b"\xff\xfex,y\n",
            "the name of another kind of file": b"PAR1,y\n",
        }.items()
    },
}


def count_rows_and_cells(table: PrivateTable) -> tuple[int, Any]:
    """All rows, and how many lie in each cell of two columns."""
    moment = "2020-01-01 00:00:00.123457"
    columns = (
        Categorical(name=name, categories=("x", "y", moment), outside=Outside.CELL)
        for name in table.header[:2]
    )
    counts = count(table, Domain(tuple(columns)))
    return counts.rows, counts.dense()


def check_neighbours(table: PrivateTable, neighbour: PrivateTable) -> None:
    """Assert that two tables differ as if one row had changed."""
    (rows, counts), (neighbour_rows, neighbour_counts) = (
        count_rows_and_cells(table),
        count_rows_and_cells(neighbour),
    )
    assert rows == neighbour_rows
    assert np.abs(counts - neighbour_counts).sum() <= 2


@pytest.mark.parametrize("name", TEXTS)
def test_one_changed_record_of_a_text_changes_one_row(tmp_path: Path, name: str) -> None:
    """Changing one record of a text file changes one row, however odd the record is.

    Each case is a way in which a record once changed other rows too. Both files must have the
    same number of rows. The row may leave one cell for another, which changes the counts by
    at most 2 in sum.
    """
    body_before, body_after, options = TEXTS[name]
    tables = []
    for name_of_file, body in (("one.csv", body_before), ("other.csv", body_after)):
        (tmp_path / name_of_file).write_bytes(body)
        tables.append(open_table(tmp_path / name_of_file, parse_format(options.split())))
    check_neighbours(*tables)


def write_book(path: Path, last_cell: object) -> None:
    """A workbook of fifty rows, 99 blank ones, one with this last cell, and one more."""
    book = openpyxl.Workbook()
    sheet = book.active
    for row in [
        ["a", "b"],
        *[["x", "y"]] * 50,
        *[[None, None]] * 99,
        ["x", last_cell],
        ["x", "y"],
    ]:
        sheet.append(row)
    book.save(path)


def write_stata(path: Path, text: object) -> None:
    """A Stata file of 101 rows, of which the last has this text."""
    frame = pd.DataFrame({"a": ["x"] * 101, "b": ["y"] * 100 + [text]})
    pyreadstat.write_dta(frame, str(path), version=15)


def write_spss(path: Path, seconds: object) -> None:
    """An SPSS file of two dates, given in seconds, the second of which is this."""
    frame = pd.DataFrame({"a": ["x", "x"], "b": [13e9, seconds]})
    pyreadstat.write_sav(frame, str(path), variable_format={"b": "DATE11"})


def write_nanoseconds(path: Path, text: Any) -> None:
    """A Parquet file of moments in nanoseconds, with this last text beside them."""
    moments = pa.array([1577836800123456789] * 51, pa.timestamp("ns"))
    texts = pa.array([b"x"] * 50 + [text]).view(pa.string())
    pq.write_table(pa.table({"a": moments, "b": texts}), path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "name", "value_before", "value_after"),
    [
        (write_book, "t.xlsx", "y", None),
        (write_stata, "t.dta", "y", "x,y\n" * LINES),
        (write_spss, "t.sav", 13.1e9, 1e18),
        (write_nanoseconds, "t.parquet", b"y", b"\xff"),
    ],
)
def test_one_changed_record_of_a_typed_file_changes_one_row(
    tmp_path: Path,
    write: Callable[[Path, Any], None],
    name: str,
    value_before: Any,
    value_after: Any,
) -> None:
    """Changing one cell of a workbook, Stata, SPSS or Parquet file changes one row.

    The cell becomes blank, very long, a date far away, or bytes that are no text.
    """
    tables = []
    for subfolder, value in (("one", value_before), ("other", value_after)):
        (tmp_path / subfolder).mkdir()
        write(tmp_path / subfolder / name, value)
        tables.append(open_table(tmp_path / subfolder / name))
    check_neighbours(*tables)


def test_a_blank_row_of_a_workbook_is_no_row(tmp_path: Path) -> None:
    """Blank rows of a workbook are not counted as rows.

    The workbook has 50 rows, then 99 blank ones, then two more: 52 rows.
    """
    write_book(tmp_path / "t.xlsx", "y")
    rows, _counts = count_rows_and_cells(open_table(tmp_path / "t.xlsx"))
    assert rows == 52


def test_one_changed_cell_of_a_frame_changes_one_row() -> None:
    """Changing one cell of a frame changes one row, even if its value is far out.

    2**62 is beyond what an engine holds of a duration, a time or a moment. One text makes
    pandas turn a column of dates into objects.
    """
    kinds = (pa.duration("s"), pa.time64("us"), pa.timestamp("s"))
    for kind in kinds:
        arrays = [pa.array([1, value]).view(kind) for value in (5, 2**62)]
        check_neighbours(
            *(held_table(pa.table({"a": ["x", "x"], "b": array})) for array in arrays)
        )

    dates = pd.to_datetime(["2020-01-01"] * 9)
    only_dates, with_a_text = ([*dates, dates[0]], [*dates, "unknown"])
    frames = [
        pd.DataFrame({"a": "x", "b": values}, dtype=object)
        for values in (only_dates, with_a_text)
    ]
    check_neighbours(*map(held_table, frames))
