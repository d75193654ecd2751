"""A release reads its table once, for counts and for sums of numbers."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synth import limits
from synth.domain import Domain, Outside
from synth.plans import Method, Plan
from synth.privacy import ROW, Unit
from synth.private.comparison import Findings, compare_tables
from synth.private.counting import DuckDB, Needs, add_moments, count, count_and_add
from synth.private.counting.moments import sum_of_lines
from synth.private.counting.sums_sql import moments_query
from synth.private.table import open_any
from synth.spending import synthesize
from tests.counting import test_counts_moments as moments

PERSON = Unit("who", 2)
# The columns of the other tests of sums, in a form that is written into a bundle.
DOMAIN = Domain(
    tuple(
        replace(column, outside=Outside.MISSING) if column.name == "wage" else column
        for column in moments.DOMAIN.columns
    )
)


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the tables that DuckDB reads, one for each statement."""
    names: list[str] = []
    right = DuckDB._guard

    def note(engine: DuckDB, table: Any, *arguments: Any) -> Any:
        names.append(table.path.name)
        return right(engine, table, *arguments)

    monkeypatch.setattr(DuckDB, "_guard", note)
    return names


def save(folder: Path, kind: str) -> Any:
    """The same rows as a file, or as a frame."""
    frame = moments.make_frame(400, 5)
    if kind == "frame":
        return frame
    path = folder / f"t.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    return path


@pytest.mark.parametrize("unit", [ROW, PERSON], ids=["row", "person"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize("method", [Method.AUTO, Method.HISTOGRAM])
def test_a_release_with_sums_reads_its_table_once(
    tmp_path: Path, readings: list[str], method: Method, kind: str, unit: Unit
) -> None:
    """Counts and sums of a release come from one statement, whatever holds the rows."""
    source = save(tmp_path, kind)
    plan = Plan(
        domain=DOMAIN,
        epsilon=Fraction(1),
        method=method,
        moments=("means", "age*wage"),
        unit=unit,
    )
    result = synthesize(plan, source)
    assert result.record.moments
    assert len(readings) == 1


def test_a_comparison_reads_its_table_once(tmp_path: Path, readings: list[str]) -> None:
    """All figures of a comparison come from one reading of the confidential rows."""
    path = save(tmp_path, "csv")
    result = synthesize(Plan(domain=DOMAIN, epsilon=Fraction(1)), path)
    readings.clear()

    findings = Findings(compare_tables(open_any(path), result))

    assert findings.values.by_column
    assert findings.numbers
    assert len(readings) == 1


@pytest.mark.parametrize("unit", [ROW, PERSON], ids=["row", "person"])
def test_sums_are_those_of_sql(tmp_path: Path, unit: Unit) -> None:
    """Steps that are looked up by code are those that the SQL for clusters computes."""
    table = open_any(save(tmp_path, "csv"))
    added = add_moments(table, moments.DOMAIN, moments.SUMS, unit=unit)
    with DuckDB() as engine:
        source = engine._source(table, moments.DOMAIN, unit)
        query = moments_query(source, moments.SUMS, all_sums=moments.SUMS)
        fetched = engine.fetch(table, source.dialect.query(query))
    lines = [np.ma.filled(column, -1).astype(np.int64) for column in fetched.values()]

    for moment_sum in moments.SUMS:
        expected = sum_of_lines(moment_sum, moments.DOMAIN, moments.SUMS, lines=lines)
        assert added.sums[moment_sum].tolist() == expected.tolist()


def test_the_ends_of_doubles_add_what_the_bounds_add(tmp_path: Path) -> None:
    """A value beyond the bounds is moved there, also an infinite one, before it is added."""
    path = tmp_path / "t.csv"
    ages = ["1e308", "-1e308", "inf", "-inf", "1e-320", "-0.0", "nan", "", "99", "99.999"]
    frame = pd.DataFrame({"age": ages})
    frame["wage"], frame["sex"] = "1", "F"
    frame["day"], frame["fee"] = "2020-01-01", "0"
    frame.to_csv(path, index=False)
    table = open_any(path)
    domain = moments.DOMAIN
    sums = [each for each in moments.SUMS if 0 in (*each.columns, *each.given)]

    added = add_moments(table, domain, sums)

    for moment_sum in sums:
        expected = moments.sum_by_hand(frame, moment_sum)
        assert added.sums[moment_sum].tolist() == expected.tolist()


@pytest.mark.parametrize("unit", [ROW, PERSON], ids=["row", "person"])
def test_more_cells_than_are_listed_have_the_same_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: Unit
) -> None:
    """Counts and sums are the same where the cells are too many to list all of them."""
    table = open_any(save(tmp_path, "csv"))
    needs = Needs(moments.DOMAIN, moments.SUMS, unit)
    counts, added = count_and_add(table, needs)
    monkeypatch.setattr(limits, "LISTED_CELLS", 0)
    counts_of_many, added_apart = count_and_add(table, needs)

    expected = count(table, moments.DOMAIN, unit)
    for found in (counts, counts_of_many):
        assert found.cells.tolist() == expected.cells.tolist()
        assert found.counts.tolist() == expected.counts.tolist()
        assert found.rows == expected.rows
    assert added is not None
    assert added_apart is not None
    for moment_sum in moments.SUMS:
        assert added.sums[moment_sum].tolist() == added_apart.sums[moment_sum].tolist()
    assert count_and_add(table, Needs(moments.DOMAIN))[1] is None
