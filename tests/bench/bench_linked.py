"""Errors of linked releases against the truth, and against histograms measured alone.

    PYTHONPATH=. python tests/bench/bench_linked.py [PACKAGE or PERSONS ...]

Real packages are read from the shared data, under add-remove of a person. The truth is what
the limits of rows keep. All errors are total variations of released rows, with their drawing.
"Alone" is the smallest error of one histogram by rows, roots or bands, with the budget that
the release spent on it, or an even part of its budget for pairs; negative counts are cut off,
no row is drawn. "Flat" is the joined table, released by person; it has no law of roots. For a
number of persons, a package of eight rows a person and ten columns is made up, and released
from CSV to CSV in a process of its own."""

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv

import synth
from synth.bundle import LinkedResult
from synth.domain import Domain, LinkedPackage, read_package
from synth.linked import CountLaw, LinkedCodes, LinkedMarginal
from synth.linked.laws import draw_noise
from synth.plans import LinkedPlan
from synth.privacy import Neighbors
from synth.private.counting import ENGINES, Engine, settle_tables
from synth.private.table import open_any, open_table
from synth.spending import synthesize_linked
from tests.bench.processes import run
from tests.tables import SHARED

ADD = Neighbors.ADD_REMOVE
DUCKDB = ENGINES[Engine.DUCKDB].link
SETTINGS = [(epsilon, delta) for epsilon in ("1", "10") for delta in ("0", "1e-9")]
LAWS = (CountLaw.ROWS, CountLaw.ROOTS)
Shares = np.ndarray[Any, Any]


def shares(rows: LinkedCodes, one: LinkedMarginal) -> Shares:
    """Parts of 1 by cell."""
    counted = rows.tally(one).astype(float).reshape(one.shape(rows.package))
    return counted / max(counted.sum(), 1.0)


def error(one: Shares, other: Shares) -> float:
    return float(np.abs(one - other).sum() / 2)


def pairs(
    package: LinkedPackage, child: int
) -> tuple[list[LinkedMarginal], list[LinkedMarginal]]:
    """Columns of the root with those of a child, and columns of the child."""
    own = [(child, c) for c in range(len(package.tables[child].domain.names))]
    root = [(0, c) for c in range(len(package.root.domain.names))]
    return (
        [LinkedMarginal(table=child, columns=(a, b)) for a in root for b in own],
        [LinkedMarginal(table=child, columns=two) for two in combinations(own, 2)],
    )


def alone(
    truth: LinkedCodes, one: LinkedMarginal, plan: LinkedPlan, cost: Fraction
) -> dict[CountLaw, float]:
    """The smallest error of each law by histograms that are measured alone."""
    package, account = plan.package, plan.account(plan.guarantee)
    parent, number = package.number(one.table)
    banded = replace(one, columns=((parent, number + 1), *one.columns), law=CountLaw.BANDS)
    best = dict.fromkeys(LAWS, 1.0)
    times = np.array(package.tables[one.table].times)
    numbers = truth.numbers(one.table)
    bands = package.tables[one.table].bands[numbers]
    mean = np.bincount(bands, numbers, len(times)) / np.maximum(np.bincount(bands), 1)
    for asked in (one, replace(one, law=CountLaw.ROWS), banded):
        noise = draw_noise(account, cost, asked.reach(package))
        seen = np.maximum(noise.release(truth.tally(asked)), 0).reshape(asked.shape(package))
        for law in LAWS:
            found = seen
            if asked is banded:
                weights = (
                    1 / times if law is CountLaw.ROWS else 1 / (times * np.maximum(mean, 1))
                )
                found = np.tensordot(weights, seen, 1)
            off = error(found / max(found.sum(), 1), shares(truth, replace(one, law=law)))
            best[law] = min(best[law], off)
    return best


def costs(result: LinkedResult, some: Sequence[LinkedMarginal]) -> list[Fraction]:
    """What the release spent on each pair, or an even part of all that it spent on pairs."""
    account = result.plan.account(result.plan.guarantee)
    spent = {
        frozenset(spend.marginals[0].places[-2:]): account.count_spent(spend.cost)
        for spend in result.spends
        if not spend.is_distance
        and spend.marginals[0].table == some[0].table
        and len(spend.marginals[0].columns) > 1
    }
    even = sum(spent.values(), Fraction(1, 10**6)) / max(1, len(spent) + len(some))
    return [spent.get(frozenset(one.places), even) for one in some]


def lines(truth: LinkedCodes, made: LinkedCodes, result: LinkedResult) -> Iterator[str]:
    """All errors of a release, a line each."""
    package = truth.package

    def off(some: Sequence[LinkedMarginal]) -> float:
        return float(np.mean([error(shares(truth, one), shares(made, one)) for one in some]))

    root = [
        LinkedMarginal(table=0, columns=((0, c),))
        for c in range(len(package.root.domain.names))
    ]
    yield f"columns of the root {off(root):.4f}"
    for child, declared in enumerate(package.tables[1:], 1):
        name, names = declared.name, declared.domain.names
        kept = [
            np.bincount(r.numbers(child), minlength=declared.most + 1) for r in (truth, made)
        ]
        yield f"{name} per root {error(*(k / k.sum() for k in kept)):.4f}"
        for what, some in zip(("root x", "within"), pairs(package, child), strict=True):
            each = [
                alone(truth, one, result.plan, cost)
                for one, cost in zip(some, costs(result, some), strict=True)
            ]
            for law in LAWS if some else ():
                found = off([replace(one, law=law) for one in some])
                best = np.mean([one[law] for one in each])
                yield f"{what} {name}, by {law} {found:.4f}, alone {best:.4f}"
        for c, column in enumerate(names):
            agree = LinkedMarginal(
                table=child, columns=((child, c),), others=((child, c),), by_agreement=True
            )
            real, ours = (shares(rows, agree)[1] for rows in (truth, made))
            apart = abs(ours - real)
            yield f"two rows agree in {column} {ours:.3f} of true {real:.3f}, off {apart:.3f}"
        if "event" in names:
            held = [having(rows, child, names.index("event")) for rows in (truth, made)]
            gaps = np.abs(held[0] - held[1])
            yield f"roots with each event: off {gaps.mean():.4f}, at most {gaps.max():.4f}"


def having(rows: LinkedCodes, child: int, column: int) -> Shares:
    """The share of roots that have each cell of a column in some row."""
    level, size = rows.levels[child], rows.package.tables[child].domain.shape[column]
    found = [
        len(np.unique(level.parent[level.codes[column] == cell])) for cell in range(size)
    ]
    return np.array(found) / rows.levels[0].rows


def flat(
    truth: LinkedCodes, package: LinkedPackage, tables: dict[str, Any], epsilon: str
) -> str:
    """The error of root x child, joined and released flat by person."""
    root, child = package.tables[0], package.tables[1]
    frames = [
        pd.read_csv(tables[one.name].data, dtype=str, keep_default_na=False)
        for one in (root, child)
    ]
    joined = frames[1].merge(frames[0], left_on=child.root_key, right_on=root.root_key)
    domain = Domain((*root.domain.columns, *child.domain.columns))
    made = synth.release(
        joined,
        domain,
        epsilon,
        neighbors="add-remove",
        person=root.root_key,
        max_rows=child.most,
    ).table.astype(object)
    made["key"] = [str(i) for i in range(len(made))]
    halves = {
        one.name: pa.Table.from_pandas(
            made[list(one.domain.names)]
            .assign(**{one.root_key: made["key"]})
            .astype(str)
            .replace({"nan": "", "None": "", "<NA>": "", "NaT": ""})
        )
        for one in (root, child)
    }
    rows = settle_tables(package, {n: open_any(t) for n, t in halves.items()}, DUCKDB)
    asked = [replace(one, law=CountLaw.ROWS) for one in pairs(package, 1)[0]]
    off = np.mean([error(shares(truth, one), shares(rows, one)) for one in asked])
    return f"flat with --person: root x {child.name}, by rows {off:.4f}"


def show(name: str) -> None:
    folder = SHARED / "linked" / name
    package = read_package(folder / "datapackage.json")
    tables = {one.name: open_table(folder / one.path) for one in package.tables}
    truth = settle_tables(package, tables, DUCKDB)
    for epsilon, delta in SETTINGS:
        start = time.process_time()
        plan = LinkedPlan(
            package=package, epsilon=Fraction(epsilon), neighbors=ADD, delta=Fraction(delta)
        )
        result = synthesize_linked(plan, tables)
        took = time.process_time() - start
        made = settle_tables(
            package, {n: open_any(t) for n, t in result.tables.items()}, DUCKDB
        )
        print(
            f"{name}, epsilon {epsilon}, delta {delta}: {took:.0f} s of processor", flush=True
        )
        for line in lines(truth, made, result):
            print(f"  {line}", flush=True)
        if delta == "0":
            print(f"  {flat(truth, package, tables, epsilon)}", flush=True)


def make_up(folder: Path, persons: int) -> None:
    """Write a package of persons and their rows: columns that hang together, and with the
    person's.

    Args:
        folder: Where to.
        persons: How many.
    """
    random = np.random.default_rng(1)
    whose = np.repeat(np.arange(persons), 8)
    kind = random.integers(0, 6, persons)
    seen = np.where(
        random.random(len(whose)) < 0.5, kind[whose], random.integers(0, 6, len(whose))
    )

    def columns(prefix: str, many: int, of: Any) -> dict[str, Any]:
        found = {}
        for size in range(6, 6 + many):
            other = random.integers(0, size, len(of))
            found[f"{prefix}{size}"] = np.where(
                random.random(len(of)) < 0.5, other, of * size // 6
            )
        return found

    tables = {
        "persons": {"id": np.arange(persons), **columns("p", 4, kind)},
        "visits": {"id": whose, **columns("v", 10, seen)},
    }
    resources = []
    for name, table in tables.items():
        csv.write_csv(pa.table(table), folder / f"{name}.csv")
        fields = [
            {
                "name": column,
                "type": "integer",
                "constraints": {
                    "minimum": 0,
                    "maximum": int(column[1:]) - 1,
                    "required": True,
                },
            }
            for column in table
            if column != "id"
        ]
        fields.insert(0, {"name": "id", "type": "integer"})
        resources.append({"name": name, "path": f"{name}.csv", "schema": {"fields": fields}})
    link = {"fields": "id", "reference": {"resource": "persons", "fields": "id"}}
    resources[0]["schema"]["primaryKey"] = "id"
    resources[1] |= {"synth:maxRows": 8}
    resources[1]["schema"]["foreignKeys"] = [link]
    document = {"name": "made-up", "resources": resources}
    (folder / "datapackage.json").write_text(json.dumps(document), encoding="utf-8")


def grow(persons: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        make_up(Path(folder), persons)
        options = [
            "release",
            f"{folder}/datapackage.json",
            "--epsilon",
            "1",
            "--neighbors",
            "add-remove",
            "--out",
            f"{folder}/out",
        ]
        job = f"from synth.cli.main import main\nassert main({options!r}) == 0\n"
        print(f"{persons:,} persons x 8 rows x 10 columns: {run(job, folder)}", flush=True)


if __name__ == "__main__":
    for asked in sys.argv[1:] or ("nafld", "lahman", "50000"):
        grow(int(asked)) if asked.isdigit() else show(asked)
