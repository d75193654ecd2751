"""Record batches of other libraries: copied once, to their end or not at all."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

import synth
from synth.door import Ledger
from synth.errors import LimitError, TableError
from synth.foreign import place
from synth.private.table import TableLike
from synth.private.table.frames import held_table
from synth.spending import mark_of
from tests.table.typed import read_rows

CONTENT = pa.table({"sex": ["f", "m"] * 500, "n": range(1_000)})
DOMAIN = {"sex": ["f", "m"]}


class Cursor:
    """What drivers of databases hand out."""

    def __init__(self, content: pa.Table = CONTENT) -> None:
        self.content = content

    def fetch_record_batch(self) -> pa.RecordBatchReader:
        return self.content.to_reader(max_chunksize=100)


class Stream:
    """An object of another library that gives an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return CONTENT.__arrow_c_stream__(requested_schema)


def make_relation() -> Any:
    """A relation of DuckDB with the content."""
    database = duckdb.connect()
    database.register("content", CONTENT)
    return database.table("content")


SOURCES: dict[str, Callable[[], Any]] = {
    "cursor": Cursor,
    "relation of DuckDB": make_relation,
    "reader": CONTENT.to_reader,
    "list": lambda: CONTENT.to_batches(max_chunksize=7),
    "generator": lambda: iter(CONTENT.to_batches(max_chunksize=400)),
    "another library": Stream,
}


@pytest.mark.parametrize("name", SOURCES)
def test_batches_are_read_as_a_table(name: str) -> None:
    """Record batches from any of these sources give the rows of the Arrow table they hold.

    The rows are compared without their order, which a database need not keep.
    """
    table = held_table(SOURCES[name]())
    assert table.header == ("sex", "n")
    rows = sorted(map(str, read_rows(table)))
    assert rows == sorted(map(str, read_rows(held_table(CONTENT))))


@pytest.mark.parametrize("name", SOURCES)
def test_all_calls_take_batches(name: str) -> None:
    """Each call of the library takes record batches from any of these sources.

    Half of the 1,000 rows have sex f. At epsilon 5 the noise moves a count by a few rows, so
    that the limits of 10% and of 30 rows leave much room. Batches are read once, so each call
    gets new ones.
    """
    make = SOURCES[name]
    released = synth.release(make(), DOMAIN, epsilon=5)
    assert synth.compare(make(), released).columns < 0.1
    (answer,) = synth.ask(make(), DOMAIN, "count where sex = f", epsilon=5)
    assert abs(answer.value[0] - 500) < 30
    assert synth.draft(make()).domain is not None


@pytest.mark.parametrize("take", [lambda batches: batches, synth.open_table])
def test_batches_have_no_name_for_a_ledger(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    take: Callable[[Any], TableLike],
) -> None:
    """Batches without a dataset's name are not recorded, as a frame is not, also if they were
    opened before: two tables of different people would else share one budget.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path))
    with pytest.warns(UserWarning, match=r"^Not recorded: a frame has no name"):
        synth.release(take(Cursor()), DOMAIN, epsilon=1)
    assert not (tmp_path / "ledger.db").exists()


def test_a_ledger_knows_the_rows_in_any_order(tmp_path: Path) -> None:
    """A ledger gives batches with the same rows the same mark, in any order of the rows.

    Of 1,000 rows the order is reversed; without the first row they are another table.
    """
    ledger = Ledger(tmp_path / "ledger.db")
    mark = mark_of(held_table(Cursor()), ledger)

    reversed_rows = CONTENT.take(pa.array(range(999, -1, -1)))
    assert mark_of(held_table(reversed_rows.to_reader()), ledger) == mark
    assert mark_of(held_table(CONTENT.slice(1).to_reader()), ledger) != mark


def stream_that_fails() -> Iterator[pa.RecordBatch]:
    """Three batches, then an error whose message holds a cell."""
    yield from CONTENT.to_batches(max_chunksize=100)[:3]
    raise ValueError("secret-cell")


def stream_that_changes_columns() -> Iterator[pa.RecordBatch]:
    """A batch of two columns, then one of a single column."""
    yield CONTENT.to_batches()[0]
    yield pa.record_batch({"sex": ["f"]})


@pytest.mark.parametrize("make", [stream_that_fails, stream_that_changes_columns])
def test_batches_that_stop_spend_nothing_and_leave_nothing(
    tmp_path: Path, make: Callable[[], Iterator[pa.RecordBatch]]
) -> None:
    """If the batches stop before their end, nothing is spent and no private copy remains.

    The exception has no context, as the library's own message could hold a cell.
    """
    ledger = Ledger(tmp_path / "ledger.db")
    private_files_before = set(place().rglob("*"))

    with pytest.raises(
        TableError, match="stopped before their end; nothing was spent"
    ) as error:
        synth.release(make(), DOMAIN, epsilon=1, ledger=ledger, dataset="people", budget=2)

    assert error.value.__context__ is None
    assert ledger.datasets() == []
    private_files = {path for path in place().rglob("*") if path.is_file()}
    assert private_files <= private_files_before


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ([], "an iterable without record batches"),
        ([1], "an iterable without record batches"),
        ({"sex": ["f"]}, "this is a dict"),
        (pd.Series(["f"]), "this is a Series"),
        (7, "this is a int"),
        (
            Cursor(pa.table({"sex": [["f"]]})),
            "nested columns, which are not supported: 'sex'",
        ),
        (Cursor(pa.table([["f"], ["m"]], ["sex", "sex"])), "two columns called 'sex'"),
    ],
)
def test_what_gives_no_table_is_refused(source: Any, sentence: str) -> None:
    """A release from an object that gives no table is refused, and the sentence says why."""
    with pytest.raises(TableError, match=sentence):
        synth.release(source, DOMAIN, epsilon=1)


def test_more_than_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches with more bytes than the limit, here lowered to 0 MB, are refused."""
    monkeypatch.setattr("synth.limits.UNPACKED_MB", 0)
    with pytest.raises(LimitError, match="'table' has more than 0 MB"):
        held_table(Cursor())
