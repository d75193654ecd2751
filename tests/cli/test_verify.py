"""`synth verify`: what was checked, in words and as JSON."""

import json
from pathlib import Path

import pytest

from synth.cli.main import main
from synth.plan import Method
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


def test_rows_of_a_model_are_drawn_again_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = make(tmp_path, method=Method.TREE)
    assert main(["verify", str(bundle), "--redraw"]) == 0
    assert capsys.readouterr().out.endswith("and the seed, all rows have the same cells.\n")
