"""`synth verify`: what was checked, in words and as JSON."""

from pathlib import Path

from synth.cli.main import main
from synth.plans import Method
from tests.bundle.bundles import contents, make, rezip
from tests.cli.conftest import Line


def test_the_command_line_says_what_was_checked(whole: Path, cli: Line) -> None:
    said = cli.out("verify", str(whole), "--ledger", str(whole.with_suffix(".db")))
    assert said.startswith(
        "Confirmed. The bundle holds what it claims, and all of it was checked.\n"
    )
    assert "Not checked" not in said
    assert "Not checked:\n  No file can tell whether the spend" in cli.out(
        "verify", str(whole), status=3
    )
    found = cli.found("verify", str(whole), status=3)
    assert (found["verdict"], len(found["not checked"])) == ("not checked", 1)


def test_what_is_forged_is_refuted(whole: Path, tmp_path: Path, cli: Line) -> None:
    files = contents(whole)
    files["statement.txt"] += b"x"
    forged = str(rezip(tmp_path / "forged.zip", files))
    assert cli.out("verify", forged, status=1).startswith(
        "Refuted. The bundle does not hold what it claims."
    )
    found = cli.found("verify", forged, status=1)
    assert found["verdict"] == "refuted"
    assert found["refuted"] == [
        "'statement.txt' is not the file that the certificate was written for."
    ]


def test_rows_of_a_model_are_drawn_again_when_asked(tmp_path: Path, cli: Line) -> None:
    bundle = make(tmp_path, method=Method.TREE)
    assert "Drawn again from the noisy counts and the seed, all " in cli.out(
        "verify", str(bundle), "--redraw", status=3
    )
    ledger = str(bundle.with_suffix(".db"))
    assert main(["verify", str(bundle), "--redraw", "--ledger", ledger]) == 0
