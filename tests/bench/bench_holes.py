"""Two kinds of table that others claim: one of high order, and one of more than 100 columns.

    PYTHONPATH=. python tests/bench/bench_holes.py [--who auto,aim,...] [--tables dense,wide]

*dense*: ten columns of four values that three hidden factors tie, pair by pair, and four of
two values. Each of these is the parity of three others, wrong in a tenth of the rows: only
tables of these four columns show it. 17 million cells. *wide*: 120 columns of two to six
values; each follows two of those before it. Both are simulated, of 20,000 rows, the same each
time.

Errors are mean total variations of all pairs, triples and fours of columns; *tied* is that of
the tables that the law itself ties: the four parities, or each column with one that it
follows. Delta is 1e-9, add-remove. Each release is a line of a JSON file (`--results`), and
the table of all that are there is printed last. Of the wide table pairs alone are scored.

Peers run by their authors' code in environments of their own below `--peers`
(`peer_rows.py`). One that is not there is left out; one that takes more than `--seconds` of a
processor is a line that says so. *real* is another half of a table twice as long, *none* is
independent columns without noise."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from resource import RLIMIT_CPU, setrlimit
from statistics import mean
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from synth.private.counting.counts import CodedRows
from tests.bench import tables
from tests.bench.utility import Case, Codes, _distance, _plan, release_codes, table_error

ROWS, WRONG, PARENTS, COLUMNS = 20_000, 0.1, 2, 120
BLOCKS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 0, 5))
"""Columns whose upper halves each of the parities sums."""
PEERS = {"aim": "pgm", "mst": "pgm", "tabpe": "torch", "margnet": "torch", "grem": "torch"}
"""By name, the virtual environment of each."""
ORDERS = {"pairs": 2, "triples": 3, "fours": 4}


class Sample(NamedTuple):
    """The rows that are released, as many others of the same law, and what it ties."""

    rows: CodedRows
    others: Codes
    tied: Sequence[tuple[int, ...]]

    @classmethod
    def cut(cls, codes: Codes, sizes: Sequence[int], tied: Sequence[tuple[int, ...]]) -> Self:
        rows = tables.hold_codes([column[:ROWS] for column in codes], sizes)
        return cls(rows, [column[ROWS:] for column in codes], tied)


def dense() -> Sample:
    """Columns that hidden factors tie, and parities of three of them."""
    law, generator = np.random.default_rng(20), np.random.default_rng(21)
    weights = law.normal(size=(3, 10))
    hidden = generator.normal(size=(2 * ROWS, 3)) @ weights
    values = hidden + 1.2 * generator.normal(size=hidden.shape)
    codes = [
        np.searchsorted(np.quantile(v, law.dirichlet([8] * 4).cumsum()[:3]), v)
        for v in values.T
    ]
    for block in BLOCKS:
        parity = sum(codes[a] // 2 for a in block) % 2
        codes.append(parity ^ (generator.random(2 * ROWS) < WRONG))
    tied = [(*block, 10 + i) for i, block in enumerate(BLOCKS)]
    return Sample.cut(codes, [4] * 10 + [2] * len(BLOCKS), tied)


def wide() -> Sample:
    """A random network: each column follows some of those before it."""
    law, generator = np.random.default_rng(22), np.random.default_rng(23)
    sizes = law.integers(2, 7, COLUMNS).tolist()
    codes: list[npt.NDArray[np.integer]] = []
    tied = []
    for column, size in enumerate(sizes):
        parent_cell, cells = np.zeros(2 * ROWS, dtype=np.int64), 1
        for parent in law.permutation(column)[:PARENTS].tolist():
            parent_cell, cells = (
                parent_cell * sizes[parent] + codes[parent],
                cells * sizes[parent],
            )
            tied.append((parent, column))
        shares = law.dirichlet(np.full(size, 0.3), cells).cumsum(axis=1)
        cells_drawn = (shares[parent_cell] < generator.random(2 * ROWS)[:, None]).sum(axis=1)
        codes.append(np.minimum(cells_drawn, size - 1))
    return Sample.cut(codes, sizes, tied)


TABLES: dict[str, Callable[[], Sample]] = {"dense": dense, "wide": wide}


class Run(NamedTuple):
    """One release of a table by someone."""

    table: str
    who: str
    epsilon: str


def scores(sample: Sample, codes: Codes, orders: dict[str, int]) -> dict[str, float]:
    """Errors by order."""
    shape, real = sample.rows.domain.shape, sample.rows.codes
    errors = {name: table_error(real, codes, shape, order) for name, order in orders.items()}
    return {
        **errors,
        "tied": mean(
            _distance(real, codes, shape, tied_columns) for tied_columns in sample.tied
        ),
    }


def release_once(
    run: Run, sample: Sample, options: argparse.Namespace
) -> dict[str, Any] | None:
    """What one release is off and took; nothing if that peer is not here."""
    rows, start = sample.rows, os.times()
    if run.who == "real":
        codes: Codes | float | str | None = sample.others
    elif run.who == "none":
        codes = [np.random.default_rng(i).permutation(c) for i, c in enumerate(rows.codes)]
    elif run.who in PEERS:
        codes = draw_by_peer(run, rows, options)
    else:
        who, pure = run.who.removesuffix("-pure"), run.who.endswith("-pure")
        case = Case(run.table, who, run.epsilon, not pure, "add-remove")
        codes, _, _ = release_codes(_plan(case, rows), rows)
    seconds = sum(os.times()[:4]) - sum(start[:4])
    if codes is None:
        return None
    if isinstance(codes, str | float):
        outcome: dict[str, Any] = {"failed" if isinstance(codes, str) else "pairs": codes}
    else:
        outcome = scores(sample, codes, {"pairs": 2} if run.table == "wide" else ORDERS)
    return {**run._asdict(), **outcome, "seconds": seconds}


def draw_by_peer(
    run: Run, rows: CodedRows, options: argparse.Namespace
) -> Codes | float | str | None:
    """Rows by a peer's code in its own environment, their error alone, or why there are
    none.
    """
    python = options.peers / PEERS[run.who] / "bin" / "python"
    if not python.is_file():
        return None
    with tempfile.TemporaryDirectory() as folder:
        table, rows_file = Path(folder) / "table.npz", Path(folder) / "drawn.npz"
        np.savez(table, codes=np.stack(rows.codes, axis=1), sizes=np.array(rows.domain.shape))
        driver = Path(__file__).with_name("peer_rows.py")
        words = [python, driver, run.who, run.epsilon, table, rows_file, options.peers]
        job = subprocess.run(
            list(map(str, words)),
            env={**os.environ, "PYTHONPATH": ""},
            cwd=folder,
            preexec_fn=partial(setrlimit, RLIMIT_CPU, (options.seconds,) * 2),
            stdout=sys.stderr,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if job.returncode < 0:
            return f"not done in {options.seconds} s"
        if not rows_file.is_file():
            return next(line for line in job.stderr.splitlines()[::-1] if "Error" in line)[
                :90
            ]
        answer = np.load(rows_file)
        if "pairs" in answer:
            return float(answer["pairs"])
        return [np.ascontiguousarray(column) for column in answer["codes"].T]


def show(path: Path) -> None:
    """All releases of a file, a line for each table, epsilon and name."""
    lines_by_run: dict[Run, list[dict[str, Any]]] = {}
    for line in map(json.loads, path.read_text().splitlines()):
        lines_by_run.setdefault(Run(*[line[name] for name in Run._fields]), []).append(line)
    names = [*ORDERS, "tied"]
    print("| table | epsilon | who |", " | ".join(names), "| CPU s | releases |")
    print("|---" * (len(names) + 5) + "|")
    for run, lines in sorted(lines_by_run.items()):
        done = [line for line in lines if "failed" not in line]
        errors = [
            f"{mean(x[n] for x in done):.4f}" if done and n in done[0] else "" for n in names
        ]
        errors = errors if done else [lines[0]["failed"], *errors[1:]]
        seconds = mean(line["seconds"] for line in done or lines)
        print(
            f"| {' | '.join([run.table, run.epsilon, run.who, *errors])} | {seconds:.0f} "
            f"| {len(done)} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Tables of high order and of many columns.")
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--who", default=",".join(("real", "none", "auto", *PEERS)))
    parser.add_argument("--epsilons", default="1,3")
    parser.add_argument("--releases", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=1800)
    parser.add_argument("--peers", type=Path, default=Path("/tmp/peers"))
    parser.add_argument("--results", type=Path, default=Path("/tmp/holes.jsonl"))
    options = parser.parse_args()
    for name in options.tables.split(","):
        sample = TABLES[name]()
        for epsilon, who in product(options.epsilons.split(","), options.who.split(",")):
            for _ in range(options.releases):
                outcome = release_once(Run(name, who, epsilon), sample, options)
                if outcome is not None:
                    with options.results.open("a") as file:
                        file.write(json.dumps(outcome) + "\n")
    show(options.results)


if __name__ == "__main__":
    main()
