"""``release --in-parts``: a folder whose rows are in parts, and what it cannot be."""

import json
from pathlib import Path

import pytest

from synth.domain import write_schema
from tests.cli.conftest import Line
from tests.verification.models import DOMAIN, write_table

RELEASE = ["release", "t.csv", "--domain", "d.json", "--epsilon", "10"]


@pytest.fixture(autouse=True)
def table_and_domain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table and its declaration are in the folder one is in."""
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path)
    Path("d.json").write_text(json.dumps(write_schema(DOMAIN)))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--out", "b.zip"],
            "'b.zip' ends with .zip, but the command can only write a folder",
        ),
        (["--score", "1"], "--in-parts does not go with --score"),
        (["--formats", "csv,sav"], "Parts are written as csv, parquet or both"),
        (["--method", "dense"], "The rows of 'dense' are drawn in one piece here"),
    ],
)
def test_what_parts_cannot_be_is_refused_before_anything_is_spent(
    cli: Line, words: list[str], sentence: str
) -> None:
    """`release --in-parts` refuses options that need all rows at once, and
    writes no folder."""
    if "--method" not in words:  # a method that can draw rows in parts
        words = [*words, "--method", "tree"]
    assert cli.refusal(*RELEASE, "--in-parts", "--out", "out", *words).startswith(sentence)
    assert not Path("out").exists()


def test_from_the_command_line(cli: Line) -> None:
    """A release in parts writes its rows to a new folder, and is confirmed.

    The table has 3,000 rows, which fit in one part.
    """
    words = [*RELEASE, "--method", "tree", "--no-ledger"]
    report = cli.report(*words, "--in-parts", "--out", "out", "--formats", "both")
    assert report["rows"] == 3_000
    assert {"synthetic.csv", "synthetic.parquet", "parts.json"} <= report["files"].keys()
    assert "All 1 parts are the same" in cli.output("verify", "out", "-v")
    assert "There is something at 'out' already" in cli.refusal(
        *words, "--in-parts", "--out", "out"
    )
