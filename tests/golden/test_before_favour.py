"""Bundles of algorithm 2 (`before-favour`) verify, open and answer; what was paid is kept."""

from pathlib import Path

import pytest

from synth.__main__ import main
from synth.ledger.ledger import Ledger
from tests.bundle.bundles import contents
from tests.golden.before_favour import REQUESTS, arguments, public_table, whole
from tests.golden.test_older import alike

pytestmark = pytest.mark.usefixtures("real_plotly", "whole_fits")

KEPT = "before-favour"


@pytest.mark.parametrize("name", REQUESTS)
def test_a_bundle_verifies_and_answers(
    name: str, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = str(whole(name, tmp_path))
    public = ["--public", str(public_table(tmp_path))] if name == "guess" else []
    assert main(["verify", bundle, "--ledger", str(ledger), *public]) in (0, 3)
    said = capsys.readouterr().out
    assert "the ledger knows the certificate" in said
    assert not public or "SHA-256" in said
    assert main(["analyse", bundle, "--question", "count where age >= 50"]) == 0
    assert "95 % interval" in capsys.readouterr().out


def test_pairs_are_repeated_as_they_were(ledger: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    assert main(arguments(tmp_path, "pairs", ledger, again)) == 0
    new, old = contents(again), contents(whole("pairs", tmp_path))
    assert new["noisy_counts.csv"] == old["noisy_counts.csv"]
    assert alike(new["synthetic.csv"], old["synthetic.csv"])  # floats differ between processors
    with Ledger(ledger, readonly=True) as book:
        assert len(book.entries()) == len(REQUESTS)


def test_a_guess_that_was_asked_otherwise_is_refused_and_spends_nothing(
    ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(tmp_path, "guess", ledger, tmp_path / "again.zip")) == 2
    assert "This release was finished by a version of Synth that asks other" in (
        capsys.readouterr().err
    )
    with Ledger(ledger, readonly=True) as book:
        assert len(book.entries()) == len(REQUESTS)
