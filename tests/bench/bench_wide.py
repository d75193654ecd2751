"""What `auto` costs and is worth as tables grow wider and longer, CSV to CSV, whole processes.

    PYTHONPATH=. python tests/bench/bench_wide.py [--rows 1e4,1e5,1e6] [--columns 10,20,30,50]

Simulated tables: each row is of one of six kinds, and every third column follows the one before
it. Epsilon 1, pure, add-remove. The error is the mean total variation over 100 pairs of columns,
beside that of as many rows drawn from the same law, which no method can be expected to beat.
Each line first goes through the columns at 100,000 rows, then through the rows at 10 columns.
"""

import argparse
import json
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from tests.bench.processes import Run, run

WIDE, LONG = 100_000, 10
RELEASE = """
from fractions import Fraction
from synth.pipeline import synthesize
from synth.plan import Method, Plan
from synth.privacy.guarantee import Neighbors
from synth.domain.table_schema import read_schema
plan = Plan(read_schema({domain!r}), Fraction(1), Neighbors.ADD_REMOVE, method=Method.AUTO)
synthesize(plan, {table!r}).write({out!r})
"""


def shape_of(columns: int) -> list[int]:
    """From two to sixteen cells."""
    return [int(n) for n in np.random.default_rng(7).integers(2, 17, columns)]


def simulate(rows: int, columns: int, seed: int) -> list[np.ndarray]:
    """Codes: six kinds of rows, and every third column after the one before it."""
    law, generator = np.random.default_rng(11), np.random.default_rng(seed)
    kind = generator.integers(0, 6, rows)
    made: list[np.ndarray] = []
    for column, size in enumerate(shape_of(columns)):
        given, count = (made[-1], int(made[-1].max()) + 1) if column % 3 == 2 else (kind, 6)
        tables = np.cumsum(law.dirichlet(np.full(size, 0.4), max(count, 16)), axis=1)
        found = (tables[given] < generator.random(rows)[:, None]).sum(axis=1)
        made.append(np.minimum(found, size - 1).astype(np.int8))
    return made


def write(folder: Path, codes: list[np.ndarray]) -> None:
    """The table and its domain."""
    names = [f"c{i}" for i in range(len(codes))]
    csv.write_csv(pa.table([pa.array(c) for c in codes], names=names), folder / "t.csv")
    fields = [
        {
            "name": name,
            "type": "string",
            "constraints": {"enum": [str(i) for i in range(size)], "required": True},
        }
        for name, size in zip(names, shape_of(len(codes)), strict=True)
    ]
    (folder / "d.json").write_text(json.dumps({"fields": fields}))


def distance(one: list[np.ndarray], other: list[np.ndarray], shape: list[int]) -> float:
    """Mean total variation over at most 100 pairs."""
    pairs = list(combinations(range(len(shape)), 2))
    found = []
    for a, b in pairs[:: -(-len(pairs) // 100)]:
        p, q = (
            np.bincount(c[a].astype(np.int64) * shape[b] + c[b], minlength=shape[a] * shape[b])
            / len(c[a])
            for c in (one, other)
        )
        found.append(np.abs(p - q).sum() / 2)
    return float(np.mean(found))


def measure(rows: int, columns: int) -> tuple[Run, float, float]:
    """Cost, error, and the error of a fresh sample."""
    codes, shape = simulate(rows, columns, 1), shape_of(columns)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, codes)
        job = RELEASE.format(
            domain=str(folder / "d.json"), table=str(folder / "t.csv"), out=str(folder / "out")
        )
        cost = run(job, str(folder / "cache"))
        drawn = csv.read_csv(folder / "out" / "synthetic.csv")
        synthetic = [column.to_numpy().astype(np.int8) for column in drawn.columns]
    fresh = distance(codes, simulate(rows, columns, 2), shape)
    return cost, distance(codes, synthetic, shape), fresh


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="1e4,1e5,1e6")
    parser.add_argument("--columns", default="10,20,30,50")
    options = parser.parse_args()
    cases = [(WIDE, int(columns)) for columns in options.columns.split(",") if columns]
    cases += [(int(float(rows)), LONG) for rows in options.rows.split(",") if rows]
    for rows, columns in cases:
        cost, error, fresh = measure(rows, columns)
        print(
            f"{rows:11,} rows x {columns:2} columns  {cost}  error {error:.4f}"
            f"  (a fresh sample {fresh:.4f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
