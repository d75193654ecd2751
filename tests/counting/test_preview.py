"""The first rows of a table, for its steward alone."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from synth import limits
from synth.private.counting import read_first_rows
from synth.private.table import open_table
from tests.tables import write


def test_the_first_rows_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Of 10,000 rows, the first eight are read as they stand; an empty cell is None."""
    rows = [[str(number), "" if number == 2 else "x"] for number in range(10_000)]
    table = open_table(write(tmp_path / "t.csv", ["n", "mark"], rows))

    first = read_first_rows(table)
    assert first == [(str(n), None if n == 2 else "x") for n in range(limits.PREVIEW_ROWS)]


def test_a_typed_cell_without_a_value_is_none(tmp_path: Path) -> None:
    """Numbers of a Parquet file are texts, and a missing one is None."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": pa.array([1, None, 3]), "day": ["a", "b", None]}), path)

    assert read_first_rows(open_table(path)) == [("1", "a"), (None, "b"), ("3", None)]


def test_long_cells_and_wide_tables_are_cut(tmp_path: Path) -> None:
    """Of 70 columns 60 are read, and of a cell its first 80 characters."""
    header = [f"c{number}" for number in range(70)]
    table = open_table(write(tmp_path / "t.csv", header, [["y" * 500, *"x" * 69]]))

    (row,) = read_first_rows(table)
    assert len(row) == limits.PREVIEW_COLUMNS
    assert row[0] == "y" * limits.PREVIEW_CHARACTERS + "…"


def test_a_table_without_rows_has_none(tmp_path: Path) -> None:
    assert read_first_rows(open_table(write(tmp_path / "t.csv", ["a"], []))) == []
