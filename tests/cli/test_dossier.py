"""``synth dossier``: the files it writes, the answers it reads, and what it refuses."""

import json
from pathlib import Path

import pytest

from synth.cli.main import main
from synth.dossier import DOSSIER_FILES
from tests.bundle.bundles import edit_certificate, read_bundle, rezip
from tests.dossier.conftest import FIRST

HISTOGRAM = FIRST / "histogram.zip"


def test_a_dossier_is_written_and_made_again_with_typed_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first call names the open questions. After a text is typed into the file of
    answers, the second call puts it on the sheets, and leaves that file unchanged.
    """
    folder = tmp_path / "dossier"
    assert main(["dossier", str(HISTOGRAM), "-o", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert {path.name for path in folder.iterdir()} == {*DOSSIER_FILES}
    assert "Open questions, which only your organisation can answer:" in printed

    answers = folder / "answers.json"
    document = json.loads(answers.read_text("utf-8"))
    document["answers"]["purpose"] = "Teaching statistics"
    answers.write_text(json.dumps(document), "utf-8")
    typed = answers.read_bytes()
    # Without --overwrite the sheets stay.
    assert main(["dossier", str(HISTOGRAM), "-o", str(folder)]) == 2
    assert "--overwrite" in capsys.readouterr().err

    words = ["dossier", str(HISTOGRAM), "-o", str(folder), "--overwrite", "--json"]
    assert main(words) == 0
    summary = json.loads(capsys.readouterr().out)
    assert "purpose" not in summary["open"]
    assert "board_number" in summary["open"]
    assert answers.read_bytes() == typed
    assert "Teaching statistics" in (folder / "readers.html").read_text("utf-8")


def test_a_file_of_answers_elsewhere_is_read_and_stays(tmp_path: Path) -> None:
    """``--answers`` names another file, and the dossier has a file of its own."""
    given = tmp_path / "ours.json"
    content = {"format": "synth-dossier-answers-1", "answers": {"contact": "office"}}
    given.write_text(json.dumps(content), "utf-8")
    words = ["dossier", str(HISTOGRAM), "-o", str(tmp_path / "d"), "--answers", str(given)]
    assert main(words) == 0
    assert json.loads(given.read_text("utf-8")) == content
    made = json.loads((tmp_path / "d" / "answers.json").read_text("utf-8"))
    assert made["answers"]["contact"] == "office"


def test_what_has_no_dossier_is_one_sentence_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A forged bundle, a file that is none, a dummy, and a folder with an ending."""
    files = read_bundle(HISTOGRAM)
    edit_certificate(files, lambda c: c["guarantee"].update(epsilon="1/2"))
    forged = rezip(tmp_path / "forged.zip", files)
    other = tmp_path / "other.zip"
    other.write_text("no bundle", "utf-8")
    for bundle in (forged, other, FIRST / "dummy.zip", tmp_path / "missing.zip"):
        assert main(["dossier", str(bundle), "-o", str(tmp_path / "d")]) == 2
        error = capsys.readouterr().err.strip()
        assert error.count("\n") == 0, bundle
        assert error
    assert main(["dossier", str(HISTOGRAM), "-o", str(tmp_path / "d.pdf")]) == 2
    assert "can only write a folder" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


def test_an_input_is_never_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not even with ``--overwrite``, if the file of answers is called like a sheet."""
    folder = tmp_path / "d"
    folder.mkdir()
    strange = folder / "register.yaml"
    strange.write_text('{"format": "synth-dossier-answers-1", "answers": {}}', "utf-8")
    words = ["dossier", str(HISTOGRAM), "-o", str(folder), "--answers", str(strange)]
    assert main([*words, "--overwrite"]) == 2
    assert "register.yaml" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["register.yaml"]
    assert strange.read_text("utf-8").startswith('{"format"')
