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
from synth.door.parts import Part, StoredParts
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
    """Rows of six columns: ages, sexes, towns, days of 2014, free text, and a number like a
    key.

    Of each 40 ages one is missing ("NA") and one is the sentinel 99; the others are 20 to 69.
    """

    def age_of(i: int) -> str:
        """The age in row i, of which one in 20 is not declared: 99 or missing in turn."""
        if i % 20:
            return str(20 + i % 50)
        return "99" if i % 40 else "NA"

    return [
        [
            age_of(i),
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
    """Write the rows as a CSV file and open it."""
    return open_table(write(path, header, rows))


def request_of(guarantee: Guarantee = BOTH, **fields: Any) -> DraftRequest:
    """Request a draft, by default of all six columns for epsilon 30 and a delta."""
    return DraftRequest(
        columns=fields.pop("columns", tuple(HEADER)), guarantee=guarantee, **fields
    )


@pytest.mark.usefixtures("frozen")
def test_a_draft_settles_what_can_be_and_says_the_rest(tmp_path: Path) -> None:
    """A draft declares columns whose values enough rows have, and says why others stay open.

    Noise is replaced by exact counts (the fixture `frozen`). Free text and keys stay open.
    What was paid is recorded in the declaration.
    """
    draft = draft_domain(request_of(), table_of(tmp_path / "t.csv"))
    # As somebody reads the declaration from its file.
    domain = read_schema(json.loads(json.dumps(draft.document)))
    age, sex, town, seen_column = (domain[name] for name in HEADER[:4])

    assert isinstance(age, Integer)
    # Ages are 20 to 69, but too few rows are 20, so the declared range begins at 21.
    assert (int(age.minimum), int(age.maximum), age.spikes) == (21, 69, ("99",))
    assert (set(sex.categories), town.categories) == ({"F", "M"}, TOWNS)
    assert isinstance(seen_column, Date)
    assert (seen_column.format, seen_column.minimum[-4:], seen_column.maximum[-4:]) == (
        "%d.%m.%Y",
        "2014",
        "2014",
    )

    assert "free text" in draft.open["note"]
    assert "a key" in draft.open["code"]
    assert set(draft.missing) == {"NA"}

    assert (domain.origin, draft.domain) == (DRAFTED, domain)
    assert drafts_of(domain) == (draft.preparation,)
    assert draft.preparation.guarantee == BOTH


def test_without_a_delta_only_listed_values_are_found(
    frozen: "Frozen", tmp_path: Path
) -> None:
    """Without a delta, values that nobody listed stay open; listed candidates are found.

    Rom is listed too, but no row has it, so it is not declared.
    """
    pure = Guarantee.pure(30)
    table = table_of(tmp_path / "t.csv")

    draft = draft_domain(request_of(pure, columns=("sex", "town")), table)
    assert "no delta was given" in draft.open["town"]

    lists = Candidates.from_json({"town": ["Bonn", "Kiel", "Ulm", "Rom"]})
    # The stand-in for noise forgets the first draft.
    frozen.outputs = []
    frozen.draws_given = 0
    again = draft_domain(request_of(pure, columns=("town",), candidates=lists), table)
    assert again.domain["town"] == Categorical(name="town", categories=TOWNS, missing=True)


def test_a_repeated_draft_is_free_and_the_same(tmp_path: Path) -> None:
    """A repeated draft is free and the same; another draft is paid from what is left.

    Of a budget of 40 a draft for 30 leaves 10, too little for another draft for 30.
    """
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
    """A draft with a delta cannot be paid from a budget of rho, and nothing is recorded."""
    table = table_of(tmp_path / "t.csv")
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("table", parse_budget("rho=1000,delta=1e-3", Neighbors.REPLACE_ONE))

        with pytest.raises(LedgerError, match="allows no delta"):
            draft_domain(request_of(), table, ledger=ledger)
        assert not ledger.entries()


# Replay on neighbours.


@dataclass
class Frozen:
    """Stands in for all noise, so that two tables can be compared.

    It keeps the exact values that it was to hide. It answers each draw with the first table's
    exact values of the same draw.
    """

    inputs: list[np.ndarray] = field(default_factory=list)
    spends: list[Guarantee] = field(default_factory=list)
    outputs: list[np.ndarray] = field(default_factory=list)
    draws_given: int = 0

    def noisy(self, values: np.ndarray) -> np.ndarray:
        """The first table's own answers, whoever asks."""
        self.inputs.append(values.copy())
        if len(self.outputs) <= self.draws_given:
            self.outputs.append(values.copy())
        self.draws_given += 1
        return self.outputs[self.draws_given - 1]

    def kept(self, values: np.ndarray) -> np.ndarray:
        """The values that most rows have, on either side."""
        return (values >= 50).astype(np.int64)


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> Frozen:
    """Replace noise by `Frozen`, which also keeps the cost of every noisy part."""
    fixed_noise = Frozen()
    draw = StoredParts.draw
    monkeypatch.setattr(
        DiscreteLaplace, "release", lambda _, values: fixed_noise.noisy(values)
    )
    monkeypatch.setattr(
        PartitionSelection, "release", lambda _, values: fixed_noise.kept(values)
    )

    def drawn(value_store: StoredParts, number: int, *arguments: Any) -> Part:
        part = draw(value_store, number, *arguments)
        fixed_noise.spends.append(part.cost)
        return part

    monkeypatch.setattr(StoredParts, "draw", drawn)
    return fixed_noise


SECRET = ["-7e300", "zzz-secret", "zzz-secret", "31.2.2014", "x" * 30_000, "1e400"]


def replay(
    frozen: Frozen, folder: Path, neighbors: Neighbors, tables: list[list[list[str]]]
) -> tuple[list[str], list[list[np.ndarray]]]:
    """Draft each table with the noise of the first one.

    Returns what each draft says, and by table the exact values that noise was to hide.
    """
    outcomes = []
    inputs = []
    for number, rows in enumerate(tables):
        frozen.inputs = []
        frozen.draws_given = 0
        frozen.spends = []
        draft = draft_domain(
            request_of(neighbors=neighbors), table_of(folder / f"{number}.csv", rows)
        )
        outcomes.append(json.dumps(draft.document["fields"]) + json.dumps(draft.open))
        inputs.append(frozen.inputs)
    return outcomes, inputs


def neighbours_of(neighbors: Neighbors) -> list[list[list[str]]]:
    """The table and two of its neighbours, with odd and secret cells or with blank ones."""
    if neighbors is Neighbors.ADD_REMOVE:
        return [ROWS, ROWS[1:], [*ROWS, SECRET]]
    return [ROWS, [SECRET, *ROWS[1:]], [*ROWS[:-1], [""] * len(HEADER)]]


def largest_move(inputs: list[list[np.ndarray]]) -> int:
    """The largest L1 distance of an exact answer of a neighbour from the first table's."""
    pairs = [zip(inputs[0], input, strict=True) for input in inputs[1:]]
    return max(int(np.abs(a - b).sum()) for pair in pairs for a, b in pair)


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_only_the_noise_tells_neighbours_apart(
    neighbors: Neighbors, frozen: Frozen, tmp_path: Path
) -> None:
    """With the same noisy values, neighbouring tables lead to the same draft.

    So only noisy values tell of the rows. The exact values behind them differ by no more than
    the sensitivity for which noise is drawn. The costs of all parts stay within the paid
    epsilon of 30 and its delta.
    """
    outcomes, inputs = replay(frozen, tmp_path, neighbors, neighbours_of(neighbors))

    assert len(set(outcomes)) == 1
    assert "secret" not in outcomes[0]
    assert largest_move(inputs) == neighbors.sensitivity

    total = frozen.spends[0]
    for cost in frozen.spends[1:]:
        total += cost
    assert total.epsilon <= 30
    assert total.delta <= DELTA


def _read_exactly(
    _work: DraftWork, _door: Door, _name: str, exact: Any, **_options: Any
) -> Any:
    """In the place of noisy counts, tell without noise which cells some row has."""
    return np.where(exact > 0, 10**6, 0)


def _count_twice(name: str, counts: Any, *arguments: Any, **options: Any) -> Any:
    """The query of a column whose cells are all counted twice."""
    return drafts.column_cells(name, 2 * counts, *arguments, **options)


@pytest.mark.mutant
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "place", "change"),
    [
        ("a column counted twice", "synth.spending.draft.column_cells", _count_twice),
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
    """The replay on neighbouring tables catches a draft that leaks exact values.

    Two leaks are planted: a query that counts every row twice, and bounds that are read
    without noise. A replaced row may move exact values by 2 in L1 at most, and may change a
    draft only by its noisy values. For bounds that are read exactly, two more tables have
    another largest age.
    """
    monkeypatch.setattr(place, change)

    tables = neighbours_of(Neighbors.REPLACE_ONE)
    if "twice" not in name:
        with_larger_age = [["900", *ROWS[0][1:]], *ROWS[1:]]
        without_largest_age = [["", *row[1:]] if row[0] == "69" else row for row in ROWS]
        tables += [with_larger_age, without_largest_age]

    outcomes, inputs = replay(frozen, tmp_path, Neighbors.REPLACE_ONE, tables)
    is_caught = len(set(outcomes)) > 1 or largest_move(inputs) > 2
    catch(name, "5 record and replay", lambda: is_caught, report)


def test_a_second_scan_for_one_share_is_refused(tmp_path: Path) -> None:
    """Noisy counts of one column more often than was paid for are refused.

    The counts by shape get half of a column's epsilon. So two rounds are covered, although
    one is usual, and the third exceeds what was charged.
    """
    request = request_of(columns=("age",))
    work = DraftWork(request, Scan(table_of(tmp_path / "t.csv"), ("age",), ROW))
    door = open_door(request.guarantee, request.neighbors)
    shapes = work.count_shapes()

    for _ in range(2):
        work.find_types(door, shapes)

    with pytest.raises(ReleaseError, match="more than is left"):
        work.find_types(door, shapes)


# Persons.


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_a_person_moves_all_that_leaves_by_what_is_paid_for(
    neighbors: Neighbors, frozen: Frozen, tmp_path: Path
) -> None:
    """One person changes the exact values by no more than the sensitivity of two rows.

    150 persons have four rows each, of which two are used. In the neighbouring table one
    person is gone, or is replaced by one with seven rows.
    """
    unit = Unit("pid", 2)
    header = ["pid", "age", "town"]
    rows = [[f"p{i // 4}", str(20 + i % 50), TOWNS[i % 3]] for i in range(600)]
    neighbour_rows = [row for row in rows if row[0] != "p3"]
    if neighbors is Neighbors.REPLACE_ONE:
        neighbour_rows += [["new", "-1", "zzz-secret"]] * 7

    inputs = []
    for number, table in enumerate((rows, neighbour_rows)):
        frozen.inputs = []
        frozen.draws_given = 0
        request = request_of(columns=("age", "town"), unit=unit, neighbors=neighbors)
        draft = draft_domain(request, table_of(tmp_path / f"{number}.csv", table, header))
        inputs.append(frozen.inputs)

    assert 0 < largest_move(inputs) <= unit.sensitivity(neighbors)
    assert draft.preparation.unit == unit
    assert inputs[0][0].sum() == 300, "two rows of each of 150 persons"


# Hostile tables.


def test_nine_thousand_columns_are_refused_with_the_limit() -> None:
    """A draft of more than 1,000 columns is refused, with both numbers."""
    with pytest.raises(LimitError, match=r"at most 1,000 columns, and these are 9,074"):
        request_of(columns=tuple(f"c{i}" for i in range(9_074)))


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_an_empty_table_is_refused_only_where_its_rows_are_public(
    neighbors: Neighbors, tmp_path: Path
) -> None:
    """A draft of an empty table is refused under replace-one only.

    Under add-remove nobody may learn that a table is empty, so its draft is made from noise.
    Noise alone hardly ever looks like values of two of the six columns.
    """
    table = table_of(tmp_path / "t.csv", [])

    if neighbors is Neighbors.REPLACE_ONE:
        with pytest.raises(TableError, match="has a header but no rows"):
            draft_domain(request_of(), table)
    else:
        draft = draft_domain(request_of(neighbors=neighbors), table)
        assert draft.domain is None or len(draft.settled) < 2


def test_a_damaged_line_counts_as_a_row_where_a_table_without_rows_is_refused(
    tmp_path: Path,
) -> None:
    """A line that cannot be split into cells counts as a row, so the table is not empty.

    The second line has a quote that is never closed. If it were refused as empty, the refusal
    would tell this table from its neighbour with the first line.
    """
    request = DraftRequest(columns=("sex", "age"), guarantee=Guarantee.pure(1))
    for line in ("F,70", 'F,"70'):
        table = tmp_path / "a.csv"
        table.write_text(f"sex,age\n{line}\n", encoding="utf-8")
        assert draft_domain(request, table).entry


def test_cells_of_30_kb_and_numbers_beyond_all_bounds_stay_open(tmp_path: Path) -> None:
    """Columns that no declaration can hold stay open with a reason, and none is declared."""
    cells = ["nan", "inf", "-inf", "1e400", "1e16"]
    rows = [["x" * 30_000, cells[i % 5], f"a{i}@b.de"] for i in range(200)]
    table = table_of(tmp_path / "t.csv", rows, ["long", "huge", "mail"])

    draft = draft_domain(request_of(columns=("long", "huge", "mail")), table)

    assert draft.domain is None
    assert "long texts" in draft.open["long"]
    assert "too large" in draft.open["huge"]
    assert "mailboxes" in draft.open["mail"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
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
def test_a_request_that_cannot_be_is_refused(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SynthError, match=sentence):
        request_of(fields.pop("guarantee", BOTH), **fields)


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no column 'agee'; it has a similar one, 'age'"):
        draft_domain(request_of(columns=("agee",)), table_of(tmp_path / "t.csv"))


def test_private_values_leave_by_no_other_way() -> None:
    """Values that come from the rows leave the door only by noisy selection.

    The door refuses to measure them, or to choose one as if all were listed. A query of cells
    that are public anyway is refused for selection.
    """
    listed_query = drafts.listed_values(
        "a", ValueRows(("x",), np.array([50])), ROW, neighbors=Neighbors.ADD_REMOVE
    )

    door = open_door(BOTH)
    with pytest.raises(ReleaseError, match="selected, and not measured"):
        door.measure(listed_query, DiscreteLaplace(Fraction(1)))
    with pytest.raises(ReleaseError, match="among listed candidates"):
        door.choose(listed_query, Guarantee.pure(1))

    plain = drafts.column_cells(
        "a", np.array([1]), ["x"], unit=ROW, neighbors=Neighbors.ADD_REMOVE
    )
    with pytest.raises(ReleaseError, match="as private as their counts"):
        door.select(plain, BOTH)
