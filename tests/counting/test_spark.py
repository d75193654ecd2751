"""Spark counts what DuckDB counts, by the same generated SQL."""

import json
import re
from datetime import date, timedelta
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv as pa_csv
from pyarrow import parquet

from synth.cli.main import main
from synth.domain import (
    UNREADABLE,
    Categorical,
    Date,
    Domain,
    Integer,
    LinkedPackage,
    Number,
    Period,
    read_package,
    read_schema,
    write_schema,
)
from synth.errors import ArgumentError, TableError
from synth.lessons import survey_domain, write_example
from synth.plans import Method, Plan
from synth.privacy import ROW, Unit
from synth.private.counting import (
    ENGINES,
    Counts,
    Engine,
    add_moments,
    count,
    count_sums,
    open_source,
    settle_tables,
)
from synth.private.counting.spark import WAREHOUSE
from synth.private.table import Format, PrivateTable, open_table
from synth.spending import synthesize
from tests.counting import test_counts_moments as moments
from tests.counting.coding import coded, passing
from tests.counting.contract import EngineContract
from tests.counting.test_counts_sums import write_hours
from tests.fuzz.hostile import Maker
from tests.fuzz.test_fuzz import (
    CASES,
    check_codes,
    check_sums,
    save_table,
    seeds,
    spark_codes,
)
from tests.linked.households import DOCUMENT, files_at_random, households
from tests.processes import run
from tests.spending.test_linked import with_makes
from tests.table.test_plain_copy import TEXTS, TROUBLE, write_table
from tests.table.typed import STORED
from tests.table.typed import read_texts as typed_texts
from tests.tables import MIXED, ROWS, SHARED, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]

FLOAT = re.compile(r"[.]|e[+-]|inf|nan")
"""What has a part after the point, or is far out: engines write it in ways of their own."""


class TestSpark(EngineContract):
    engine = Engine.SPARK


def count_on_both_engines(
    table: PrivateTable, domain: Domain, unit: Unit = ROW
) -> tuple[Counts, Counts]:
    """Count the table with DuckDB and with Spark."""
    return count(table, domain, unit), count(table, domain, unit, engine=Engine.SPARK)


def assert_same_counts(counts: Counts, expected: Counts) -> None:
    """Check that two counts have the same occupied cells, counts and number of rows."""
    assert counts.cells.tolist() == expected.cells.tolist()
    assert counts.counts.tolist() == expected.counts.tolist()
    assert counts.rows == expected.rows


@pytest.mark.parametrize(
    ("table", "domain", "unit"),
    [
        ("penguins/penguins.csv", "penguins/domain.schema.json", ROW),
        ("taxis/taxis.csv", "taxis/domain.schema.json", ROW),
        ("adult/adult_train.csv", "adult/domain.schema.json", ROW),
        ("pums/PUMS_dup.csv", "pums/domain.schema.json", Unit("pid", 4)),
    ],
)
def test_real_tables_with_missing_and_outside_values(
    table: str, domain: str, unit: Unit
) -> None:
    """Spark counts real tables as DuckDB does, for rows and for persons with four
    rows each.
    """
    if not SHARED.is_dir():
        pytest.skip("the shared tables are not here")
    assert_same_counts(
        *count_on_both_engines(open_table(SHARED / table), read_schema(SHARED / domain), unit)
    )


def test_spikes_and_bins_by_the_calendar(tmp_path: Path) -> None:
    """Spark counts weeks, months, decimals, spikes and signs as DuckDB does.

    The rows are 400 days around the declared range, so values in, outside and at the ends of
    bins are among them. Every seventh number of hours is a sign.
    """
    days = [date(2019, 12, 28) + timedelta(days=n) for n in range(400)]
    hours = [str(n % 60) if n % 7 else " it's <1 " for n in range(len(days))]
    rows = [[str(d), str(d), f"{n / 4}", hours[n]] for n, d in enumerate(days)]
    ends = {"minimum": "2020-01-01", "maximum": "2021-01-10"}

    columns = (
        Date(name="week", period=Period.WEEK, spikes=("2020-02-29",), **ends),
        Date(name="month", period=Period.MONTH, **ends),
        Number(name="pay", minimum=0, maximum=50, bins=12, spikes=("2.5", 90), decimals=2),
        Integer(
            name="hours",
            minimum=1,
            maximum=50,
            bins=10,
            spikes=(0, 40),
            signs=("it's <1",),
            outside="cell",
        ),
    )

    path = write(tmp_path / "t.csv", [c.name for c in columns], rows)
    assert_same_counts(*count_on_both_engines(open_table(path), Domain(columns)))


def test_a_parquet_file_and_a_decimal_comma(tmp_path: Path) -> None:
    """Spark counts a Parquet file, and a CSV file with semicolons and decimal commas, as
    DuckDB does.
    """
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame(
        {name: [row[i] for row in ROWS] for i, name in enumerate(MIXED.names)}
    )
    frame.to_parquet(path)
    assert_same_counts(*count_on_both_engines(open_table(path), MIXED))

    text = tmp_path / "t.csv"
    text.write_text("weight;sex\n1,5;F\n2.0;M\n0,1;X\n", encoding="utf-8")
    table = open_table(text, Format(delimiter=";", decimal=","))
    assert_same_counts(*count_on_both_engines(table, MIXED.project(["weight", "sex"])))


def test_damaged_rows_are_what_they_are_to_the_other_engine(tmp_path: Path) -> None:
    """Spark treats damaged lines, bytes that are no text, and missing persons as DuckDB does.

    `TROUBLE` holds lines with odd quotes, line ends and bytes. Rows in memory and rows
    counted in passes are as many.
    """
    rows = [b"ann,x,1\n", b"\xff,x,1\n", b" NA,x,2\n", b"NA,x,2\n"]
    for number, (row, *_) in enumerate(TROUBLE.values()):
        rows += [b"p%d," % number + row, b"p%d,y,1\n" % number]

    table = write_table(tmp_path / "t.csv", b"".join(rows), b"p,a,b\n")
    domain = Domain(TEXTS.columns, ("", "NA"))

    for unit in (ROW, Unit("p", 2)):
        assert_same_counts(*count_on_both_engines(table, domain, unit))

    marginals = passing(table, domain, [(0,)], engine=Engine.SPARK)
    assert marginals.rows == coded(table, domain).rows


def test_odd_names_and_odd_parquet_files(tmp_path: Path) -> None:
    """Spark reads Parquet files with bytes, large texts and extreme moments as DuckDB does.

    Their names have the signs of patterns, as ``t[1].parquet``. Spark must not take such a
    name for a pattern: t1.parquet, which it would match, is not read too.
    """
    ends = {"minimum": "2000-01-01", "maximum": "2009-12-31", "bins": 1, "missing": True}
    domain = Domain((Date(name="d", outside="cell", **ends), TEXTS["a"]))

    blobs = pa.array([b"x", b"\xff", b"x\xff", None, b"y"]).cast(pa.large_binary())
    moments = [1_104_537_600_000, 10**15, None, -(10**15), 0]

    for unit, text in (("ms", blobs), ("us", blobs.view(pa.large_string())), ("ns", blobs)):
        values = [
            None if m is None or unit == "ns" else m * (1000 if unit == "us" else 1)
            for m in moments
        ]
        frame = pa.table({"d": pa.array(values, pa.timestamp(unit)), "a": text})
        for name in ("t[1]", "a*", "b?", "{a,b}"):
            parquet.write_table(frame, tmp_path / f"{name}.parquet")
        parquet.write_table(frame.slice(0, 1), tmp_path / "t1.parquet")
        assert_same_counts(
            *count_on_both_engines(open_table(tmp_path / f"{name}.parquet"), domain)
        )
    for name in ("t[1]", "a*", "b?", "{a,b}"):
        _, by_spark = count_on_both_engines(open_table(tmp_path / f"{name}.parquet"), domain)
        assert by_spark.rows == 5, "those of t1.parquet are not among them"


def test_hostile_cells_of_every_type_are_read_alike(tmp_path: Path) -> None:
    """For a column of any stored type, Spark reads every cell as the text that DuckDB reads.

    Each text that DuckDB reads is a category, so another reading would be another cell. Texts
    of floats are left out, because engines write them in ways of their own. Moments are
    compared as dates.
    """
    for number, array in enumerate(STORED.values()):
        path = tmp_path / f"{number}.parquet"
        try:
            parquet.write_table(pa.table({"a": array, "n": range(len(array))}), path)
        except pa.ArrowInvalid:  # a second that is no millisecond
            continue
        table = open_table(path)

        texts = {t for t in typed_texts(table) if t and t.strip() and t != UNREADABLE}
        categories = tuple(sorted(t for t in texts if not FLOAT.search(t) and len(t) < 100))
        rows = Integer(name="n", minimum=0, maximum=99, bins=100)

        if categories:
            column = Categorical(
                name="a", categories=categories, missing=True, outside="cell"
            )
            assert_same_counts(*count_on_both_engines(table, Domain((column, rows))))

        if array.type.id in (pa.timestamp("s").id, pa.date32().id, pa.date64().id):
            ends = {"minimum": "1960-01-01", "maximum": "2020-12-31", "missing": True}
            moment = Date(name="a", time=True, bins=90, outside="cell", **ends)
            assert_same_counts(*count_on_both_engines(table, Domain((moment, rows))))


def test_a_folder_of_parquet_files_and_a_table_of_the_catalog(tmp_path: Path) -> None:
    """A folder of Parquet files and a table of Spark's catalog are counted as the plain file.

    A table of the catalog needs the engine Spark, and an unknown one is refused.
    """
    from pyspark.sql import SparkSession

    text = write(tmp_path / "t.csv", list(MIXED.names), ROWS * 3)
    session = SparkSession.builder.getOrCreate()

    frame = session.read.csv(str(text), header=True).repartition(3)
    frame.write.parquet(str(tmp_path / "folder"))
    frame.createOrReplaceTempView("people")

    expected = count(open_table(text), MIXED)

    folder = open_table(tmp_path / "folder")
    assert len(folder.files) == 3
    catalog_table = open_source("spark:people", engine=Engine.SPARK)
    for counts in (
        *count_on_both_engines(folder, MIXED),
        count(catalog_table, MIXED, ROW, engine=Engine.SPARK),
    ):
        assert_same_counts(counts, expected)
    with pytest.raises(
        ArgumentError, match="'people' is a table of Spark; choose the engine"
    ):
        count(catalog_table, MIXED)
    with pytest.raises(TableError, match="Spark knows no table 'nobody'"):
        open_source("spark:nobody", engine=Engine.SPARK)


@pytest.mark.parametrize("method", ["independent", "tree", "adaptive", "groups", "auto"])
def test_models_of_marginals_counted_on_spark(tmp_path: Path, method: str) -> None:
    """Every method releases a table that Spark counts.

    The noisy counts of one column are within 60 standard deviations of exact ones.
    """
    table, _ = write_example(tmp_path)
    groups = (("sex", "smoker"),) if method == "groups" else ()
    domain = survey_domain()
    plan = Plan(domain=domain, epsilon=1, method=Method(method), groups=groups)

    result = synthesize(plan, table, engine=Engine.SPARK)
    assert result.synthetic.rows == 20_000
    measured_column = next(
        noisy for clique, noisy in result.record.measured if len(clique) == 1
    )

    exact = (
        coded(open_table(table), domain.project(measured_column.domain.names))
        .count((0,))
        .dense()
    )

    assert np.abs(measured_column.values - exact).max() < 60 * np.sqrt(
        measured_column.mechanism.variance
    )


def test_a_release_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command line releases a table of 33 rows with ``--engine spark``."""
    table = write(tmp_path / "t.csv", list(MIXED.names), ROWS * 3)
    (tmp_path / "d.json").write_text(json.dumps(write_schema(MIXED)))

    words = ["release", table, "--domain", tmp_path / "d.json", "--epsilon", 1, "--anyway"]
    words += ["--engine", "spark"]

    assert main([str(word) for word in [*words, "--out", tmp_path / "out"]]) == 0
    assert "33 rows, epsilon 1." in capsys.readouterr().out


@pytest.mark.parametrize("unit", [ROW, Unit("pid", 2)], ids=["row", "person"])
def test_sums_are_the_same_on_both_engines(tmp_path: Path, unit: Unit) -> None:
    """Spark's counts and sums by cell are those of DuckDB, for rows and for persons."""
    table, domain, sums = write_hours(tmp_path)
    by_duckdb = count_sums(table, domain, sums, unit=unit)
    by_spark = count_sums(table, domain, sums, unit=unit, engine=Engine.SPARK)

    assert_same_counts(by_duckdb.counts, by_spark.counts)
    assert by_duckdb.sums.tolist() == by_spark.sums.tolist()


@pytest.mark.parametrize("unit", [ROW, Unit("who", 2)])
def test_moments_are_the_same_on_both_engines(tmp_path: Path, unit: Unit) -> None:
    """Spark's sums of offsets and products are those of DuckDB, for rows and for persons."""
    moments.make_frame(120, 3).to_csv(tmp_path / "t.csv", index=False)
    table = open_source(str(tmp_path / "t.csv"))

    by_duckdb, by_spark = (
        add_moments(table, moments.DOMAIN, moments.SUMS, unit=unit, engine=engine)
        for engine in (Engine.DUCKDB, Engine.SPARK)
    )

    for moment_sum in moments.SUMS:
        assert by_duckdb.sums[moment_sum].tolist() == by_spark.sums[moment_sum].tolist()


def test_sums_of_hostile_tables_on_spark(tmp_path: Path) -> None:
    for seed in list(seeds())[: max(2, CASES // 100)]:
        check_sums(tmp_path, seed, Engine.SPARK)


def test_hostile_tables_on_spark(tmp_path: Path) -> None:
    for seed in list(seeds())[: max(2, CASES // 100)]:
        hostile = Maker(seed).table(6, 60)
        check_codes(hostile, spark_codes(save_table(tmp_path, hostile), hostile.domain), seed)


@pytest.mark.parametrize("escaped", ["false", "true"])
def test_a_category_is_no_sql(tmp_path: Path, escaped: str) -> None:
    """A category with quotes and backslashes stays a text under both of Spark's rules of
    escapes.

    Spark's lexer took a quote after a backslash for one inside a text, and the rest of a
    category for SQL. The test of all engines is run under each rule.
    """
    from pyspark.sql import SparkSession

    session = SparkSession.builder.getOrCreate()
    session.conf.set("spark.sql.parser.escapedStringLiterals", escaped)

    TestSpark().test_a_category_is_no_sql(tmp_path)


def test_a_column_of_the_catalog_that_is_named_like_a_setting_is_refused(
    tmp_path: Path,
) -> None:
    """A column of Spark's catalog whose name looks like ``${setting}`` is refused by its
    name.

    Hadoop takes such a name for that of a setting. Files are copied under another name, but a
    table of the catalog cannot be.
    """
    from pyspark.sql import SparkSession

    name = "a ${spark.app.name} ${user.home}"
    pd.DataFrame({name: ["x", "y", "x"]}).to_parquet(tmp_path / "t.parquet")

    domain = Domain((Categorical(name=name, categories=("x", "y"), missing=True),))

    session = SparkSession.builder.getOrCreate()
    session.read.parquet(str(tmp_path / "t.parquet")).createOrReplaceTempView("odd")

    with pytest.raises(ArgumentError, match=r"cannot read the column 'a \$\{spark"):
        count(open_source("spark:odd", engine=Engine.SPARK), domain, ROW, engine=Engine.SPARK)


def test_the_name_of_a_table_opens_no_file(tmp_path: Path) -> None:
    """A table's name is no path and no SQL: Spark only looks it up in its catalog.

    The names would read the file secret.csv, drop a table, or end a quoted name.
    """
    path = write(tmp_path / "secret.csv", ["a"], [["x"]])
    for name in (f"csv.`{path}`", f"text.`{path}`", "people; DROP TABLE people", "`"):
        with pytest.raises(TableError, match="Spark knows no table"):
            open_source(f"spark:{name}", engine=Engine.SPARK)


BESIDE = """
import os
from synth.private.counting.spark import WAREHOUSE, connect, open_catalog
from synth.errors import TableError
from synth.foreign.folders import place
try:
    open_catalog("nobody")
except TableError:
    pass
kept = connect().conf.get(WAREHOUSE)
print("private" if str(place()) in kept else kept.removeprefix("file:"), os.listdir())
"""


@pytest.mark.parametrize("warehouse", ["", "tables"])
def test_nothing_is_written_beside_the_stewards_files(tmp_path: Path, warehouse: str) -> None:
    """Spark writes nothing into the folder in which it is started.

    When it is asked for a table, it makes a folder for tables, its warehouse. By default that
    is in Synth's private folder; a warehouse that the steward has set stays. The other
    process prints where it is, and what is in the folder.
    """
    folder = tmp_path / warehouse
    arguments = f"--conf {WAREHOUSE}={folder} pyspark-shell" if warehouse else "pyspark-shell"

    done = run(BESIDE, folder=tmp_path, PYSPARK_SUBMIT_ARGS=arguments)

    assert done.stdout.strip() == (f"{folder} ['{warehouse}']" if warehouse else "private []")


def write_linked_files(folder: Path, tables: dict[str, pa.Table]) -> dict[str, PrivateTable]:
    """The tables in files: texts, and every second one typed."""
    for number, (name, table) in enumerate(tables.items()):
        pa_csv.write_csv(table, folder / f"{name}.csv")
        if number % 2:
            parquet.write_table(
                pa_csv.read_csv(folder / f"{name}.csv"), folder / f"{name}.parquet"
            )
    kinds = ("csv", "parquet")
    return {n: open_table(folder / f"{n}.{kinds[i % 2]}") for i, n in enumerate(tables)}


def settle_twice(package: LinkedPackage, tables: dict[str, PrivateTable]) -> None:
    """Check that both engines link the rows of the tables in the same way, with the same
    codes.
    """
    by_duckdb, by_spark = (settle_tables(package, tables, ENGINES[e].link) for e in Engine)
    for level, spark_level in zip(by_duckdb.levels, by_spark.levels, strict=True):
        assert level.parent.tolist() == spark_level.parent.tolist()
        assert [codes.tolist() for codes in level.codes] == [
            codes.tolist() for codes in spark_level.codes
        ]
        assert [codes.dtype for codes in level.codes] == [
            codes.dtype for codes in spark_level.codes
        ]


def test_linked_tables_are_settled_alike(tmp_path: Path) -> None:
    for seed in range(12):
        tables = files_at_random(Random(seed)).tables()
        settle_twice(households(), write_linked_files(tmp_path, tables))


def test_a_public_table_is_joined_alike(tmp_path: Path) -> None:
    """Spark joins the columns of a public table to the rows of cars as DuckDB does."""
    tables = files_at_random(Random(3), "ABCDEFGH").tables()
    cars = tables["cars"].num_rows
    makers = pa.array((["a", "b", "x", None, " a"] * cars)[:cars], pa.string())
    tables["cars"] = tables["cars"].append_column("made by", makers)
    tables["makes"] = pa.table({"make": ["a", "b"], "seats": [2, 5]})

    settle_twice(with_makes(), write_linked_files(tmp_path, tables))


@pytest.mark.parametrize("name", ["nafld", "lahman"])
def test_real_linked_tables_are_settled_alike(name: str) -> None:
    """Spark links the rows of real packages as DuckDB does."""
    folder = SHARED / "linked" / name
    if not folder.is_dir():
        pytest.skip("the shared tables are not here")
    package = read_package(folder / "datapackage.json")
    settle_twice(package, {n: open_table(folder / path) for n, path in package.paths.items()})


def test_linked_tables_are_released_by_spark(tmp_path: Path) -> None:
    """The command line releases linked tables with Spark, and the bundle is drawn again.

    Status 3 of `verify` says that nothing is wrong, but that no ledger was looked at.
    """
    document = json.loads(json.dumps(DOCUMENT))
    for name, table in files_at_random(Random(5), "ABCDEF").tables().items():
        pa_csv.write_csv(table, tmp_path / f"{name}.csv")
    (tmp_path / "datapackage.json").write_text(json.dumps(document), encoding="utf-8")

    bundle = tmp_path / "b.zip"
    options = ["--epsilon", "9", "--no-ledger", "--engine", "spark", "--out", str(bundle)]

    assert main(["release", str(tmp_path / "datapackage.json"), *options]) == 0
    assert main(["verify", str(bundle)]) == 0
