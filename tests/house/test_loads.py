"""What a run loads: no more of the package than it needs.

The modules are counted in `sys.modules` at the end of the run itself, in a fresh process.
"""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"pandas", "pyarrow", "duckdb", "plotly"}

WATCHED = """
import atexit, json, sys
def report():
    with open({path!r}, "w") as file:
        json.dump(sorted(sys.modules), file)
atexit.register(report)
"""

RELEASE = """
import synth
domain = synth.Domain(
    age=synth.Integer(18, 97, bins=4), sex=["f", "m"], region=list("news"), work=["no", "yes"]
)
made = synth.release("t.csv", domain, epsilon="1", method={method!r})
assert len(made.table) == 1024
"""

COMMAND = """
import sys
from synth.cli.main import run
sys.argv = ["synth", *{words!r}]
sys.exit(run())
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, its declaration, and a bundle made of them."""
    folder = tmp_path_factory.mktemp("loads")
    cells = product((20, 40, 60, 80), "fm", "news", ("no", "yes"))
    rows = "".join(f"{','.join(map(str, cell))}\n" for cell in cells) * 16
    (folder / "t.csv").write_text("age,sex,region,work\n" + rows, encoding="utf-8")
    bounds = {"minimum": 18, "maximum": 97}
    fields = [
        {"name": "age", "type": "integer", "constraints": bounds, "synth:bins": 4},
        {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}},
    ]
    (folder / "d.json").write_text(json.dumps({"fields": fields}), encoding="utf-8")
    run_code(folder, COMMAND.format(words=[*SPEND, "--out", "made.zip"]))
    return folder


# The status of a verification without a ledger, which leaves some claims open.
SPEND = "release t.csv --domain d.json --epsilon 1 --method dense".split()


def run_code(folder: Path, code: str, status: int = 0) -> set[str]:
    """Run a script in a fresh process, and return the modules that are loaded at its end."""
    report = folder / "modules.json"
    script = WATCHED.format(path=str(report)) + code
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "SYNTH_HOME": str(folder / "home"), "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    modules: list[str] = json.loads(report.read_text())
    return set(modules)


def own(modules: set[str]) -> set[str]:
    """Return the modules of the package."""
    return {name for name in modules if name == "synth" or name.startswith("synth.")}


def inside(modules: set[str], *rooms: str) -> set[str]:
    """Those of some loaded modules that are in these rooms, or are them."""
    return {
        name
        for name in modules
        for room in rooms
        if name == room or name.startswith(f"{room}.")
    }


@pytest.mark.parametrize(("method", "most"), [("dense", 157), ("one-shot", 177)])
@pytest.mark.first_case
def test_a_release_loads_no_questions_linked_tables_spark_or_other_formats(
    place: Path, method: str, most: int
) -> None:
    """A release imports at most `most` modules of the package, and none of those it does
    not need.

    A fresh process makes the release and reports its loaded modules. The limit keeps the
    number from growing unnoticed.
    """
    modules = own(run_code(place, RELEASE.format(method=method)))
    assert len(modules) <= most
    assert not inside(modules, "synth.questions", "synth.analysis", "synth.drafting")
    assert not inside(modules, "synth.linked", "synth.collecting", "synth.lessons")
    assert not {name for name in modules if "spark" in name or ".exports." in name}


def test_a_release_by_command_loads_nothing_that_reads_bundles(place: Path) -> None:
    """`synth release` writes a bundle with answers and pages, and so imports more: at most
    297 modules of the package, and none that reads bundles, linked tables or public tables.

    The limit keeps the number from growing unnoticed.
    """
    spend = "release t.csv --domain d.json --epsilon 1 --method one-shot --no-ledger".split()
    modules = own(run_code(place, COMMAND.format(words=[*spend, "--out", "one_shot.zip"])))
    assert len(modules) <= 297
    assert not inside(modules, "synth.verification", "synth.linked", "synth.collecting")
    assert not inside(modules, "synth.foreign.child", "synth.spending.public_file")


def test_an_inquiry_loads_nothing_that_reads_releases(place: Path) -> None:
    """`synth ask` imports no module that reads releases, and at most 196 modules of the
    package.

    The limit keeps the number from growing unnoticed.
    """
    ask = "ask t.csv --domain d.json --epsilon 1 --no-ledger --question".split()
    modules = own(run_code(place, COMMAND.format(words=[*ask, "mean age by sex"])))
    assert len(modules) <= 196
    assert not inside(modules, "synth.analysis", "synth.linked", "synth.verification")


@pytest.mark.slow
def test_a_verification_loads_no_engine_that_counts_rows(place: Path) -> None:
    """`synth verify` imports no module that spends or collects, and at most 247 of the
    package.

    The limit keeps the number from growing unnoticed.
    """
    modules = own(run_code(place, COMMAND.format(words=["verify", "made.zip"])))
    assert len(modules) <= 247
    assert not inside(modules, "synth.spending", "synth.collecting")


@pytest.mark.parametrize(
    ("words", "status", "most"),
    [
        ("release --help", 0, 150),
        ("release --nonsense", 2, 150),
        ("ask --help", 0, 111),
        ("domain --help", 0, 142),
        ("verify none.zip", 2, 96),
        ("ledger show none.db", 2, 87),
    ],
)
def test_what_reads_no_table_is_light(
    place: Path, words: str, status: int, most: int
) -> None:
    """Commands that read no table load none of pandas, pyarrow, DuckDB and plotly, so that
    they start at once, and at most `most` modules of the package.

    `status` is that of the command: 2 for a wrong option or a file that is not there.
    """
    modules = run_code(place, COMMAND.format(words=words.split()), status)
    assert not modules & HEAVY
    assert len(own(modules)) <= most
