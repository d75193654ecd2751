"""Bundles of algorithm 5 (`before-order`) verify and are repeated as they were.

Each pure distance had noise of its own, and cells in order were like any others.
"""

import json
from pathlib import Path

import pytest

from synth.__main__ import main
from tests.bundle.bundles import contents
from tests.golden.before_order import REQUESTS, arguments, whole
from tests.golden.test_older import alike

pytestmark = pytest.mark.usefixtures("real_plotly", "whole_fits")

KEPT = "before-order"


@pytest.mark.parametrize("name", REQUESTS)
def test_a_bundle_verifies(
    name: str, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    redraw = [] if name == "delta" else ["--redraw"]
    assert main(["verify", str(whole(name, tmp_path)), "--ledger", str(ledger), *redraw]) in (0, 3)
    said = capsys.readouterr().out
    assert "the ledger knows the certificate" in said
    assert not redraw or "Drawn again from the noisy counts and the seed" in said


@pytest.mark.parametrize("name", REQUESTS)
def test_a_release_is_repeated_as_it_was(
    name: str, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "again.zip"
    assert main(arguments(tmp_path, name, ledger, again)) == 0
    assert json.loads(capsys.readouterr().out)["repeated"] is True
    new, old = contents(again), contents(whole(name, tmp_path))
    assert new["noisy_counts.csv"] == old["noisy_counts.csv"]
    assert alike(new["synthetic.csv"], old["synthetic.csv"])  # floats differ between processors
    assert json.loads(new["certificate.json"])["algorithm"] == 5
