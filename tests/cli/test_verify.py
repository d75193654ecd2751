"""`synth verify`: what was checked, in words and as JSON."""

import json
from pathlib import Path

import pytest

from synth.cli.main import main
from synth.domain import Domain, write_schema
from synth.plans import Method
from tests.bundle.bundles import make_bundle, read_bundle, rezip
from tests.cli.conftest import Files, Line


def test_the_command_line_says_what_was_checked(bundle_path: Path, cli: Line) -> None:
    """A bundle is confirmed with the ledger and without. Without it, one line says that some
    claims are left to the steward.

    These claims, such as the date and that noise was drawn once, are listed with reasons by
    -v and as JSON.
    """
    output = cli.output(
        "verify", str(bundle_path), "--ledger", str(bundle_path.with_suffix(".db"))
    )
    assert output.startswith("Confirmed. All claims of the bundle were checked and hold.\n")
    assert "Not checked" not in output
    assert "files match" not in output  # checks that passed are listed with -v only

    output = cli.output(
        "verify", str(bundle_path), "--ledger", str(bundle_path.with_suffix(".db")), "-v"
    )
    assert "files match" in output
    short_output = cli.output("verify", str(bundle_path))
    assert short_output.startswith("Confirmed. All claims that can be checked here hold.\n")
    assert short_output.splitlines()[-1].startswith("Only the steward's ledger can show")

    report = cli.report("verify", str(bundle_path))
    assert (report["verdict"], report["not checked"]) == ("confirmed", [])
    open_parts = {gap["part"]: gap["reason"] for gap in report["parts not checked"]}
    assert {"created", "versions.*", "ledger.**", "released.rows"} <= open_parts.keys()
    sentences = " ".join(report["for the steward"])
    assert all(reason in sentences for reason in open_parts.values())
    output = cli.output("verify", str(bundle_path), "-v")
    assert all(reason in output for reason in open_parts.values())

    with_ledger = cli.report(
        "verify", str(bundle_path), "--ledger", str(bundle_path.with_suffix(".db"))
    )
    assert (with_ledger["verdict"], with_ledger["parts not checked"]) == ("confirmed", [])


def test_a_dummy_has_no_spend_for_a_ledger(tmp_path: Path, cli: Line) -> None:
    """Of a dummy, for which nothing was spent, no line speaks of a ledger."""
    domain = Domain(sex=["f", "m"])
    (tmp_path / "domain.json").write_text(json.dumps(write_schema(domain)))
    dummy = str(tmp_path / "dummy.zip")
    cli.output("dummy", str(tmp_path / "domain.json"), "--rows", "9", "-o", dummy)
    lines = cli.output("verify", dummy).splitlines()
    assert lines[0] == "Confirmed. All claims that can be checked here hold."
    assert lines[-1] == (
        "A few statements, such as the time, follow from no file; -v lists them."
    )


def test_what_is_forged_is_refuted(bundle_path: Path, tmp_path: Path, cli: Line) -> None:
    """A bundle with one byte more in a file is refuted: status 1, and the file is named."""
    files = read_bundle(bundle_path)
    files["statement.txt"] += b"x"
    forged = str(rezip(tmp_path / "forged.zip", files))
    assert cli.output("verify", forged, status=1).startswith(
        "Refuted. At least one claim of the bundle is false."
    )
    report = cli.report("verify", forged, status=1)
    assert report["verdict"] == "refuted"
    assert report["refuted"] == ["'statement.txt' does not match the certificate."]


def test_rows_of_a_model_are_drawn_again(tmp_path: Path, cli: Line) -> None:
    """The rows are drawn again from noisy counts and seed, and compared; with --quick they
    are not, and the verdict is not confirmed.
    """
    bundle = make_bundle(tmp_path, method=Method.TREE)
    assert "are the same when drawn again from the counts and the seed." in cli.output(
        "verify", str(bundle), "-v"
    )
    assert "Not checked:" in cli.output("verify", str(bundle), "--quick", status=3)
    ledger = str(bundle.with_suffix(".db"))
    assert main(["verify", str(bundle), "--ledger", ledger]) == 0


@pytest.mark.slow
def test_a_folder_of_a_release_is_confirmed(files: Files, tmp_path: Path, cli: Line) -> None:
    """A folder is checked like a bundle; a file in it that is not of the release is named."""
    table, domain = files
    out = tmp_path / "out"
    book = tmp_path / "book.db"
    words = [
        "release",
        table,
        "--domain",
        domain,
        "--epsilon",
        "1",
        "--ledger",
        book,
        "--dataset",
        "d",
    ]
    cli.output(*words, "--out", out)
    checked = ("verify", out, "--ledger", book)
    assert cli.output(*checked).startswith(
        "Confirmed. All claims of the bundle were checked and hold"
    )

    # The same release again, now also as a bundle, leaves the folder confirmed.
    cli.output(*words, "--out", out, "--out", tmp_path / "b.zip")
    assert cli.report(*checked)["verdict"] == "confirmed"

    (out / "notes.txt").touch()
    assert "'notes.txt'" in cli.output(*checked, status=3)


def test_what_is_no_bundle_is_not_refuted(
    bundle_path: Path, tmp_path: Path, cli: Line
) -> None:
    """A file or folder that is no bundle is refused with the reason, instead of called
    forged.
    """
    cli.output("export", bundle_path, "--out", tmp_path / "rows.xlsx")
    (tmp_path / "text.csv").write_text("a,b\n")
    for name, why in {
        "rows.xlsx": "the zip file has no 'certificate.json'",
        "text.csv": "it is no zip file",
        ".": "the folder has no 'certificate.json'",
    }.items():
        refusal = cli.refusal("verify", tmp_path / name)
        assert f" is not a bundle of Synth: {why}; " in refusal


def test_a_ledger_without_its_key_confirms_nothing(
    bundle_path: Path, tmp_path: Path, cli: Line
) -> None:
    """A ledger whose key file is missing confirms no claim, because its seals cannot be
    checked.
    """
    keyless = tmp_path / "l.db"
    keyless.write_bytes(bundle_path.with_suffix(".db").read_bytes())
    report = cli.report("verify", bundle_path, "--ledger", keyless, status=3)
    assert report["verdict"] == "not checked"
    claim = report["not checked"][0]
    assert "its key file is not here, so its seals were not checked" in claim
    assert "created" in {gap["part"] for gap in report["parts not checked"]}


def test_the_ledger_of_this_machine_is_looked_into(
    files: Files, tmp_path: Path, cli: Line
) -> None:
    """A bundle that this machine's ledger knows is confirmed with it; a bundle of somebody
    else, which it does not know, is not refuted.
    """
    table, domain = files
    words = ("release", table, "--domain", domain, "--epsilon", "1")
    cli.output(*words, "--out", tmp_path / "own.zip")
    assert "for the steward" not in cli.output("verify", tmp_path / "own.zip")
    assert "Only the steward" not in cli.output("verify", tmp_path / "own.zip")

    book = ("--ledger", tmp_path / "other.db")
    cli.output(*words, *book, "--out", tmp_path / "other.zip")
    assert "Only the steward" in cli.output("verify", tmp_path / "other.zip")
    assert "Only the steward" not in cli.output("verify", tmp_path / "other.zip", *book)
