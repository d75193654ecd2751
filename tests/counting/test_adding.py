"""Marginals of rows that pass by are those of rows that are held."""

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
from synth.private.counting import ENGINES, Engine, adding, counts, duckdb, rows_for
from synth.private.counting.adding import Adding
from synth.private.counting.counts import CodedRows, CountedRows, count_marginals
from synth.private.counting.engines import CountingEngine
from synth.private.table import open_table
from synth.spending import synthesize
from synth.util import SmallCodes
from tests.counting.coding import coded
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

    added = count_marginals(table, domain, [(0, 1)], engine=Engine.DUCKDB)

    expected = [sum(row == [a, b] for row in rows) for a in "FM" for b in "FM"]

    assert added.count((0, 1)).dense().tolist() == expected
    assert added.rows == 300_000


@pytest.mark.slow
@pytest.mark.parametrize("method", [Method.TREE, Method.AUTO])
def test_a_release_of_more_rows_than_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    """A release of rows that do not fit in memory counts them in passes over the file.

    The check of memory always says that they do not fit, and reading all rows at once would
    fail. The number of rows is public, so it must be exactly 20,000. The first noisy counts
    are within 60 standard deviations of exact ones.
    """
    path, _ = write_example(tmp_path)
    monkeypatch.setattr(counts, "_fit", lambda *_: False)
    monkeypatch.setattr(counts, "codes", None)  # a call of it would fail

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
    """Rows are held in memory up to the limit, and counted in passes with one byte less.

    A code takes at most four bytes, and there is room for three copies. The engine is
    replaced by one that reads nothing, so that only the decision is tested.
    """
    table = open_table(write(tmp_path / "t.csv", list(MIXED.names), ROWS))
    assert isinstance(rows_for(table, MIXED, lambda: GROUPS), CodedRows)

    needed_bytes = 3 * 4 * len(ROWS) * len(MIXED.columns)

    for memory, kind in ((needed_bytes, CodedRows), (needed_bytes - 1, CountedRows)):
        monkeypatch.setattr(limits, "memory_mb", lambda memory=memory: memory / 2**20)
        # Histograms themselves take no memory here.
        monkeypatch.setattr(adding, "BYTES", 0)
        monkeypatch.setattr(counts, "count", lambda *_, **_named: _Few())
        monkeypatch.setattr(duckdb, "DuckDB", _Engine)
        monkeypatch.setitem(ENGINES, "duckdb", CountingEngine(name="duckdb", start=_Engine))
        assert isinstance(rows_for(table, MIXED, lambda: GROUPS), kind)


class _Few:
    """Counts of as many rows as the table has, and nothing else."""

    rows = len(ROWS)


class _Engine:
    """Counts nothing."""

    def small_codes(self, *_: object) -> list[SmallCodes]:
        return [np.zeros(1, np.uint8)]

    def __enter__(self) -> "_Engine":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def marginals(self, *_: object, **_named: object) -> tuple[adding.Marginals, int]:
        return {}, 0


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
