"""What tests of kept bundles share."""

import shutil
from pathlib import Path

import pytest

from tests.golden.kept import HERE


@pytest.fixture
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the ledger beside a module's bundles, which are in its folder `KEPT`."""
    for suffix in ("db", "db.key"):
        shutil.copy(HERE / request.module.KEPT / f"ledger.{suffix}", tmp_path / f"ledger.{suffix}")
    return tmp_path / "ledger.db"
