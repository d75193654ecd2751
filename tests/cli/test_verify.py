"""`synth verify`: what was checked, in words and as JSON."""

import json
from pathlib import Path

import pytest

from synth.cli.main import main
from synth.plan import Method
from tests.bundle.bundles import contents, make, rezip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("bundle"))


def test_the_command_line_says_what_was_checked(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(whole), "--ledger", str(whole.with_suffix(".db"))]) == 0
    said = capsys.readouterr().out
    assert said.startswith(
        "Confirmed. The bundle holds what it claims, and all of it was checked.\n"
    )
    assert "Not checked" not in said
    assert main(["verify", str(whole)]) == 3
    assert "Not checked:\n  No file can tell whether the spend" in capsys.readouterr().out
    assert main(["verify", str(whole), "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], len(found["not checked"])) == ("not checked", 1)


def test_what_is_forged_is_refuted(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = contents(whole)
    files["statement.txt"] += b"x"
    forged = str(rezip(tmp_path / "forged.zip", files))
    assert main(["verify", forged]) == 1
    assert capsys.readouterr().out.startswith("Refuted. The bundle does not hold what it claims.")
    assert main(["verify", forged, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "refuted"
    assert found["refuted"] == [
        "'statement.txt' is not the file that the certificate was written for."
    ]


def test_rows_of_a_model_are_drawn_again_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = make(tmp_path, method=Method.TREE)
    assert main(["verify", str(bundle), "--redraw"]) == 3
    assert "Drawn again from the noisy counts and the seed, all " in capsys.readouterr().out
    ledger = str(bundle.with_suffix(".db"))
    assert main(["verify", str(bundle), "--redraw", "--ledger", ledger]) == 0
