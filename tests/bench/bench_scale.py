"""A release as rows grow: Parquet to Parquet at 10^6, 10^7 and 10^8 rows, and CSV to CSV.

    PYTHONPATH=. python tests/bench/bench_scale.py [ROWS]

ROWS is the most of the Parquet files, 1e7 by default. Each release is a whole process,
imports included. What a row costs is seconds of processors over rows; the last line divides
the largest file's by the smallest one's, from which nothing was taken off: the fixed costs of
a start weigh on the small file. Tables are made a million rows at a time and removed."""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet

from tests.bench.processes import Run, run

MILLION = 10**6
DOMAIN = {
    "fields": [
        {
            "name": "age",
            "type": "integer",
            "synth:bins": 20,
            "constraints": {"minimum": 16, "maximum": 95, "required": True},
        },
        {
            "name": "region",
            "type": "string",
            "constraints": {
                "enum": ["North", "South", "East", "West", "Centre"],
                "required": True,
            },
        },
        {
            "name": "school",
            "type": "string",
            "constraints": {"enum": [f"level {i}" for i in range(12)], "required": True},
        },
        {
            "name": "income",
            "type": "number",
            "synth:bins": 20,
            "constraints": {"minimum": 0, "maximum": 100_000, "required": True},
        },
        {
            "name": "smoker",
            "type": "boolean",
            "trueValues": ["yes"],
            "falseValues": ["no"],
            "constraints": {"required": True},
        },
        {
            "name": "day",
            "type": "date",
            "synth:bins": 4,
            "constraints": {
                "minimum": "2024-01-01",
                "maximum": "2024-12-31",
                "required": True,
            },
        },
    ]
}
RELEASE = """
from fractions import Fraction
from pathlib import Path
from synth.bundle import BUNDLED_TABLES
from synth.plans import Method, Plan
from synth.spending import synthesize
from synth.domain.table_schema import read_schema
plan = Plan(domain=read_schema({domain!r}), epsilon=Fraction(1), method=Method.HISTOGRAM)
made, kind = synthesize(plan, {table!r}), BUNDLED_TABLES[{output!r}]
Path({out!r}).mkdir(exist_ok=True)
kind.write(made.synthetic, Path({out!r}) / kind.file)
"""


def survey(rows: int, seed: int = 1) -> pd.DataFrame:
    """Six plain columns; the bench needs their size, not their meaning."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(16, 96, rows),
            "region": rng.choice(["North", "South", "East", "West", "Centre"], rows),
            "school": rng.choice([f"level {i}" for i in range(12)], rows),
            "income": np.round(rng.lognormal(10, 0.8, rows), 2),
            "smoker": rng.choice(["yes", "no"], rows),
            "day": np.datetime64("2024-01-01") + rng.integers(0, 366, rows).astype("m8[D]"),
        }
    )


def pieces(rows: int) -> Iterator[pa.Table]:
    """The six columns of `survey`, a million rows at a time, each piece different."""
    for start in range(0, rows, MILLION):
        piece = pa.Table.from_pandas(survey(min(MILLION, rows - start), start + 1))
        # Days without a time, as they are declared; else a CSV file would have midnights.
        place = piece.schema.get_field_index("day")
        yield piece.set_column(place, "day", piece["day"].cast(pa.date32()))


def make(path: Path, pieces_of_table: Iterator[pa.Table]) -> None:
    """Write the pieces of a table as the name of its file says."""
    first = next(pieces_of_table)
    plain = csv.WriteOptions(quoting_style="needed")
    with (
        parquet.ParquetWriter(path, first.schema)
        if path.suffix == ".parquet"
        else csv.CSVWriter(path, first.schema, write_options=plain)
    ) as writer:
        writer.write_table(first)
        for piece in pieces_of_table:
            writer.write_table(piece)


def released(folder: Path, rows: int, output: str) -> Run:
    """Make a table, release it, remove it, and say what that took."""
    table, domain = folder / f"table.{output}", folder / "domain.json"
    domain.write_text(json.dumps(DOMAIN))
    make(table, pieces(rows))
    size = table.stat().st_size / 1e6
    names = {"domain": str(domain), "table": str(table), "out": str(folder / "out")}
    taken = run(RELEASE.format(**names, output=output), str(folder))
    table.unlink()
    print(
        f"{output:8}{rows:12,} rows {size:7,.0f} MB  {taken}  {rows / taken.seconds:10,.0f} "
        "rows/s"
    )
    return taken


def main() -> None:
    max_rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10 * MILLION
    with tempfile.TemporaryDirectory() as folder:
        released(Path(folder), 1000, "parquet")  # it leaves compiled modules
        sizes = [
            rows for rows in (MILLION, 10 * MILLION, 100 * MILLION) if rows <= max_rows
        ] or [max_rows]
        taken = [released(Path(folder), rows, "parquet") for rows in sizes]
        cost = [run.cpu / rows for run, rows in zip(taken, sizes, strict=True)]
        print(
            f"cost of a row, {sizes[-1]:,} rows over {sizes[0]:,}: {cost[-1] / cost[0]:.2f}"
        )
        released(Path(folder), min(max_rows, 10 * MILLION), "csv")


if __name__ == "__main__":
    main()
