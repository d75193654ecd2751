"""The engine of `docs/extending/engine.md`, which keeps the contract of all others."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from synth.cli.main import main
from synth.domain import Domain, Summand, write_schema
from synth.errors import TableError
from synth.estimate import MomentSum
from synth.privacy import ROW, Unit
from synth.private.counting import ENGINES, DuckDB
from synth.private.counting.adding import Added
from synth.private.counting.engines import CountingEngine
from synth.private.table import PrivateTable, open_table
from synth.util import Cells, Ints
from synth.verification import verify
from tests.counting.contract import EngineContract
from tests.tables import MIXED, ROWS, write


class Twice(DuckDB):
    """DuckDB, asked once more with one thread: the answers have to be the same."""

    def sums(
        self,
        table: PrivateTable,
        domain: Domain,
        sums: Sequence[Summand],
        *,
        unit: Unit = ROW,
    ) -> tuple[Cells, Ints, Ints, int]:
        """Find occupied cells, their counts, the sums of each, and the rows left out."""
        answer = super().sums(table, domain, sums, unit=unit)
        with DuckDB(threads=1) as engine:
            again = engine.sums(table, domain, sums, unit=unit)
        if any((a != b).any() for a, b in zip(answer[:3], again[:3], strict=True)):
            raise TableError("The table was counted twice, and the counts differ.")
        return answer

    def marginals(
        self,
        table: PrivateTable,
        domain: Domain,
        groups: Sequence[tuple[int, ...]],
        *,
        sums: Sequence[MomentSum] = (),
        unit: Unit = ROW,
    ) -> Added:
        """Count the marginals of groups of columns, and add numbers."""
        answer = super().marginals(table, domain, groups, sums=sums, unit=unit)
        with DuckDB(threads=1) as engine:
            again = engine.marginals(table, domain, groups, sums=sums, unit=unit)
        for group, counted in answer.marginals.items():
            if not all(map(np.array_equal, counted, again.marginals[group])):
                raise TableError("The table was counted twice, and the counts differ.")
        return answer


TWICE = CountingEngine(name="twice", start=Twice)


@pytest.fixture(autouse=True)
def offer_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put it beside the others."""
    monkeypatch.setitem(ENGINES, TWICE.name, TWICE)


class TestTwice(EngineContract):
    engine = "twice"


def test_it_counts_for_releases_and_answers(tmp_path: Path) -> None:
    """The documentation's example engine can be chosen for releases and questions by its
    name.

    It counts every table twice. Both commands succeed, and the bundle verifies.
    """
    table = write(tmp_path / "t.csv", list(MIXED.names), ROWS * 3)
    (tmp_path / "domain.json").write_text(json.dumps(write_schema(MIXED)))

    words = ["--domain", str(tmp_path / "domain.json"), "--epsilon", "1", "--engine", "twice"]
    words += ["--ledger", str(tmp_path / "b.db"), "--dataset", "t", "--budget", "2"]

    bundle = tmp_path / "b.zip"
    assert main(["release", str(table), *words, "--anyway", "--out", str(bundle)]) == 0
    assert verify(bundle).confirmed
    assert main(["ask", str(table), "--question", "count where sex = F", *words]) == 0


def test_counts_that_differ_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine refuses a table whose two counts differ.

    The fault is planted: the first of the two counts is one too large in every cell.
    """
    table = open_table(write(tmp_path / "t.csv", list(MIXED.names), ROWS))
    exact_sums = DuckDB.sums

    def count_one_more_on_one_side(
        self: DuckDB, *arguments: object, **named: object
    ) -> object:
        cells, counts, *further_answers = exact_sums(self, *arguments, **named)  # type: ignore[arg-type]
        return cells, counts + isinstance(self, Twice), *further_answers

    monkeypatch.setattr(DuckDB, "sums", count_one_more_on_one_side)

    with Twice() as engine, pytest.raises(TableError, match="counted twice"):
        engine.sums(table, MIXED, ())
