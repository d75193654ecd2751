"""Answers beside those of other libraries: a count, a mean, a histogram at the same epsilon.

    PYTHONPATH=. python tests/bench/bench_answers.py [--runs N] [--seconds S] [--folder DIR]

OpenDP, diffprivlib, PyDP (Google's C++ library) and PipelineDP each run in a virtual environment
of their own, made at the first run in ``--folder`` (by default under the system's temporary
folder) with pip's newest releases. All libraries get the same values, bounds, epsilon and
neighbours. Where these replace a row its number of rows is public; where they add or remove one
it is private, and libraries that cannot say so are left out. A library whose histogram is of
add-remove gets half of epsilon for replace-one, which is what that costs.

The error of a histogram is over all its cells. A ratio is ours over theirs of the root mean
squared error; behind it its standard error, as both are measured. Times are of one answer: theirs
from values in memory, ours from the file, intervals included. Ratios of one question and library
are then taken together over relations and epsilons; the last line is the worst of those that are
known well enough.
"""

import argparse
import csv
import json
import math
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from synth.arrays import Floats, Ints
from synth.asking import ask
from synth.counting.counts import Engine
from synth.domain.domain import Binned, Domain
from synth.domain.table_schema import read_schema
from synth.lessons.survey import survey_domain, write_example
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.queries.asked import asked_rows, totals
from synth.questions.answers import read_answers
from synth.questions.inquiry import Inquiry
from synth.questions.totals import Totals
from synth.table.private_table import open_table
from tests.bench.peer_answers import Task, repeated
from tests.tables import SHARED

ADULT = SHARED / "adult" / "adult_train.csv"
PEERS = {
    "opendp": ("opendp",),
    "diffprivlib": ("diffprivlib", "scikit-learn<1.7"),  # 0.6.6 does not load with a newer one
    "pydp": ("python-dp",),
    "pipeline_dp": ("pipeline-dp",),
}
"""What is installed for each library."""
EPSILONS = (0.1, 1.0)
WANTED = 1.02
"""Largest ratio that is as good."""
FEW = 100
"""Of fewer answers than that, the noise of their numbers is taken as independent, as it is."""
DOUBT = 0.03
"""Largest standard error of a ratio that says anything about that."""


@dataclass(frozen=True)
class Source:
    """The table, its declaration, and the columns that are asked about."""

    path: Path
    domain: Domain
    number: str = "age"
    listed: str = "education"
    least: int = 65

    def values(self, column: str) -> list[str]:
        """The texts of a column."""
        with self.path.open(newline="", encoding="utf-8") as file:
            return [row[column].strip() for row in csv.DictReader(file)]


class Errors(NamedTuple):
    """Of many answers: root mean squared and mean absolute error, and what is known of these.

    Attributes:
        root: Root mean squared error of one number.
        mean: Mean absolute error.
        doubt: Standard error of ``root`` as a share of it.
        runs: How many answers.
        seconds: Time of one.
    """

    root: float
    mean: float
    doubt: float
    runs: int
    seconds: float


def errors(answers: Sequence[Sequence[float]], truth: Floats, seconds: float) -> Errors:
    """The errors of answers, shape (runs, numbers), about the truth; more numbers are 0."""
    found = np.asarray(answers, float)
    off = found - np.pad(truth, (0, found.shape[1] - len(truth)))  # cells asked besides are empty
    squares = off**2 if len(off) < FEW else (off**2).mean(axis=1, keepdims=True)
    root = math.sqrt(squares.mean())
    doubt = float(squares.std() / squares.mean() / math.sqrt(squares.size) / 2)
    return Errors(root, float(np.abs(off).mean()), doubt, len(off), seconds)


def source(folder: Path) -> Source:
    """Adult where it is at hand, else the survey of the lessons."""
    if ADULT.is_file():
        return Source(ADULT, read_schema(ADULT.with_name("domain.schema.json")))
    path, _ = write_example(folder)
    return Source(Path(path), survey_domain())


def tasks(table: Source, runs: int, seconds: float) -> list[Task]:
    """All that is asked: every question, relation and epsilon."""
    column = table.domain[table.number]
    assert isinstance(column, Binned)
    numbers = [int(text) for text in table.values(table.number)]
    labels = {label: code for code, label in enumerate(table.domain[table.listed].cells)}
    codes = [labels.get(text, len(labels) - 1) for text in table.values(table.listed)]
    asked: list[Task] = [
        {"kind": "count", "text": f"count where {table.number} >= {table.least}",
         "values": numbers, "least": table.least},
        {"kind": "mean", "text": f"mean {table.number}",
         "values": numbers, "bounds": [int(bound) for bound in column.bounds]},
        {"kind": "table", "text": f"table {table.listed}",
         "values": codes, "categories": len(labels)},
    ]  # fmt: skip
    limits = {"runs": runs, "seconds": seconds}
    return [
        {**one, "relation": neighbors.value, "epsilon": epsilon, **limits}
        for one in asked
        for neighbors in Neighbors
        for epsilon in EPSILONS
    ]


def truth(task: Task) -> Floats:
    """What the answers should be, by NumPy."""
    values = np.array(task["values"])
    if task["kind"] == "count":
        return np.array([float((values >= task["least"]).sum())])
    if task["kind"] == "mean":
        return np.array([np.clip(values, *task["bounds"]).mean()])
    return np.bincount(values, minlength=task["categories"]).astype(np.float64)


def ours(table: Source, task: Task) -> Errors:
    """The errors of Synth's answers, and how long one takes from the file."""
    guarantee, neighbors = (
        Guarantee.pure(Fraction(str(task["epsilon"]))),
        Neighbors(task["relation"]),
    )
    inquiry = Inquiry.of([task["text"]], table.domain, guarantee, neighbors)
    answers, _ = repeated(answering(inquiry, table.path), task["runs"], task["seconds"])
    start, times = time.perf_counter(), 5
    for _ in range(times):
        again = Inquiry.of([task["text"]], table.domain, guarantee, neighbors)
        assert len(ask(again, table.path).answers) == 1
    return errors(answers, truth(task), (time.perf_counter() - start) / times)


def answering(inquiry: Inquiry, path: Path) -> Callable[[], Floats]:
    """Fresh answers of rows that are counted once, by the steps of `synth.asking.ask`."""
    rows = asked_rows(inquiry, open_table(path), Engine.DUCKDB)
    public = rows.of(inquiry.unit).public_rows(inquiry.neighbors)
    (portion,) = inquiry.arrangement.portions
    exact, mechanism = totals(rows, portion.block, portion.way).values(), portion.way.mechanism
    assert mechanism is not None
    return lambda: _value(inquiry, mechanism.release(exact), public)


def _value(inquiry: Inquiry, noisy: Ints, public: int | None) -> Floats:
    """The value of the answer; of a mean without its interval, which takes its time."""
    (portion,) = inquiry.arrangement.portions
    (reading,) = portion.block.readings
    if not reading.denominators:
        return read_answers(inquiry.arrangement, (noisy,), public)[0].value
    (above,), (below,) = reading.numerators, reading.denominators
    found = Totals.of(portion, noisy)
    rows = public if below is None else found.of_tally(below) * found.grid(below)
    size = found.of_tally(above) * found.grid(above)
    column = inquiry.domain[inquiry.questions[0].columns[0]]
    assert isinstance(column, Binned)
    value: Floats = np.clip(found.middle(above) + size / rows, *map(float, column.bounds))
    return value


def python_of(library: str, folder: Path) -> Path | str:
    """The interpreter of a library's environment, made if need be; or why there is none."""
    place = folder / library
    python, ready = place / "bin" / "python", place / "ready"
    if ready.is_file():
        return python
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "venv", "--clear", place], [*pip, *PEERS[library]]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            return f"does not install: {(done.stderr.strip().splitlines() or ['?'])[-1]:.150}"
    ready.touch()
    return python


def version(library: str, python: Path) -> str:
    """The release that is installed."""
    asked = f"import importlib.metadata as m; print(m.version({PEERS[library][0]!r}))"
    return subprocess.run(
        [python, "-c", asked], capture_output=True, text=True, check=True
    ).stdout.strip()


def theirs(library: str, python: Path, asked: list[Task]) -> list[Errors | None] | str:
    """The errors of a library's answers to every task, or why there are none."""
    script = Path(__file__).with_name("peer_answers.py")
    done = subprocess.run(
        [str(python), str(script), library],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return f"fails: {(done.stderr.strip().splitlines() or ['?'])[-1]:.150}"
    results: list[dict[str, Any] | None] = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        None if found is None else errors(found["answers"], truth(task), found["seconds"])
        for task, found in zip(asked, results, strict=True)
    ]


def line(name: str, found: Errors, own: Errors | None = None) -> str:
    """One line of the table, with the ratio where it is of another library."""
    text = (
        f"  {name:22}{found.runs:8,}{found.root:12.5f}{found.mean:12.5f}{1e3 * found.seconds:10.2f}"
    )
    if own is None:
        return text
    ratio, doubt = compared(own, found)
    return f"{text}{ratio:9.3f} ± {doubt:.3f}"


def compared(own: Errors, found: Errors) -> tuple[float, float]:
    """Our error over theirs, and the standard error of that."""
    ratio = own.root / found.root
    return ratio, ratio * math.hypot(own.doubt, found.doubt)


def main() -> None:
    options = argparse.ArgumentParser(description="Errors and times of answers beside peers'.")
    options.add_argument("--runs", type=int, default=20_000, help="most answers of each kind")
    options.add_argument("--seconds", type=float, default=10.0, help="most time for them")
    options.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "synth-peers",
        help="where the virtual environments are",
    )  # fmt: skip
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compare(source(Path(folder)), chosen.runs, chosen.seconds, chosen.folder)


def compare(table: Source, runs: int, seconds: float, folder: Path) -> None:
    """Ask everybody, and print the table."""
    asked = tasks(table, runs, seconds)
    found: dict[str, list[Errors | None]] = {}
    for library in PEERS:
        python = python_of(library, folder)
        result = python if isinstance(python, str) else theirs(library, python, asked)
        if isinstance(result, str):
            print(f"{library} {result}")
        elif isinstance(python, Path):
            found[f"{library} {version(library, python)}"] = result
    rows = len(asked[0]["values"])
    print(f"{table.path.name}, {rows:,} rows")
    print(f"  {'':22}{'answers':>8}{'root m.s.':>12}{'mean abs.':>12}{'ms each':>10}{'ratio':>9}")
    print_table(table, asked, found)


def print_table(table: Source, asked: list[Task], found: dict[str, list[Errors | None]]) -> None:
    """Each question with our line and theirs, and last the worst ratio."""
    ratios: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for number, task in enumerate(asked):
        own = ours(table, task)
        print(f"{task['text']}, {task['relation']}, epsilon {task['epsilon']:g}")
        print(line("synth", own), flush=True)
        for name, results in found.items():
            result = results[number]
            if result is not None:
                print(line(name, result, own), flush=True)
                ratios[task["text"], name].append(compared(own, result))
    known = []
    print("ratios over relations and epsilons")
    for (text, name), each in ratios.items():
        ratio, doubt = pooled(each)
        known += [(ratio, doubt, name, text)] if doubt <= DOUBT else []
        few = "" if doubt <= DOUBT else "  too few answers to tell"
        print(f"  {text:32}{name:22}{ratio:9.3f} ± {doubt:.3f}{few}")
    over = sum(ratio - 3 * doubt > WANTED for ratio, doubt, *_ in known)
    print(f"above {WANTED} by more than three standard errors: {over} of {len(known)}")
    worst, doubt, name, text = max(known, default=(math.nan, math.nan, "nobody", "nothing"))
    print(f"worst ratio: {worst:.3f} ± {doubt:.3f} ({name}, {text})")


def pooled(ratios: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The mean of ratios with standard errors, on a logarithmic scale, weighted by precision."""
    weights = np.array([(ratio / doubt) ** 2 for ratio, doubt in ratios])
    mean = math.exp(weights @ [math.log(ratio) for ratio, _ in ratios] / weights.sum())
    return mean, mean / math.sqrt(weights.sum())


if __name__ == "__main__":
    main()
