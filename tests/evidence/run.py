"""What takes too long for continuous integration: run it, and write down what came of it.

    make evidence                      every experiment, several hours
    make evidence ONLY="attacks kills"
    SYNTH_FUZZ_CASES=15000 make evidence ONLY=fuzz

Each result is a file of its own in ``docs/evidence``, named by its date and experiment; the
README beside them is their index. Nothing in them says where they were made, but on what.
"""

import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "evidence"
LINES = 400
"""How much of the end of an output is kept."""


@dataclass(frozen=True)
class Experiment:
    """Something that takes long.

    Attributes:
        name: One word.
        shows: What is claimed if it passes.
        command: What follows ``python``.
        reduced: What continuous integration runs of it: a target of make, and in words.
        environment: Sizes; others may be asked for by variables of the same names.
    """

    name: str
    shows: str
    command: tuple[str, ...]
    reduced: tuple[str, str]
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def written(self) -> str:
        """The command as it is typed."""
        sizes = [f"{name}={value}" for name, value in self.sizes.items()]
        return " ".join([*sizes, "python", *self.command])

    @property
    def sizes(self) -> dict[str, str]:
        """The sizes it runs with."""
        return {name: os.environ.get(name, value) for name, value in self.environment.items()}


PYTEST = ("-m", "pytest", "-q")
EXPERIMENTS = (
    Experiment(
        "attacks",
        "Lower bounds of epsilon and of mu, at 99 %, for every strategy, kind of question "
        "and relation: nine tenths of the claim, or of what an optimal test may show with as "
        "many runs; above the claim once the noise is halved.",
        (
            *PYTEST,
            *("-n", "2", "-m", "audit"),
            "tests/audit/test_bounds.py",
            "tests/audit/test_canaries.py",
            "tests/evidence/test_attacks_on_files.py",
        ),
        ("slow", "a fiftieth of the runs, in tests/audit/test_bounds.py; `make audit` too"),
        {"SYNTH_BOUNDS": "1", "SYNTH_CANARIES": "2"},
    ),
    Experiment(
        "fuzz",
        "Both engines and plain Python count the same cells of hostile tables and "
        "declarations.",
        (
            *PYTEST,
            "-o",
            "timeout=0",
            "tests/fuzz/test_fuzz.py",
            "tests/table/test_plain_copy.py",
            "tests/queries/test_asked.py",
        ),
        ("test", "hundreds of cases on DuckDB; on Spark in `make spark`"),
        {"SYNTH_FUZZ_CASES": "150000"},
    ),
    Experiment(
        "neighbours",
        "Tables that differ in one record are one row apart at most, however they are "
        "written: text by both readings, files of other programs, Parquet and frames, on "
        "both engines.",
        (
            *PYTEST,
            "-rP",
            "--show-capture=stdout",
            "-o",
            "timeout=0",
            "tests/fuzz/test_neighbours.py",
        ),
        ("test", "1,000 pairs of text and 100 of each other input; on Spark in `make slow`"),
        {"SYNTH_FUZZ_PAIRS": "100000"},
    ),
    Experiment(
        "memory",
        "The server gives back what an hour's worth of uploads took, hostile ones among "
        "them; 20 hostile files of every kind take less than 300 MB of it, and it is never "
        "silent for 2 s.",
        (
            *PYTEST,
            "-rP",
            "--show-capture=stdout",
            "-o",
            "timeout=0",
            "tests/e2e/test_memory.py",
            "tests/e2e/test_foreign.py",
        ),
        ("slow", "12 uploads, and 3 hostile files of every kind"),
        {"SYNTH_UPLOADS": "240", "SYNTH_HOSTILE": "20"},
    ),
    Experiment(
        "kills",
        "A release killed at any instant leaves no unpaid trace, and goes on where it "
        "stopped.",
        (*PYTEST, "tests/audit/test_crash.py", "tests/audit/test_crash_app.py"),
        ("test", "20 kills, in tests/audit/test_crash.py; 200 in `make slow`"),
    ),
    Experiment(
        "damages",
        "A ledger with one bit flipped or one row lost, its indexes included, refuses or "
        "answers the very same numbers and balance.",
        (*PYTEST, "-o", "timeout=0", "tests/ledger/test_sqlite_store_damage.py"),
        ("slow", "200 bits and 40 rows, in tests/ledger/test_sqlite_store_damage.py"),
        {"SYNTH_DAMAGES": "2000"},
    ),
    Experiment(
        "forgeries",
        "No forged bundle is confirmed, those whose printed power exceeds .99 are refuted, "
        "and no honest bundle is.",
        (*PYTEST, "-rP", "-m", "slow", "tests/verification/test_columns.py"),
        ("slow", "40 forgeries and 40 honest bundles, in tests/verification/test_columns.py"),
        {"SYNTH_FORGERIES": "200"},
    ),
    Experiment(
        "rows",
        "What a release of 100,000,000 rows takes, in time and memory, and each of its rows.",
        ("tests/bench/bench_scale.py", "1e8"),
        ("slow", "1,000,000 rows, in tests/evidence/test_rows.py"),
    ),
    Experiment(
        "parts",
        "What `auto` takes on 100,000,000 rows of ten columns, drawn and settled in parts, "
        "and how far its pairs are off.",
        ("tests/bench/bench_rows.py", "1e8"),
        ("slow", "30,000 rows in small parts, in tests/models/test_large_rows.py"),
    ),
    Experiment(
        "linked",
        "Errors of releases of linked tables at epsilon 1 and 10, against histograms "
        "measured alone and the joined table released flat; and what 50,000 to 1,000,000 "
        "persons of 8 rows take.",
        ("tests/bench/bench_linked.py", "nafld", "lahman", "50000", "200000", "1000000"),
        ("test", "three thousand roots, in tests/linked/test_strategy.py"),
    ),
    Experiment(
        "versions",
        "A release, answers, a bundle and the app work on every Python at hand, with the "
        "oldest and the newest versions of what Synth needs.",
        ("tests/evidence/versions.py",),
        ("test", "the Python at hand and the versions of the lock, in every test"),
    ),
    Experiment(
        "validators",
        "Frictionless, mlcroissant and the schema of DDI Codebook accept bundles of every "
        "kind, csvw-eo takes 20 declarations; the newest SDV reads ours, and we its own, "
        "without a loss.",
        ("tests/evidence/validators.py",),
        ("slow", "fifty bundles are made and verified, without the validators"),
    ),
    Experiment(
        "databases",
        "Cells of PostgreSQL are those of the same content in a file; no row refuses a "
        "table; one changed row changes one; 10,000,000 rows take at most 25 s of processor "
        "and 600 MB.",
        (*PYTEST, "-rP", "--show-capture=stdout", "-m", "databases", "tests/databases"),
        ("databases", "100,000 rows and 84 pairs of neighbours"),
        {"SYNTH_DATABASE_ROWS": "1e7", "SYNTH_FUZZ_PAIRS": "20000"},
    ),
    Experiment(
        "newcomers",
        "Thirty-eight tables come from an upload to both downloads by nine clicks, and one "
        "more for each of at most two questions that a table raises; at most two fields are "
        "typed. There is no false alarm, silent loss, identifier, exact extreme or invented "
        "code.",
        ("tests/e2e/newcomers.py",),
        ("slow", "one table, by keyboard alone, in tests/e2e/test_keyboard.py"),
    ),
    Experiment(
        "advisories",
        "Nothing is known against the packages of the locks but what does not matter here.",
        ("tests/evidence/advisories.py", "--reached"),
        ("advisories", "the same, where the database can be reached"),
    ),
)
AWAITED = ("advisories",)
"""Experiments that have no result yet; take out whichever gets one."""


def list_versions() -> list[str]:
    """The packages that Synth stands on, with Spark's where it is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = []
    for dependency in (*project["dependencies"], *project["optional-dependencies"]["spark"]):
        name = dependency.split()[0]
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return lines


def describe_commit() -> str:
    """Short hash of the newest commit, and whether anything but results was changed since."""

    def git(*command: str) -> str:
        done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", ".", ":!docs/evidence")
    return (git("rev-parse", "--short=10", "HEAD") or "none") + (
        ", with changes" * bool(changed)
    )


def scrub_line(line: str) -> str:
    """A line of output without the places of this machine."""
    for place, name in (
        (str(ROOT), "."),
        (tempfile.gettempdir(), "TMP"),
        (str(Path.home()), "~"),
        (platform.node(), "host"),
    ):
        if len(place) > 1:
            line = re.sub(rf"{re.escape(place)}(?![\w-])", name, line)
    return line.rstrip()


@dataclass(frozen=True)
class Outcome:
    """What came of an experiment, and what it was about: the commit is that of its start."""

    commit: str
    passed: bool
    minutes: float
    lines: Sequence[str]


def run_experiment(experiment: Experiment) -> Outcome:
    """Run it, and show its lines as they come."""
    about = describe_commit()
    start = time.monotonic()
    last = deque[str](maxlen=LINES)
    sizes = {**experiment.sizes, "PYTHONPATH": ".", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, *experiment.command],
        cwd=ROOT,
        env={**os.environ, **sizes},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            last.append(scrub_line(line))
    return Outcome(
        about, process.returncode == 0, (time.monotonic() - start) / 60, list(last)
    )


def result_as_markdown(experiment: Experiment, date: str, outcome: Outcome) -> str:
    """A result in Markdown."""
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    target, words = experiment.reduced
    facts = {
        "Shows": experiment.shows,
        "Result": "passed" if outcome.passed else "FAILED",
        "Commit": outcome.commit,
        "Minutes": f"{outcome.minutes:.1f}",
        "Machine": f"{os.cpu_count()} cores, {system}",
        "Packages": ", ".join(list_versions()),
        "Command": f"`{experiment.written}`",
        "Reduced form": f"`make {target}`: {words}",
    }
    table = [f"| {name} | {fact} |" for name, fact in facts.items()]
    head = [f"# {experiment.name}, {date}", "", "| | |", "|---|---|", *table, ""]
    return "\n".join(
        [*head, "The last lines of its output:", "", "```text", *outcome.lines, "```", ""]
    )


def newest_result(name: str) -> Path | None:
    """The newest result of an experiment."""
    dated = re.compile(rf"\d{{4}}-\d\d-\d\d-{name}\.md")
    return max((p for p in RESULTS.glob("*.md") if dated.fullmatch(p.name)), default=None)


def read_fact(result: Path, name: str) -> str:
    """One of the facts of a result; '' if it is not there."""
    match = re.search(rf"^\| {name} \| (.*) \|$", result.read_text(encoding="utf-8"), re.M)
    return match[1] if match else ""


HEAD = """# Evidence

Some experiments take too long for continuous integration, which therefore runs a reduced form of
each. This page lists their newest results. A result is as old as its date, and is about the commit
that it names, so it says nothing of later ones. Repeat all with `make evidence`, or some with
`make evidence ONLY="attacks kills"`, which writes the results and this page anew.

| Experiment | Shows | Reduced form | Newest | Commit | Minutes | Result |
|---|---|---|---|---|---|---|
"""  # noqa: E501


def readme_of_results() -> str:
    """The README of the results: the newest of each experiment."""
    rows = []
    for experiment in EXPERIMENTS:
        result = newest_result(experiment.name)
        cells = "not yet | | |"
        if result:
            facts = [read_fact(result, name) for name in ("Commit", "Minutes", "Result")]
            cells = " | ".join([f"[{result.name[:10]}]({result.name})", *facts])
        target, words = experiment.reduced
        columns = [experiment.name, experiment.shows, f"`make {target}`: {words}", cells]
        rows.append(f"| {' | '.join(columns)} |\n")
    return HEAD + "".join(rows)


def main(wanted_names: list[str]) -> int:
    """Run the experiments that are named, or all; return 1 if one failed."""
    experiments = {experiment.name: experiment for experiment in EXPERIMENTS}
    if strange := [name for name in wanted_names if name not in experiments]:
        print(f"There is no experiment '{strange[0]}'; there are: {', '.join(experiments)}.")
        return 2
    RESULTS.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in wanted_names or experiments:
        print(f"{name}: {experiments[name].written}", flush=True)
        outcome = run_experiment(experiments[name])
        date = datetime.now(UTC).date().isoformat()
        result_page = result_as_markdown(experiments[name], date, outcome)
        (RESULTS / f"{date}-{name}.md").write_text(result_page, encoding="utf-8")
        (RESULTS / "README.md").write_text(readme_of_results(), encoding="utf-8")
        failed += [name] * (not outcome.passed)
    print(f"Failed: {', '.join(failed)}." if failed else "All passed; commit docs/evidence.")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
