"""Rows in millions by `auto`, drawn and settled in parts.

    PYTHONPATH=. python tests/bench/bench_rows.py [ROWS]

Ten columns of people of a few kinds, so that every pair is associated; Parquet to CSV, a
whole process each, imports included: opening, counting, measuring, the model, drawing,
settling, error bars, writing; a million rows, then ROWS, 1e7 by default, with two threads.
Errors of pairs are mean total variations against the table itself, noise included."""

import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv

from tests.bench.bench_scale import MILLION, make
from tests.bench.processes import Run, run

SIZES = {"sex": 2, "region": 5, "school": 12, "work": 9, "home": 4, "trade": 20, "health": 6}
RELEASE = """
import os
os.environ["SYNTH_WORKERS"] = "2"
from fractions import Fraction
from synth.plans import Method, Plan
from synth.spending import synthesize
from synth.domain.table_schema import read_schema
plan = Plan(domain=read_schema({domain!r}), epsilon=Fraction(1), method=Method.AUTO)
synthesize(plan, {table!r}).write({out!r})
"""


def domain() -> dict[str, Any]:
    """The declaration of the ten columns."""
    fields: list[dict[str, Any]] = [
        {
            "name": name,
            "type": "string",
            "constraints": {"enum": labels(name), "required": True},
        }
        for name in SIZES
    ]
    for name, maximum, bins in (("age", 99, 20), ("hours", 79, 20), ("income", 99_999, 40)):
        limits = {"minimum": 0, "maximum": maximum, "required": True}
        fields.append(
            {"name": name, "type": "integer", "synth:bins": bins, "constraints": limits}
        )
    return {"fields": fields}


def labels(name: str) -> list[str]:
    """The values of a listed column."""
    return [f"{name} {i}" for i in range(SIZES[name])]


def people(rows: int, seed: int) -> pa.Table:
    """So many people of eight kinds; what kinds are like does not depend on the seed."""
    law, rng = np.random.default_rng(7), np.random.default_rng(seed)
    kind = rng.integers(0, 8, rows)
    columns: dict[str, pa.Array] = {}
    for name, size in SIZES.items():
        shares = np.cumsum(law.dirichlet(np.full(size, 0.6), 8), axis=1)
        codes = (shares[kind] < rng.random(rows)[:, None]).sum(axis=1)
        columns[name] = pa.array(np.array(labels(name))[np.minimum(codes, size - 1)])
    for name, maximum in (("age", 99), ("hours", 79), ("income", 99_999)):
        middle_, width = law.uniform(0.1, 0.9, 8), law.uniform(0.05, 0.2, 8)
        numbers = rng.normal(middle_[kind], width[kind]) * maximum
        columns[name] = pa.array(np.clip(numbers, 0, maximum).astype(np.int64))
    return pa.table(columns)


def pieces(rows: int) -> Iterator[pa.Table]:
    """The table a million rows at a time, each piece different."""
    for start in range(0, rows, MILLION):
        yield people(min(MILLION, rows - start), start + 1)


def pair_counts(tables: Iterator[pa.Table]) -> dict[tuple[str, str], npt.NDArray[np.float64]]:
    """Shares of rows by the cells of every pair, numbers cut as declared."""
    counts_by_pair: dict[tuple[str, str], Any] = {}
    for table in tables:
        codes = {name: _codes(name, table[name]) for name in table.column_names}
        for first, second in combinations(codes, 2):
            cells = codes[first] * 64 + codes[second]
            counts_by_pair[first, second] = counts_by_pair.get(
                (first, second), 0
            ) + np.bincount(cells, minlength=64 * 64)
    return {pair: counts / counts.sum() for pair, counts in counts_by_pair.items()}


def _codes(name: str, values: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    if name in SIZES:
        code_by_label = {label: i for i, label in enumerate(labels(name))}
        encoded = values.combine_chunks().dictionary_encode()
        encoded = encoded if isinstance(encoded, pa.DictionaryArray) else encoded.chunk(0)
        codes_of_labels = np.array(
            [code_by_label[str(label)] for label in encoded.dictionary.to_pylist()]
        )
        return np.asarray(codes_of_labels[np.asarray(encoded.indices)], dtype=np.int64)
    maximum, bins = {"age": (99, 20), "hours": (79, 20), "income": (99_999, 40)}[name]
    return np.asarray(np.asarray(values, dtype=np.int64) * bins // (maximum + 1))


def error(path: Path, real: dict[tuple[str, str], npt.NDArray[np.float64]]) -> float:
    """Mean total variation over pairs of a released file against the real shares."""
    with csv.open_csv(path) as reader:
        shares = pair_counts(pa.Table.from_batches([batch]) for batch in reader)
    return float(np.mean([np.abs(shares[pair] - real[pair]).sum() / 2 for pair in real]))


def released(folder: Path, table: Path) -> Run:
    """Release a table in a process of its own."""
    names = {
        "domain": str(folder / "domain.json"),
        "table": str(table),
        "out": str(folder / "out"),
    }
    return run(RELEASE.format(**names), str(folder))


def main() -> None:
    max_rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10 * MILLION
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "domain.json").write_text(json.dumps(domain()))
        table, out = folder / "table.parquet", folder / "out" / "synthetic.csv"
        for rows in dict.fromkeys((min(MILLION, max_rows), max_rows)):
            make(table, pieces(rows))
            usage = released(folder, table)
            error_of_pairs = error(out, pair_counts(pieces(rows)))
            print(
                f"{rows:12,} rows in parts  {usage}  pairs {error_of_pairs:.5f}", flush=True
            )


if __name__ == "__main__":
    main()
