"""A steward's word for values from the rows: other words in the files, the same numbers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from synth.bundle import SYNTHETIC
from synth.domain import LOOKED_UP
from synth.errors import ReleaseError
from synth.plans import Method
from synth.spending import synthesize
from synth.util import Watch
from synth.verification import verify
from tests.bundle.bundles import read_bundle, release_of
from tests.tables import MIXED

# The files that say something about where the values come from.
WORDED = {
    "certificate.json",
    "croissant.json",
    "datapackage.json",
    "ddi.xml",
    "domain.json",
    "plan.json",
    "open.html",
    "statement.txt",
}
TAKEN = replace(MIXED, origin=LOOKED_UP)


def refuse_to_write(*_: Any) -> None:
    """Fail where a table is written anew."""
    message = "A table was written once more."
    raise AssertionError(message)


@pytest.mark.parametrize("method", [Method.DENSE, Method.INDEPENDENT])
def test_vouching_writes_other_words_about_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    """A vouched bundle is the one that the ledger's release would give, byte for byte.

    Its tables are copied and not written, nothing is spent, and it verifies with the ledger.
    """
    result, ledger = release_of(tmp_path, domain=TAKEN, method=method)
    before = result.write_archive(tmp_path / "before.zip", ledger)
    plan = replace(result.plan, domain=replace(result.plan.domain, vouched=True))
    again = synthesize(plan, tmp_path / "b.csv", ledger=ledger)
    expected = read_bundle(again.write_archive(tmp_path / "again.zip", ledger))

    with monkeypatch.context() as patched:
        for writer in ("bundle.writer.write_guarded", "bundle.guard.write_guarded"):
            patched.setattr(f"synth.{writer}", refuse_to_write)
        patched.setattr("synth.rows.write_parquet", refuse_to_write)
        vouched = result.vouch().write_archive(
            tmp_path / "vouched.zip", ledger, numbers_of=before
        )
    files = read_bundle(vouched)
    assert files == expected
    old_files = read_bundle(before)
    assert {name for name in files if files[name] != old_files[name]} == WORDED
    assert len(ledger.entries()) == 1

    verified = verify(vouched, ledger, redraw=True)
    assert verified.verdict == "confirmed"
    assert verified.certificate.declaration.taken_is_public
    assert "The steward vouches that" in files["statement.txt"].decode()


def test_vouching_changes_nothing_else_in_the_certificate(tmp_path: Path) -> None:
    """The guarantee has the same numbers, with other last sentences."""
    result, _ = release_of(tmp_path, domain=TAKEN)
    vouched = result.vouch().certificate
    assert vouched.guarantee.epsilon == result.certificate.guarantee.epsilon
    assert vouched.guarantee.statement.endswith("The steward vouches that it is public.")
    old = result.certificate
    taken_back = replace(vouched, declaration=old.declaration, guarantee=old.guarantee)
    assert taken_back == old


def test_writing_tells_its_progress(tmp_path: Path) -> None:
    """Each file counts once, and the last one completes them."""
    result, ledger = release_of(tmp_path)
    shares: list[float] = []
    result.write_archive(tmp_path / "b.zip", ledger, progress=shares.append)
    # All files but the certificate and the two that describe the others.
    count = len(read_bundle(tmp_path / "b.zip")) - 3
    assert shares == [(number + 1) / count for number in range(count)]


@pytest.mark.parametrize("written_before", [0, 1, 5])
def test_writing_that_is_stopped_leaves_nothing(tmp_path: Path, written_before: int) -> None:
    """A steward who stops while files are written has no file, and no digest in the ledger.

    Written again, the bundle is whole.
    """
    result, ledger = release_of(tmp_path)
    done: list[float] = []
    watch = Watch(
        seconds=60, stopped=lambda: len(done) >= written_before, sentence=lambda: "Stopped."
    )
    there = sorted(tmp_path.iterdir())
    with pytest.raises(ReleaseError, match=r"^Stopped\.$"), watch.watch():
        result.write_archive(tmp_path / "b.zip", ledger, progress=done.append)
    assert sorted(tmp_path.iterdir()) == there
    assert ledger.state(ledger.entries()[0]) == "values kept"

    assert SYNTHETIC in read_bundle(result.write_archive(tmp_path / "b.zip", ledger))
    assert ledger.state(ledger.entries()[0]) == "bundle made"
