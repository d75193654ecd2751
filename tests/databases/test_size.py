"""A large table of PostgreSQL takes little memory and processor time to copy and count."""

import os
from pathlib import Path

import pytest

from tests.bench.processes import run
from tests.databases.conftest import Server

pytestmark = [pytest.mark.databases, pytest.mark.slow, pytest.mark.timeout(3_600)]

ROWS = int(float(os.environ.get("SYNTH_DATABASE_ROWS", "1e5")))
LARGE = f"""CREATE UNLOGGED TABLE large AS SELECT i AS id, (i * 7) % 90 AS age,
  CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END AS sex, (i * 13 % 100000) / 100.0 AS wage,
  (ARRAY['north', 'south', 'east', 'west'])[1 + i % 4] AS region,
  date '2000-01-01' + i % 9000 AS day FROM generate_series(1, {ROWS}) i"""
JOB = """
import resource
import synth
from synth.private.counting import count
from synth.private.table import open_table
domain = synth.Domain(
    id=synth.Integer(1, 10**8, bins=4), age=synth.Integer(0, 89, bins=9), sex=["f", "m"],
    wage=synth.Number(0, 1000, bins=4, decimals=2), region=["north", "south", "east", "west"],
    day=synth.Date("2000-01-01", "2029-12-31", bins=3),
)
print(int(count(open_table({address!r}), domain).counts.sum()))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""Six columns, all of them counted. Then the peak memory of the process that reads, in KB."""


IMPORTS = (
    "import adbc_driver_postgresql.dbapi, duckdb, pyarrow.parquet" + JOB.split("domain =")[0]
)


def test_a_large_table_is_counted_in_little_memory(server: Server, tmp_path: Path) -> None:
    """Copying and counting a large table takes less than 600 MB and 25 seconds of processor.

    The peak of the whole job and that of the process that reads are both below. A first run
    without the table compiles the modules, which shall not count.
    """
    server.run(LARGE)
    lines: list[str] = []
    run(IMPORTS, str(tmp_path))  # compiles the modules
    usage = run(JOB.format(address=server.address("large")), str(tmp_path), lines.append)
    server.run("DROP TABLE large")
    counted_rows, reader_peak = map(int, lines[0].split()[:2])
    print(
        f"{ROWS:,} rows of six columns: {usage}; "
        f"the reader's peak {reader_peak / 1024:.0f} MB"
    )
    assert counted_rows == ROWS
    assert max(usage.peak, reader_peak / 1024) < 600
    assert usage.cpu < 25
