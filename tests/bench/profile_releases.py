"""Where a release of each kind spends its time and memory: a table by stage.

    PYTHONPATH=. python tests/bench/profile_releases.py [FILE] [--rows 200000]

Each release is a process of its own. A thread looks at all others a few hundred times a second
and notes the innermost function of the package that each is in, so that what a library does
counts for the function that called it; threads that only wait are passed over. Behind a stage
stand the functions it was found in most. Peaks are of the stage alone where the system lets a
process reset them (Linux), else of the process so far.
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tests.bench.bench_release import DOMAIN, digits, survey, universe
from tests.bench.processes import run

PACKAGE = str(Path(__file__).parents[2] / "synth")
WAITING = ("threading.py", "_base.py", "thread.py", "selectors.py")
"""Files of the standard library whose innermost frame only waits."""
OFTEN, NAMED = 0.002, 3
"""Seconds between two looks, and functions that are named behind a stage."""

PLAN = """
from fractions import Fraction
from synth.domain.table_schema import read_schema
from synth.spending.pipeline import synthesize
from synth.plans.plan import Method, Plan
from synth.privacy.guarantee import Neighbors, Unit
stages.start("Reading the declaration")
plan = Plan(read_schema({domain!r}), Fraction(1), method=Method.{method}, {more})
made = synthesize(plan, {table!r}, progress=stages.start)
stages.start("Writing files")
made.write({out!r})
"""
ASK = """
from synth.spending.asking import ask
from synth.domain.table_schema import read_schema
from synth.privacy.guarantee import Guarantee
from synth.questions.inquiry import Inquiry
stages.start("Reading the questions")
asked = ["mean age by school", "table region, smoker", "median income", "count where age >= 65"]
inquiry = Inquiry.of(asked, read_schema({domain!r}), Guarantee.pure(1))
made = ask(inquiry, {table!r}, progress=stages.start)
stages.start("Writing files")
made.write({out!r})
"""
CHILD = """
from tests.bench.profile_releases import Stages
stages = Stages()
stages.start("Imports")
{job}
stages.end()
"""


class Kind(NamedTuple):
    """A kind of release: its name, its script, its table and declaration, and its options."""

    name: str
    script: str = PLAN
    data: str = "survey"
    method: str = "HISTOGRAM"
    more: str = ""


KINDS = (
    Kind("Histogram of 192,000 cells"),
    Kind("Histogram of 10^12 cells", data="digits"),
    Kind("Marginals by `auto`", method="AUTO"),
    Kind("Marginals by `auto`, persons of up to 3 rows", data="persons", method="AUTO",
         more="unit=Unit('person', 3), neighbors=Neighbors.ADD_REMOVE"),
    Kind("Answers to four questions", script=ASK),
)  # fmt: skip


class Stage(NamedTuple):
    """What one stage took: seconds, those of processors, MB at its peak, and where it was."""

    name: str
    seconds: float
    cpu: float
    peak: float
    where: Counter[str]


class Stages:
    """The stages of this process, each ended by the next."""

    def __init__(self) -> None:
        self._done: list[Stage] = []
        self._where: Counter[str] = Counter()
        self._name, self._since = "", (0.0, 0.0)
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def start(self, name: str) -> None:
        """End the stage that is on, and start another."""
        now = time.perf_counter(), time.process_time()
        if self._name:
            took = (b - a for a, b in zip(self._since, now, strict=True))
            self._done.append(Stage(self._name, *took, _peak(), self._where))
        _reset_peak()
        self._name, self._since, self._where = name, now, Counter()

    def end(self) -> None:
        """End the last one, and print all as JSON."""
        self.start("")
        self._over.set()
        self._watcher.join()
        told = [{**stage._asdict(), "where": stage.where.most_common(20)} for stage in self._done]
        print(json.dumps(told))

    def _watch(self) -> None:
        own, last = threading.get_ident(), time.perf_counter()
        while not self._over.wait(OFTEN):
            now = time.perf_counter()
            frames = [f for ident, f in sys._current_frames().items() if ident != own]
            for place in {found for frame in frames if (found := _place(frame))}:
                self._where[place] += now - last  # type: ignore[assignment]
            last = now


def _place(frame: FrameType) -> str:
    """The innermost function of the package on a stack; empty where it waits or is elsewhere."""
    if frame.f_code.co_filename.endswith(WAITING):
        return ""
    inner: FrameType | None = frame
    while inner is not None and not inner.f_code.co_filename.startswith(PACKAGE):
        inner = inner.f_back
    if inner is None or inner.f_code.co_name == "<module>":
        return ""
    path = Path(inner.f_code.co_filename).relative_to(PACKAGE).with_suffix("")
    return ".".join([*path.parts, inner.f_code.co_qualname.split(".<locals>")[0]])


def _peak() -> float:
    """Most memory in MB."""
    with suppress(OSError), Path("/proc/self/status").open() as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _reset_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def tables(folder: Path, rows: int) -> None:
    """The tables and declarations of all kinds."""
    made = survey(rows)
    person = np.random.default_rng(2).integers(0, max(1, rows // 2), rows)
    frames = {"survey": made, "persons": made.assign(person=person), "digits": digits(rows)}
    schemas: dict[str, Any] = {"survey": DOMAIN, "persons": DOMAIN, "digits": universe(12)}
    for name, frame in frames.items():
        pd.DataFrame(frame).to_csv(folder / f"{name}.csv", index=False)
        (folder / f"{name}.json").write_text(json.dumps(schemas[name]))


def profiled(kind: Kind, folder: Path) -> list[Stage]:
    """The stages of one release, in a process of its own."""
    files = {"domain": f"{folder / kind.data}.json", "table": f"{folder / kind.data}.csv"}
    out = {"method": kind.method, "more": kind.more, "out": str(folder / "out")}
    said: list[str] = []
    run(CHILD.format(job=kind.script.format(**files, **out)), str(folder), said.append)
    told = json.loads(said[0].splitlines()[-2])
    return [Stage(**{**one, "where": Counter(dict(one["where"]))}) for one in told]


def table_of(kind: Kind, stages: list[Stage]) -> str:
    """The stages as a table in Markdown, and what they took together."""
    lines = [f"## {kind.name}", "", "| stage | seconds | processors | peak MB | mostly in |"]
    lines += ["|---|---|---|---|---|", *map(_line, stages)]
    whole = sum(one.seconds for one in stages), sum(one.cpu for one in stages)
    most = max(one.peak for one in stages)
    return "\n".join([*lines, f"| **all** | {whole[0]:.2f} | {whole[1]:.2f} | {most:.0f} | |", ""])


def _line(stage: Stage) -> str:
    found = stage.where.most_common(NAMED)
    shares = ((place, seconds / max(stage.seconds, 1e-9)) for place, seconds in found)
    where = ", ".join(f"`{place}` {share:.0%}" for place, share in shares if share >= 0.05)
    return f"| {stage.name} | {stage.seconds:.2f} | {stage.cpu:.2f} | {stage.peak:.0f} | {where} |"


def main(say: Callable[[str], None] = print) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="where the tables are kept, too")
    parser.add_argument("--rows", type=int, default=200_000)
    options = parser.parse_args()
    parts = [f"# Where releases of {options.rows:,} rows spend their time and memory\n"]
    with tempfile.TemporaryDirectory() as folder:
        tables(Path(folder), options.rows)
        for kind in KINDS:
            profiled(kind, Path(folder))  # it leaves compiled modules
            parts.append(table_of(kind, profiled(kind, Path(folder))))
            say(parts[-1])
    if options.file:
        options.file.parent.mkdir(parents=True, exist_ok=True)
        options.file.write_text("\n".join(parts), encoding="utf-8")
        say(f"Written to {options.file}.")


if __name__ == "__main__":
    main()
