"""Spark counts what DuckDB counts, by the same generated SQL."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from synth.counts import Counts, Engine, count
from synth.domain import Categorical, Date, Domain, Integer, Number, Period
from synth.engines.spark import java_pattern
from synth.errors import ArgumentError, TableError
from synth.formats import Format
from synth.privacy import ROW, Unit
from synth.schemas import read_schema
from synth.table import PrivateTable, open_table
from tests.tables import MIXED, ROWS, SHARED, write


def both(table: PrivateTable, domain: Domain, unit: Unit = ROW) -> tuple[Counts, Counts]:
    pytest.importorskip("pyspark", reason="pyspark is not installed (requirements-spark.txt)")
    return count(table, domain, unit), count(table, domain, unit, Engine.SPARK)


def same(one: Counts, other: Counts) -> None:
    assert one.cells.tolist() == other.cells.tolist()
    assert one.counts.tolist() == other.counts.tolist()
    assert one.rows == other.rows


@pytest.mark.slow
def test_the_small_table_with_every_rule(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", list(MIXED.names), ROWS)
    same(*both(open_table(path), MIXED))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "domain", "unit"),
    [
        ("penguins/penguins.csv", "penguins/domain.schema.json", ROW),
        ("taxis/taxis.csv", "taxis/domain.schema.json", ROW),
        ("adult/adult_train.csv", "adult/domain.schema.json", ROW),
        ("pums/PUMS_dup.csv", "pums/domain.schema.json", Unit("pid", 4)),
    ],
)
def test_real_tables_with_missing_and_outside_values(table: str, domain: str, unit: Unit) -> None:
    if not SHARED.is_dir():
        pytest.skip("the shared tables are not here")
    same(*both(open_table(SHARED / table), read_schema(SHARED / domain), unit))


@pytest.mark.slow
def test_spikes_and_bins_by_the_calendar(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed (requirements-spark.txt)")
    days = [date(2019, 12, 28) + timedelta(days=n) for n in range(400)]
    rows = [[str(d), str(d), f"{n / 4}", str(n % 60)] for n, d in enumerate(days)]
    ends = {"minimum": "2020-01-01", "maximum": "2021-01-10"}
    columns = (
        Date(name="week", period=Period.WEEK, spikes=("2020-02-29",), **ends),
        Date(name="month", period=Period.MONTH, **ends),
        Number(name="pay", minimum=0, maximum=50, bins=12, spikes=("2.5", 90), decimals=2),
        Integer(name="hours", minimum=1, maximum=50, bins=10, spikes=(0, 40), outside="cell"),
    )
    path = write(tmp_path / "t.csv", [c.name for c in columns], rows)
    same(*both(open_table(path), Domain(columns)))


@pytest.mark.slow
def test_a_parquet_file_and_a_decimal_comma(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed (requirements-spark.txt)")
    import pandas as pd

    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({name: [row[i] for row in ROWS] for i, name in enumerate(MIXED.names)})
    frame.to_parquet(path)
    same(*both(open_table(path), MIXED))
    text = tmp_path / "t.csv"
    text.write_text("weight;sex\n1,5;F\n2.0;M\n0,1;X\n", encoding="utf-8")
    table = open_table(text, Format(delimiter=";", decimal=","))
    same(*both(table, MIXED.project(["weight", "sex"])))


@pytest.mark.slow
def test_a_broken_table_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed (requirements-spark.txt)")
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1\nsecret\n")
    domain = Domain(
        (Categorical(name="a", categories=("x",)), Categorical(name="b", categories=("1",)))
    )
    with pytest.raises(TableError, match="another number of cells on line 3") as caught:
        count(open_table(path), domain, ROW, Engine.SPARK)
    assert "secret" not in str(caught.value)


def test_dates_are_written_as_java_writes_them() -> None:
    assert java_pattern("%Y-%m-%dT%H:%M:%S") == "yyyy-MM-dd'T'HH:mm:ss"
    with pytest.raises(ArgumentError, match="spark cannot read dates with %U in their format"):
        java_pattern("%Y %U")


def test_without_pyspark_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyspark.sql", None)
    path = write(tmp_path / "t.csv", list(MIXED.names), ROWS)
    with pytest.raises(ArgumentError, match=r"needs pyspark: pip install -r requirements-spark"):
        count(open_table(path), MIXED, ROW, Engine.SPARK)
