"""Bundles of algorithm 3 (`before-gdp`) verify and are repeated: their delta was spent by zCDP."""

import json
from pathlib import Path

import pytest

from synth.__main__ import main
from synth.ledger.ledger import Ledger
from tests.bundle.bundles import contents
from tests.golden.before_gdp import REQUESTS, arguments, whole
from tests.golden.test_older import alike

pytestmark = pytest.mark.usefixtures("real_plotly", "whole_fits")

KEPT = "before-gdp"


@pytest.mark.parametrize("name", REQUESTS)
def test_a_bundle_verifies(
    name: str, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(whole(name, tmp_path)), "--ledger", str(ledger)]) in (0, 3)
    assert "the ledger knows the certificate" in capsys.readouterr().out


@pytest.mark.parametrize("name", REQUESTS)
def test_a_release_is_repeated_as_it_was(
    name: str, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At its own cost: a budget in rho is not charged again by Gaussian DP."""
    again = tmp_path / "again.zip"
    assert main(arguments(tmp_path, name, ledger, again)) == 0
    assert json.loads(capsys.readouterr().out)["repeated"] is True
    new, old = contents(again), contents(whole(name, tmp_path))
    assert new["noisy_counts.csv"] == old["noisy_counts.csv"]
    assert alike(new["synthetic.csv"], old["synthetic.csv"])  # floats differ between processors
    told = [json.loads(found["certificate.json"])["mechanism"] for found in (new, old)]
    assert told[0] == told[1]
    with Ledger(ledger, readonly=True) as book:
        assert len(book.entries()) == len(REQUESTS)
