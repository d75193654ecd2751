"""Time and memory of a whole release: against pandas, and as the universe grows.

    PYTHONPATH=. python tests/bench/bench_release.py [ROWS]

Each run is a whole process, imports included, started in turn with its rival, so that the ratio
of neighbouring runs means something on a noisy machine: medians are printed. One run of each goes
ahead and is not measured: it leaves compiled modules and a warm file cache for both. Seconds of
processors are printed too; they hardly depend on what else the machine does.
"""

import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.bench.processes import Run, middle, run

ROUNDS = 5
DOMAIN = {
    "fields": [
        {"name": "age", "type": "integer", "synth:bins": 20,
         "constraints": {"minimum": 16, "maximum": 95, "required": True}},
        {"name": "region", "type": "string",
         "constraints": {"enum": ["North", "South", "East", "West", "Centre"], "required": True}},
        {"name": "school", "type": "string",
         "constraints": {"enum": [f"level {i}" for i in range(12)], "required": True}},
        {"name": "income", "type": "number", "synth:bins": 20,
         "constraints": {"minimum": 0, "maximum": 100_000, "required": True}},
        {"name": "smoker", "type": "boolean", "trueValues": ["yes"], "falseValues": ["no"],
         "constraints": {"required": True}},
        {"name": "day", "type": "date", "synth:bins": 4,
         "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31", "required": True}},
    ]
}  # fmt: skip

RELEASE = """
from fractions import Fraction
from synth.plans.plan import Method, Plan
from synth.spending.pipeline import synthesize
from synth.domain.table_schema import read_schema
plan = Plan(read_schema({domain!r}), Fraction(1), method=Method.HISTOGRAM)
synthesize(plan, {table!r}).write({out!r})
"""
PANDAS = """
import pandas as pd
pd.read_csv({table!r}).to_csv({out!r} + "/copy.csv", index=False)
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


def universe(exponent: int) -> dict[str, Any]:
    """A declaration of 6 columns and 10^exponent cells for the columns of `digits`."""
    bins = 10 ** (exponent // 6)
    field = {"type": "integer", "synth:bins": bins}
    bounds = {"minimum": 0, "maximum": 999, "required": True}
    return {"fields": [{"name": f"x{i}", **field, "constraints": bounds} for i in range(6)]}


def digits(rows: int) -> pd.DataFrame:
    """Six columns of whole numbers below 1000."""
    rng = np.random.default_rng(1)
    return pd.DataFrame({f"x{i}": rng.integers(0, 1000, rows) for i in range(6)})


def against_pandas(rows: int, folder: str) -> list[list[Run]]:
    """What a release and pandas took, in turn; the first round is not among them."""
    table, domain = Path(folder, "table.csv"), Path(folder, "domain.json")
    survey(rows).to_csv(table, index=False)
    domain.write_text(json.dumps(DOMAIN))
    rounds = []
    for number in range(ROUNDS + 1):
        # A folder a round: to replace a file just written, the system first writes it to disk.
        out = Path(folder, str(number))
        out.mkdir()
        names = {"domain": str(domain), "table": str(table), "out": str(out)}
        rounds.append([run(job.format(**names), folder) for job in (RELEASE, PANDAS)])
    return rounds[1:]


def tell(rows: int, rounds: list[list[Run]]) -> None:
    """Print medians of time and memory, and of the ratio of neighbouring runs."""
    ours, theirs = zip(*rounds, strict=True)
    for name, runs in (("whole release", ours), ("pandas read_csv + to_csv", theirs)):
        print(f"{name:26} {rows:,} rows  {middle(runs)}")
    for name in ("seconds", "cpu"):
        ratio = statistics.median(getattr(a, name) / getattr(b, name) for a, b in rounds)
        print(f"median ratio of neighbouring runs, {name}: {ratio:.2f}")


def as_the_universe_grows(rows: int, folder: str) -> None:
    """Print the medians of time for 10^6, 10^12 and 10^18 cells at equal rows."""
    table = Path(folder, "digits.csv")
    digits(rows).to_csv(table, index=False)
    jobs = {}
    for exponent in (6, 12, 18):
        domain = Path(folder, f"domain{exponent}.json")
        domain.write_text(json.dumps(universe(exponent)))
        jobs[exponent] = RELEASE.format(domain=str(domain), table=str(table), out=folder)
    rounds = [{size: run(job, folder) for size, job in jobs.items()} for _ in range(ROUNDS)]
    for size in jobs:
        taken = middle([one[size] for one in rounds])
        ratio = statistics.median(one[size].seconds / one[6].seconds for one in rounds)
        print(f"10^{size:<2} cells  {rows:,} rows  {taken}  ratio to 10^6 {ratio:.2f}")


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        tell(rows, against_pandas(rows, folder))
        as_the_universe_grows(rows // 10, folder)


if __name__ == "__main__":
    main()
