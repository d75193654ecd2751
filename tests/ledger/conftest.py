"""Fixtures that the tests of this folder share."""

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test makes its ledger; no file is there yet."""
    return tmp_path / "ledger.db"
