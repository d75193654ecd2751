"""``synth.write_dossier`` and the methods that call it."""

import json
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.dossier import DOSSIER_FILES
from synth.errors import ReleaseError
from tests.dossier.conftest import FIRST

FRAME = pd.DataFrame({"sex": ["f", "m"] * 300})


def test_a_release_and_its_bundle_have_the_same_dossier(tmp_path: Path) -> None:
    """The method writes the files that the function writes of the saved bundle."""
    made = synth.release(FRAME, {"sex": ["f", "m"]}, epsilon=1)
    bundle = made.save(tmp_path / "r.zip")
    answers = {"purpose": "teaching"}
    paths = made.dossier(tmp_path / "of_release", answers=answers)
    again = synth.write_dossier(bundle, tmp_path / "of_bundle", answers=answers, ledger=False)
    assert [path.name for path in paths] == [path.name for path in again]
    assert {path.name for path in paths} == {*DOSSIER_FILES}
    for first, second in zip(paths, again, strict=True):
        assert first.read_bytes() == second.read_bytes(), first.name


def test_answers_may_be_a_file_of_the_same_folder(tmp_path: Path) -> None:
    """Then the file stays as it is."""
    bundle = FIRST / "linked.zip"
    synth.write_dossier(bundle, tmp_path / "d", quick=True)
    answers = tmp_path / "d" / "answers.json"
    document = json.loads(answers.read_text("utf-8"))
    document["answers"]["purpose"] = "teaching"
    answers.write_text(json.dumps(document), "utf-8")
    typed = answers.read_bytes()
    with pytest.raises(ReleaseError, match="is there already"):
        synth.write_dossier(bundle, tmp_path / "d", answers=answers, quick=True)
    paths = synth.write_dossier(
        bundle, tmp_path / "d", answers=answers, quick=True, overwrite=True
    )
    assert answers not in paths
    assert answers.read_bytes() == typed
    assert "teaching" in (tmp_path / "d" / "readers.html").read_text("utf-8")


def test_what_is_no_answer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="a question that this version"):
        synth.write_dossier(FIRST / "answers.zip", tmp_path / "d", answers={"colour": "red"})
    assert not (tmp_path / "d").exists()
