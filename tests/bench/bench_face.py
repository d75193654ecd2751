"""Tables in memory against their file: the same counts, and the time of a release.

Run as ``PYTHONPATH=. python tests/bench/bench_face.py``; it needs the tables in ``../shared/data``.
The time is of a release of 1e6 rows held by pandas, as a share of what pandas takes to write their
CSV and read it again.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow as pa

import synth
from synth.counting.counts import Engine, codes, count
from synth.privacy.guarantee import Guarantee
from synth.queries.asked import asked_rows
from synth.questions.inquiry import Inquiry
from synth.table.frames import opened

SHARED = Path(__file__).parents[3] / "shared" / "data" / "adult"
COLUMNS = ("age", "sex", "race", "income", "hours-per-week")
ASKED = ["mean age by sex", "count where \"hours-per-week\" >= 40 and income = '>50K'"]


def frames(csv: Path) -> Iterator[tuple[str, Any]]:
    """The same table in every kind of memory."""
    frame = pd.read_csv(csv)
    yield "pandas", frame
    yield "arrow", pa.Table.from_pandas(frame)
    yield "polars", polars.read_csv(csv)


def same(csv: Path, data: Any, domain: synth.Domain, made: synth.Release) -> list[bool]:
    """Whether what a release, answers and a comparison count is what they count of the file."""
    tables = opened(csv), opened(data)
    cells = [count(table, domain).dense() for table in tables]
    inquiry = Inquiry.of(ASKED, domain, Guarantee.pure(1))
    asked = [asked_rows(inquiry, table, Engine.DUCKDB) for table in tables]
    sums = [found.of(inquiry.unit) for found in asked]
    errors = [synth.compare(table, made).table["error"] for table in (csv, data)]
    rows = [np.sort(np.stack(codes(table, domain)), axis=1).tobytes() for table in tables]
    return [
        np.array_equal(*cells),
        sums[0].rows == sums[1].rows and rows[0] == rows[1],
        np.array_equal(*errors),
    ]


def seconds(work: Callable[[], object]) -> float:
    """The least time of two."""
    found = []
    for _ in range(2):
        before = time.perf_counter()
        work()
        found.append(time.perf_counter() - before)
    return min(found)


def main() -> None:
    csv = SHARED / "adult_train.csv"
    if not csv.exists():
        print("bench_face: the shared tables are not here, so nothing was measured.")
        return
    domain = synth.Domain.from_schema(SHARED / "domain.schema.json").project(COLUMNS)
    made = synth.release(csv, domain, epsilon=1)
    for kind, data in frames(csv):
        released, asked, compared = same(csv, data, domain, made)
        print(f"{kind:7} as the CSV: release {released}, ask {asked}, compare {compared}")
    frame = pd.concat([pd.read_csv(csv)] * 31, ignore_index=True)[:1_000_000]
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        path = Path(folder) / "t.csv"

        def round_trip() -> None:
            frame.to_csv(path, index=False)
            pd.read_csv(path)

        ours, theirs = seconds(lambda: synth.release(frame, domain)), seconds(round_trip)
    print(
        f"{len(frame):,} rows of {len(frame.columns)} columns: a release in {ours:.2f} s, "
        f"CSV there and back {theirs:.2f} s: {ours / theirs:.2f}"
    )


if __name__ == "__main__":
    main()
