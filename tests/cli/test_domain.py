"""Code books on the command line: mapped, several at once, and what is wrong in one sentence."""

import json
from pathlib import Path

import pytest

from synth.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main(["domain", "convert", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_sheet_is_mapped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "book.csv"
    book.write_text("Name,Was,Wie,X\nsex,1,male,\nsex,2,female,\n")
    status, _, said = run(capsys, book)
    assert (status, said.count("\n")) == (2, 1)
    assert "its columns are 'Name', 'Was', 'Wie', 'X' (--map name=COLUMN" in said
    status, out, _ = run(capsys, book, "--map", "name=1", "--map", "value=Was", "--map", "label=3")
    assert status == 0
    assert json.loads(out)["fields"][0]["categories"][1] == {"value": "2", "label": "female"}
    for option, message in (
        ("colour=1", "'colour' is no role of a code book's column; they are name, type"),
        ("name=Nix", "The code book has no column 'Nix'; it has Name, Was, Wie, X."),
    ):
        status, _, said = run(capsys, book, "--map", option)
        assert (status, message in said) == (2, True)
    assert "--map is for one code book" in run(capsys, book, book, "--map", "name=1")[2]


def test_several_code_books_agree_or_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("name,min,max\nage,0,99\n")
    other.write_text("name,min,max\nage,0,120\n")
    status, _, said = run(capsys, one, other)
    assert status == 2
    assert "'one.csv' says integer from 0 to 99, and 'other.csv' says integer from 0 to 120" in said
    other.write_text("name,type\nage,integer\nborn,date\n")
    status, out, said = run(capsys, one, other)
    assert status == 0
    assert [field["name"] for field in json.loads(out)["fields"]] == ["age", "born"]
    assert said == "Note: Column 'born' needs bounds; the code book does not say them.\n"
