"""The intervals of the forecast, fitted to releases of some tables and tried on others.

    PYTHONPATH=. SECONDS=1500 python tests/bench/fit_interval.py --measure CASES.jsonl
    PYTHONPATH=. python tests/bench/fit_interval.py CASES.jsonl --write && ruff format synth

The first makes releases of choices of columns of every table, by `auto` and by other methods, and
writes what each was off: some minutes. The second forecasts the same plans once more and prints
how the intervals do that the other tables give: on those and, apart, on the tables of ``ASIDE``,
to which no constant is fitted. With ``--write`` it writes the constants into
`synth.forecasts.spreads`.
"""

import json
import os
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy.optimize import minimize

from synth.domain import Categorical, Domain, read_schema
from synth.errors import SynthError
from synth.forecasts import spreads
from synth.forecasts.interval import LEAST, MOST, widen
from synth.forecasts.methods import expected_points
from synth.plans import Method, Plan
from synth.private.comparison import compare
from synth.private.counting import codes as codes_of
from synth.private.table import open_table
from synth.spending import synthesize
from tests.bench.fit_typical import TABLES, columns
from tests.tables import SHARED

DECLARED = {
    "adult": ("adult/domain.schema.json", "adult/adult_train.csv"),
    "ma2019": ("sdnist_ma/domain_10col.schema.json", "sdnist_ma/ma2019.csv"),
    "pums": ("pums/domain.schema.json", "pums/PUMS.csv"),
    "taxis": ("taxis/domain.schema.json", "taxis/taxis.csv"),
    "titanic": ("titanic/domain.schema.json", "titanic/titanic.csv"),
    "penguins": ("penguins/domain.schema.json", "penguins/penguins.csv"),
}
ASIDE = ("pums", "taxis", "titanic", "penguins")
EPSILONS = ("0.1", "1", "10")
OTHERS = (Method.INDEPENDENT, Method.TREE, Method.ONE_SHOT, Method.DENSE)
METHODS = (Method.DENSE, Method.INDEPENDENT, Method.ONE_SHOT, Method.TREE)
QUANTILES, HELD = (0.08, 0.5, 0.92), 0.5
"""Wide enough for four of five releases of a table that was left out of the fit."""
ROWS, CHOICES = 20_000, 4


def tables() -> Iterator[tuple[str, list[np.ndarray], list[int]]]:
    """Every table as codes and sizes, at most so many rows of it."""
    for file, left_out in TABLES.items():
        yield file.split("/")[0], *columns(file, left_out)
    for name, (schema, file) in DECLARED.items():
        domain = read_schema(SHARED / schema)
        yield name, codes_of(open_table(SHARED / file), domain), list(domain.shape)


def cases() -> Iterator[tuple[str, pa.Table, Plan]]:
    """Tables and plans, every table in turn; the same in every run."""
    rng = np.random.default_rng(5)
    held = [(name, [c[:ROWS] for c in codes], sizes) for name, codes, sizes in tables()]
    for turn in range(CHOICES):
        for name, codes, sizes in held:
            most = (5, len(sizes), 8, 3)[turn]
            chosen = sorted(rng.choice(len(sizes), min(most, len(sizes), 14), replace=False))
            parts = [Categorical(name=f"c{i}", categories=tuple(map(str, range(sizes[i]))))
                     for i in chosen]  # fmt: skip
            domain = Domain(tuple(parts))
            arrays = [pa.array(codes[i].astype(str)) for i in chosen]
            table = pa.table(arrays, list(domain.names))
            for place, epsilon in enumerate(EPSILONS):
                other = OTHERS[(turn + place) % len(OTHERS)]
                for method, delta in ((Method.AUTO, "0"), (Method.AUTO, "1e-9"), (other, "0")):
                    yield (
                        name,
                        table,
                        Plan(domain, Fraction(epsilon), method=method, delta=Fraction(delta)),
                    )


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
        yield Case(told["table"], method.value, told["rows"], tuple(points), told["errors"])


def fitted(cases: list[Case]) -> dict[str, dict[str, tuple[tuple[float, float], ...]]]:
    """Level and slope of the three quantiles, of each kind of error and method."""
    return {
        what: {
            method.value: tuple(
                _quantile([c for c in cases if c.method == method.value], order, share)
                for share in QUANTILES
            )
            for method in METHODS
        }
        for order, what in enumerate(("columns", "pairs"))
    }


def _quantile(cases: list[Case], order: int, share: float) -> tuple[float, float]:
    """The line with the least pinball loss, every table counting alike, slopes held small."""
    sizes = np.log([min(max(c.points[order], LEAST), MOST) for c in cases])
    logs = np.array([_log(c, order) for c in cases])
    times = {c.table: sum(d.table == c.table for d in cases) for c in cases}
    weights = np.array([1 / times[c.table] for c in cases])

    def loss(line: np.ndarray) -> float:
        gap = logs - line[0] - line[1] * (sizes - sizes.mean())
        pinball = np.maximum(share * gap, (share - 1) * gap)
        return float(pinball @ weights / weights.sum() + HELD * line[1] ** 2)

    starts = [(np.quantile(logs, share), slope) for slope in (-0.1, 0.0, 0.1)]
    options = {"xatol": 1e-4, "fatol": 1e-7, "maxfev": 2_000}
    found = [minimize(loss, s, method="Nelder-Mead", options=options) for s in starts]
    level, slope = min(found, key=lambda one: one.fun).x
    return round(float(level - slope * sizes.mean()), 3), round(float(slope), 3)


def _log(case: Case, order: int) -> float:
    least = 0.5 / case.rows
    return float(np.log((case.measured[order] + least) / (case.points[order] + least)))


def told(cases: list[Case], name: str) -> None:
    """How the intervals do on some cases."""
    for order, what in enumerate(("columns", "pairs")):
        found = [widen(what, Method(c.method), c.points[order], c.rows) for c in cases]
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
    for table in ASIDE:
        told([c for c in cases if c.table == table], f"  {table}")
    if "--write" in sys.argv:
        place = Path(spreads.__file__)
        head = place.read_text(encoding="utf-8").split("SPREADS:")[0]
        kind = "dict[str, dict[str, tuple[tuple[float, float], ...]]]"
        place.write_text(f"{head}SPREADS: {kind} = {found!r}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
