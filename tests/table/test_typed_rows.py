"""Parquet files: each cell is read on its own, whoever reads it and whatever the others
are.
"""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from synth.domain import UNREADABLE, Categorical, Domain, Outside
from synth.private.counting import count
from synth.private.table import (
    CELL,
    PrivateTable,
    copy_typed,
    list_remarks,
    open_table,
    read_typed_rows,
)
from tests.table.typed import (
    ISO,
    STORED,
    is_native,
    read_cell_by_cell,
    read_natively,
    read_rows,
    read_texts,
)

Save = Callable[..., PrivateTable]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """A function that writes columns a, b, ... to a new Parquet file and opens it."""
    paths: list[Path] = []

    def save_columns(*columns: Any, **options: Any) -> PrivateTable:
        """Columns a, b, ... as a Parquet file."""
        paths.append(tmp_path / f"t{len(paths)}.parquet")
        frame = pa.table(list(columns), list("abc"[: len(columns)]))
        parquet.write_table(frame, paths[-1], **options)
        return open_table(paths[-1])

    return save_columns


# A second that is no millisecond cannot be written, nor can one that is too far out.
FILED = {name: array for name, array in STORED.items() if "timestamp[s" not in name}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILED)
@pytest.mark.parametrize("pattern", ["", ISO])
def test_the_engine_reads_as_cell_by_cell_or_gives_up(
    save: Save, name: str, pattern: str
) -> None:
    """The engine's own reader of Parquet has the cells that Synth reads one by one, or fails.

    Where it fails on a column with hostile values, each value alone is tried. The private
    copy has the same cells as well. The column is read as texts or, with a pattern, as
    moments.
    """
    array = FILED[name]
    table = save(array)
    expected = read_cell_by_cell(table, pattern)
    assert len(expected) == len(array)

    copy = copy_typed(table)
    assert read_cell_by_cell(copy, pattern) == expected
    assert not is_native(copy) or read_natively(copy, pattern) == expected
    if not is_native(table) or read_natively(table, pattern) == expected:
        return

    for index in range(len(array)):
        one_cell = save(array.slice(index, 1))
        assert read_natively(one_cell, pattern) in (None, expected[index : index + 1])


@pytest.mark.slow
def test_a_cell_that_is_no_text_changes_no_cell_beside_it(save: Save) -> None:
    """A text that is no UTF-8 in one column changes no cell of the column beside it.

    Synth once copied such a table, with other texts for moments and durations. The other
    column is of each type, with hostile values.
    """
    for array in FILED.values():
        good = pa.array([b"x"] * len(array)).view(pa.string())
        bad = pa.array([b"\xff"] + [b"x"] * (len(array) - 1)).view(pa.string())
        good_rows = read_rows(save(array, good))
        bad_rows = read_rows(save(array, bad))
        assert bad_rows == [(good_rows[0][0], UNREADABLE), *good_rows[1:]], array.type


def test_a_common_file_is_read_by_the_engine_itself(save: Save) -> None:
    """Columns of the common types of pandas are read by the engine itself, which is fast.

    The cells are those that Synth reads one by one. If the engine failed, it would give None.
    """
    day = pd.to_datetime(["2020-01-02 03:04:05.678901"])
    frame = pd.DataFrame(
        {
            "whole": [1],
            "half": [0.5],
            "word": ["x"],
            "yes": [True],
            "listed": pd.Categorical(["x"]),
            "day": day,
            "ns": day.as_unit("ns"),
            "ms": day.as_unit("ms"),
            "utc": day.tz_localize("UTC"),
        }
    )
    for name in frame:
        table = save(pa.Table.from_pandas(frame[[name]]).column(0))
        assert read_natively(table) == read_cell_by_cell(table), name


def test_what_it_is_not_told_of_fails_the_engine_and_only_it(save: Save) -> None:
    """The engine fails on bytes that are no text or too long a text, but Synth does not.

    Nothing in the file announces such a cell. Synth then reads the table cell by cell, and
    this cell alone is unreadable. A text of `CELL` bytes is read by the engine.
    """
    for odd in (b"\xff", b"x" * (CELL + 1)):
        table = save(pa.array([b"x", odd]).view(pa.string()))
        assert read_natively(table) is None
        assert read_texts(table) == ["x", UNREADABLE]

    longest = "x" * CELL
    assert read_natively(save(pa.array(["x", longest]))) == [("x",), (longest,)]


def test_moments_have_the_same_text_in_every_unit(save: Save) -> None:
    """A moment in nanoseconds is read as the whole microsecond at or before it.

    That is so before 1970, too, where the numbers are negative. In all units 0 is the first
    moment of 1970. The engine and the reading cell by cell agree.
    """
    nanoseconds = [-1, 1, 1_577_934_245_678_901_234, -1_000_001]
    expected = [
        "1969-12-31 23:59:59.999999",
        "1970-01-01 00:00:00",
        "2020-01-02 03:04:05.678901",
        "1969-12-31 23:59:59.998999",
    ]
    for kind in (pa.timestamp("ns"), pa.timestamp("ns", "UTC")):
        table = save(pa.array(nanoseconds).cast(kind))
        assert read_texts(table) == [text for (text,) in read_cell_by_cell(table)] == expected
    for unit in ("ms", "us"):
        assert read_texts(save(pa.array([0], pa.timestamp(unit)))) == ["1970-01-01 00:00:00"]


def test_old_moments_are_not_wrapped_round(save: Save) -> None:
    """Moments of the years 4 to 9999 in INT96, as Spark writes them, are read as they are.

    64 bits of nanoseconds only reach from 1677 to 2262.
    """
    moments = pa.array(["3000-01-01", "0004-02-29", "9999-12-31"]).cast(pa.timestamp("us"))
    table = save(moments, use_deprecated_int96_timestamps=True)
    assert read_texts(table) == [
        "3000-01-01 00:00:00",
        "0004-02-29 00:00:00",
        "9999-12-31 00:00:00",
    ]


def test_whole_numbers_have_one_text_whatever_else_their_column_holds(save: Save) -> None:
    """The number 7 has the text '7' in columns of integers, floats and decimal numbers.

    A missing value makes floats of integers, and a second decimal lengthens all others.
    Floats are counted by this text: 7.0 is the declared category, and 7.5 is outside.
    """
    for values in ([7, 8], [7.0, None], [Decimal("7"), Decimal("8.5")], [Decimal("7.00")]):
        assert read_texts(save(pa.array(values)))[0] == "7"
    for frame in (pd.DataFrame({"a": [7, 8]}), pd.DataFrame({"a": [7, None]})):
        assert read_texts(save(pa.Table.from_pandas(frame).column(0)))[0] == "7"

    domain = Domain((Categorical(name="a", categories=("7",), outside=Outside.CELL),))
    assert count(save(pa.array([7.0, 7.5])), domain).dense().tolist() == [1, 1]


def test_durations_are_seconds_and_times_are_texts(save: Save) -> None:
    """A duration is read as seconds, and a time of day as text; one of no day is unreadable.

    Both columns count microseconds. A day ends before 86,400,000,000 of them.
    """
    spans = pa.array([90_000_500_000, -1, 2**62], pa.duration("us"))
    assert read_texts(save(spans)) == ["90000.5", "-1e-06", "4611686018427.388"]

    times = pa.array([3_600_500_000, -1, 86_400_000_000, 2**62], pa.time64("us"))
    assert read_texts(save(times)) == ["01:00:00.5", UNREADABLE, UNREADABLE, UNREADABLE]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("folder", ["a=F", "b=F", "sex=F", "a=F/b=1", "a=__HIVE_DEFAULT_"])
def test_the_name_of_a_folder_is_no_column(tmp_path: Path, folder: str, ending: str) -> None:
    """A folder name such as a=F adds no column and replaces no value of the files in it.

    Some programs write a column's value into folder names. The file is opened itself, and if
    it is Parquet also by its folder.
    """
    place = tmp_path / folder
    place.mkdir(parents=True)
    frame = pd.DataFrame({"a": ["x", "y", "y"], "b": ["1", "2", "2"]})
    path = place / f"part.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)

    tables = [open_table(path)]
    if ending == "parquet":
        tables.append(open_table(place))
    for table in tables:
        assert table.header == ("a", "b")
        assert read_rows(table) == [("x", "1"), ("y", "2"), ("y", "2")]


def test_columns_are_known_by_their_places(tmp_path: Path) -> None:
    """Columns of a Parquet file are found by position although names repeat or are empty.

    Column i holds the text i, and the result calls it p and i.
    """
    names = ["x", "x", "a.b", "a", "", "x_1"]
    frame = pa.table([pa.array([str(i)]) for i in range(6)], names)
    parquet.write_table(frame, tmp_path / "n.parquet")
    table = open_table(tmp_path / "n.parquet")
    for places in ([0], [1], [3, 2], [5, 0, 4]):
        columns = read_typed_rows(table, places).read_all()
        assert columns.to_pylist() == [{f"p{i}": str(i) for i in places}]


def test_what_cannot_be_read_is_told_by_row_once_for_each_column(save: Save) -> None:
    """Unreadable cells of counted columns are told by row, once for all counts.

    Of three rows, one has bytes that are no text and one a text above the limit. The file has
    the column twice; the domain declares only the first.
    """
    blobs = pa.array([b"x", b"\xff", b"y" * (CELL + 1)]).view(pa.string())
    table = save(blobs, blobs)
    assert not list_remarks(table)
    domain = Domain((Categorical(name="a", categories=("x",), outside=Outside.CELL),))
    for _ in range(2):
        assert count(table, domain).dense().tolist() == [1, 2]
        assert list_remarks(table) == [
            "1 cell is counted as not declared because of bytes that are not text in the "
            "file's encoding, on line 2.",
            "1 cell is counted as not declared because of more than 2,000,000 bytes, on line "
            "3.",
        ]


def test_a_wide_file_is_read_a_few_rows_at_a_time(save: Save, monkeypatch: Any) -> None:
    """A file is read in batches of a limited number of cells, not of rows.

    The limit is lowered to 4 cells. With two columns a batch has 2 rows, so 10 rows come in 5
    batches.
    """
    from synth.private.table import typed_rows as module

    monkeypatch.setattr(module, "BATCH_CELLS", 4)
    numbers = pa.array(np.arange(10))
    table = save(numbers, numbers)
    reader = read_typed_rows(table, [0, 1])
    sizes = [len(batch) for batch in reader]
    assert sizes == [2] * 5
