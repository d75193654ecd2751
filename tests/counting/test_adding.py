"""Marginals of rows that pass by are those of rows that are held."""

from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from synth import limits
from synth.domain import Categorical, Domain, Outside
from synth.errors import LimitError
from synth.lessons import survey_domain, write_example
from synth.plans import Method, Plan
from synth.privacy import Neighbors
from synth.private.counting import Engine, Needs, adding, duckdb, one_reading, read_rows
from synth.private.counting.adding import Adding
from synth.private.counting.counts import CodedRows, CountedRows
from synth.private.table import open_table
from synth.spending import synthesize
from tests.counting.coding import coded, passing
from tests.tables import MIXED, ROWS, write

GROUPS = [
    group for size in (1, 2, 3) for group in combinations(range(len(MIXED.columns)), size)
]


@pytest.mark.slow
def test_many_pieces_add_up_and_unread_cells_are_left_out(tmp_path: Path) -> None:
    """Counts of 300,000 rows, which are read in pieces, are those of plain Python.

    Rows with "?" in a column are in no cell, as the rule for values outside says, but they
    count as rows.
    """
    rng = np.random.default_rng(0)
    rows = [[v, w] for v, w in rng.choice(["F", "M", "?"], (300_000, 2)).tolist()]
    table = open_table(write(tmp_path / "t.csv", ["a", "b"], rows))
    domain = Domain(
        tuple(Categorical(name=n, categories=("F", "M"), outside=Outside.DROP) for n in "ab")
    )

    added = passing(table, domain, [(0, 1)], engine=Engine.DUCKDB)

    expected = [sum(row == [a, b] for row in rows) for a in "FM" for b in "FM"]

    assert added.count((0, 1)).dense().tolist() == expected
    assert added.rows == 300_000


@pytest.mark.slow
@pytest.mark.parametrize("method", [Method.TREE, Method.AUTO])
def test_a_release_of_more_rows_than_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    """A release of rows that do not fit in memory counts them as they pass by.

    The check of memory always says that they do not fit, and holding them would fail. The
    number of rows is public, so it must be exactly 20,000. The first noisy counts are within
    60 standard deviations of exact ones.
    """
    path, _ = write_example(tmp_path)
    monkeypatch.setattr(one_reading, "_fits", lambda *_: False)
    monkeypatch.setattr(one_reading, "CodedRows", None)  # a call of it would fail

    plan = Plan(
        domain=survey_domain(), epsilon=1, neighbors=Neighbors.REPLACE_ONE, method=method
    )  # type: ignore[arg-type]
    result = synthesize(plan, path)

    assert (result.synthetic.rows, result.record.rows) == (20_000, 20_000)

    clique, noisy = result.record.measured[0]
    monkeypatch.undo()
    exact = coded(open_table(path), survey_domain()).count(clique).dense()
    assert np.abs(noisy.values - exact).max() < 60 * np.sqrt(noisy.mechanism.variance)


def test_rows_are_held_where_they_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are held in memory up to the limit, and counted in the same reading with one byte
    less.

    The codes of all columns of the small table have a byte each, and there is room for three
    copies. Both ways give the same counts.
    """
    table = open_table(write(tmp_path / "t.csv", list(MIXED.names), ROWS))
    rows, _ = read_rows(table, Needs(MIXED), lambda: GROUPS)
    assert isinstance(rows, CodedRows)

    needed_bytes = 3 * sum(column.nbytes for column in rows.codes)
    assert needed_bytes == 3 * len(rows.codes[0]) * len(MIXED.columns)
    # Histograms take no memory here, and the engine has a limit of its own.
    monkeypatch.setattr(adding, "BYTES", 0)
    monkeypatch.setattr(duckdb, "DuckDB", partial(duckdb.DuckDB, memory="1GB"))

    for memory, kind in ((needed_bytes, CodedRows), (needed_bytes - 1, CountedRows)):
        monkeypatch.setattr(limits, "memory_mb", lambda memory=memory: memory / 2**20)
        rows, _ = read_rows(table, Needs(MIXED), lambda: GROUPS)
        assert isinstance(rows, kind)


def test_rows_that_stop_to_fit_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that were held are counted with those that no longer fit, and none twice.

    The rows come in several pieces, and after the first one there is no more room.
    """
    table = open_table(write(tmp_path / "t.csv", list(MIXED.names), ROWS * 20_000))
    rows = coded(table, MIXED)
    fits = iter([True])
    monkeypatch.setattr(one_reading, "_fits", lambda _: next(fits, False))

    passed, _ = read_rows(table, Needs(MIXED), lambda: GROUPS)

    assert isinstance(passed, CountedRows)
    assert next(fits, None) is None
    assert passed.rows == rows.rows
    for group in GROUPS:
        assert passed.count(group).counts.tolist() == rows.count(group).counts.tolist()


def test_histograms_beyond_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Histograms that do not fit in memory are refused with the limit and a way out.

    Two columns of 300 cells have 90,000 pairs of 16 bytes each, more than 1 MB. A small
    histogram is accepted, and prints no count.
    """
    monkeypatch.setenv("SYNTH_MEMORY_MB", "1")

    with pytest.raises(LimitError) as caught:
        Adding((300, 300), [(0,), (0, 1)])
    assert str(caught.value) == (
        "The histograms of 2 groups of columns do not fit in 1 MB of memory, the limit "
        "(SYNTH_MEMORY_MB); leave out columns, or allow more."
    )

    added = Adding((2,), [(0,)])
    added.add([np.array([1], np.int32)])
    assert repr(added) == "Adding(private)"
