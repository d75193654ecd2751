"""The reduced form of ``advisories``: what is made of a report, whoever it comes from."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.evidence import advisories
from tests.evidence.advisories import (
    KNOWN,
    Advisory,
    judge_advisories,
    list_pins,
    main,
    read_reasons,
)

HOLE = {
    "id": "PYSEC-2026-1",
    "aliases": ["CVE-2026-1", "GHSA-a-b-c"],
    "fix_versions": ["1.2"],
}
FOUND = Advisory("a 1.1", frozenset(["PYSEC-2026-1", "CVE-2026-1", "GHSA-a-b-c"]), ("1.2",))


def _report(*vulns: Any) -> Any:
    """A report of pip-audit about one package, a 1.1, with these advisories."""
    return {"dependencies": [{"name": "a", "version": "1.1", "vulns": list(vulns)}]}


def test_an_advisory_fails_unless_it_is_known_with_a_date_and_a_reason() -> None:
    """An advisory against a package fails the check unless the list of known ones has it by
    any of its names, with a date and a reason.

    A known advisory that is not found any more fails too, so that the list stays short.
    """
    assert advisories.read_advisories(_report(HOLE)) == [FOUND]
    assert advisories.read_advisories(_report()) == []

    lines, fine = judge_advisories([FOUND], {})
    assert not fine
    assert "NOT KNOWN" in lines[0]

    reasons = read_reasons("# why\n2026-11-24 GHSA-a-b-c Synth never calls it.\n")
    assert judge_advisories([FOUND], reasons) == (
        [f"{FOUND}: Synth never calls it. (2026-11-24)"],
        True,
    )

    assert not judge_advisories([], reasons)[1]

    with pytest.raises(ValueError, match="no date, advisory and reason"):
        read_reasons("GHSA-a-b-c\n")


def test_what_is_skipped_was_not_checked() -> None:
    """A report that skipped a package, or names none, counts as no answer (None), not as
    clean.
    """
    skipped = {"dependencies": [{"name": "a", "skip_reason": "Dependency not found"}]}
    assert advisories.read_advisories(skipped) is None
    assert advisories.read_advisories({"dependencies": []}) is None


def test_what_cannot_be_reached_is_said_and_passes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a network the check passes, unless `--reached` demands an answer; an advisory
    that is found fails it.

    The functions that install pip-audit and ask it are replaced: None is no answer.
    """
    monkeypatch.setattr(advisories, "python_with", lambda *_: "python")
    monkeypatch.setattr(advisories, "ask_pip_audit", lambda *_: None)
    assert main([]) == 0
    assert "cannot be reached" in capsys.readouterr().out
    assert main(["--reached"]) == 1

    monkeypatch.setattr(advisories, "ask_pip_audit", lambda *_: [FOUND])
    assert main([]) == 1

    def fails(*_: Any) -> str:
        raise subprocess.CalledProcessError(1, "pip")

    monkeypatch.setattr(advisories, "python_with", fails)
    assert main([]) == 0
    assert "cannot be installed" in capsys.readouterr().out


def test_all_locks_are_asked_about_and_the_list_can_be_read() -> None:
    """The lock files of this repository name at least 90 packages, and the list of known
    advisories can be read.
    """
    root = Path(__file__).parents[2]
    paths = (root / "requirements.lock", *root.glob(".ci/locks/*.lock"))
    locks = [path.read_text(encoding="utf-8") for path in paths]
    assert len(locks) >= 8
    assert len(list_pins(locks)) >= 90
    read_reasons(KNOWN.read_text(encoding="utf-8"))
