"""What is said of Spark, and prepared for it, where there is none."""

from itertools import combinations
from pathlib import Path

import pytest

from synth.errors import ArgumentError
from synth.privacy import ROW
from synth.private.counting import Engine, count, open_source
from synth.private.counting.spark import COLUMNS_A_SCAN, batches
from synth.private.counting.spark_sql import java_pattern
from synth.private.table import open_table
from tests.tables import MIXED, ROWS, write


def test_a_master_and_a_catalog_are_for_spark() -> None:
    for name, master in (("spark:people", ""), ("t.csv", "spark://host:7077")):
        with pytest.raises(ArgumentError, match="are for the engine spark"):
            open_source(name, master=master)


def test_marginals_are_counted_in_few_scans() -> None:
    """All 780 pairs of 40 columns are counted in fewer than 50 scans, in their order.

    No scan has more columns than Spark can take.
    """
    groups = list(combinations(range(40), 2))
    scans = batches(groups)

    assert [group for batch in scans for group in batch] == groups
    assert (
        max(len({n for group in batch for n in group}) for batch in scans) <= COLUMNS_A_SCAN
    )
    assert len(scans) < 50


def test_dates_are_written_as_java_writes_them() -> None:
    """Formats of dates in Python's letters become the same formats in Java's letters.

    Texts between the letters are quoted, and a quote in them is doubled.
    """
    assert java_pattern("%Y-%m-%dT%H:%M:%S") == "yyyy-MM-dd'T'HH:mm:ss"
    assert java_pattern("%Y %m %a %d %H %M %S.%f %%") == "yyyy MM EEE dd HH mm ss.SSSSSS %"
    assert java_pattern("%y %b %A %d %I %p %M") == "yy MMM EEEE dd hh a mm"
    assert java_pattern("%B %d %Y") == "MMMM dd yyyy"
    assert java_pattern("%Y %j") == "yyyy DDD"
    assert java_pattern("it's %Y年[%m]") == "'it''s' yyyy'年['MM']'"


def test_without_pyspark_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without pyspark the engine Spark is refused, and the message names the file to install.

    None in `sys.modules` makes the import fail as if it was not installed.
    """
    monkeypatch.setitem(__import__("sys").modules, "pyspark.sql", None)

    path = write(tmp_path / "t.csv", list(MIXED.names), ROWS)

    with pytest.raises(ArgumentError, match=r"needs pyspark: pip install "):
        count(open_table(path), MIXED, ROW, engine=Engine.SPARK)
