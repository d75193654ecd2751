"""Fixtures that the tests of this folder share."""

from pathlib import Path

import pytest

from synth import limits


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test makes its ledger; no file is there yet."""
    return tmp_path / "ledger.db"


@pytest.fixture(autouse=True)
def cheap_passphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passphrases cost less than in earnest, so that tests are fast."""
    monkeypatch.setattr(limits, "SCRYPT_COST", 2**4)
