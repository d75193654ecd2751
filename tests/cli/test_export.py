"""`synth export`, and formats beside CSV at a release."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from synth import limits
from synth.bundle import FORMATS
from synth.cli.main import main
from tests.cli.conftest import Files, Line


def test_a_bundle_is_exported_and_the_file_verified(
    bundle_path: Path, tmp_path: Path, cli: Line
) -> None:
    """A file exported for SPSS has a manifest beside it, and `verify --file` compares both.

    In SPSS, the cell for other weights is a missing code, -98, which is below all weights.
    Two formats at once go to a folder, each with its manifest.
    """
    path = tmp_path / "rows.sav"
    notes = cli.report("export", str(bundle_path), "-o", str(path))["files"][str(path)]
    assert "Column 'weight': '(other)' is the missing code -98." in notes
    assert json.loads((tmp_path / "rows.sav.json").read_text())["notes"] == notes
    assert "\n'rows.sav' holds the synthetic rows.\n" in cli.output(
        "verify", str(bundle_path), "--file", str(path)
    )

    assert (
        main(
            [
                "export",
                str(bundle_path),
                "--formats",
                "xpt,parquet",
                "-o",
                str(tmp_path / "d"),
            ]
        )
        == 0
    )
    assert {p.name for p in (tmp_path / "d").iterdir()} == {
        "synthetic.xpt",
        "synthetic.xpt.json",
        "typed.parquet",
        "typed.parquet.json",
    }


@pytest.mark.slow
def test_a_release_with_other_formats(
    tmp_path: Path,
    files: Files,
    cli: Line,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A release writes its rows in other formats too, and leaves out one that cannot hold
    them.

    The release is paid for by then, so a note says why. Here the limit of Excel is set to 7
    rows, and the table has 220.
    """
    table, schema = files
    command = ["release", str(table), "--domain", str(schema), "--epsilon", "1", "--json"]
    command += ["--neighbors", "replace-one", "--out", str(tmp_path / "b.zip"), "--anyway"]
    out = ["--out", str(tmp_path / "out")]
    written = json.loads(cli.output(*command, *out, "--formats", "csv,dta,xlsx"))["files"]
    assert {"synthetic.csv", "synthetic.dta", "synthetic.xlsx", "formats.txt"} <= set(written)
    assert main(["verify", str(tmp_path / "b.zip")]) == 0
    capsys.readouterr()

    assert cli.refusal(*command, "--formats", "csv,doc").startswith(
        "The formats are xlsx, sav, dta, xpt, parquet"
    )

    monkeypatch.setitem(FORMATS, "xlsx", replace(FORMATS["xlsx"], max_rows=7))
    assert main([*command, *out, "--formats", "xlsx", "--overwrite"]) == 0
    done = capsys.readouterr()
    assert "Not written as xlsx: 220 rows do not fit in a file for Excel" in done.err
    assert "synthetic.xlsx" not in json.loads(done.out)["files"]


def test_bad_input_is_one_sentence(bundle_path: Path, tmp_path: Path, cli: Line) -> None:
    """`export` without a format, with an unknown one, or to no folder is one sentence.

    Excel's limit of rows is below that of a release, so a release may be too large for it.
    """
    for words, sentence in (
        (["-o", str(tmp_path / "rows")], "Choose the formats of the rows: --formats"),
        (["-o", str(tmp_path / "rows.doc")], "The formats are"),
        (["-o", "/dev/null/rows.sav"], "'/dev/null' is no folder"),
    ):
        assert cli.refusal("export", str(bundle_path), *words).startswith(sentence)
    assert "There is no file" in cli.refusal(
        "export", str(tmp_path / "none.zip"), "-o", str(tmp_path / "a.sav")
    )
    assert limits.ROWS_MAX > FORMATS["xlsx"].max_rows
