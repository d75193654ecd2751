"""The intervals of the forecast, fitted to releases of some tables and tried on others.

    PYTHONPATH=. SECONDS=1500 python tests/bench/fit_interval.py --measure CASES.jsonl
    PYTHONPATH=. python tests/bench/fit_interval.py CASES.jsonl --write && ruff format synth

The first makes releases of choices of columns of every table, by `auto` and by other methods, and
writes what each was off: some minutes. The second forecasts the same plans once more and prints
how the intervals do that the other tables give: on those and, apart, on the tables of ``ASIDE``,
to which no constant is fitted. With ``--write`` it writes the constants into
`synth.forecasts.spreads`.
"""

import csv
import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy.optimize import linprog

from synth.domain import Categorical, Domain, read_schema
from synth.errors import SynthError
from synth.forecasts import spreads
from synth.forecasts.interval import mean_log_cells, widen
from synth.forecasts.methods import expected_points
from synth.plans import Method, Plan
from synth.private.comparison import compare
from synth.private.counting import codes as codes_of
from synth.private.table import open_table
from synth.spending import synthesize
from tests.bench import tables as bench_tables
from tests.tables import SHARED

TABLES = {
    "bank_marketing/bank.csv": (),
    "birdstrikes/birdstrikes.csv": ("Airport Name",),
    "ebola_sl/ebola_sierraleone_2014_confirmed.csv": ("ID",),
    "german_credit/german_credit.csv": (),
    "horse_colic/horse_colic.csv": (),
    "salaries_ai/salaries.csv": (),
}
"""Each table, and what names a row or a place and so is no column to count."""
OWN = {
    "adult": ("adult/domain.schema.json", "adult/adult_train.csv"),
    "ma2019": ("sdnist_ma/domain_10col.schema.json", "sdnist_ma/ma2019.csv"),
}
OTHER_TABLES = ("pums", "taxis", "titanic", "penguins", "teacher", "lahman", "nafld", "fulton")
ASIDE = ("pums", "taxis", "titanic", "penguins", "nafld", "lahman")
SIMULATED = 12
EPSILONS = ("0.03", "0.1", "0.3", "1", "3", "10")
METHODS = (Method.DENSE, Method.INDEPENDENT, Method.ONE_SHOT, Method.TREE)
QUANTILES = {"columns": (0.1, 0.5, 0.9), "pairs": (0.12, 0.5, 0.94)}
"""Four of five; tables differ more in how strong their associations are than in how weak."""
HELD, SIMULATED_WEIGHT = 0.003, 0.25
ROWS, TURNS = 20_000, 12


def columns(file: str, left_out: tuple[str, ...]) -> tuple[list[np.ndarray], list[int]]:
    """The codes of the columns of few values or of numbers, and their sizes."""
    with (SHARED / file).open(encoding="utf-8-sig", newline="") as opened:
        names, *rows = csv.reader(opened)
    if "horse" in file:  # it has no header
        names, rows = [str(i) for i in range(len(names))], [names, *rows]
    cells = [row for row in rows if len(row) == len(names)]
    found = [
        _coded([row[i].strip() for row in cells])
        for i, name in enumerate(names)
        if name not in left_out
    ]
    kept = [(codes, size) for codes, size in found if 1 < size <= 50]
    return [codes for codes, _ in kept], [size for _, size in kept]


def _coded(texts: list[str]) -> tuple[np.ndarray, int]:
    values, codes = np.unique(texts, return_inverse=True)
    numbers = np.array([_number(text) for text in texts])
    known = np.isfinite(numbers)
    if len(values) <= 12 or known.mean() <= 0.5:
        return codes, len(values)
    low, high = min(0.0, numbers[known].min()), np.quantile(numbers[known], 0.99)
    round_to = 10 ** math.floor(math.log10(max(high, low + 1)))
    high = math.ceil(max(high, low + 1) / round_to) * round_to
    bins = np.floor((np.where(known, numbers, low) - low) / (high - low) * 10).clip(0, 9)
    return np.where(known, bins, 10).astype(int), 10 if known.all() else 11


def _number(text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return math.nan


def simulated(seed: int) -> tuple[list[np.ndarray], list[int]]:
    """A table in which every column follows an earlier one in part of the rows, by a law."""
    rng = np.random.default_rng((36, seed))
    rows, count = int(10 ** rng.uniform(2.5, 4.3)), int(rng.integers(4, 16))
    sizes = np.exp(rng.uniform(np.log(2), np.log(40), count)).astype(int).tolist()
    codes: list[np.ndarray] = []
    for i, size in enumerate(sizes):
        law = np.arange(1, size + 1) ** -rng.uniform(0.3, 2.2)
        fresh = rng.permutation(size)[rng.choice(size, rows, p=law / law.sum())]
        if i:
            parent = int(rng.integers(0, i))
            follows = rng.choice(size, sizes[parent], p=law / law.sum())[codes[parent]]
            fresh = np.where(rng.random(rows) < rng.beta(0.7, 1.5), follows, fresh)
        codes.append(fresh)
    return codes, sizes


def load() -> Iterator[tuple[str, list[np.ndarray], list[int]]]:
    """Every table as codes and sizes."""
    for file, left_out in TABLES.items():
        yield file.split("/")[0], *columns(file, left_out)
    for name, (schema, file) in OWN.items():
        domain = read_schema(SHARED / schema)
        yield name, codes_of(open_table(SHARED / file), domain), list(domain.shape)
    for name in OTHER_TABLES:
        rows = bench_tables.TABLES[name]()
        yield name, list(rows.codes), list(rows.domain.shape)
    for seed in range(SIMULATED):
        yield f"simulated {seed}", *simulated(seed)


def cases() -> Iterator[tuple[str, pa.Table, Plan]]:
    """Tables and plans, every table in turn; the same in every run."""
    rng = np.random.default_rng(5)
    held = list(load())
    for turn in range(TURNS):
        for name, codes, sizes in held:
            most = min(int(rng.choice([3, 5, 8, 14])), len(sizes)) if turn else len(sizes)
            chosen = sorted(rng.choice(len(sizes), min(most, 16), replace=False))
            domain = Domain(tuple(
                Categorical(name=f"c{i}", categories=tuple(map(str, range(sizes[i]))))
                for i in chosen
            ))  # fmt: skip
            rows = len(codes[0])
            some = rng.permutation(rows)[: min(rows, ROWS, int(10 ** rng.uniform(2.7, 4.5)))]
            arrays = [pa.array(codes[i][some].astype(str)) for i in chosen]
            table = pa.table(arrays, list(domain.names))
            for epsilon in rng.choice(EPSILONS, 3, replace=False):
                for method in (Method.AUTO, Method(rng.choice(METHODS))):
                    delta = Fraction(rng.choice(["0", "1e-9"])) * (method != Method.DENSE)
                    yield name, table, Plan(domain, Fraction(epsilon), method=method, delta=delta)


def measure(path: Path, seconds: float) -> None:
    """Release every case once and write a line of what it was off."""
    started, seen = monotonic(), set()
    with path.open("a", encoding="utf-8") as file:
        for name, table, plan in cases():
            if monotonic() - started > seconds:
                break
            key = (name, plan.domain.names, plan.epsilon, plan.method, plan.delta)
            if key in seen:
                continue
            seen.add(key)
            try:
                made = synthesize(plan, table)
            except SynthError:
                continue
            line = {
                "table": name,
                "shape": plan.domain.shape,
                "rows": table.num_rows,
                "epsilon": str(plan.epsilon),
                "delta": str(plan.delta),
                "method": plan.method,
                "strategy": made.record.strategy,
                "errors": _errors(table, made.synthetic.codes, plan.domain),
            }
            file.write(json.dumps(line) + "\n")
            file.flush()


def _errors(table: pa.Table, drawn: list[np.ndarray], whole: Domain) -> list[float]:
    """Mean errors of columns and of pairs, without columns of one cell."""
    wide = [i for i, size in enumerate(whole.shape) if size > 1]
    domain = whole.project(whole.names[i] for i in wide)
    real = [table.column(i).to_numpy().astype(np.int32) for i in wide]
    found = compare(domain, real, [drawn[i] for i in wide])
    return [found.one_way.mean, found.two_way.mean]


class Case(NamedTuple):
    """One release: what was forecast at a point, and what it was off."""

    table: str
    method: str
    shape: tuple[int, ...]
    rows: int
    points: tuple[float, float]
    measured: tuple[float, float]


def forecast_again(path: Path) -> Iterator[Case]:
    """The cases that were measured, with today's forecast of each."""
    for line in path.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        parts = [Categorical(name=f"c{i}", categories=tuple(map(str, range(size))))
                 for i, size in enumerate(told["shape"])]  # fmt: skip
        plan = Plan(Domain(tuple(parts)), Fraction(told["epsilon"]),
                    method=Method(told["method"]), delta=Fraction(told["delta"]))  # fmt: skip
        method, points = expected_points(plan, told["rows"])
        shape = plan.domain.shape
        yield Case(told["table"], method, shape, told["rows"], tuple(points), told["errors"])


def fitted(cases: list[Case]) -> dict[str, dict[str, tuple[tuple[float, float], ...]]]:
    """Level and slope of the three quantiles, of each kind of error and method."""
    return {
        what: {
            method.value: tuple(
                _quantile([c for c in cases if c.method == method.value], order, share)
                for share in QUANTILES[what]
            )
            for method in METHODS
        }
        for order, what in enumerate(("columns", "pairs"))
    }


def _quantile(cases: list[Case], order: int, share: float) -> tuple[float, float]:
    """The line with the least pinball loss, every real table counting alike, slopes held small."""
    cases = [c for c in cases if c.points[order]]
    sizes = np.array([mean_log_cells(c.shape) for c in cases])
    logs = np.array([_log(c, order) for c in cases])
    times = Counter(c.table for c in cases)
    parts = {t: SIMULATED_WEIGHT if t.startswith("simulated") else 1.0 for t in times}
    weights = np.array([parts[c.table] / times[c.table] for c in cases])
    lines = np.column_stack([np.ones(len(cases)), sizes - sizes.mean()])
    held = [0.0, HELD * weights.sum()]
    found = linprog(  # both signs of the line, then what is above and below it
        [*held, *held, *(share * weights), *((1 - share) * weights)],
        A_eq=np.hstack([lines, -lines, np.eye(len(cases)), -np.eye(len(cases))]),
        b_eq=logs,
    ).x
    level, slope = found[:2] - found[2:4]
    return round(float(level - slope * sizes.mean()), 3), round(float(slope), 3)


def _log(case: Case, order: int) -> float:
    least = 0.5 / case.rows
    return float(np.log((case.measured[order] + least) / (case.points[order] + least)))


def told(cases: list[Case], name: str) -> None:
    """How the intervals do on some cases."""
    for order, what in enumerate(("columns", "pairs")):
        found = [widen(what, c.method, c.points[order], c.shape, c.rows) for c in cases]
        held = np.mean([r.low <= c.measured[order] <= r.high
                        for r, c in zip(found, cases, strict=True)])  # fmt: skip
        width = np.median([(r.high + 1e-9) / (r.low + 1e-9) for r in found])
        rosy = np.array([(c.measured[order] + 0.5 / c.rows) / (r.likely + 0.5 / c.rows)
                         for r, c in zip(found, cases, strict=True)])  # fmt: skip
        print(
            f"{name:24} {what:8} {len(cases):4} releases, {100 * held:3.0f} % within; ends a "
            f"factor {width:.2f} apart, {np.sqrt(width):.2f} from the middle; measured by middle: "
            f"median {np.median(rosy):.2f}, worst {rosy.max():.2f} too rosy, "
            f"{1 / rosy.min():.2f} too grim"
        )


def main() -> None:
    path = Path(next(word for word in sys.argv[1:] if not word.startswith("--")))
    if "--measure" in sys.argv:
        measure(path, float(os.environ.get("SECONDS", "inf")))
        return
    cases = list(forecast_again(path))
    known = [c for c in cases if c.table not in ASIDE]
    found = fitted(known)
    spreads.SPREADS.clear()
    spreads.SPREADS.update(found)
    told(known, "tables fitted to")
    told([c for c in cases if c.table in ASIDE], "tables kept aside")
    for table in sorted({c.table for c in cases}):
        told([c for c in cases if c.table == table], f"  {table}")
    if "--write" in sys.argv:
        place = Path(spreads.__file__)
        head = place.read_text(encoding="utf-8").split("SPREADS:")[0]
        kind = "dict[str, dict[str, tuple[tuple[float, float], ...]]]"
        place.write_text(f"{head}SPREADS: {kind} = {found!r}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
