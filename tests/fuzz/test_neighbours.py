"""One changed record changes one row, whatever holds it: neighbours of every kind of input.

    SYNTH_FUZZ_PAIRS=100000 python -m pytest -q -rP tests/fuzz/test_neighbours.py

The seed is fresh in each run, and printed where a case fails: ``SYNTH_FUZZ_SEED`` repeats it.
No writer of .xls, .xlsb and .sas7bdat is installed; OpenDocument is written here."""

import os
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from synth.domain import Domain
from synth.foreign import parent, statistics
from synth.private.table import (
    arrow_copy,
    duckdb_copy,
    plain_copy,
    records,
    regular,
    typed_rows,
)
from tests.fuzz.neighbour_arrow import arrow_frame, parquet_file
from tests.fuzz.neighbour_files import PORTABLE, SAS, SPSS, STATA, read_here
from tests.fuzz.neighbour_frames import pandas_frame, polars_frame
from tests.fuzz.neighbour_json import json_lines
from tests.fuzz.neighbour_spark import OneJob
from tests.fuzz.neighbour_stores import arrow_file, duckdb_file, sqlite_file
from tests.fuzz.neighbour_text import VERSIONS, one_line, one_record
from tests.fuzz.neighbour_workbooks import workbook
from tests.fuzz.neighbours import (
    LEFT_OUT,
    Case,
    FindFault,
    Histogram,
    Input,
    Read,
    Reader,
    find_failures,
    find_fault,
    save_tables,
    shrink,
    spark_histogram,
    usual_histogram,
)

PAIRS = int(os.environ.get("SYNTH_FUZZ_PAIRS", "1000"))
"""Pairs that are asked for; each input has a part of them."""
SEED = int(os.environ.get("SYNTH_FUZZ_SEED", "0")) or secrets.randbits(48)
SHOWN = 5
"""Most failures that are shown."""
QUICK_PART = 0.2
"""Of the pairs, for the tests that are not slow."""
INPUTS = {
    "lines=one": Input(one_line, 0.7),
    "lines=span": Input(one_record, 0.3),
    "lines=json": Input(json_lines, 0.3),
    "parquet": Input(parquet_file, 1.5),
    "sav": Input(SPSS.draw, 0.1),
    "dta": Input(STATA.draw, 0.1),
    "por": Input(PORTABLE.draw, 0.1),
    "xpt": Input(SAS.draw, 0.1),
    "xlsx": Input(partial(workbook, ending=".xlsx"), 0.1),
    "ods": Input(partial(workbook, ending=".ods"), 0.1),
    "sqlite": Input(sqlite_file, 0.1),
    "duckdb": Input(duckdb_file, 0.05),
    "feather": Input(arrow_file, 0.5),
    "arrow": Input(arrow_frame, 1, in_files=False),
    "pandas": Input(pandas_frame, 1.5, in_files=False),
    "polars": Input(polars_frame, 0.5, in_files=False),
}
TEXTS = [name for name in INPUTS if name.startswith("lines")]
FILES = [name for name, source in INPUTS.items() if source.in_files]
pytestmark = [
    pytest.mark.timeout(300 + PAIRS),
    pytest.mark.filterwarnings("ignore::UserWarning:openpyxl"),
]


def check_pairs(
    name: str,
    part: float,
    folder: Path,
    count_table: Read,
    *,
    versions: int = VERSIONS,
    find_first: FindFault | None = None,
) -> None:
    """Read a part of the pairs of an input; they are one row apart at most.

    Args:
        name: The input.
        part: Of the pairs that are asked for.
        folder: Where files are written.
        count_table: Counts a table.
        versions: Most tables of a case.
        find_first: A faster way to find a fault, which is asked first.
    """
    start, wanted_pairs = time.monotonic(), PAIRS * INPUTS[name].share * part
    pairs = tables = 0

    def draw_case(draw: Random) -> Case:
        nonlocal pairs, tables
        case = INPUTS[name].draw(draw)
        case = replace(case, versions=case.versions[:versions])
        pairs, tables = pairs + case.pairs, tables + len(case.versions)
        return case

    def seeds() -> Iterator[int]:
        numbers = count(SEED)
        while pairs < wanted_pairs:
            yield next(numbers)

    failures = find_failures(draw_case, seeds(), folder, count_table, find_first)
    messages = list(islice(failures, SHOWN))
    spent = (time.monotonic() - start) / 60
    print(f"{name}: {pairs:,} pairs among {tables:,} tables, {spent:.1f} minutes")
    assert not messages, "\n".join(messages)


@pytest.mark.parametrize(
    "part", [QUICK_PART, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"]
)
@pytest.mark.parametrize("name", INPUTS)
def test_neighbours_are_one_row_apart(
    name: str, part: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two random tables that differ in one record are read as tables that differ in one row.

    A privacy proof needs that of every kind of input. Each of them draws its share of the
    pairs. Files are read in this process, and not in one of their own, to save time.
    """
    monkeypatch.setattr(parent, "run_child", read_here)
    with Reader() as engine:
        check_pairs(name, part, tmp_path, engine.histogram)


@pytest.mark.parametrize("name", TEXTS)
def test_neighbours_at_the_borders_of_small_blocks(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a block of bytes ends in a text file makes no difference to the rows next to it.

    Blocks of few bytes, here 13 and 100, have borders everywhere. Rows have at most 12,000
    bytes.
    """
    monkeypatch.setattr(parent, "run_child", read_here)
    monkeypatch.setattr(records, "READ_BYTES", 13)
    monkeypatch.setattr(records, "ROW_LIMIT", 12_000)
    monkeypatch.setattr(regular, "LINE_BLOCK_BYTES", 100)
    with Reader() as engine:
        check_pairs(name, 0.2, tmp_path, engine.histogram)


@pytest.mark.parametrize("name", [name for name in INPUTS if name not in TEXTS])
def test_neighbours_at_the_borders_of_small_batches(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a batch of rows ends makes no difference to the rows next to it.

    Readers of typed files and frames copy rows in batches, here of two or three, so that a
    batch ends everywhere. Files of text have blocks of bytes instead.
    """
    monkeypatch.setattr(parent, "run_child", read_here)
    for reader in (arrow_copy, duckdb_copy, plain_copy, typed_rows):
        monkeypatch.setattr(reader, "BATCH_ROWS", 2)
    monkeypatch.setattr(statistics, "LEAST_BATCH_ROWS", 3)
    monkeypatch.setattr(statistics, "BATCH_CELLS", 1)
    with Reader() as engine:
        check_pairs(name, 0.05, tmp_path, engine.histogram)


@pytest.mark.slow
@pytest.mark.parametrize("name", INPUTS)
def test_neighbours_as_releases_read_them(name: str, tmp_path: Path) -> None:
    """Neighbours are one row apart on the way that a release takes, too.

    That is slower: a look for damaged rows comes first, each count has an engine of its own,
    and each file a process of its own.
    """
    check_pairs(name, 0.005, tmp_path, usual_histogram, versions=2)


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("name", FILES)
def test_neighbours_on_spark(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neighbours in files of any kind are one row apart when Spark counts them.

    Spark counts the tables of a case in one job. Those that it cannot count so, it counts one
    by one, as it does where the job shows a fault.
    """
    monkeypatch.setattr(parent, "run_child", read_here)
    one_job = OneJob()
    check_pairs(name, 0.02, tmp_path, spark_histogram, find_first=one_job.find_fault)
    print(f"{name}: {one_job.cases:,} cases in one job each, {one_job.apart:,} one by one")
    assert one_job.cases >= one_job.apart


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("name", FILES)
def test_one_job_on_spark_counts_what_jobs_for_each_table_count(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job above counts in each table what Spark counts when it reads that table alone.

    The first case is taken whose files Spark reads without a copy.
    """
    monkeypatch.setattr(parent, "run_child", read_here)
    histograms = []
    for seed in range(SEED, SEED + 20):
        case = INPUTS[name].draw(Random(seed))
        tables = save_tables(case, tmp_path)
        with suppress(Exception):
            histograms = OneJob().histograms(tables, case.domain)
            break
    assert histograms == [spark_histogram(table, case.domain) for table in tables]


# A case whose reader gets the plain list of rows: four of one byte, x and y, and between them
# a fifth that is x or a quotation mark.
LINES = Case(Domain(a=["x"]), (b"x", b"y", b"x", b"y"), 2, (b"x", b'"'), lambda rows, _: rows)  # type: ignore[arg-type,return-value]


def swallow_what_follows(rows: Any, _domain: Domain) -> Histogram:
    """One mark leaves out all that follows it."""
    rows_before_the_mark = rows[: rows.index(b'"')] if b'"' in rows else rows
    return Counter(len(row) for row in rows_before_the_mark) + Counter(
        {LEFT_OUT: len(rows) - len(rows_before_the_mark)}
    )


def lose_marks(rows: Any, _domain: Domain) -> Histogram:
    """A mark is no row."""
    return Counter(len(row) for row in rows if row != b'"')


def refuse_marks(rows: Any, _domain: Domain) -> Histogram:
    """A mark refuses the table."""
    if b'"' in rows:
        raise ValueError
    return Counter(map(len, rows))


@pytest.mark.parametrize(
    ("count_table", "sentence"),
    [
        (swallow_what_follows, "versions 0 and 1 are 6 apart"),
        (lose_marks, "version 1 has 4 rows, not 5"),
        (refuse_marks, "version 1 is refused: ValueError: "),
    ],
)
def test_a_reader_that_reads_rows_by_others_is_seen(
    count_table: Read, sentence: str, tmp_path: Path
) -> None:
    """The tests above would find a reader in which one record changes how others are read.

    Three faulty readers are tried on five rows, of which the third is x or a quotation mark.
    The first reader leaves out the mark and what follows: three rows leave their cell and
    three more are left out, a distance of 6. Without a mark there is no fault. The failing
    case is made smaller, and the message names the seed that repeats it.
    """
    assert find_fault(LINES, tmp_path, count_table) == sentence
    without_mark = replace(LINES, versions=(b"x", b"y"))
    assert find_fault(without_mark, tmp_path, count_table) == ""

    smaller = shrink(LINES, tmp_path, count_table)
    assert find_fault(smaller, tmp_path, count_table)
    assert len(smaller.rows) < 4

    (message,) = find_failures(lambda _: LINES, [7], tmp_path, count_table)
    assert message.startswith("SYNTH_FUZZ_SEED=7: ")
    assert (tmp_path / "seed-7").is_dir()
