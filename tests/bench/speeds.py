"""The table of speeds: Synth beside pandas, NumPy, OpenDP and diffprivlib, as ratios.

    PYTHONPATH=. python tests/bench/speeds.py [FILE] [--rows 1000000] [--most-rows 100000000]

Every line is a median of five neighbouring runs, ours and theirs in turn. Seconds are of
processors, and for whole processes also of the clock. OpenDP and diffprivlib run in virtual
environments of their own, and where one is not available, its lines are left out. How seconds
grow with rows and columns is measured once for each size, by whole processes as well.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from synth.noise import DiscreteGaussian, DiscreteLaplace, draw_exponential
from tests.bench.bench_scale import DOMAIN, make, pieces, survey
from tests.bench.processes import Run, middle, run

SIZE, ROUNDS = 1_000_000, 5
Shown = TypeVar("Shown")
PEERS = {"opendp": ("opendp",), "diffprivlib": ("diffprivlib", "scikit-learn<1.7")}
"""What is installed for each library; diffprivlib 0.6.6 does not load with a newer
scikit-learn.
"""
RELEASE = """
import sys
from synth.cli.main import run
sys.argv = ["synth", "release", {table!r}, "--domain", {domain!r}, "--epsilon", "1"]
sys.argv += ["--method", {method!r}, "--out", {out!r}, "--no-ledger"]
assert run() == 0
"""
METHODS = {"`auto`": "auto", "histogram": "dense"}
"""What the command calls each kind of release, by its name on the page."""
PANDAS = """
import pandas as pd
pd.read_csv({table!r}).to_csv({out!r} + "/copy.csv", index=False)
"""

WIDTH = 100
"""Characters of a line of the page."""
TITLE = "# How fast it is\n"
HEAD = "| what | Synth | peer | ratio |\n|---|---|---|---|"
GROWTH_TITLE = "## How seconds grow"
GROWTH_HEAD = (
    "| `auto`, CSV to CSV and Parquet | clock | processors | for each row or column "
    "| peak memory |\n|---|---|---|---|---|"
)
LEAST_ROWS = 100_000
"""Rows of the smallest table of six columns; each further one has ten times as many."""
NARROW_ROWS = 5_000
"""Rows of the tables of many columns, each with four values."""
COLUMNS = (10, 100, 1_000)


class Line(NamedTuple):
    """What is compared, both sides as they are to be read, and ours over theirs."""

    title: str
    ours: str
    theirs: str
    ratio: float

    def __str__(self) -> str:
        return f"| {self.title} | {self.ours} | {self.theirs} | {self.ratio:.3g} |"


def cpu_of(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def compare_with_numpy(
    title: str, ours: Callable[[], object], theirs: Callable[[], object]
) -> Line:
    """A million draws of ours and of NumPy's, which are not private to the last bit."""
    ours()
    pairs = [(cpu_of(ours), cpu_of(theirs)) for _ in range(ROUNDS)]
    first, second = (
        statistics.median(side) / SIZE * 1e9 for side in zip(*pairs, strict=True)
    )
    ratio = statistics.median(a / b for a, b in pairs)
    return Line(title, f"{first:.0f} ns", f"NumPy's floats {second:.0f} ns", ratio)


class Growth(NamedTuple):
    """What a release of one size took, by the number of its rows or columns."""

    title: str
    run: Run
    count: int
    unit: str

    def __str__(self) -> str:
        """The line of the page: seconds, and what one of the rows or columns cost."""
        each = self.run.cpu / self.count
        cost = (
            f"{each * 1e6:.2f} µs a row"
            if self.unit == "row"
            else f"{each * 1e3:.0f} ms a column"
        )
        return (
            f"| {self.title} | {self.run.seconds:.1f} s | {self.run.cpu:.1f} s | {cost} "
            f"| {self.run.peak:,.0f} MB |"
        )


def measure_noise() -> Iterator[Line]:
    """Exact noise beside NumPy's, of usual and of large scales."""
    floats = np.random.default_rng()
    for scale, name in ((20, "20"), (10**6, "10^6")):
        laplace, gaussian = (
            DiscreteLaplace(Fraction(scale)),
            DiscreteGaussian(Fraction(scale**2)),
        )
        yield compare_with_numpy(
            f"Discrete Laplace noise, scale {name}",
            partial(laplace.draw, SIZE),
            partial(floats.laplace, 0, scale, SIZE),
        )
        yield compare_with_numpy(
            f"Discrete Gaussian noise, sigma {name}",
            partial(gaussian.draw, SIZE),
            partial(floats.normal, 0, scale, SIZE),
        )


def measure_libraries(folder: Path) -> Iterator[Line]:
    """Exact noise and choices beside those of libraries."""
    laplace = DiscreteLaplace(Fraction(20))
    ours = {
        "laplace": median(lambda: laplace.draw(SIZE), SIZE),
        "choice": median(
            lambda: draw_exponential(list(range(1_000)), epsilon=1, sensitivity=1)
        ),
    }
    titles = {
        "laplace": "Discrete Laplace noise, scale 20",
        "choice": "A choice among 1,000 by the exponential mechanism",
    }
    for library in PEERS:
        python = python_of(library, folder)
        if isinstance(python, str):
            print(f"{library} {python}: left out")
            continue
        script = Path(__file__).with_name("peer_noise.py")
        done = subprocess.run(
            [python, script, library], capture_output=True, text=True, check=True
        )
        for kind, taken in json.loads(done.stdout).items():
            sides = f"{ours[kind]:,.0f} ns", f"{library} {taken:,.0f} ns"
            yield Line(titles[kind], *sides, ours[kind] / taken)


def python_of(library: str, folder: Path) -> Path | str:
    """The interpreter of a library's environment, made if need be; or why there is none."""
    place = folder / library
    python, ready = place / "bin" / "python", place / "ready"
    if ready.is_file():
        return python
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in (
        [sys.executable, "-m", "venv", "--clear", place],
        [*pip, *PEERS[library]],
    ):
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, check=False
        )
        if done.returncode:
            return f"does not install: {(done.stderr.strip().splitlines() or ['?'])[-1]:.150}"
    ready.touch()
    return python


def median(call: Callable[[], object], size: int = 1) -> float:
    """Nanoseconds of one of so many draws."""
    call()
    return statistics.median(cpu_of(call) for _ in range(ROUNDS)) / size * 1e9


def against_pandas(rows: int, folder: str) -> list[dict[str, Run]]:
    """What releases and pandas took, in turn, by name; the first round is not among them."""
    table, domain = Path(folder, "table.csv"), Path(folder, "domain.json")
    survey(rows).to_csv(table, index=False)
    domain.write_text(json.dumps(DOMAIN))
    rounds = []
    for number in range(ROUNDS + 1):
        taken = {}
        for name, job in {**dict.fromkeys(METHODS, RELEASE), "pandas": PANDAS}.items():
            # A folder each: to replace a file just written, the system first writes it to
            # disk.
            out = Path(tempfile.mkdtemp(prefix=f"{number}-", dir=folder))
            names = {"domain": str(domain), "table": str(table), "out": str(out)}
            taken[name] = run(job.format(**names, method=METHODS.get(name)), folder)
        rounds.append(taken)
    return rounds[1:]


def measure_releases(rows: int, folder: str) -> Iterator[Line]:
    """Whole releases, from a CSV file to a CSV and a Parquet file."""
    rounds = against_pandas(rows, folder)
    theirs = [taken["pandas"] for taken in rounds]
    pandas_usage = middle(theirs)
    for method in METHODS:
        ours = [taken[method] for taken in rounds]
        own_usage = middle(ours)
        title = f"A release of {rows:,} rows by {method}"
        for name, field in (("clock", "seconds"), ("processors", "cpu")):
            ratio = statistics.median(
                getattr(x, field) / getattr(y, field)
                for x, y in zip(ours, theirs, strict=True)
            )
            reads = f"pandas reads and writes the same {getattr(pandas_usage, field):.2f} s"
            yield Line(f"{title}, {name}", f"{getattr(own_usage, field):.2f} s", reads, ratio)
        sides = f"{own_usage.peak:.0f} MB", f"pandas {pandas_usage.peak:.0f} MB"
        yield Line(f"{title}, peak memory", *sides, own_usage.peak / pandas_usage.peak)


def measure_growth(most_rows: int, folder: Path) -> Iterator[Growth]:
    """Releases by `auto` of more and more rows, and of more and more columns."""
    rows = LEAST_ROWS
    while rows <= most_rows:
        taken = release_once(folder, pieces(rows), DOMAIN)
        yield Growth(f"{rows:,} rows of 6 columns", taken, rows, "row")
        rows *= 10
    for columns in COLUMNS:
        taken = release_once(folder, iter([many_columns(columns)]), domain_of(columns))
        title = f"{columns:,} columns of {NARROW_ROWS:,} rows"
        yield Growth(title, taken, columns, "column")


def release_once(folder: Path, table: Iterator[pa.Table], domain: dict[str, Any]) -> Run:
    """Write a table, release it by `auto`, and remove all files."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        paths = {name: Path(place, name) for name in ("table.csv", "domain.json", "out")}
        make(paths["table.csv"], table)
        paths["domain.json"].write_text(json.dumps(domain))
        names = {path.stem: str(path) for path in paths.values()}
        return run(RELEASE.format(**names, method=METHODS["`auto`"]), str(folder))


def many_columns(count: int) -> pa.Table:
    """So many columns of four values each, drawn evenly."""
    codes = np.random.default_rng(1).integers(0, 4, (count, NARROW_ROWS))
    return pa.table({f"c{number}": column for number, column in enumerate(codes)})


def domain_of(count: int) -> dict[str, Any]:
    """The declaration of `many_columns`."""
    limits = {"enum": ["0", "1", "2", "3"], "required": True}
    fields = [
        {"name": f"c{number}", "type": "string", "constraints": limits}
        for number in range(count)
    ]
    return {"fields": fields}


def write_page(lines: list[Line], growth: list[Growth]) -> str:
    """The page, as it stands in the documentation."""
    paragraph = " ".join(__doc__.split("\n\n")[2].split())
    machine = (
        f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}"
    )
    busy = f"{os.cpu_count()} processors, at a load of {os.getloadavg()[0]:.1f} as it ended."
    command = "`make speeds` measures all of it again and writes this page."
    paragraphs = (fill(text, WIDTH) for text in (f"{paragraph} {machine}, {busy}", command))
    comparison = "\n".join([HEAD, *map(str, lines)])
    sizes = "\n".join([GROWTH_HEAD, *map(str, growth)])
    return "\n\n".join([TITLE.strip(), comparison, GROWTH_TITLE, sizes, *paragraphs]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Speeds beside peers', as ratios.")
    parser.add_argument("file", nargs="?", type=Path, help="the page to write")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument(
        "--most-rows",
        type=int,
        default=100_000_000,
        help="rows of the largest table that is released to see how seconds grow",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(tempfile.gettempdir()) / "synth-peers",
        help="where the virtual environments are",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = list(
            printed(
                chain(
                    measure_noise(),
                    measure_libraries(options.folder),
                    measure_releases(options.rows, folder),
                )
            )
        )
        growth = list(printed(measure_growth(options.most_rows, Path(folder))))
    if options.file:
        options.file.write_text(write_page(lines, growth), encoding="utf-8")


def printed(lines: Iterable[Shown]) -> Iterator[Shown]:
    """The lines, each printed as soon as it is measured."""
    for line in lines:
        print(line, flush=True)
        yield line


if __name__ == "__main__":
    main()
