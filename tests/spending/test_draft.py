"""Drafts through the door: replayed on neighbours, paid once, and on hostile tables."""

import json
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.domain import DRAFTED, Categorical, Date, Integer, read_schema
from synth.door import Door, Ledger, drafts_of
from synth.door.parts import Kept, Part
from synth.drafting import Candidates, DraftRequest
from synth.errors import LedgerError, LimitError, ReleaseError, SynthError, TableError
from synth.noise import DiscreteLaplace, PartitionSelection
from synth.privacy import ROW, Guarantee, Neighbors, Unit, parse_budget
from synth.private.counting import Scan, ValueRows
from synth.private.queries import drafts
from synth.private.table import PrivateTable, open_table
from synth.spending import draft_domain
from synth.spending.draft import DraftWork
from tests.audit.mutate import catch
from tests.conftest import Report
from tests.models.doors import open_door
from tests.tables import write

HEADER = ["age", "sex", "town", "seen", "note", "code"]
TOWNS = ("Bonn", "Kiel", "Ulm")
DELTA = Fraction(1, 10**6)
BOTH = Guarantee.approximate(30, DELTA)


def rows_of(count: int) -> list[list[str]]:
    return [
        [
            str(20 + i % 50) if i % 20 else "99" if i % 40 else "NA",
            "FM"[i % 2],
            TOWNS[i % 3],
            f"{1 + i % 28}.{1 + i % 12}.2014",
            f"note {i} of many words",
            str(100_000 + i),
        ]
        for i in range(count)
    ]


ROWS = rows_of(600)


def table_of(
    path: Path, rows: list[list[str]] = ROWS, header: list[str] = HEADER
) -> PrivateTable:
    return open_table(write(path, header, rows))


def request_of(guarantee: Guarantee = BOTH, **given: Any) -> DraftRequest:
    return DraftRequest(
        columns=given.pop("columns", tuple(HEADER)), guarantee=guarantee, **given
    )


@pytest.mark.usefixtures("frozen")
def test_a_draft_settles_what_can_be_and_says_the_rest(tmp_path: Path) -> None:
    made = draft_domain(request_of(), table_of(tmp_path / "t.csv"))
    domain = read_schema(json.loads(json.dumps(made.document)))
    age, sex, town, seen = (domain[name] for name in HEADER[:4])
    assert isinstance(age, Integer)
    assert (int(age.minimum), int(age.maximum), age.spikes) == (21, 69, ("99",))  # few are 20
    assert (set(sex.categories), town.categories) == ({"F", "M"}, TOWNS)
    assert isinstance(seen, Date)
    assert (seen.format, seen.minimum[-4:], seen.maximum[-4:]) == ("%d.%m.%Y", "2014", "2014")
    assert "free text" in made.open["note"]
    assert "a key" in made.open["code"]
    assert set(made.missing) == {"NA"}
    assert (domain.origin, made.domain) == (DRAFTED, domain)
    assert drafts_of(domain) == (made.preparation,)
    assert made.preparation.guarantee == BOTH


def test_without_a_delta_only_listed_values_are_found(
    frozen: "Frozen", tmp_path: Path
) -> None:
    pure, table = Guarantee.pure(30), table_of(tmp_path / "t.csv")
    made = draft_domain(request_of(pure, columns=("sex", "town")), table)
    assert "no delta was given" in made.open["town"]
    lists = Candidates.from_json({"town": ["Bonn", "Kiel", "Ulm", "Rom"]})
    frozen.outputs, frozen.given = [], 0
    again = draft_domain(request_of(pure, columns=("town",), candidates=lists), table)
    assert again.domain["town"] == Categorical(name="town", categories=TOWNS, missing=True)


def test_a_repeated_draft_is_free_and_the_same(tmp_path: Path) -> None:
    table = table_of(tmp_path / "t.csv")
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.set_budget(
            "table", parse_budget("epsilon=40,delta=1e-3", Neighbors.REPLACE_ONE)
        )
        first = draft_domain(request_of(), table, ledger=ledger)
        again = draft_domain(request_of(), table, ledger=ledger)
        assert again.document == first.document
        assert (first.repeated, again.repeated) == (False, True)
        (entry,) = ledger.entries()
        assert (entry.guarantee, entry.hash) == (BOTH, first.entry)
        assert entry.purpose == "draft of 6 columns"
        with pytest.raises(LedgerError, match="only 10 is left"):
            draft_domain(request_of(columns=("age",)), table, ledger=ledger)
        assert len(ledger.entries()) == 1


def test_a_delta_does_not_fit_into_a_rho_budget(tmp_path: Path) -> None:
    table = table_of(tmp_path / "t.csv")
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("table", parse_budget("rho=1000,delta=1e-3", Neighbors.REPLACE_ONE))
        with pytest.raises(LedgerError, match="allows no delta"):
            draft_domain(request_of(), table, ledger=ledger)
        assert not ledger.entries()


# Replay on neighbours.


@dataclass
class Frozen:
    """Stands in for all noise: keeps its inputs, gives the same outputs every time."""

    inputs: list[np.ndarray] = field(default_factory=list)
    spends: list[Guarantee] = field(default_factory=list)
    outputs: list[np.ndarray] = field(default_factory=list)
    given: int = 0

    def noisy(self, values: np.ndarray) -> np.ndarray:
        """The first table's own answers, whoever asks."""
        self.inputs.append(values.copy())
        if len(self.outputs) <= self.given:
            self.outputs.append(values.copy())
        self.given += 1
        return self.outputs[self.given - 1]

    def kept(self, values: np.ndarray) -> np.ndarray:
        """The values that most rows have, on either side."""
        return (values >= 50).astype(np.int64)


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> Frozen:
    made, draw = Frozen(), Kept.draw
    monkeypatch.setattr(DiscreteLaplace, "release", lambda _, values: made.noisy(values))
    monkeypatch.setattr(PartitionSelection, "release", lambda _, values: made.kept(values))

    def drawn(kept: Kept, number: int, *given: Any) -> Part:
        part = draw(kept, number, *given)
        made.spends.append(part.cost)
        return part

    monkeypatch.setattr(Kept, "draw", drawn)
    return made


SECRET = ["-7e300", "zzz-secret", "zzz-secret", "31.2.2014", "x" * 30_000, "1e400"]


def replay(
    frozen: Frozen, folder: Path, neighbors: Neighbors, tables: list[list[list[str]]]
) -> tuple[list[str], list[list[np.ndarray]]]:
    """What is said of each table, with the noise of the first, and what the noise was put
    on.
    """
    said, inputs = [], []
    for number, rows in enumerate(tables):
        frozen.inputs, frozen.given, frozen.spends = [], 0, []
        made = draft_domain(
            request_of(neighbors=neighbors), table_of(folder / f"{number}.csv", rows)
        )
        said.append(json.dumps(made.document["fields"]) + json.dumps(made.open))
        inputs.append(frozen.inputs)
    return said, inputs


def neighbours_of(neighbors: Neighbors) -> list[list[list[str]]]:
    if neighbors is Neighbors.ADD_REMOVE:
        return [ROWS, ROWS[1:], [*ROWS, SECRET]]
    return [ROWS, [SECRET, *ROWS[1:]], [*ROWS[:-1], [""] * len(HEADER)]]


def moved(inputs: list[list[np.ndarray]]) -> int:
    """The most that an answer moves, in L1."""
    pairs = [zip(inputs[0], other, strict=True) for other in inputs[1:]]
    return max(int(np.abs(a - b).sum()) for pair in pairs for a, b in pair)


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_only_the_noise_tells_neighbours_apart(
    neighbors: Neighbors, frozen: Frozen, tmp_path: Path
) -> None:
    said, inputs = replay(frozen, tmp_path, neighbors, neighbours_of(neighbors))
    assert len(set(said)) == 1
    assert "secret" not in said[0]
    assert moved(inputs) == neighbors.sensitivity
    total = frozen.spends[0]
    for cost in frozen.spends[1:]:
        total += cost
    assert total.epsilon <= 30
    assert total.delta <= DELTA


def _read_exactly(_work: DraftWork, _door: Door, _name: str, exact: Any, *_rest: Any) -> Any:
    """Which cells there are, with no noise at all, as what came out."""
    return np.where(exact > 0, 10**6, 0)


def _twice(name: str, counts: Any, *rest: Any, **named: Any) -> Any:
    return drafts.column_cells(name, 2 * counts, *rest, **named)


@pytest.mark.mutant
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "place", "change"),
    [
        ("a column counted twice", "synth.spending.draft.column_cells", _twice),
        ("bounds read exactly", "synth.spending.draft.DraftWork._cells", _read_exactly),
    ],
)
def test_a_leak_of_a_draft_is_caught(
    name: str,
    place: str,
    change: Any,
    frozen: Frozen,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    report: Report,
) -> None:
    monkeypatch.setattr(place, change)
    other = [["900", *row[1:]] for row in ROWS[:1]] + ROWS[1:]
    shrunk = [["", *row[1:]] if row[0] == "69" else row for row in ROWS]
    tables = [*neighbours_of(Neighbors.REPLACE_ONE), other, shrunk][
        : 3 if "twice" in name else 5
    ]
    said, inputs = replay(frozen, tmp_path, Neighbors.REPLACE_ONE, tables)
    seen = len(set(said)) > 1 or moved(inputs) > 2
    catch(name, "5 record and replay", lambda: seen, report)


def test_a_second_scan_for_one_share_is_refused(tmp_path: Path) -> None:
    """A door lets out no more than was charged: a column asked twice is one too many."""
    request = request_of(columns=("age",))
    work = DraftWork(request, Scan(table_of(tmp_path / "t.csv"), ("age",), ROW))
    door = open_door(request.guarantee, request.neighbors)
    shapes, _ = work.shapes()
    for _ in range(2):
        work.findings(door, shapes)
    with pytest.raises(ReleaseError, match="more than is left"):
        work.findings(door, shapes)


# Persons.


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_a_person_moves_all_that_leaves_by_what_is_paid_for(
    neighbors: Neighbors, frozen: Frozen, tmp_path: Path
) -> None:
    unit, header = Unit("pid", 2), ["pid", "age", "town"]
    rows = [[f"p{i // 4}", str(20 + i % 50), TOWNS[i % 3]] for i in range(600)]
    gone = [row for row in rows if row[0] != "p3"]
    come = [["new", "-1", "zzz-secret"]] * 7
    other = gone if neighbors is Neighbors.ADD_REMOVE else [*gone, *come]
    inputs = []
    for number, table in enumerate((rows, other)):
        frozen.inputs, frozen.given = [], 0
        request = request_of(columns=("age", "town"), unit=unit, neighbors=neighbors)
        made = draft_domain(request, table_of(tmp_path / f"{number}.csv", table, header))
        inputs.append(frozen.inputs)
    assert 0 < moved(inputs) <= unit.sensitivity(neighbors)
    assert made.preparation.unit == unit
    assert inputs[0][0].sum() == 300, "two rows of each of 150 persons"


# Hostile tables.


def test_nine_thousand_columns_are_refused_with_the_limit() -> None:
    with pytest.raises(LimitError, match=r"at most 1,000 columns, and these are 9,074"):
        request_of(columns=tuple(f"c{i}" for i in range(9_074)))


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_an_empty_table_is_refused_only_where_its_rows_are_public(
    neighbors: Neighbors, tmp_path: Path
) -> None:
    table = table_of(tmp_path / "t.csv", [])
    if neighbors is Neighbors.REPLACE_ONE:
        with pytest.raises(TableError, match="has a header but no rows"):
            draft_domain(request_of(), table)
    else:
        made = draft_domain(request_of(neighbors=neighbors), table)
        assert made.domain is None or len(made.settled) < 2


def test_a_damaged_line_counts_as_a_row_where_a_table_without_rows_is_refused(
    tmp_path: Path,
) -> None:
    """Else the refusal would tell two tables of one row apart."""
    request = DraftRequest(columns=("sex", "age"), guarantee=Guarantee.pure(1))
    for line in ("F,70", 'F,"70'):
        table = tmp_path / "a.csv"
        table.write_text(f"sex,age\n{line}\n", encoding="utf-8")
        assert draft_domain(request, table).entry


def test_cells_of_30_kb_and_numbers_beyond_all_bounds_stay_open(tmp_path: Path) -> None:
    cells = ["nan", "inf", "-inf", "1e400", "1e16"]
    rows = [["x" * 30_000, cells[i % 5], f"a{i}@b.de"] for i in range(200)]
    table = table_of(tmp_path / "t.csv", rows, ["long", "huge", "mail"])
    made = draft_domain(request_of(columns=("long", "huge", "mail")), table)
    assert made.domain is None
    assert "long texts" in made.open["long"]
    assert "too large" in made.open["huge"]
    assert "mailboxes" in made.open["mail"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"columns": ()}, "at least one column"),
        ({"columns": ("a", "a")}, "twice"),
        ({"columns": ("a",), "unit": Unit("a")}, "says whose row it is"),
        (
            {"columns": ("a",), "candidates": Candidates.from_json({"b": ["x"]})},
            "not drafted",
        ),
        ({"guarantee": Guarantee.zcdp(1)}, "no rho"),
        (
            {"guarantee": Guarantee.approximate(1, Fraction(1, 2**127))},
            "delta of the draft is too",
        ),
        ({"guarantee": Guarantee.pure(Fraction(1, 10**15))}, "too small for so many columns"),
    ],
)
def test_a_request_that_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SynthError, match=said):
        request_of(given.pop("guarantee", BOTH), **given)


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no column 'agee'; it has a similar one, 'age'"):
        draft_domain(request_of(columns=("agee",)), table_of(tmp_path / "t.csv"))


def test_private_values_leave_by_no_other_way() -> None:
    asked = drafts.listed_values(
        "a", ValueRows(("x",), np.array([50])), ROW, neighbors=Neighbors.ADD_REMOVE
    )
    door = open_door(BOTH)
    with pytest.raises(ReleaseError, match="selected, and not measured"):
        door.measure(asked, DiscreteLaplace(Fraction(1)))
    with pytest.raises(ReleaseError, match="among listed candidates"):
        door.choose(asked, Guarantee.pure(1))
    plain = drafts.column_cells(
        "a", np.array([1]), ["x"], unit=ROW, neighbors=Neighbors.ADD_REMOVE
    )
    with pytest.raises(ReleaseError, match="as private as their counts"):
        door.select(plain, BOTH)
