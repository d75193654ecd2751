"""Examples: what a release is worth, what was spent, and whether a bundle holds."""

from pathlib import Path

import pandas as pd
import pytest

import synth


def test_a_forecast_needs_no_table(domain: synth.Domain) -> None:
    rough, fine = (synth.forecast(domain, epsilon=e, rows=20_000) for e in ("0.1", "10"))
    assert rough.pairs > fine.pairs


def test_a_forecast_compares_methods(domain: synth.Domain) -> None:
    methods = synth.forecast(domain, epsilon=1, rows=20_000).table["method"]
    assert {"dense", "independent", "tree"} <= set(methods)


def test_a_comparison_is_private_and_says_how_far_off(
    bundle: Path, frame: pd.DataFrame
) -> None:
    """A comparison is marked private, and has the errors of columns and of pairs as shares.

    In cells, pairs have no smaller error than columns, and at epsilon 1 an error below 10 %.
    """
    comparison = synth.compare(frame, bundle)
    assert "PRIVATE" in repr(comparison)
    assert 0 <= comparison.columns_in_cells <= comparison.pairs < 0.1
    assert comparison.columns_in_cells <= comparison.columns < 0.1  # by value


def test_whoever_gets_a_bundle_can_check_it(bundle: Path) -> None:
    """Without the ledger, a bundle passes all checks of files; the rest is the steward's."""
    checked = synth.verify(bundle)
    assert len(checked.checks) > 3
    assert checked.verdict == "confirmed"
    assert checked.for_steward  # only the ledger knows that the noise was drawn


def test_a_ledger_confirms_a_bundle(
    frame: pd.DataFrame, domain: synth.Domain, tmp_path: Path
) -> None:
    """With the ledger, and rows drawn again, the verdict of a bundle is "confirmed"."""
    with synth.Ledger(tmp_path / "ledger.db") as ledger:
        release = synth.release(
            frame, domain, epsilon=1, ledger=ledger, dataset="survey", budget=1
        )
        checked = synth.verify(release.save(tmp_path / "release.zip"), ledger)
    assert checked.verdict == "confirmed"


def test_the_same_release_again_spends_nothing(
    frame: pd.DataFrame, domain: synth.Domain, tmp_path: Path
) -> None:
    """The same release again comes from the ledger with the same rows, although nothing is
    left.

    A release costs epsilon 1, which is the whole budget.
    """
    with synth.Ledger(tmp_path / "ledger.db") as ledger:
        spend_options = {"epsilon": 1, "ledger": ledger, "dataset": "survey", "budget": 1}
        made, repeated = (synth.release(frame, domain, **spend_options) for _ in range(2))
    assert (made.repeated, repeated.repeated) == (False, True)
    assert repeated.table.equals(made.table)


def test_releases_and_answers_share_a_budget(
    frame: pd.DataFrame, domain: synth.Domain, tmp_path: Path
) -> None:
    """A release and an answer of epsilon 1 each use up a budget of 2; a third spend is
    refused.

    The ledger records the two spends only.
    """
    with synth.Ledger(tmp_path / "ledger.db") as ledger:
        synth.release(frame, domain, epsilon=1, ledger=ledger, dataset="survey", budget=2)
        synth.ask(frame, domain, "mean age", epsilon=1, ledger=ledger, dataset="survey")
        with pytest.raises(synth.SynthError, match="budget"):
            synth.ask(frame, domain, "table sex", epsilon=1, ledger=ledger, dataset="survey")
        assert [entry.guarantee.epsilon for entry in ledger.entries()] == [1, 1]
