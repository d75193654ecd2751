"""What is seen to before a door is opened."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from synth import limits
from synth.door.ledger.ledger import Ledger
from synth.errors import LimitError, TableError
from synth.privacy.budget import parse_budget
from synth.privacy.guarantee import ROW, Guarantee, Neighbors, Unit
from synth.private.table.private_table import PrivateTable, open_table
from synth.spending.opening import check_rows, mark_of, open_door, request_of


@dataclass
class Asked:
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    dataset: str = "people"
    unit: Unit = ROW
    request: str = "what is asked"


def _table(folder: Path) -> PrivateTable:
    path = folder / "t.csv"
    path.write_text("age\n3\n", encoding="utf-8")
    return open_table(path)


def test_a_public_number_of_rows_is_not_zero(tmp_path: Path) -> None:
    table = _table(tmp_path)
    with pytest.raises(TableError, match=r"^'t\.csv' has a header but no rows\.$"):
        check_rows(Asked(), table, 0)
    check_rows(Asked(Neighbors.ADD_REMOVE), table, 0)
    check_rows(Asked(unit=Unit("age", 2)), table, 0)


def test_more_rows_than_the_limit_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = _table(tmp_path)
    monkeypatch.setattr(limits, "table_rows", lambda: 1_000)
    check_rows(Asked(), table, 1_000)
    with pytest.raises(LimitError, match=r"^The table has more than 1,000 rows, the limit"):
        check_rows(Asked(), table, 1_001)


def test_an_open_door_has_spent_for_this_table(tmp_path: Path) -> None:
    table = _table(tmp_path)
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.set_budget("people", parse_budget("1", Neighbors.REPLACE_ONE))
    door = open_door(Asked(), table, ledger, Guarantee.pure(1), "a test")
    assert [entry.hash for entry in ledger.entries()] == [door.entry.hash]
    assert door.entry.guarantee == Guarantee.pure(1)
    assert mark_of(table, ledger)
    assert not mark_of(table, Ledger())
    assert request_of(Asked(), table).startswith("what is asked")
    again = open_door(Asked(), table, ledger, Guarantee.pure(1), "a test")
    assert again.entry.hash == door.entry.hash
