"""`synth verify`: what was checked, in words and as JSON."""

import json
from pathlib import Path

import pytest

from synth.cli.main import main
from tests.bundle.bundles import make


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("bundle"))


def test_the_command_line_says_what_was_checked(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(whole), "--ledger", str(whole.with_suffix(".db"))]) == 0
    assert capsys.readouterr().out.startswith("The bundle holds what it claims.\n  17 files, all")
    assert main(["verify", str(whole), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True
