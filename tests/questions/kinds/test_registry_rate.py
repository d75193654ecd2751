"""The kind of `docs/extending/question-kind.md`, which keeps the contract of all others."""

from pathlib import Path

import pytest

from synth.questions import KINDS, CountKind
from tests.questions.kinds.test_registry import check_kind

RATE = CountKind(
    name="rate",
    example="where age >= 65",  # as it is said: rate where age >= 65
    columns=(0, 0),  # least and most columns
    needs_condition=True,
    divides=True,  # rows that meet it over all rows
    unit="share",
    error_unit="percentage points",
)


def test_it_keeps_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, RATE.name, RATE)
    check_kind(RATE, tmp_path)
