"""Releases and answers are what `same.json` says; `same` says how it is written where that
changes.

The cases run in a process of their own, as the tests' shorter fits give other rows.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synth.estimate import ASKED_WAYS, Method, Repair
from synth.questions import KINDS
from tests.golden.cases import INQUIRIES, PLANS
from tests.golden.same import (
    CASES,
    FILE,
    digests_of,
    fixed_noise,
    list_differing,
    release_files,
)
from tests.tables import ROOT

LONG = (
    "release one-shot",
    "release one-shot, delta",
    "release adaptive",
    "release adaptive, delta",
    "release auto",
    "release associations",
    "compare",
)
"""Cases of more than a second each."""


def run_same(option: str, *cases: str, **environment: str) -> str:
    """What `same` prints in another process."""
    command = [sys.executable, "-m", "tests.golden.same", option, *cases]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def check_cases(*cases: str) -> str:
    """What differs from the recorded digests."""
    return run_same("--check", *cases)


def print_digests(*cases: str, threads: int) -> Any:
    """The digests on this machine, where linear algebra may have so many threads."""
    settings = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
    return json.loads(run_same("--print", *cases, **settings))


SHORT = [case for case in CASES if case not in LONG]


def test_some_releases_and_answers_are_the_same_as_before() -> None:
    assert check_cases(*SHORT[::16]) == ""


@pytest.mark.slow
def test_all_releases_and_answers_are_the_same_as_before() -> None:
    assert check_cases(*SHORT) == ""


@pytest.mark.slow
def test_longer_fits_are_the_same_as_before() -> None:
    assert check_cases(*LONG) == ""


@pytest.mark.slow
def test_nothing_depends_on_the_threads_of_the_machine() -> None:
    """Rows, certificates and other files are the same whether linear algebra has one thread
    or two.

    So is the digest of how the machine rounds.
    """
    cases = ("release one-shot", "release auto", "forecast a release", *SHORT[::5])

    one_thread, two_threads = (print_digests(*cases, threads=threads) for threads in (1, 2))

    assert set(one_thread["cases"]) == {*cases}
    assert one_thread == two_threads


def test_the_cases_are_of_every_method_repair_kind_and_way() -> None:
    """Each method, repair, kind of question and way of answering has a recorded digest.

    There are at least 40 releases and 40 inquiries, so that none is dropped by mistake.
    """
    methods = {options.get("method", "auto") for options in PLANS.values()}
    repairs = {options.get("repair", "auto") for options in PLANS.values()}
    kinds = {text.split()[0] for questions, _ in INQUIRIES.values() for text in questions}
    ways = {options.get("way") for _, options in INQUIRIES.values()}

    assert methods == {*Method}
    assert repairs == {*Repair}
    assert kinds == {name for name, kind in KINDS.items() if not kind.not_asked}
    assert ways == {*ASKED_WAYS, None}
    assert len(PLANS) >= 40
    assert len(INQUIRIES) >= 40


def test_a_change_is_told_by_its_part(tmp_path: Path) -> None:
    """Releases are compared part by part: another repair changes the rows, not the noisy
    counts.

    The first two releases have the same repair and noise, so nothing differs. The certificate
    names the repair, and other files (papers) follow from it.
    """
    parts = []
    for repair in ("none", "none", "most-likely"):
        with fixed_noise("once"):
            parts.append(
                digests_of(release_files(PLANS["none"] | {"repair": repair}, tmp_path))
            )

    assert parts[0] == parts[1]
    assert {part for part in parts[0] if parts[0][part] != parts[2][part]} == {
        "rows",
        "certificate",
        "papers",
    }


def test_a_case_that_is_not_as_recorded_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recorded digest that does not fit names its case and part, and no other case.

    The digest of the noisy counts of "ask count" is changed to 0.
    """
    content = json.loads(FILE.read_text())
    content["cases"]["ask count"]["counts"] = "0"

    (tmp_path / "same.json").write_text(json.dumps(content))
    monkeypatch.setattr("tests.golden.same.FILE", tmp_path / "same.json")

    assert [*list_differing(["ask count", "ask share"])] == ["ask count: counts"]


def test_noise_that_is_not_fixed_is_seen() -> None:
    with pytest.raises(AssertionError, match="drew no noise"), fixed_noise("once"):
        pass
