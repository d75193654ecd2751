"""Persons with several rows: which rows count, by how much one person can change the
counts.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth import noise
from synth.bundle import Result
from synth.cli.main import main
from synth.domain import Domain, read_schema
from synth.domain.building import Categorical
from synth.door import Door, Ledger
from synth.errors import ArgumentError, ReleaseError, TableError
from synth.plans import Method, Plan
from synth.privacy import GRID, Guarantee, Neighbors, Unit
from synth.private.counting import Counts, count
from synth.private.counting.counts import CodedRows
from synth.private.queries import Guess, worst_guess
from synth.private.table import open_table
from synth.spending import synthesize
from synth.verification import verify
from tests.counting.coding import coded
from tests.tables import SHARED, write

DOMAIN = Domain(
    a=Categorical(["x", "y"], outside="drop"), b=Categorical(["0", "1", "2"], outside="drop")
)
CELLS = [["x", "0"], ["x", "2"], ["y", "1"], ["?", "0"]]
"""Some cells, and a row that the rule for values outside leaves out."""


def count_people(
    tmp_path: Path, people: dict[str, list[list[str]]], unit: Unit
) -> np.ndarray:
    """Count the rows of these persons, with at most `unit.max_rows` of each."""
    rows = [[person, *cell] for person, cells in people.items() for cell in cells]
    path = write(tmp_path / "t.csv", ["pid", "a", "b"], rows)
    counts = count(open_table(path), DOMAIN, unit)
    assert counts.rows == counts.counts.sum()
    return counts.dense()


def all_rows_of_a_person(rows: int) -> list[list[list[str]]]:
    """Every person with some number of rows up to the limit, up to their order."""
    return [
        list(map(list, chosen))
        for size in range(rows + 1)
        for chosen in combinations_with_replacement(CELLS, size)
    ]


@pytest.mark.parametrize("max_rows", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_sensitivity_by_search_over_neighbours(tmp_path: Path, max_rows: int) -> None:
    """One person changes counts by at most twice her used rows if replaced, and once if
    added.

    All persons with up to `max_rows` + 2 rows take Ann's place among others. The bounds are
    reached, and equal the stated sensitivities. The number of rows is private under both
    relations.
    """
    unit = Unit("pid", max_rows)
    others = {"bob": [CELLS[0]] * 3, "eve": [CELLS[1], CELLS[2]]}
    tables = [
        count_people(tmp_path, {"ann": rows, **others}, unit)
        for rows in all_rows_of_a_person(max_rows + 2)
    ]

    without = count_people(tmp_path, others, unit)
    replaced = max(
        int(np.abs(counts_before - counts_after).sum())
        for counts_before in tables
        for counts_after in tables
    )
    added = max(int(np.abs(counts_before - without).sum()) for counts_before in tables)

    path = write(tmp_path / "t.csv", ["pid", "a", "b"], [["ann", "x", "0"]])
    counts = count(open_table(path), DOMAIN, unit)

    assert replaced == 2 * max_rows == counts.sensitivity(Neighbors.REPLACE_ONE)
    assert added == max_rows == counts.sensitivity(Neighbors.ADD_REMOVE)
    assert [counts.public_rows(n) for n in Neighbors] == [None, None]


PLACES = [(0,), (1,), (0, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("max_rows", [1, 2])
def test_sensitivities_of_marginals_and_distances_by_search(
    tmp_path: Path, max_rows: int
) -> None:
    """One person moves marginals, and their distances from a guess, by the stated
    sensitivities.

    All persons with up to `max_rows` + 2 rows take Ann's place. The largest moves in L1 and
    in squared L2 are found by search and equal the bounds. Distances are in 64ths of a row
    (`GRID`).
    """
    unit, others = Unit("pid", max_rows), {"bob": [CELLS[0]] * 3, "eve": [CELLS[1], CELLS[2]]}
    persons = {
        "without": [],
        **{str(i): rows for i, rows in enumerate(all_rows_of_a_person(max_rows + 2))},
    }

    rows_by_person = {
        name: code_people(tmp_path, {"ann": rows, **others}, unit)
        for name, rows in persons.items()
    }
    without = rows_by_person.pop("without")

    for neighbors, tables in (
        # `without` is ann with no row; the others are ann with any rows.
        (Neighbors.REPLACE_ONE, list(rows_by_person.values())),
        (Neighbors.ADD_REMOVE, [without]),
    ):
        for marginal in PLACES:
            marginal_pairs = [
                (rows_before.count(marginal), rows_after.count(marginal))
                for rows_before in tables
                for rows_after in rows_by_person.values()
            ]

            gaps = [
                np.abs(before.dense() - after.dense()) for before, after in marginal_pairs
            ]
            assert max(gap.sum() for gap in gaps) == unit.sensitivity(neighbors)
            assert max((gap**2).sum() for gap in gaps) == unit.square(neighbors)

            moves = [
                abs(distance_before - distance_after)
                for before, after in marginal_pairs
                for distance_before, distance_after in distances_from_guesses(before, after)
            ]
            assert max(moves) == GRID * unit.sensitivity(neighbors)


def code_people(tmp_path: Path, people: dict[str, list[list[str]]], unit: Unit) -> CodedRows:
    """Hold the rows of these persons as codes, with at most `unit.max_rows` of each."""
    rows = [[person, *cell] for person, cells in people.items() for cell in cells]
    return coded(open_table(write(tmp_path / "t.csv", ["pid", "a", "b"], rows)), DOMAIN, unit)


def distances_from_guesses(counts: Counts, neighbour: Counts) -> Iterator[tuple[int, int]]:
    """Distances of two tables from guesses, among them the one where they differ the most."""
    generator = np.random.default_rng(counts.rows)
    for expected in (
        counts.dense(),
        neighbour.dense() + 1 / 3,
        generator.random(counts.domain.size) * 4,
    ):
        guess = expected.astype(np.float64)
        yield Guess(counts, guess).distance, Guess(neighbour, guess).distance


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("cost", [Guarantee.pure(1), Guarantee.zcdp(1)], ids=["pure", "zCDP"])
def test_a_choice_is_told_how_far_scores_move(
    monkeypatch: pytest.MonkeyPatch, neighbors: Neighbors, cost: Guarantee
) -> None:
    """The choice of the worst guess is drawn with the epsilon and the sensitivity that are
    right.

    The drawing is replaced by a record of what it is given. Between two neighbours both
    scores move by just the sensitivity: three rows of a person, in 64ths of a row (`GRID`).
    The epsilon of the choice costs what was paid: itself, or epsilon^2 / 8 as a rho.
    """
    calls = []

    def choose(
        scores: list[int], *, epsilon: Fraction, sensitivity: int, monotone: bool = False
    ) -> int:
        assert not monotone
        calls.append((scores, epsilon, sensitivity))
        return 0

    monkeypatch.setattr(noise, "permute_and_flip", choose)
    monkeypatch.setattr(noise, "draw_exponential", choose)

    unit, expected = Unit("pid", 3), np.array([9.0, 0.0])
    column = Domain(a=["x", "y"])

    for rows in ([9, 0], [6, 3] if neighbors is Neighbors.REPLACE_ONE else [6, 0]):
        counts = Counts(
            domain=column,
            cells=np.array([0, 1]),
            counts=np.array(rows),
            rows=sum(rows),
            unit=unit,
        )
        names = {"ledger": Ledger(), "dataset": "t", "purpose": "test"}
        door_of_the_test = Door(neighbors=neighbors, guarantee=cost, unit=unit, **names)  # type: ignore[arg-type]

        query = worst_guess([Guess(counts, expected)] * 2, [0, 5], neighbors)
        assert door_of_the_test.choose(query, cost).index == 0

    (scores, epsilon, sensitivity), (neighbour_scores, *_) = calls

    assert [b - a for a, b in zip(scores, neighbour_scores, strict=True)] == [sensitivity] * 2
    assert sensitivity == GRID * 3 * neighbors.sensitivity
    # Choosing with epsilon costs epsilon^2/8 of zCDP (Cesar and Rogers, 2021).
    paid = epsilon if cost.epsilon else epsilon**2 / 8
    assert paid == pytest.approx(1, abs=1e-15)


def test_every_marginal_is_of_the_rows_that_the_histogram_uses(tmp_path: Path) -> None:
    """All marginals count the same rows of each person, those of the histogram of all
    columns.

    So each marginal is the histogram summed over the other columns. About 90 persons have 600
    rows, of which fewer than 400 are used with any of the units.
    """
    generator = np.random.default_rng(3)
    rows = [
        [str(person), *CELLS[cell]]
        for person, cell in zip(
            generator.integers(0, 90, 600), generator.integers(0, 4, 600), strict=True
        )
    ]
    table = open_table(write(tmp_path / "t.csv", ["pid", "a", "b"], rows))

    for unit in (Unit("pid", 1), Unit("pid", 3), Unit("a", 2)):
        histogram, marginals = count(table, DOMAIN, unit), coded(table, DOMAIN, unit)
        assert marginals.rows == histogram.rows < 400
        assert marginals.unit == histogram.unit

        dense = histogram.dense().reshape(DOMAIN.shape)
        for marginal, sums in zip(PLACES, (dense.sum(1), dense.sum(0), dense), strict=True):
            assert (marginals.count(marginal).dense() == sums.reshape(-1)).all()
            for neighbors in Neighbors:
                assert marginals.count(marginal).public_rows(neighbors) is None


def test_the_order_of_the_file_and_other_people_change_nothing(tmp_path: Path) -> None:
    """Which two of Ann's rows count depends on neither the order of the file nor other
    people.

    Counts of all people less those of the crowd are Ann's counts alone.
    """
    unit = Unit("pid", 2)
    ann = [CELLS[0], CELLS[1], CELLS[2], CELLS[1]]
    counts_of_ann = count_people(tmp_path, {"ann": ann}, unit)

    for order in (ann[::-1], ann[2:] + ann[:2]):
        assert (count_people(tmp_path, {"ann": order}, unit) == counts_of_ann).all()

    crowd = {f"p{i}": [CELLS[i % 3]] for i in range(30)}
    counts_of_all = count_people(tmp_path, {**crowd, "ann": ann}, unit)
    assert (counts_of_all - count_people(tmp_path, crowd, unit) == counts_of_ann).all()
    assert counts_of_ann.sum() == 2


def test_rows_that_name_nobody_are_left_out(tmp_path: Path) -> None:
    rows_of_nobody = {"": [CELLS[0]] * 5, " ": [CELLS[0]]}
    assert count_people(tmp_path, rows_of_nobody, Unit("pid", 3)).sum() == 0


def test_a_person_needs_a_column_and_a_limit_of_rows(tmp_path: Path) -> None:
    """A limit of 0 rows, a limit without a person column, and an unknown column
    are refused.
    """
    with pytest.raises(ArgumentError, match="max_rows must be a whole number of at least 1"):
        Unit("pid", 0)
    with pytest.raises(ArgumentError, match="max_rows above 1 needs a person column"):
        Unit("", 2)

    path = write(tmp_path / "t.csv", ["pid", "a", "b"], [["1", "x", "0"]])
    with pytest.raises(TableError, match="no column 'person'"):
        count(open_table(path), DOMAIN, Unit("person", 2))


def test_a_plan_with_a_person_survives_json_and_is_another_request() -> None:
    """A plan that protects persons is the same after it is written and read.

    Four rows of a person are replaced by four others, so the noise scale at epsilon 1 is 8. A
    plan that protects rows is another request.
    """
    plan = Plan(domain=DOMAIN, epsilon=Fraction(1), unit=Unit("pid", 4), method=Method.TREE)
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan

    assert plan.scale == 8
    assert (
        plan.request != Plan(domain=DOMAIN, epsilon=Fraction(1), method=Method.DENSE).request
    )


def release_people(tmp_path: Path) -> Result:
    """A release of 50 persons with four rows each, of which three count, at epsilon 10."""
    rows = [[str(i % 50), *CELLS[i % 3]] for i in range(200)]
    path = write(tmp_path / "t.csv", ["pid", "a", "b"], rows)
    return synthesize(
        Plan(domain=DOMAIN, epsilon=Fraction(10), unit=Unit("pid", 3), method=Method.DENSE),
        path,
    )


@pytest.mark.parametrize(
    ("certificate", "sentence"),
    [
        (
            {"max_rows": 1},
            "'plan.json' protects another privacy unit than the certificate says.",
        ),
        ({"privacy_unit": "one row"}, "'plan.json' protects another privacy unit"),
    ],
)
def test_a_histogram_of_persons_holds_to_its_plan(
    tmp_path: Path, certificate: dict[str, Any], sentence: str
) -> None:
    """A bundle is refused if its certificate names another privacy unit than its plan.

    The honest bundle verifies. The forged ones claim one row of each person, or the
    protection of rows.
    """
    result = release_people(tmp_path)
    verify(result.write_archive(tmp_path / "b.zip"))

    forged = replace(result, certificate=replace(result.certificate, **certificate))
    with pytest.raises(ReleaseError, match=re.escape(sentence)):
        verify(forged.write_archive(tmp_path / "f.zip"))


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared tables are not here")
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_a_real_table_with_repeated_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], neighbors: Neighbors
) -> None:
    """A release of a real table protects persons with at most four rows each, and says so.

    The sensitivity is four rows if a person is added, and eight if replaced. At epsilon 1 the
    noise scale is the same number. The number of counted rows is checked in plain Python: up
    to four rows of each named person.
    """
    table, domain = SHARED / "pums/PUMS_dup.csv", SHARED / "pums/domain.schema.json"

    options = ["--columns", "sex,married,educ", "--person", "pid", "--max-rows", "4"]
    options += ["--method", "dense"]
    budget = [
        "--epsilon",
        "1",
        "--neighbors",
        neighbors.value,
        "--json",
        "--out",
        str(tmp_path),
    ]

    assert main(["release", str(table), "--domain", str(domain), *options, *budget]) == 0
    assert json.loads(capsys.readouterr().out)["noise_scale"] == 4 * neighbors.sensitivity

    certificate = json.loads((tmp_path / "certificate.json").read_text())
    assert certificate["privacy_unit"] == (
        "one person by the column 'pid', with at most 4 rows"
    )
    assert certificate["mechanism"]["sensitivity"] == 4 * neighbors.sensitivity
    assert certificate["released"]["rows"] is None
    assert "person" in certificate["guarantee"]["statement"]

    with table.open(newline="") as file:
        people = Counter(row["pid"] for row in csv.DictReader(file))
    counts = count(open_table(table), read_schema(domain).project(["sex"]), Unit("pid", 4))
    assert counts.rows == sum(min(4, rows) for person, rows in people.items() if person)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared tables are not here")
@pytest.mark.parametrize(
    "method",
    [pytest.param(name, marks=pytest.mark.slow) for name in ("auto", "tree", "adaptive")],
)
def test_models_of_a_real_table_with_repeated_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    """Every method releases a real table with repeated people, and its bundle verifies.

    The release spends the whole budget of 10 and is drawn again to the byte. Noisy marginals
    are within 60 standard deviations of exact counts of at most four rows a person. The
    repeated command is free.
    """
    table, domain = SHARED / "pums/PUMS_dup.csv", SHARED / "pums/domain.schema.json"
    bundle, ledger = str(tmp_path / "b.zip"), str(tmp_path / "l.db")
    options = ["--person", "pid", "--max-rows", "4", "--method", method, "--epsilon", "10"]
    options += ["--dataset", "pums", "--ledger", ledger, "--budget", "10", "--out", bundle]

    words = ["release", str(table), "--domain", str(domain), *options, "--out", str(tmp_path)]

    assert main(words) == 0
    assert Ledger(Path(ledger)).balance("pums").left == 0
    assert main(["verify", bundle, "--ledger", ledger]) == 0

    checked = verify(bundle)
    strategy = {"auto": "one-shot"}.get(method, method)
    assert checked.certificate.mechanism.strategy == strategy
    assert checked.certificate.privacy_unit == (
        "one person by the column 'pid', with at most 4 rows"
    )

    exact = coded(open_table(table), checked.domain, Unit("pid", 4))
    for marginal, noisy in checked.record.measured:
        errors = np.abs(noisy.values - exact.count(marginal).dense())
        assert errors.max() < 60 * np.sqrt(noisy.mechanism.variance)

    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["repeated"]


def test_the_release_of_a_person_table_repeats_and_tells_no_rows(tmp_path: Path) -> None:
    """Where persons are protected, the number of rows is a noisy total.

    50 persons with three used rows each are 150 rows; at epsilon 10 the total is within 30.
    """
    result = release_people(tmp_path)
    assert result.record.rows is None
    assert result.synthetic.rows == result.record.total

    noise_free_rows = 50 * 3
    assert abs(result.record.total - noise_free_rows) < 30
