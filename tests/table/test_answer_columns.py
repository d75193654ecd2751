"""Columns of several answers in a cell become a yes/no column for each declared option."""

from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

import synth
from synth.domain import Boolean, Domain
from synth.errors import ArgumentError, TableError
from synth.privacy import RowReading
from synth.private.counting import count
from synth.private.table import PrivateTable, list_remarks, open_table, parse_format

CELLS = ["1,3", "2", "", "1, 2,3", "9", "3", "1,x", "2"]
SPLIT = "split=uses:,:1,2,3"
NAMES = ("uses_1", "uses_2", "uses_3", "uses_other")


def counted(table: PrivateTable) -> dict[str, list[int]]:
    """Return for each option how many rows say no, say yes, and have no answer."""
    numbers = {}
    for name in NAMES:
        domain = Domain((Boolean(name=name, missing=True),))
        counts = count(table, domain)
        by_cell = dict(zip(counts.cells.tolist(), counts.counts.tolist(), strict=True))
        numbers[name] = [by_cell.get(cell, 0) for cell in range(3)]
    return numbers


def write_table(path: Path) -> Path:
    """Write the cells as a column between two others, in the format that the name says."""
    rows = [["a", cell, str(number)] for number, cell in enumerate(CELLS)]
    if path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in [["x", "uses", "n"], *rows]:
            book.active.append(row)
        book.save(path)
    elif path.suffix == ".parquet":
        columns = [list(column) for column in zip(*rows, strict=True)]
        parquet.write_table(pa.table(columns, ["x", "uses", "n"]), path)
    else:
        lines = [f'{x},"{cell}",{number}' for x, cell, number in rows]
        path.write_text("x,uses,n\n" + "\n".join(lines) + "\nonly,two\n")
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx", "t.parquet"])
@pytest.mark.first_case
def test_each_option_gets_a_column(tmp_path: Path, name: str) -> None:
    """Options are counted row by row, other answers have a column, and blank cells no value.

    A row of text that is left out still is a row of the table.
    """
    path = write_table(tmp_path / name)
    table = open_table(path, parse_format([SPLIT]))
    assert table.header == ("x", *NAMES, "n")
    assert counted(table) == {
        "uses_1": [4, 3, 1],
        "uses_2": [4, 3, 1],
        "uses_3": [4, 3, 1],
        "uses_other": [5, 2, 1],
    }
    plain = open_table(path)
    assert table.reading is plain.reading
    assert (table.reading is RowReading.LINES) == (name == "t.csv")
    if name == "t.csv":
        assert table.left_out == 1
        assert (
            "1 row is left out because of another number of cells" in list_remarks(table)[0]
        )
    assert table.asked == (SPLIT,)


def test_the_columns_are_released_and_drafted(tmp_path: Path) -> None:
    """A draft describes the options as truth values, and a release writes them as columns."""
    path = tmp_path / "t.csv"
    path.write_text("uses,sex\n" + '"1,3",f\n2,m\n"1,2,3",f\n3,m\n' * 50)
    table = synth.open_table(path, split=["uses:,:1,2,3"])
    drafted = synth.draft(table)
    made = synth.release(table, drafted, epsilon=50, ledger=False)
    assert {*NAMES[:3], "sex"} <= {*made.table.columns}
    assert str(made.table.dtypes["uses_1"]) == "bool"
    assert made.table["uses_1"].mean() == pytest.approx(0.5, abs=0.05)


def test_splits_that_cannot_be_are_refused(tmp_path: Path) -> None:
    """The form of the option, an unknown column and a column of numbers are explained."""
    path = write_table(tmp_path / "t.csv")
    for text, sentence in (
        ("split=uses", "must have the form NAME:MARK:OPTIONS"),
        ("split=uses:,:1,,2", "must list no option twice"),
        ("split=uses:,:1,1", "must list no option twice"),
    ):
        with pytest.raises(ArgumentError, match=sentence):
            parse_format([text])
    with pytest.raises(TableError, match="no column 'use'; it has a similar one, 'uses'"):
        open_table(path, parse_format(["split=use:,:1,2"]))
    parquet.write_table(pa.table({"n": [1, 2]}), tmp_path / "t.parquet")
    with pytest.raises(TableError, match="Column 'n' holds no texts"):
        open_table(tmp_path / "t.parquet", parse_format(["split=n:,:1,2"]))


def test_several_columns_are_split_and_the_format_remembers_it() -> None:
    """The option may be given several times, also with a mark by its name."""
    options = ("split=a:space:red green", "split=b:;:x;y")
    form = parse_format(options)
    assert form.options == options
    assert parse_format(form.options) == form
