"""Tables in memory are read as their files would be, and nothing of them is written or
told.
"""

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest

from synth.domain import UNREADABLE, Domain
from synth.door import Ledger
from synth.errors import TableError
from synth.foreign import folders
from synth.lessons import SURVEY_COLUMNS, survey_domain, write_example
from synth.private.counting import DuckDB, count
from synth.private.table import copy_plain, open_any
from synth.private.table.frames import held_table
from synth.private.table.objects import object_column
from synth.private.table.opening import Arrow
from synth.spending import mark_of


@pytest.fixture(scope="module")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The CSV file of the simulated survey."""
    return write_example(tmp_path_factory.mktemp("survey"))[0]


@pytest.fixture(scope="module")
def frame(csv: Path) -> pd.DataFrame:
    """The survey as a frame of pandas."""
    return pd.read_csv(csv)


KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "objects": lambda frame: frame.astype(object),
    "categories": lambda frame: frame.astype("category"),
    "floats": lambda frame: frame.assign(age=frame["age"].astype(float)),
    "arrow": pa.Table.from_pandas,
    "batch": lambda frame: pa.Table.from_pandas(frame).combine_chunks().to_batches()[0],
    "stream": lambda frame: pa.Table.from_pandas(frame).to_reader(),
    "polars": polars.from_pandas,
}


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_of_the_file(kind: str, csv: Path, frame: pd.DataFrame) -> None:
    """A table in memory of any kind has the same counts as the CSV file with its rows.

    The tables hold the simulated survey: pandas with several types of columns, Arrow, Polars.
    """
    domain = survey_domain().project(SURVEY_COLUMNS)
    expected = count(open_any(csv), domain)
    counts = count(open_any(KINDS[kind](frame)), domain)

    assert np.array_equal(counts.cells, expected.cells)
    assert np.array_equal(counts.counts, expected.counts)
    assert counts.rows == expected.rows == len(frame)


def test_how_a_value_is_read_follows_from_it_alone() -> None:
    """An object of another type among texts changes no other value.

    Whole numbers lose their decimals, bytes and half characters that are no text are
    unreadable, and every sort of absent value is missing. Only the date has a moment beside
    its text.
    """
    texts = ["x", "1", "2020-01-01"]
    odd = [1.0, 2, b"\xff", None, float("nan"), pd.NaT, datetime.date(2020, 1, 1), "\udc80"]
    table = held_table(pd.DataFrame({"a": [*texts, *odd]})).held
    column = table.column("a").combine_chunks()
    assert column.field("text").to_pylist() == [
        *texts,
        "1",
        "2",
        UNREADABLE,
        None,
        None,
        None,
        "2020-01-01",
        UNREADABLE,
    ]
    assert column.field("moment").drop_null().to_pylist() == [datetime.datetime(2020, 1, 1)]


def test_a_missing_value_that_makes_floats_of_integers_changes_no_other() -> None:
    """Codes 1 and 2 are counted alike whether pandas holds them as integers or as floats.

    A missing value makes pandas turn the column into floats, in which 1 is 1.0. The missing
    row itself is in no cell, because the domain declares none for it.
    """
    domain = Domain(code=["1", "2"])
    of_integers = pd.DataFrame({"code": [1, 2, 2]})
    of_floats = pd.DataFrame({"code": [1, 2, 2, None]})
    for frame in (of_integers, of_floats):
        assert count(held_table(frame), domain).dense().tolist() == [1, 2]


def refusal_of(table: Any) -> str:
    """The sentence with which a table in memory is refused."""
    with pytest.raises(TableError) as error:
        held_table(table)
    return str(error.value)


def test_names_that_are_none_are_refused() -> None:
    """A frame with a repeated column name, or with one that is no text, is refused."""
    twice = "The table has two columns called 'a'; rename one."
    assert refusal_of(pd.DataFrame([[1, 2]], columns=["a", "a"])) == twice
    assert refusal_of(pa.table([[1], [2]], ["a", "a"])) == twice
    assert refusal_of(pd.DataFrame([[1, 2]], columns=["a", 7])) == (
        "The name of column 2 is no text but of the type int; rename it, such as by "
        "df.columns = df.columns.map(str)."
    )


def test_what_is_no_table_is_refused() -> None:
    """An object that is no table is refused by its type, and a nested column by its name."""
    sentence = (
        "A table is a path, a DataFrame of pandas or Polars, an Arrow table or record "
        "batches; this is a"
    )
    assert refusal_of({"a": [1]}) == f"{sentence} dict."
    assert refusal_of(pd.Series([1])) == f"{sentence} Series."
    nested = pa.table({"a": [[1]]})
    assert refusal_of(nested) == "The table has nested columns, which are not supported: 'a'."


def test_a_lazy_frame_is_no_table_yet() -> None:
    lazy = polars.DataFrame({"a": [1]}).lazy()
    assert refusal_of(lazy) == "A LazyFrame has no rows yet; collect() it first."


def test_an_index_with_data_is_left_out_and_said() -> None:
    """An index of pandas that may hold data is left out, and a note says so.

    The index that pandas numbers by itself is left out without a note, also where rows were
    filtered.
    """
    left_out = "of the DataFrame is left out; reset_index() makes it a column."
    frame = pd.DataFrame({"a": [1, 2, 3]})
    assert held_table(frame).notes == held_table(frame[frame["a"] > 1]).notes == ()

    assert held_table(frame.set_index(pd.Index([1, 2, 3], name="pid"))).notes == (
        f"The index ('pid') {left_out}",
    )
    assert held_table(frame.set_index(pd.Index(list("xyz")))).notes == (
        f"The index {left_out}",
    )


def test_nothing_is_written_and_nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows in memory are never written to a folder, and no cell appears in the table's repr.

    Even the copy that damaged rows of a file get is refused, before a folder is made.
    """
    made_folders: list[object] = []
    monkeypatch.setattr(
        folders.tempfile, "mkdtemp", lambda *_a, **_k: made_folders.append(1) or ""
    )
    table = held_table(pd.DataFrame({"a": ["secret"]}))
    assert "secret" not in repr(table)
    assert not table.files

    with pytest.raises(
        TableError, match=r"^'DataFrame' cannot be read to its end; it is damaged"
    ):
        copy_plain(table)
    assert not made_folders


def test_an_engine_cannot_see_another_file(csv: Path) -> None:
    """An engine that has read a table in memory can open no file."""
    with DuckDB() as engine:
        engine.sums(held_table(pd.DataFrame({"a": [1]})), Domain(a=["1"]), ())
        with pytest.raises(duckdb.Error, match=r"[Pp]ermission|disabled"):
            engine._connection.execute(f"SELECT * FROM read_csv('{csv}')")


def test_a_ledger_knows_a_table_again_by_its_content(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    """A ledger on disk gives equal tables in memory equal marks, and others other marks.

    Copies, and the same rows in two pieces, are equal. A row less, a renamed column and one
    changed value each make another table. A ledger in memory gives no marks.
    """
    with Ledger(tmp_path / "ledger.db") as ledger:

        def mark(table: Arrow) -> str:
            return mark_of(held_table(table), ledger)

        arrow = pa.Table.from_pandas(frame)
        assert mark(frame) == mark(frame.copy()) == mark(arrow)
        pieces = pa.concat_tables(
            [pa.Table.from_pandas(frame[:100]), pa.Table.from_pandas(frame[100:])]
        )
        assert mark(pieces) == mark(frame)

        assert mark(frame[1:]) != mark(frame)
        assert mark(frame.rename(columns={"age": "years"})) != mark(frame)
        # Only the age of the first row differs, by one year.
        changed = frame.assign(age=frame["age"].where(frame.index > 0, 1 + frame["age"]))
        assert mark(changed) != mark(frame)

    assert mark_of(held_table(frame), Ledger()) == ""


def test_dates_among_objects_are_read_alike_in_one_go_and_one_by_one() -> None:
    """Dates in a column of nothing else are read as they are beside another value.

    Without other values the whole column is converted in one go. The 1 at the end makes Synth
    read it value by value. The dates include the first and the last possible one.
    """
    date = datetime.date
    days = [date(1, 1, 1), date(999, 3, 4), date(9999, 12, 31), None, date(2020, 2, 29)]
    assert object_column(days).to_pylist() == object_column([*days, 1]).to_pylist()[:5]
