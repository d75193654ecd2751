"""Bundles of other versions: their claims are checked, and what is not compared is named."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from synth.cli.main import main
from synth.door import ALGORITHM
from synth.errors import OtherVersionError, RefutedError
from synth.verification import open_bundle, verify
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

EARLIER = "0.9.1"
UNDRAWN = f"Algorithm {ALGORITHM - 1} drew the rows, and this version of Synth has algorithm"
REWORDED = "Synth 0.9.1 wrote files that only explain"


def written_by(version: str, algorithm: int = ALGORITHM) -> Forge:
    """The certificate names another version of Synth, and another algorithm."""

    def change(files: dict[str, bytes]) -> None:
        claim_values(versions__synth=version, algorithm=algorithm)(files)
        describe_anew(files)

    return change


def add_field_to_plan(files: dict[str, bytes]) -> None:
    """A plan with a field that no version writes, in which anything could be told."""
    plan = json.loads(files["plan.json"]) | {"note": "exactly 57 rows"}
    text = json.dumps(plan, indent=1, ensure_ascii=False) + "\n"
    replace_signed(files, "plan.json", text.encode())


def lie_in_statement(files: dict[str, bytes]) -> None:
    """A nicer statement, with its digest wherever that stands."""
    edit_text("statement.txt", b"No row", b"No row at all")(files)
    describe_anew(files)


@pytest.fixture(params=["histogram", "model"])
def bundle(
    request: pytest.FixtureRequest, bundle_path: Path, bundle_of_a_model: Path
) -> Path:
    """A bundle by histogram, and one by a model."""
    return bundle_path if request.param == "histogram" else bundle_of_a_model


def forge(honest: Path, folder: Path, *changes: Forge) -> Path:
    """A copy of a bundle with changed files."""
    files = read_bundle(honest)
    for change in changes:
        change(files)
    return rezip(folder / "b.zip", files)


def test_all_but_the_rows_of_another_algorithm_is_checked(
    bundle: Path, tmp_path: Path
) -> None:
    """Costs, noise, counts and certificate hold; the rows are named as not drawn again."""
    path = forge(bundle, tmp_path, written_by(EARLIER, ALGORITHM - 1))

    checked = verify(path, redraw=True)

    assert checked.verdict == "not checked"
    assert [claim for claim in checked.not_checked if claim.startswith(UNDRAWN)] == [
        f"{UNDRAWN} {ALGORITHM}, so they were not drawn again. Verify with Synth {EARLIER} "
        "to check that they follow from the noisy counts."
    ]
    assert any("noisy counts fit" in sentence for sentence in checked.confirmed)
    assert open_bundle(path).synthetic.rows == checked.certificate.rows


@pytest.mark.parametrize("algorithm", [ALGORITHM, ALGORITHM - 1])
def test_claims_of_another_version_are_refuted_as_before(
    bundle: Path, tmp_path: Path, algorithm: int
) -> None:
    """Naming another version saves no forged cost, count, caveat, file or plan."""
    forgeries: tuple[tuple[Forge, str], ...] = (
        (claim_values(guarantee__epsilon="1/2"), "guarantee"),
        (lambda files: edit_certificate(files, lambda c: c["caveats"].pop()), "caveat"),
        (add_field_to_plan, "'plan.json' is not a plan."),
        (
            lambda files: replace_signed(files, "real.csv", b"sex,age\nf,44\n"),
            "The bundle holds 'real.csv', and Synth writes no such file into it.",
        ),
        (
            lambda files: replace_signed(
                files, "noisy_counts.csv", files["noisy_counts.csv"] + b"m,44,9\n"
            ),
            "noisy_counts.csv",
        ),
    )
    for change, expected in forgeries:
        path = forge(bundle, tmp_path, written_by(EARLIER, algorithm), change)
        with pytest.raises(RefutedError) as caught:
            verify(path)
        assert expected in str(caught.value)


def test_this_version_has_one_algorithm(bundle: Path, tmp_path: Path) -> None:
    """A forger cannot keep rows from being drawn again by naming another algorithm alone."""
    sentence = "does not have the certificate's algorithm"
    assert sentence in refusal_of(bundle, tmp_path, claim_values(algorithm=ALGORITHM - 1))


def test_other_words_are_named(bundle: Path, tmp_path: Path) -> None:
    """A statement in other words is named where another version wrote it, else refuted."""
    path = forge(bundle, tmp_path, lie_in_statement, written_by(EARLIER))

    (claim,) = (c for c in verify(path).not_checked if c.startswith(REWORDED))
    assert claim.endswith("their words were not compared: 'statement.txt'.")

    assert refusal_of(bundle, tmp_path, lie_in_statement).startswith(
        "'statement.txt' does not match"
    )


@pytest.mark.parametrize("name", ["run_again.txt", "dictionary.csv"])
def test_a_file_that_only_explains_may_be_absent(
    bundle: Path, tmp_path: Path, name: str
) -> None:
    """Another version may not have written a file that only explains; this one writes all."""

    def drop(files: dict[str, bytes]) -> None:
        del files[name]
        edit_certificate(files, lambda c: c["sha256"].pop(name))
        describe_anew(files)

    checked = verify(forge(bundle, tmp_path, drop, written_by(EARLIER)))
    assert not any(f"'{name}'" in claim for claim in checked.not_checked)

    assert refusal_of(bundle, tmp_path, drop) == f"The bundle lacks the file '{name}'."


def test_an_absent_text_of_answers_is_not_said_to_be_reworded(tmp_path: Path) -> None:
    """Of answers, too, another version may not have written a file that only explains."""
    answers, ledger = asked_of(tmp_path, "mean age")
    files = read_bundle(answers.write_archive(tmp_path / "a.zip", ledger))
    del files["statement.txt"]
    edit_certificate(files, lambda c: c["sha256"].pop("statement.txt"))
    claim_values(versions__synth=EARLIER)(files)

    checked = verify(rezip(tmp_path / "b.zip", files))

    assert not any("'statement.txt'" in claim for claim in checked.not_checked)


def test_parts_that_a_newer_version_added_are_left_to_it(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown field of a newer version is neither confirmed nor refuted."""
    added = claim_values(later="something")
    newer = forge(bundle, tmp_path, added, claim_values(versions__synth="7.2.0 <b>"))

    with pytest.raises(OtherVersionError, match=r"^Synth 7\.2\.0 made the bundle, which is"):
        verify(newer)
    assert main(["verify", str(newer)]) == 3
    assert "Not checked:\n  Synth 7.2.0 made" in capsys.readouterr().out

    with pytest.raises(RefutedError, match="claims too much"):
        verify(forge(bundle, tmp_path, added, claim_values(versions__synth=EARLIER)))
