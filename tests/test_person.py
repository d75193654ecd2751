"""Persons with several rows: which rows count, by how much one person can change the counts."""

import csv
import json
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest

from synth.__main__ import main
from synth.counts import count
from synth.domain import Categorical, Domain, Outside
from synth.errors import ArgumentError, TableError
from synth.pipeline import synthesize
from synth.plan import Plan
from synth.privacy import Neighbors, Unit
from synth.schemas import read_schema
from synth.table import open_table
from tests.tables import SHARED, write

DOMAIN = Domain(
    (
        Categorical(name="a", categories=("x", "y"), outside=Outside.DROP),
        Categorical(name="b", categories=("0", "1", "2"), outside=Outside.DROP),
    )
)
CELLS = [["x", "0"], ["x", "2"], ["y", "1"], ["?", "0"]]
"""Some cells, and a row that the rule for values outside leaves out."""


def dense(tmp_path: Path, people: dict[str, list[list[str]]], unit: Unit) -> np.ndarray:
    rows = [[person, *cell] for person, cells in people.items() for cell in cells]
    path = write(tmp_path / "t.csv", ["pid", "a", "b"], rows)
    counts = count(open_table(path), DOMAIN, unit)
    assert counts.rows == counts.counts.sum()
    return counts.dense()


def everyone(rows: int) -> list[list[list[str]]]:
    """Every person with some number of rows up to the limit, up to their order."""
    return [
        list(map(list, chosen))
        for size in range(rows + 1)
        for chosen in combinations_with_replacement(CELLS, size)
    ]


@pytest.mark.parametrize("max_rows", [1, 2])
def test_sensitivity_by_search_over_neighbours(tmp_path: Path, max_rows: int) -> None:
    """Replace, add or remove a whole person of any rows up to twice the limit."""
    unit = Unit("pid", max_rows)
    others = {"bob": [CELLS[0]] * 3, "eve": [CELLS[1], CELLS[2]]}
    tables = [dense(tmp_path, {"ann": rows, **others}, unit) for rows in everyone(max_rows + 2)]
    without = dense(tmp_path, others, unit)
    replaced = max(int(np.abs(one - two).sum()) for one in tables for two in tables)
    added = max(int(np.abs(one - without).sum()) for one in tables)
    path = write(tmp_path / "t.csv", ["pid", "a", "b"], [["ann", "x", "0"]])
    counts = count(open_table(path), DOMAIN, unit)
    assert replaced == 2 * max_rows == counts.sensitivity(Neighbors.REPLACE_ONE)
    assert added == max_rows == counts.sensitivity(Neighbors.ADD_REMOVE)
    assert [counts.public_rows(n) for n in Neighbors] == [None, None]


def test_the_order_of_the_file_and_other_people_change_nothing(tmp_path: Path) -> None:
    unit = Unit("pid", 2)
    ann = [CELLS[0], CELLS[1], CELLS[2], CELLS[1]]
    alone = dense(tmp_path, {"ann": ann}, unit)
    for order in (ann[::-1], ann[2:] + ann[:2]):
        assert (dense(tmp_path, {"ann": order}, unit) == alone).all()
    crowd = {f"p{i}": [CELLS[i % 3]] for i in range(30)}
    both = dense(tmp_path, {**crowd, "ann": ann}, unit)
    assert (both - dense(tmp_path, crowd, unit) == alone).all()
    assert alone.sum() == 2


def test_rows_that_name_nobody_are_left_out(tmp_path: Path) -> None:
    assert dense(tmp_path, {"": [CELLS[0]] * 5, " ": [CELLS[0]]}, Unit("pid", 3)).sum() == 0


def test_guards(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="max_rows must be a whole number of at least 1"):
        Unit("pid", 0)
    with pytest.raises(ArgumentError, match="max_rows above 1 needs a person column"):
        Unit("", 2)
    path = write(tmp_path / "t.csv", ["pid", "a", "b"], [["1", "x", "0"]])
    with pytest.raises(TableError, match="no column 'person'"):
        count(open_table(path), DOMAIN, Unit("person", 2))


def test_a_plan_with_a_person_survives_json_and_is_another_request() -> None:
    plan = Plan(DOMAIN, Fraction(1), unit=Unit("pid", 4))
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan
    assert plan.scale == 8
    assert plan.request != Plan(DOMAIN, Fraction(1)).request


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared tables are not here")
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_a_real_table_with_repeated_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], neighbors: Neighbors
) -> None:
    table, domain = SHARED / "pums/PUMS_dup.csv", SHARED / "pums/domain.schema.json"
    options = ["--columns", "sex,married,educ", "--person", "pid", "--max-rows", "4"]
    budget = ["--epsilon", "1", "--neighbors", neighbors.value, "--json", "--out", str(tmp_path)]
    assert main(["release", str(table), "--domain", str(domain), *options, *budget]) == 0
    assert json.loads(capsys.readouterr().out)["noise_scale"] == 4 * neighbors.sensitivity
    certificate = json.loads((tmp_path / "certificate.json").read_text())
    assert certificate["privacy_unit"] == ("one person by the column 'pid', with at most 4 rows")
    assert certificate["mechanism"]["sensitivity"] == 4 * neighbors.sensitivity
    assert certificate["released"]["rows"] is None
    assert "person" in certificate["guarantee"]["statement"]
    with table.open(newline="") as file:
        people = Counter(row["pid"] for row in csv.DictReader(file))
    counts = count(open_table(table), read_schema(domain).project(["sex"]), Unit("pid", 4))
    assert counts.rows == sum(min(4, rows) for person, rows in people.items() if person)


def test_the_release_of_a_person_table_repeats_and_tells_no_rows(tmp_path: Path) -> None:
    rows = [[str(i % 50), *CELLS[i % 3]] for i in range(200)]
    path = write(tmp_path / "t.csv", ["pid", "a", "b"], rows)
    result = synthesize(Plan(DOMAIN, Fraction(10), unit=Unit("pid", 3)), path)
    assert result.noisy.rows is None
    assert result.synthetic.rows == result.noisy.total
    assert abs(result.noisy.total - 150) < 30
