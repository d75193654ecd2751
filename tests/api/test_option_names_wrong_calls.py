"""Wrong calls are found: by mypy before a program runs, and at the call itself.

At the call means before the table is read, and so before anything is spent.
"""

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import synth
from tests.api.people import DOMAIN, FRAME

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("wrong_calls.py")

OPTIONS: list[Mapping[str, Any]] = [
    {"method": "gan"},
    {"repair": "polled"},
    {"neighbors": "bounded"},
    {"favour": "correlations"},
    {"max_rows": 0},
    {"rows": 0},
    {"delta": 2},
    {"epsilon": 0},
    {"columns": ["agee"]},
    {"predict": "agee"},
    {"moments": "means, agee*sex"},
    {"method": "dense", "groups": [["age", "sex"]]},
    {"method": "dense", "delta": "1e-9"},
    {"public": FRAME},
    {"dataset": "", "ledger": False},
    {"budget": "much", "dataset": "people"},
]
"""Wrong options of a release, each beside the right ones."""

CALLS: Mapping[str, Callable[[], object]] = {
    "ask without a budget": lambda: synth.ask(FRAME, DOMAIN, "count"),  # type: ignore[call-overload]
    "ask by a wrong way": lambda: synth.ask(FRAME, DOMAIN, "count", 1, way="fast"),  # type: ignore[call-overload]
    "ask a wrong question": lambda: synth.ask(FRAME, DOMAIN, "mean agee", 1),
    "check a wrong column": lambda: synth.check(FRAME, DOMAIN, 1, columns=["agee"]),
    "draft with a delta alone": lambda: synth.draft(FRAME, delta="1e-9"),
    "draft both ways": lambda: synth.draft(FRAME, 1, agree=True),
}


@pytest.mark.slow
def test_mypy_finds_thirty_wrong_calls() -> None:
    """With its cache, mypy takes seconds; without one it reads the whole package."""
    assert FILE.read_text(encoding="utf-8").count("# type: ignore[") == 30
    command = [sys.executable, "-m", "mypy", "--strict", str(FILE.relative_to(ROOT))]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.stdout.strip() == "Success: no issues found in 1 source file"


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """In place of the function that opens tables."""
    opening = Mock(side_effect=AssertionError("The table was opened."))
    for module in ("spending", "drafting"):
        monkeypatch.setattr(f"synth.api.{module}.open_any", opening)
    return opening


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_wrong_option_is_refused_before_the_table_is_read(
    options: Mapping[str, Any], unread: Mock
) -> None:
    """A release refuses a wrong option before it opens the table, and a Synthesizer when it
    is made.
    """
    with pytest.raises(synth.SynthError):
        synth.release(FRAME, DOMAIN, **{"epsilon": 1, **options})
    if not {"dataset", "budget"} & options.keys():
        with pytest.raises(synth.SynthError):
            synth.Synthesizer(DOMAIN, **{"epsilon": 1, **options})
    unread.assert_not_called()


@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_call_is_refused_before_the_table_is_read(call: str, unread: Mock) -> None:
    with pytest.raises(synth.SynthError):
        CALLS[call]()
    unread.assert_not_called()
