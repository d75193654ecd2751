"""Fixtures that the tests of this folder share."""

from pathlib import Path
from typing import Any

import pytest

from synth.plans import Method
from synth.privacy import Neighbors, Unit
from synth.private.methods import strategies
from tests.bundle.conftest import bundle_path
from tests.verification.models import DELTA, RULES, make_bundle

__all__ = ["bundle_of_a_model", "bundle_of_a_pure_model", "bundle_of_persons", "bundle_path"]


def _by_rho(folder: Path, **options: Any) -> Path:
    """A bundle whose budget is spent as rho, though so few columns are quieter in epsilon."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(strategies, "_quieter", lambda session, _order: session.account)
        return make_bundle(folder, **options)


@pytest.fixture(scope="session")
def bundle_of_a_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of 3,000 rows by `adaptive`, with a delta of 1e-9 and a rule: no child is
    married.

    It lies beside its ledger, with the same name and the ending .db.
    """
    return _by_rho(
        tmp_path_factory.mktemp("model"), method=Method.ADAPTIVE, delta=DELTA, rules=RULES
    )


@pytest.fixture(scope="session")
def bundle_of_a_pure_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the same rows by `tree`, without a delta, under add-remove."""
    options = {"method": Method.TREE, "neighbors": Neighbors.ADD_REMOVE}
    return make_bundle(tmp_path_factory.mktemp("pure"), **options)


@pytest.fixture(scope="session")
def bundle_of_persons(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the same rows by `tree`, which protects persons with up to two rows
    each.
    """
    options = {"method": Method.TREE, "delta": DELTA, "unit": Unit("pid", 2)}
    return _by_rho(tmp_path_factory.mktemp("persons"), **options)
