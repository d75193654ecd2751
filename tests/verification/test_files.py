"""A certificate of another form is not checked, whatever else it claims; one sentence
says so."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import synth
from synth.cli.main import main
from synth.errors import OtherVersionError, RefutedError
from synth.verification import open_bundle, verify
from synth.verification.unverified import open_unverified
from tests.bundle.asked import asked_of
from tests.bundle.bundles import (
    claim_values,
    describe_anew,
    edit_certificate,
    edit_text,
    read_bundle,
    refusal_of,
    replace_signed,
    rezip,
)

Forge = Callable[[dict[str, bytes]], None]


def of_form(number: str) -> Forge:
    """The certificate says that it has another form of its kind."""

    def change(files: dict[str, bytes]) -> None:
        form = json.loads(files["certificate.json"])["format"].removesuffix("2")
        claim_values(format=f"{form}{number}")(files)

    return change


def make_older(files: dict[str, bytes]) -> None:
    """A certificate as the first version wrote it, which said less."""
    of_form("1")(files)
    for name in ("caveats", "max_rows", "rows_fit", "declaration", "algorithm"):
        edit_certificate(files, lambda c, name=name: c.pop(name, None))
    claim_values(versions__synth="0.1.0")(files)


def forge_page(files: dict[str, bytes]) -> None:
    """A nicer page, with its digest wherever that stands."""
    edit_text("statement.txt", b"No row", b"No row at all")(files)
    describe_anew(files)


FORGERIES = {
    "an earlier form": of_form("1"),
    "a later form": of_form("3"),
    "a first certificate": make_older,
}


@pytest.mark.parametrize("kind", FORGERIES)
@pytest.mark.parametrize("lies", [False, True])
def test_what_another_version_made_is_not_checked(
    bundle_path: Path, bundle_of_a_model: Path, tmp_path: Path, kind: str, *, lies: bool
) -> None:
    """A bundle whose certificate has another form is neither confirmed nor refuted.

    So a forger gains nothing by naming one. `FORGERIES` maps such a claim to the change of
    the files; `lies` says whether the statement is forged too.
    """
    for honest in (bundle_path, bundle_of_a_model):
        files = read_bundle(honest)
        if lies:
            forge_page(files)

        FORGERIES[kind](files)
        forged = rezip(tmp_path / "b.zip", files)

        for open_it in (verify, open_bundle, open_unverified):
            with pytest.raises(OtherVersionError, match="this version of Synth") as caught:
                open_it(forged)
            # The error is one sentence.
            assert str(caught.value).count(".") == 1


def test_the_same_lie_is_refuted_where_this_version_made_it(
    bundle_path: Path, tmp_path: Path
) -> None:
    """A forged statement is refuted in a bundle that this version of Synth made."""
    assert refusal_of(bundle_path, tmp_path, forge_page).startswith(
        "'statement.txt' does not match"
    )


def test_answers_of_another_form_are_not_checked(tmp_path: Path) -> None:
    """Answers whose certificate has an earlier or a later form are left to another version of
    Synth.

    This version writes form 2.
    """
    answers, ledger = asked_of(tmp_path, "mean age")
    for number in ("1", "3"):
        files = read_bundle(answers.write_archive(tmp_path / "a.zip", ledger))
        of_form(number)(files)
        with pytest.raises(OtherVersionError, match="this version of Synth"):
            verify(rezip(tmp_path / "b.zip", files), ledger)


@pytest.mark.parametrize("kind", ["a first certificate", "a later form"])
def test_the_command_says_so_in_one_sentence(
    bundle_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """For a bundle of another version `synth verify` prints "Not checked" and one reason.

    The exit status is 3 (not checked), with a ledger too; as JSON there is no other finding.
    """
    files = read_bundle(bundle_path)
    FORGERIES[kind](files)

    words = ["verify", str(rezip(tmp_path / "b.zip", files))]
    assert main(words) == 3
    assert "Not checked:\n  " in capsys.readouterr().out

    assert main([*words, "--ledger", str(bundle_path.with_suffix(".db")), "--json"]) == 3
    report = json.loads(capsys.readouterr().out)
    assert report.keys() == {"verdict", "not checked"}
    assert report["verdict"] == "not checked"

    (gap,) = report["not checked"]
    assert "version of Synth" in gap


@pytest.mark.parametrize("name", ["real.csv", "readme.txt", "formats.txt", "set_shares.csv"])
def test_a_listed_file_that_synth_does_not_write_is_refuted(
    bundle_path: Path, bundle_of_a_model: Path, tmp_path: Path, name: str
) -> None:
    """A file that Synth does not write into such a bundle is refuted, even if the certificate
    lists it.

    So confidential rows cannot travel in it. The forger adds its digest to the certificate
    and to the files that describe all others. All four kinds of bundle are tried.
    """
    released, ledger = asked_of(tmp_path, "mean age")
    answers = released.write_archive(tmp_path / "a.zip", ledger)
    dummy = synth.dummy({"sex": ["f", "m"]}, 20).save(tmp_path / "d.zip")

    for honest in (bundle_path, bundle_of_a_model, answers, dummy):
        files = read_bundle(honest)
        replace_signed(files, name, b"sex,age\nf,44\n")

        if "domain.json" in files:
            describe_anew(files)

        with pytest.raises(
            RefutedError, match=f"^The bundle holds '{name}', and Synth writes no"
        ):
            verify(rezip(tmp_path / "b.zip", files))
