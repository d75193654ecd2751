"""Quantiles beside those of other libraries: four columns at the same epsilon.

    PYTHONPATH=. python tests/bench/bench_quantiles.py [--seconds S] [--folder DIR]

OpenDP and diffprivlib each run in a virtual environment of their own, as in `bench_answers`; the
SmartNoise that is maintained (its SQL) has no quantiles, and the package that had some tells to use
OpenDP. All get the same values, bounds, epsilon and neighbours; OpenDP the same candidates as we
have, all whole numbers within the bounds. diffprivlib knows the number of rows, so that it stands
beside replace-one only, and where most values are equal it has no answer.

Errors are mean distances from the true quantile, in the unit of the column and in ranks. Theirs
are measured on many answers. Ours are of the exact law of the choice, by which nothing is left to
chance (`tests/noise/test_grouped.py` holds draws against it). A ratio is ours over theirs; behind
it the standard error of theirs. Where both are always right it is 1.
"""

import argparse
import json
import math
import subprocess
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from synth.arrays import Floats, Ints
from synth.counting.counts import Engine
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.queries.asked import asked_rows, choices
from synth.questions.inquiry import Inquiry
from synth.questions.wording import name_text
from synth.table.private_table import open_table
from tests.bench.bench_answers import EPSILONS, WANTED, Source, python_of, source, version

ASKED = (
    ("age", "1/2"),
    ("age", "9/10"),
    ("hours-per-week", "1/4"),
    ("hours-per-week", "9/10"),
    ("education-num", "1/2"),
    ("education-num", "9/10"),
    ("capital-gain", "1/2"),
    ("capital-gain", "19/20"),
)
Task = dict[str, Any]


class Off(NamedTuple):
    """Mean distances from the truth, and the standard error of the first."""

    values: float
    ranks: float
    doubt: float
    runs: int


def tasks(table: Source, seconds: float) -> list[Task]:
    """Every question, relation and epsilon."""
    return [
        {
            "column": column, "quantile": float(Fraction(part)), "part": part,
            "values": list(map(int, table.values(column))), "runs": 5_000, "seconds": seconds,
            "bounds": [int(bound) for bound in table.domain[column].bounds],  # type: ignore[attr-defined]
            "relation": neighbors.value, "epsilon": epsilon,
        }
        for column, part in ASKED
        for neighbors in Neighbors
        for epsilon in EPSILONS
    ]  # fmt: skip


def off(task: Task, found: Floats) -> tuple[Floats, Floats]:
    """Distances of answers from the true quantile, in values and in ranks."""
    values = np.sort(np.clip(task["values"], *task["bounds"]))
    wanted = float(Fraction(task["part"]) * len(values))
    true = values[max(0, math.ceil(wanted) - 1)]
    below, up_to = (np.searchsorted(values, found, side) for side in ("left", "right"))
    return np.abs(found - true), np.maximum(0, np.maximum(below - wanted, wanted - up_to))


def ours(table: Source, task: Task) -> Off:
    """Expected errors, by the chance of every value."""
    inquiry = Inquiry.of(
        [f"quantiles {task['part']} of {name_text(task['column'])}"],
        table.domain,
        Guarantee.pure(Fraction(str(task["epsilon"]))),
        Neighbors(task["relation"]),
    )
    (portion,) = inquiry.arrangement.portions
    rows = asked_rows(inquiry, open_table(table.path), Engine.DUCKDB)
    ((query, cost),) = choices(rows, portion.block, portion.way)
    assert query.sizes is not None
    assert cost.epsilon is not None
    rate = float(cost.epsilon) / (2 * query.sensitivity.l_infinity)
    chances = flipped(query.values() * rate, query.sizes)
    low = task["bounds"][0]
    distance, ranks = off(task, low + np.arange(query.size, dtype=float))
    each = np.repeat(chances, query.sizes)
    return Off(float(each @ distance), float(each @ ranks), 0.0, 0)


def flipped(exponents: Floats, sizes: Ints) -> Floats:
    """The chance of one candidate of each run by permute-and-flip.

    Of all whose coins fall right a uniform one is taken: the integral over t from 0 to 1 of its own
    chance times that of no other before t, by Gauss's rule on pieces that halve towards 0.
    """
    chances = np.exp(exponents)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    found, high = np.zeros(len(sizes)), 1.0
    for _ in range(30):
        low = high / 2
        for node, weight in zip(nodes, weights, strict=True):
            t = low + (high - low) * (1 + node) / 2
            none = np.exp((sizes * np.log1p(-chances * t)).sum())
            found += weight * (high - low) / 2 * none * chances / (1 - chances * t)
        high = low
    return np.asarray(found / (found * sizes).sum())


def theirs(library: str, python: Path, asked: list[Task]) -> list[Off | None] | str:
    """The errors of a library's answers, or why there are none."""
    script = Path(__file__).with_name("peer_quantiles.py")
    done = subprocess.run(
        [str(python), str(script), library],
        input=json.dumps(asked), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        return f"fails: {(done.stderr.strip().splitlines() or ['?'])[-1]:.150}"
    return [_measured(*pair) for pair in zip(asked, done.stdout.splitlines(), strict=True)]


def _measured(task: Task, line: str) -> Off | None:
    found = json.loads(line)
    if found is None:
        return None
    values, ranks = off(task, np.array(found["answers"]))
    doubt = float(values.std() / math.sqrt(len(values)))
    return Off(float(values.mean()), float(ranks.mean()), doubt, len(values))


def compared(own: Off, found: Off) -> tuple[float, float]:
    """Our error over theirs, and the standard error of that."""
    if not found.values:
        return (1.0 if own.values < 1 / max(1, found.runs) else math.inf), 0.0
    ratio = own.values / found.values
    return ratio, ratio * found.doubt / found.values


def main() -> None:
    options = argparse.ArgumentParser(description="Errors of quantiles beside peers'.")
    options.add_argument("--seconds", type=float, default=8.0, help="most time for each question")
    options.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "synth-peers",
        help="where the virtual environments are",
    )  # fmt: skip
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compare(source(Path(folder)), chosen.seconds, chosen.folder)


def compare(table: Source, seconds: float, folder: Path) -> None:
    """Ask everybody, and print the table."""
    asked, found = tasks(table, seconds), {}
    for library in ("opendp", "diffprivlib"):
        python = python_of(library, folder)
        result = python if isinstance(python, str) else theirs(library, python, asked)
        if isinstance(result, str):
            print(f"{library} {result}", flush=True)
        elif isinstance(python, Path):
            found[f"{library} {version(library, python)}"] = result
    print_table(table, asked, found)


def print_table(table: Source, asked: list[Task], found: dict[str, list[Off | None]]) -> None:
    """Each question with our line and theirs, and last the worst ratio to the best of them."""
    print(f"{table.path.name}, {len(asked[0]['values']):,} rows; error in values, in ranks")
    worst: tuple[float, float, str] = (0.0, 0.0, "nobody")
    over = 0
    for number, task in enumerate(asked):
        own = ours(table, task)
        title = (
            f"{task['part']} of {task['column']}, {task['relation']}, epsilon {task['epsilon']:g}"
        )
        print(f"{title}\n  {'synth':22}{own.values:12.4f}{own.ranks:12.4f}", flush=True)
        ratios = []
        for name, results in found.items():
            one = results[number]
            if one is None:
                continue
            ratio, doubt = compared(own, one)
            ratios.append((ratio, doubt, f"{title}, {name}"))
            print(f"  {name:22}{one.values:12.4f}{one.ranks:12.4f}{ratio:9.3f} ± {doubt:.3f}"
                  f"{one.runs:8,} answers", flush=True)  # fmt: skip
        if ratios:
            best = max(ratios)
            over += best[0] - 3 * best[1] > WANTED
            worst = max(worst, best)
    print(f"above {WANTED} of the best by more than three standard errors: {over} of {len(asked)}")
    print(f"worst ratio: {worst[0]:.3f} ± {worst[1]:.3f} ({worst[2]})")


if __name__ == "__main__":
    main()
