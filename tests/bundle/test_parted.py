"""A release in a folder of parts: all of it, or nothing, and nothing spent twice."""

from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from synth import limits
from synth.bundle import PARTED, SYNTHETIC, parted
from synth.door import Ledger
from synth.errors import ArgumentError, ReleaseError
from synth.estimate import LargeRows, place_here
from synth.estimate.models import large_rows
from synth.plans import Method, Plan
from synth.spending import synthesize, synthesize_parts
from tests.ledger.ledgers import ledger_with_budget
from tests.verification.models import DOMAIN, RULES, write_table

Made = tuple[Plan, Path, Ledger]


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """A plan, its table of 3,000 rows and its ledger; rows are written in parts of 1,000."""
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 1_000)
    monkeypatch.setattr(large_rows, "PART_ROWS", 700)
    plan = Plan(
        domain=DOMAIN,
        epsilon=Fraction(10),
        method=Method.ONE_SHOT,
        dataset="survey",
        rules=RULES,
    )
    ledger = ledger_with_budget(tmp_path / "b.db", "20", "survey", plan.neighbors)
    return plan, write_table(tmp_path), ledger


def test_parts_are_what_a_release_writes_in_one_piece(release: Made, tmp_path: Path) -> None:
    """The parts of the CSV file, joined, are the file of the same release in one piece.

    Certificate, noisy counts and domain are the same too.
    """
    plan, source, ledger = release
    parted = synthesize_parts(plan, source, ledger=ledger)
    paths = parted.write(tmp_path / "parts", ledger=ledger)

    result = synthesize(plan, source, ledger=ledger)
    whole_files = result.write(tmp_path / "whole")

    assert result.repeated
    assert parted.rows == result.rows == 3_000
    joined = b"".join(path.read_bytes() for path in sorted(paths[SYNTHETIC].iterdir()))
    assert joined == whole_files[SYNTHETIC].read_bytes()
    assert parted.certificate == result.certificate

    same_files = {"noisy_counts.csv", "domain.json"}
    assert all(
        paths[name].read_bytes() == whole_files[name].read_bytes() for name in same_files
    )


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2", "4"])
def test_any_number_of_workers(
    release: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    """One, two and four worker processes write the same parts and the same certificate."""
    plan, source, ledger = release
    by_default = synthesize_parts(plan, source, ledger=ledger).write(tmp_path / "1", PARTED)

    monkeypatch.setenv("SYNTH_WORKERS", workers)
    by_workers = synthesize_parts(plan, source, ledger=ledger).write(tmp_path / "2", PARTED)

    assert by_default["parts.json"].read_bytes() == by_workers["parts.json"].read_bytes()
    assert (
        by_default["certificate.json"].read_bytes()
        == by_workers["certificate.json"].read_bytes()
    )


@pytest.mark.parametrize("failing", ["parts", "certificate"])
def test_a_disk_that_fills_leaves_no_half_table(
    release: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """If the disk fills, no file stays, and the same request later writes the rows for
    nothing.

    The disk fills at the parts, or after them at the certificate.
    """
    plan, source, ledger = release
    unfinished = synthesize_parts(plan, source, ledger=ledger)
    spent = ledger.balance("survey").spent
    before = sorted(tmp_path.iterdir())

    fails = Mock(side_effect=OSError(28, "No space left on device"))

    with monkeypatch.context() as full:
        if failing == "parts":
            full.setattr(parted, "written_file", fails)
        else:
            full.setattr("synth.bundle.writer.write_files", fails)
        with pytest.raises(
            ReleaseError, match=r"^Synth cannot write the rows to .* nothing more"
        ):
            unfinished.write(tmp_path / "out", ledger=ledger)
    assert sorted(tmp_path.iterdir()) == before

    # There is room again.
    again = synthesize_parts(plan, source, ledger=ledger)
    assert again.repeated
    assert "certificate.json" in again.write(tmp_path / "out", ledger=ledger)
    assert ledger.balance("survey").spent == spent


def test_a_folder_with_something_in_it_is_left_alone(release: Made, tmp_path: Path) -> None:
    """Parts are not written into a folder that holds a file, and that file stays."""
    plan, source, ledger = release
    kept_file = tmp_path / "out" / "kept"
    kept_file.parent.mkdir()
    kept_file.touch()

    with pytest.raises(ReleaseError, match="There is something at"):
        synthesize_parts(plan, source, ledger=ledger).write(kept_file.parent)
    assert list(kept_file.parent.iterdir()) == [kept_file]


def test_a_histogram_has_no_parts(release: Made) -> None:
    """A histogram in parts is refused before anything is spent."""
    _, source, ledger = release
    dense = Plan(domain=DOMAIN, epsilon=Fraction(10), method=Method.DENSE, dataset="survey")

    with pytest.raises(
        ArgumentError, match=r"^The rows of 'dense' are drawn in one piece here"
    ):
        synthesize_parts(dense, source, ledger=ledger)
    assert not ledger.entries()


def test_a_place_is_told_how_many_rows_and_nothing_private(release: Made) -> None:
    """What draws rows on other machines (a place) gets their public number and the
    domain's shape.
    """
    plan, source, _ = release
    calls: list[Any] = []

    def place(*arguments: Any) -> LargeRows:
        calls.append(arguments)
        return place_here(*arguments)

    assert synthesize_parts(plan, source, place=place).rows == 3_000
    assert [arguments[:2] for arguments in calls] == [(3_000, DOMAIN.shape)]
