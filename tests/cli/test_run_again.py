"""The script and the command lines of a bundle make a release of the very same plan."""

import os
import shlex
import subprocess
import sys
import zipfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synth.cli.main import main
from synth.errors import ArgumentError
from synth.estimate import Repair
from synth.plans import Method, Plan
from synth.privacy import Neighbors, Unit
from synth.spending import synthesize
from synth.verification import verify
from tests.cli.conftest import Line
from tests.tables import MIXED, ROOT, ROWS, write

# Scripts run in processes of their own.
pytestmark = pytest.mark.usefixtures("real_plotly", "whole_fits")

FEW = MIXED.project(["sex", "age", "smoker"])
RULES = {"impossible": [{"sex": ["F"], "smoker": ["yes"]}]}
# Options of plans that differ in what a command line has to repeat.
PLANS: dict[str, dict[str, Any]] = {
    "histogram": {"repair": Repair.CLAMP, "rows": 17},
    "by person": {"domain": FEW, "unit": Unit("day", 2), "neighbors": Neighbors.ADD_REMOVE},
    "model by person": {
        "method": Method.AUTO,
        "epsilon": Fraction(3),
        "unit": Unit("day", 2),
    },
    "model": {"method": Method.ONE_SHOT, "delta": Fraction(1, 10**9)},
    "groups": {"method": Method.GROUPS, "groups": (("sex", "age"), ("day", "smoker"))},
    "rules": {"domain": FEW, "method": Method.AUTO, "rules": RULES, "max_model_mb": 64},
}


def unpack_beside_table(folder: Path, **options: Any) -> Plan:
    """A folder as somebody has it who unpacked a bundle beside the table; the bundle's
    plan.
    """
    usual: dict[str, Any] = {
        "domain": MIXED,
        "epsilon": Fraction(1, 3),
        "dataset": "T",
        "method": Method.DENSE,
    }
    plan = Plan(**{**usual, **options})
    table = write(folder / "T.csv", list(MIXED.names), ROWS * 3)
    bundle = synthesize(plan, table).write_archive(folder / "bundle.zip")
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder)
    return plan


@pytest.mark.slow
def test_the_script_runs_from_its_folder(tmp_path: Path) -> None:
    """The Python script in a bundle makes a release of the same plan, from the folder it is
    in.

    The table has 3 times 11 rows, and the plan epsilon 1/3.
    """
    plan = unpack_beside_table(tmp_path, **PLANS["groups"])
    done = subprocess.run(
        [
            sys.executable,
            tmp_path / "run_again.py",
            "T.csv",
            "--out",
            "new.zip",
            "--anyway",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert "33 rows, epsilon 1/3." in done.stdout
    assert verify(tmp_path / "new.zip").plan == plan
    assert (tmp_path / "again" / "synthetic.csv").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("kind", PLANS)
def test_every_line_of_the_bundle_runs_the_same_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Every command line in `run_again.txt` makes a release of the plan of the bundle.

    There are two: one names the plan's file, and one all of its options. Rules cannot be
    options, so then there is one. The memory for a model is not part of a command line.
    """
    plan = unpack_beside_table(tmp_path, **PLANS[kind])
    monkeypatch.chdir(tmp_path)

    text = (
        (tmp_path / "run_again.txt").read_text(encoding="utf-8").replace("TABLE.csv", "T.csv")
    )
    lines = [shlex.split(line) for line in text.splitlines() if line.startswith("synth ")]
    releases = [line[1:] for line in lines if line[1] == "release"]
    assert len(releases) == (1 if kind == "rules" else 2)
    for words in releases:  # of so few rows noise may hide all, hence the yes beforehand
        assert main([*words, "--out", "new.zip", "--overwrite", "--anyway"]) == 0
        again = verify("new.zip").plan
        if kind != "rules" and "--plan" not in words:
            again = replace(again, max_model_mb=plan.max_model_mb)
        assert again == plan


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        (None, [], "The plan 'plan.json' cannot be read: there is no such file."),
        ("{", [], "The plan 'plan.json' is not valid JSON at line 1."),
        ("[]", [], "This is no plan of Synth, or one of another version."),
        ('{"domain": {}, "epsilon": "1"}', [], "This is no Table Schema"),
        ("{}", ["--max-rows", "3"], "The plan sets these already; leave out --max-rows"),
        ("{}", ["--epsilon", "3"], "The plan sets these already; leave out --epsilon"),
    ],
)
def test_a_plan_that_is_none(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cli: Line,
    content: str | None,
    options: list[str],
    sentence: str,
) -> None:
    """A file that is no plan is refused by --plan, and so are options that the plan sets
    already.

    `content` is what the file holds; None means that there is no file.
    """
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("plan.json").write_text(content)
    assert cli.refusal(
        "release", "T.csv", "--plan", "plan.json", "--out", "o", *options
    ).startswith(sentence)


def test_without_a_plan_its_parts_are_needed(capsys: pytest.CaptureFixture[str]) -> None:
    """A release with neither --domain nor --epsilon is refused by a sentence on each."""
    assert main(["release", "T.csv", "--out", "o", "--epsilon", "1"]) == 2
    assert capsys.readouterr().err.startswith("Nothing describes the columns: give a desc")
    assert main(["release", "T.csv", "--out", "o", "--domain", "d.json"]) == 2
    assert capsys.readouterr().err == (
        "The option --epsilon is missing; give it, or a whole plan by --plan FILE.\n"
    )


@pytest.mark.parametrize(
    "lacking", Plan(domain=FEW, epsilon=Fraction(1), method=Method.DENSE).to_json()
)
def test_a_plan_with_a_part_missing_is_none(lacking: str) -> None:
    """A plan that lacks any one entry is refused, as plans of versions with fewer choices
    are.
    """
    content = Plan(domain=FEW, epsilon=Fraction(1), method=Method.DENSE).to_json()
    del content[lacking]
    with pytest.raises(ArgumentError, match=r"^This is no plan of Synth"):
        Plan.from_json(content)
