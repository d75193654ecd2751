"""The table of speeds: Synth beside pandas, NumPy, OpenDP, diffprivlib and MST, as ratios.

    PYTHONPATH=. python tests/bench/speeds.py [FILE] [--rows 1000000]

Every line is a median of five neighbouring runs, ours and theirs in turn. Seconds are of
processors, and for whole processes also of the clock. OpenDP and diffprivlib run in virtual
environments of their own, and where one is not available, its lines are left out. MST, by its
authors' code, takes too long to run here, so its numbers are those measured once, as each
line says.
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
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import csv

from synth.noise import DiscreteGaussian, DiscreteLaplace, draw_exponential
from tests.bench.bench_scale import DOMAIN, survey
from tests.bench.processes import Run, middle, run

SIZE, ROUNDS = 1_000_000, 5
MST_CPU, MST_PEAK = 74, 1_800
"""Least seconds of a processor, and MB, that MST took on 27,000 rows of 10 columns."""
MST_ROWS, MST_COLUMNS = 27_000, 10
PEERS = {"opendp": ("opendp",), "diffprivlib": ("diffprivlib", "scikit-learn<1.7")}
"""What is installed for each library; diffprivlib 0.6.6 does not load with a newer
scikit-learn.
"""
AUTO = """
from fractions import Fraction
from synth.spending import synthesize
from synth.plans import Plan
from synth.privacy.guarantee import Neighbors
from synth.domain.table_schema import read_schema
domain = read_schema({domain!r})
delta = Fraction(1, 10**9)
plan = Plan(domain=domain, epsilon=Fraction(1), neighbors=Neighbors.ADD_REMOVE, delta=delta)
synthesize(plan, {table!r}).write({out!r})
"""
RELEASE = """
from fractions import Fraction
from synth.plans import Method, Plan
from synth.spending import synthesize
from synth.domain.table_schema import read_schema
plan = Plan(domain=read_schema({domain!r}), epsilon=Fraction(1), method=Method.HISTOGRAM)
synthesize(plan, {table!r}).write({out!r})
"""
PANDAS = """
import pandas as pd
pd.read_csv({table!r}).to_csv({out!r} + "/copy.csv", index=False)
"""

WIDTH = 100
"""Characters of a line of the page."""
TITLE = "# How fast it is\n"
HEAD = "| what | Synth | peer | ratio |\n|---|---|---|---|"


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


def measure_noise() -> Iterator[Line]:
    """Exact noise beside NumPy's."""
    floats, laplace = np.random.default_rng(), DiscreteLaplace(Fraction(20))
    small, large = DiscreteGaussian(Fraction(20**2)), DiscreteGaussian(Fraction(10**12))
    normal = (lambda sigma: lambda: floats.normal(0, sigma, SIZE))(20)
    yield compare_with_numpy(
        "Discrete Laplace noise, scale 20",
        lambda: laplace.draw(SIZE),
        lambda: floats.laplace(0, 20, SIZE),
    )
    yield compare_with_numpy(
        "Discrete Gaussian noise, sigma 20", lambda: small.draw(SIZE), normal
    )
    yield compare_with_numpy(
        "Discrete Gaussian noise, sigma 10^6", lambda: large.draw(SIZE), normal
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


def against_pandas(rows: int, folder: str) -> list[list[Run]]:
    """What a release and pandas took, in turn; the first round is not among them."""
    table, domain = Path(folder, "table.csv"), Path(folder, "domain.json")
    survey(rows).to_csv(table, index=False)
    domain.write_text(json.dumps(DOMAIN))
    rounds = []
    for number in range(ROUNDS + 1):
        # A folder a round: to replace a file just written, the system first writes it to
        # disk.
        out = Path(folder, str(number))
        out.mkdir()
        names = {"domain": str(domain), "table": str(table), "out": str(out)}
        rounds.append([run(job.format(**names), folder) for job in (RELEASE, PANDAS)])
    return rounds[1:]


def measure_releases(rows: int, folder: str) -> Iterator[Line]:
    """Whole releases, from a CSV file to a CSV file."""
    ours, theirs = zip(*against_pandas(rows, folder), strict=True)
    pairs = list(zip(ours, theirs, strict=True))
    title, own_usage, pandas_usage = (
        f"A release of {rows:,} rows",
        middle(ours),
        middle(theirs),
    )
    for name, field in (("clock", "seconds"), ("processors", "cpu")):
        own_value, pandas_value = getattr(own_usage, field), getattr(pandas_usage, field)
        ratio = statistics.median(getattr(x, field) / getattr(y, field) for x, y in pairs)
        reads = f"pandas reads and writes the same {pandas_value:.2f} s"
        yield Line(f"{title}, {name}", f"{own_value:.2f} s", reads, ratio)
    sides = f"{own_usage.peak:.0f} MB", f"pandas {pandas_usage.peak:.0f} MB"
    yield Line(f"{title}, peak memory", *sides, own_usage.peak / pandas_usage.peak)


def people(rows: int) -> tuple[pa.Table, dict[str, list[dict[str, object]]]]:
    """Rows of six kinds, every third column after the one before it, and their
    declaration.
    """
    law, rng = np.random.default_rng(11), np.random.default_rng(1)
    kind, columns = rng.integers(0, 6, rows), {}
    codes, fields = kind, []
    for column, size in enumerate(
        np.random.default_rng(7).integers(2, 17, MST_COLUMNS).tolist()
    ):
        kinds_of_rows, count = (codes, int(codes.max()) + 1) if column % 3 == 2 else (kind, 6)
        shares = np.cumsum(law.dirichlet(np.full(size, 0.4), max(count, 16)), axis=1)
        codes = np.minimum(
            (shares[kinds_of_rows] < rng.random(rows)[:, None]).sum(axis=1), size - 1
        )
        columns[f"c{column}"] = codes
        limits = {"enum": list(map(str, range(size))), "required": True}
        fields.append({"name": f"c{column}", "type": "string", "constraints": limits})
    return pa.table(columns), {"fields": fields}


def measure_marginals(folder: Path) -> Iterator[Line]:
    """`auto` with a delta beside MST; a table of the same size, not the same one."""
    table, domain = people(MST_ROWS)
    csv.write_csv(table, folder / "t.csv")
    (folder / "d.json").write_text(json.dumps(domain))
    places = {"domain": folder / "d.json", "table": folder / "t.csv", "out": folder / "auto"}
    job = AUTO.format(**{name: str(place) for name, place in places.items()})
    ours = middle([run(job, str(folder)) for _ in range(ROUNDS)])
    title, once = f"`auto`, {MST_ROWS:,} rows of {MST_COLUMNS} columns", "MST, measured once,"
    taken = f"{ours.cpu:.1f} s", f"{once} {MST_CPU} s"
    yield Line(f"{title}, processors", *taken, ours.cpu / MST_CPU)
    memory = f"{ours.peak:.0f} MB", f"{once} {MST_PEAK:,} MB"
    yield Line(f"{title}, peak memory", *memory, ours.peak / MST_PEAK)


def write_page(lines: list[Line]) -> str:
    """The page, as it stands in the documentation."""
    paragraph = " ".join(__doc__.split("\n\n")[2].split())
    machine = (
        f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}"
    )
    busy = f"{os.cpu_count()} processors, at a load of {os.getloadavg()[0]:.1f} as it ended."
    command = "`make speeds` measures all of it again and writes this page."
    paragraphs = (fill(text, WIDTH) for text in (f"{paragraph} {machine}, {busy}", command))
    return "\n".join([TITLE, HEAD, *map(str, lines), "", "\n\n".join(paragraphs), ""])


def main() -> None:
    parser = argparse.ArgumentParser(description="Speeds beside peers', as ratios.")
    parser.add_argument("file", nargs="?", type=Path, help="the page to write")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(tempfile.gettempdir()) / "synth-peers",
        help="where the virtual environments are",
    )
    options = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for line in (
            *measure_noise(),
            *measure_libraries(options.folder),
            *measure_releases(options.rows, folder),
            *measure_marginals(Path(folder)),
        ):
            print(line)
            lines.append(line)
    if options.file:
        options.file.write_text(write_page(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
