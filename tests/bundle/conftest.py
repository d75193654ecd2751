"""Fixtures that the tests of this folder share."""

from pathlib import Path

import pytest

from tests.bundle.bundles import make_bundle


@pytest.fixture(scope="session")
def bundle_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One bundle with its ledger and its table; who changes it works on a copy."""
    return make_bundle(tmp_path_factory.mktemp("bundle"))
