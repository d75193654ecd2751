"""`synth replicates`: tables of a bundle for software that knows multiple imputation."""

import json
from pathlib import Path

import pytest

from synth.cli import functions
from synth.cli.main import main
from tests.bundle.bundles import read_bundle, rezip
from tests.cli.conftest import Line


def test_tables_are_written_and_counted(
    bundle_path: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two tables in two formats cost nothing, and a folder that is there is left alone.

    On a terminal, as stderr seems to be here, a bar shows the number of tables made.
    """
    monkeypatch.setattr(functions.sys.stderr, "isatty", lambda: True)
    command = ["replicates", str(bundle_path), "--tables", "2", "--out", str(tmp_path / "t")]
    assert main([*command, "--formats", "csv,dta", "--json"]) == 0
    done = capsys.readouterr()
    content = json.loads(done.out)
    assert content["epsilon"] == 0
    assert set(content["files"]) == {
        "replicate_1.csv",
        "replicate_1.dta",
        "replicate_2.csv",
        "replicate_2.dta",
        "replicates.json",
    }
    assert "table 2 of 2\n" in done.err

    assert main(command) == 2
    assert " ".join(capsys.readouterr().err.split()) == (
        f"There is something at '{tmp_path / 't'}' already; name a folder that is not there "
        "yet."
    )


def test_a_person_reads_which_rule_holds(
    bundle_path: Path, tmp_path: Path, cli: Line
) -> None:
    """The text output names the rule by which results of the tables are combined, not the
    files.

    By default there are 5 tables, and with replicates.json the folder has 6 files.
    """
    output = cli.output("replicates", str(bundle_path), "--out", str(tmp_path / "t"))
    assert "Rubin's rules for missing data" in output
    assert output.startswith("5 tables of ")
    assert "nothing spent" in output
    assert "replicate_1.csv" not in output
    assert len([*(tmp_path / "t").iterdir()]) == 6


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--tables", "0"], "--tables must be a whole number of at least 2, but it is 0."),
        (["--tables", "1"], "--tables must be a whole number of at least 2, but it is 1."),
        (["--tables", "x"], "--tables must be a number such as"),
        (["--tables", "1e9"], "1,000,000,000 tables are more than the limit of 100."),
        (["--formats", "doc"], "Tables are written as csv, xlsx"),
        (["--out", "/dev/null/t"], "'/dev/null' is no folder"),
    ],
)
def test_bad_input_is_one_sentence(
    words: list[str], sentence: str, bundle_path: Path, tmp_path: Path, cli: Line
) -> None:
    """A wrong number of tables, format or place is one sentence, and nothing is written."""
    out = [] if "--out" in words else ["--out", str(tmp_path / "t")]
    assert cli.refusal("replicates", str(bundle_path), *out, *words).startswith(sentence)
    assert not (tmp_path / "t").exists()


def test_a_bundle_that_does_not_verify_has_none(
    bundle_path: Path, tmp_path: Path, cli: Line
) -> None:
    """A bundle whose noisy counts were changed gives no tables; the sentence
    names the file.
    """
    files = read_bundle(bundle_path)
    files["noisy_counts.csv"] = files["noisy_counts.csv"][:-3] + b"99\n"
    forged = rezip(tmp_path / "forged.zip", files)
    assert "noisy_counts.csv" in cli.refusal(
        "replicates", str(forged), "--out", str(tmp_path / "t")
    )
    assert not (tmp_path / "t").exists()
