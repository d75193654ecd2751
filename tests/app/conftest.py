"""Every test of the app has a home of its own, so that no ledger remembers another test."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
