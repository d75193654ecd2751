"""`synth ledger`: what it shows, verifies and exports."""

import json
from pathlib import Path

import pytest

from synth.cli.main import main
from tests.ledger.ledgers import filled


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


def test_show_verify_and_export(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(path)
    assert main(["ledger", "show", str(path)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "survey: budget epsilon = 1, replace-one; spent 0.5, left 0.5"
    assert len(shown) == 3
    assert main(["ledger", "verify", str(path)]) == 0
    assert capsys.readouterr().out.startswith("5 entries, none edited. Head ")
    assert main(["ledger", "export", str(path)]) == 0
    assert len(json.loads(capsys.readouterr().out)["events"]) == 5
    assert main(["ledger", "show", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["datasets"][0]["left"] == "1/2"


def test_the_command_line_says_one_sentence(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "show", str(path)]) == 2
    assert capsys.readouterr().err == f"There is no ledger '{path}'.\n"
