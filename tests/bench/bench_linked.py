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


def shares_of(rows: LinkedCodes, marginal: LinkedMarginal) -> Shares:
    """Parts of 1 by cell."""
    counts = rows.tally(marginal).astype(float).reshape(marginal.shape(rows.package))
    return counts / max(counts.sum(), 1.0)


def distance_of(shares: Shares, expected: Shares) -> float:
    return float(np.abs(shares - expected).sum() / 2)


def list_pairs(
    package: LinkedPackage, child: int
) -> tuple[list[LinkedMarginal], list[LinkedMarginal]]:
    """Columns of the root with those of a child, and columns of the child."""
    of_child = [(child, column) for column in range(len(package.tables[child].domain.names))]
    root = [(0, column) for column in range(len(package.root.domain.names))]
    return (
        [LinkedMarginal(table=child, columns=(a, b)) for a in root for b in of_child],
        [LinkedMarginal(table=child, columns=pair) for pair in combinations(of_child, 2)],
    )


def errors_of_lone_histograms(
    truth: LinkedCodes, marginal: LinkedMarginal, plan: LinkedPlan, cost: Fraction
) -> dict[CountLaw, float]:
    """The smallest error of each law by histograms that are measured alone."""
    package, account = plan.package, plan.account(plan.guarantee)
    parent, number = package.number(marginal.table)
    banded = replace(
        marginal, columns=((parent, number + 1), *marginal.columns), law=CountLaw.BANDS
    )
    best = dict.fromkeys(LAWS, 1.0)
    times = np.array(package.tables[marginal.table].times)
    numbers = truth.numbers(marginal.table)
    bands = package.tables[marginal.table].bands[numbers]
    mean = np.bincount(bands, numbers, len(times)) / np.maximum(np.bincount(bands), 1)
    for measured in (marginal, replace(marginal, law=CountLaw.ROWS), banded):
        noise = draw_noise(account, cost, measured.reach(package))
        noisy = np.maximum(noise.release(truth.tally(measured)), 0).reshape(
            measured.shape(package)
        )
        for law in LAWS:
            by_law = noisy
            if measured is banded:
                weights = (
                    1 / times if law is CountLaw.ROWS else 1 / (times * np.maximum(mean, 1))
                )
                by_law = np.tensordot(weights, noisy, 1)
            error_of_law = distance_of(
                by_law / max(by_law.sum(), 1), shares_of(truth, replace(marginal, law=law))
            )
            best[law] = min(best[law], error_of_law)
    return best


def costs_of_pairs(
    result: LinkedResult, marginals: Sequence[LinkedMarginal]
) -> list[Fraction]:
    """What the release spent on each pair, or an even part of all that it spent on pairs."""
    account = result.plan.account(result.plan.guarantee)
    spent = {
        frozenset(spend.marginals[0].places[-2:]): account.count_spent(spend.cost)
        for spend in result.spends
        if not spend.is_distance
        and spend.marginals[0].table == marginals[0].table
        and len(spend.marginals[0].columns) > 1
    }
    even_cost = sum(spent.values(), Fraction(1, 10**6)) / max(1, len(spent) + len(marginals))
    return [spent.get(frozenset(marginal.places), even_cost) for marginal in marginals]


def describe_errors(
    truth: LinkedCodes, released: LinkedCodes, result: LinkedResult
) -> Iterator[str]:
    """All errors of a release, a line each."""
    package = truth.package

    def mean_error(marginals: Sequence[LinkedMarginal]) -> float:
        return float(
            np.mean(
                [
                    distance_of(shares_of(truth, marginal), shares_of(released, marginal))
                    for marginal in marginals
                ]
            )
        )

    root = [
        LinkedMarginal(table=0, columns=((0, number),))
        for number in range(len(package.root.domain.names))
    ]
    yield f"columns of the root {mean_error(root):.4f}"
    for child, declared in enumerate(package.tables[1:], 1):
        name, names = declared.name, declared.domain.names
        counts_per_root = [
            np.bincount(r.numbers(child), minlength=declared.most + 1)
            for r in (truth, released)
        ]
        yield f"{name} per root {distance_of(*(k / k.sum() for k in counts_per_root)):.4f}"
        for kind, marginals in zip(
            ("root x", "within"), list_pairs(package, child), strict=True
        ):
            lone_errors = [
                errors_of_lone_histograms(truth, marginal, result.plan, cost)
                for marginal, cost in zip(
                    marginals, costs_of_pairs(result, marginals), strict=True
                )
            ]
            for law in LAWS if marginals else ():
                error = mean_error([replace(marginal, law=law) for marginal in marginals])
                best = np.mean([marginal[law] for marginal in lone_errors])
                yield f"{kind} {name}, by {law} {error:.4f}, alone {best:.4f}"
        for number, column in enumerate(names):
            agree = LinkedMarginal(
                table=child,
                columns=((child, number),),
                others=((child, number),),
                by_agreement=True,
            )
            real, ours = (shares_of(rows, agree)[1] for rows in (truth, released))
            difference = abs(ours - real)
            yield (
                f"two rows agree in {column} {ours:.3f} of true {real:.3f}, "
                f"off {difference:.3f}"
            )
        if "event" in names:
            shares_having = [
                share_having_each(rows, child, names.index("event"))
                for rows in (truth, released)
            ]
            gaps = np.abs(shares_having[0] - shares_having[1])
            yield f"roots with each event: off {gaps.mean():.4f}, at most {gaps.max():.4f}"


def share_having_each(rows: LinkedCodes, child: int, column: int) -> Shares:
    """The share of roots that have each cell of a column in some row."""
    level, size = rows.levels[child], rows.package.tables[child].domain.shape[column]
    roots_by_cell = [
        len(np.unique(level.parent[level.codes[column] == cell])) for cell in range(size)
    ]
    return np.array(roots_by_cell) / rows.levels[0].rows


def release_flat(
    truth: LinkedCodes, package: LinkedPackage, tables: dict[str, Any], epsilon: str
) -> str:
    """The error of root x child, joined and released flat by person."""
    root, child = package.tables[0], package.tables[1]
    frames = [
        pd.read_csv(tables[table.name].data, dtype=str, keep_default_na=False)
        for table in (root, child)
    ]
    joined = frames[1].merge(frames[0], left_on=child.root_key, right_on=root.root_key)
    domain = Domain((*root.domain.columns, *child.domain.columns))
    flat_rows = synth.release(
        joined,
        domain,
        epsilon=epsilon,
        neighbors="add-remove",
        person=root.root_key,
        max_rows=child.most,
    ).table.astype(object)
    flat_rows["key"] = [str(i) for i in range(len(flat_rows))]
    halves = {
        table.name: pa.Table.from_pandas(
            flat_rows[list(table.domain.names)]
            .assign(**{table.root_key: flat_rows["key"]})
            .astype(str)
            .replace({"nan": "", "None": "", "<NA>": "", "NaT": ""})
        )
        for table in (root, child)
    }
    rows = settle_tables(
        package,
        {name: open_any(rows_of_table) for name, rows_of_table in halves.items()},
        DUCKDB,
    )
    marginals = [replace(table, law=CountLaw.ROWS) for table in list_pairs(package, 1)[0]]
    error = np.mean(
        [distance_of(shares_of(truth, table), shares_of(rows, table)) for table in marginals]
    )
    return f"flat with --person: root x {child.name}, by rows {error:.4f}"


def show(name: str) -> None:
    folder = SHARED / "linked" / name
    package = read_package(folder / "datapackage.json")
    tables = {table.name: open_table(folder / table.path) for table in package.tables}
    truth = settle_tables(package, tables, DUCKDB)
    for epsilon, delta in SETTINGS:
        start = time.process_time()
        plan = LinkedPlan(
            package=package, epsilon=Fraction(epsilon), neighbors=ADD, delta=Fraction(delta)
        )
        result = synthesize_linked(plan, tables)
        seconds = time.process_time() - start
        released = settle_tables(
            package,
            {name: open_any(rows_of_table) for name, rows_of_table in result.tables.items()},
            DUCKDB,
        )
        print(
            f"{name}, epsilon {epsilon}, delta {delta}: {seconds:.0f} s of processor",
            flush=True,
        )
        for line in describe_errors(truth, released, result):
            print(f"  {line}", flush=True)
        if delta == "0":
            print(f"  {release_flat(truth, package, tables, epsilon)}", flush=True)


def write_made_up(folder: Path, persons: int) -> None:
    """Write a package of persons and their rows: columns that hang together, and with the
    person's.

    Args:
        folder: Where to.
        persons: How many.
    """
    draw = np.random.default_rng(1)
    persons_of_visits = np.repeat(np.arange(persons), 8)
    kind = draw.integers(0, 6, persons)
    kind_of_visit = np.where(
        draw.random(len(persons_of_visits)) < 0.5,
        kind[persons_of_visits],
        draw.integers(0, 6, len(persons_of_visits)),
    )

    def columns(prefix: str, width: int, kinds: Any) -> dict[str, Any]:
        columns_by_name = {}
        for size in range(6, 6 + width):
            noise = draw.integers(0, size, len(kinds))
            columns_by_name[f"{prefix}{size}"] = np.where(
                draw.random(len(kinds)) < 0.5, noise, kinds * size // 6
            )
        return columns_by_name

    tables = {
        "persons": {"id": np.arange(persons), **columns("p", 4, kind)},
        "visits": {"id": persons_of_visits, **columns("v", 10, kind_of_visit)},
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


def measure_growth(persons: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_made_up(Path(folder), persons)
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
    for word in sys.argv[1:] or ("nafld", "lahman", "50000"):
        measure_growth(int(word)) if word.isdigit() else show(word)
