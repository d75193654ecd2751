"""Bundles of algorithm 4 (`before-copies`) verify and are repeated: each had lost a near-copy."""

import io
import json
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest

from synth.__main__ import main
from tests.bundle.bundles import contents
from tests.golden.before_copies import REQUESTS, arguments, whole
from tests.golden.test_older import alike

pytestmark = pytest.mark.usefixtures("real_plotly", "whole_fits")

KEPT = "before-copies"


def differing(rows: bytes) -> list[float]:
    """Share of rows in which two of the near-copies differ, for each two."""
    table = pd.read_csv(io.BytesIO(rows))
    return [float((table[a] != table[b]).mean()) for a, b in combinations("abcd", 2)]


@pytest.mark.parametrize("name", REQUESTS)
def test_a_bundle_verifies(
    name: str, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = whole(name, tmp_path)
    assert main(["verify", str(made), "--ledger", str(ledger), "--redraw"]) in (0, 3)
    said = capsys.readouterr().out
    assert "the ledger knows the certificate" in said
    assert "Drawn again from the noisy counts and the seed" in said


@pytest.mark.parametrize("name", REQUESTS)
def test_rows_are_repeated_with_what_they_had_lost(
    name: str, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Algorithm 5 would not have lost it, and would give other rows from the same counts."""
    again = tmp_path / "again.zip"
    assert main(arguments(tmp_path, name, ledger, again)) == 0
    assert json.loads(capsys.readouterr().out)["repeated"] is True
    new, old = contents(again), contents(whole(name, tmp_path))
    assert new["noisy_counts.csv"] == old["noisy_counts.csv"]
    assert alike(new["synthetic.csv"], old["synthetic.csv"])  # floats differ between processors
    lost = differing(old["synthetic.csv"])
    assert max(lost) > 0.6
    assert differing(new["synthetic.csv"]) == pytest.approx(lost, abs=0.03)
    assert "algorithm" not in json.loads(new["certificate.json"])
