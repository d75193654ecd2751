"""The intervals of the forecast, fitted to releases of some tables and tried on others.

    PYTHONPATH=. python tests/bench/fit_interval.py --measure CASES.jsonl [--seconds 1500]
    PYTHONPATH=. python tests/bench/fit_interval.py CASES.jsonl

The first makes releases of choices of columns of every table, by `auto` and by other methods, and
writes what each was off: some minutes. The second forecasts the same plans once more, prints the
constants of `synth.forecasts.interval` that the tables of ``FITTED`` give, and how the intervals
do on those and, apart, on the tables of ``ASIDE``, to which no constant of them is fitted.
"""

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from time import monotonic

import numpy as np
import pyarrow as pa

from synth.counting.counts import codes as codes_of
from synth.domain.domain import Categorical, Domain
from synth.domain.table_schema import read_schema
from synth.errors import SynthError
from synth.pipeline import synthesize
from synth.plan import Method, Plan
from synth.table.private_table import open_table
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
FITTED = (*(file.split("/")[0] for file in TABLES), "adult", "ma2019")
EPSILONS = ("0.1", "1", "10")
OTHERS = (Method.INDEPENDENT, Method.TREE, Method.ONE_SHOT, Method.DENSE)
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
                "method": plan.method.value,
                "strategy": made.record.strategy,
                "errors": [_error(table, made.synthetic.codes, plan.domain, k) for k in (1, 2)],
            }
            file.write(json.dumps(line) + "\n")
            file.flush()


def _error(table: pa.Table, drawn: list[np.ndarray], domain: Domain, order: int) -> float:
    real = [column.to_numpy().astype(np.int64) for column in table.columns]
    wide = [i for i, size in enumerate(domain.shape) if size > 1]
    found = []
    for place in combinations(wide, order):
        sizes = [domain.shape[i] for i in place]
        shares = []
        for side in (real, drawn):
            cells = np.ravel_multi_index([side[i].astype(np.int64) for i in place], sizes)
            shares.append(np.bincount(cells, minlength=int(np.prod(sizes))) / max(1, len(cells)))
        found.append(float(np.abs(shares[0] - shares[1]).sum() / 2))
    return float(np.mean(found))


if __name__ == "__main__":
    if "--measure" in sys.argv:
        seconds = (
            float(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else 9e9
        )
        measure(Path(sys.argv[sys.argv.index("--measure") + 1]), seconds)
