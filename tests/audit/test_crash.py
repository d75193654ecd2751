"""Releases killed by SIGKILL at random instants and at every stage that has a name."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synth.bundle import writer as bundle
from synth.domain import Categorical, Domain
from synth.door import Ledger
from synth.door.ledger.sqlite_store import Store
from synth.plans import Method, Plan
from synth.privacy import Neighbors, parse_budget
from synth.spending import pipeline, synthesize
from tests.tables import write_plain

DOMAIN = Domain((Categorical(name="sex", categories=("F", "M", "X")),))
BUDGET = Fraction(1)
MOMENTS = {
    "before the spend": (Store, "append", 1, False),
    "after the spend's row": (Store, "append", 1, True),
    "before the values are kept": (Ledger, "keep", 1, False),
    "while the values are kept": (Store, "keep", 1, False),
    "after the values are kept": (Ledger, "keep", 1, True),
    "after the seed is kept": (Ledger, "keep", 2, True),
    "before a file is stages": (os, "replace", 1, False),
    "after the first file": (os, "replace", 1, True),
    "before the certificate": (bundle.Certificate, "sign", 1, False),
}


def plan(number: int) -> Plan:
    """Each attempt has an epsilon of its own, by which its spend is found again."""
    return Plan(
        domain=DOMAIN,
        epsilon=Fraction(1, 200) + Fraction(number, 10**6),
        dataset="survey",
        method=Method.DENSE,
    )


def attempt_release(
    folder: Path, number: int, progress: Callable[[str], None] | None = None
) -> None:
    with Ledger(folder / "ledger.db") as ledger:
        result = synthesize(plan(number), folder / "t.csv", ledger=ledger, progress=progress)
        write_plain(result, folder / f"out{number}")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at_call(
    owner: Any,
    name: str,
    call: int,
    after: bool,
    counts: Callable[..., bool] = lambda *_, **__: True,
) -> None:
    """Let the process die at one call of a function, of those whose arguments count."""
    original, calls = getattr(owner, name), []

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not counts(*args, **kwargs):
            return original(*args, **kwargs)
        calls.append(name)
        mine = len(calls)  # other calls may come meanwhile, in threads of their own
        if mine == call and not after:
            die()
        result = original(*args, **kwargs)
        if mine == call:
            die()
        return result

    setattr(owner, name, wrapper)


def die_at(stage: str) -> Callable[[str], None]:
    return lambda reached: die() if reached == stage else None


def run_and_kill(folder: Path, kills: int) -> None:
    """Fork one attempt after the other; kill each, at a stage or after a random while."""
    stages = [*pipeline.RELEASE_STAGES, *MOMENTS]
    for number in range(kills):
        child = os.fork()
        if child == 0:
            progress = None
            if number < len(stages):
                stage = stages[number]
                if stage in MOMENTS:
                    die_at_call(*MOMENTS[stage])
                else:
                    progress = die_at(stage)
            try:
                attempt_release(folder, number, progress)
            finally:
                os._exit(0)
        if number >= len(stages):
            time.sleep(random.uniform(0, 0.15))
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        if number < len(stages):
            assert os.WTERMSIG(status) == signal.SIGKILL, stages[number]


@pytest.mark.parametrize("kills", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_releases_leave_no_unpaid_trace(tmp_path: Path, kills: int) -> None:
    """However a release is killed, whatever left a file was paid for, and it can be
    completed. Every release that left a file has its spend in the ledger, and all spends are
    within the budget. `run_and_kill` kills one attempt after another in processes of their
    own.
    """
    (tmp_path / "t.csv").write_text("sex\nF\nM\nF\n")
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        ledger.set_budget("survey", parse_budget(str(BUDGET), Neighbors.REPLACE_ONE))

    code = f"from tests.audit.test_crash import *; run_and_kill(Path(sys.argv[1]), {kills})"
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, cwd=root)

    ledger = Ledger(path)
    ledger.verify()
    spends = {entry.guarantee.epsilon: entry for entry in ledger.entries()}
    assert ledger.balance("survey").spent <= BUDGET

    written = {number for number in range(kills) if (tmp_path / f"out{number}").is_dir()}
    assert written <= {number for number in range(kills) if plan(number).epsilon in spends}

    for number in range(min(kills, 20)):
        finish_later(tmp_path, ledger, number, plan(number).epsilon in spends)
    ledger.verify()


def finish_later(folder: Path, ledger: Ledger, number: int, paid: bool) -> None:
    """The same request goes on where it was killed: no second spend, and the same values."""
    out = folder / f"out{number}"
    before = {path.name: path.read_bytes() for path in out.glob("[!.]*")}
    spends = len(ledger.entries())
    attempt_release(folder, number)
    assert len(ledger.entries()) == spends + (not paid)
    for name, content in before.items():
        assert (out / name).read_bytes() == content
    assert json.loads((out / "certificate.json").read_text())["rows"] == 3
