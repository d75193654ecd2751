"""Code books on the command line: mapped, several at once, and what is wrong in one
sentence.
"""

import csv
import io
import json
from pathlib import Path

import pytest

from synth.bundle import guard_cell
from synth.cli.main import main
from tests.cli.conftest import Files, Line
from tests.tables import MIXED


@pytest.fixture
def cli(cli: Line) -> Line:
    """A command line that begins with `synth domain convert`."""
    return cli.beginning_with("domain", "convert")


def test_a_sheet_is_mapped(tmp_path: Path, cli: Line) -> None:
    """A code book with unknown headings is refused, and read once --map says what its columns
    are.

    A column is named by its heading or its number. --map is refused for several code books.
    """
    book = tmp_path / "book.csv"
    book.write_text("Name,Was,Wie,X\nsex,1,male,\nsex,2,female,\n")
    status, _, errors = cli(book)
    assert (status, errors.count("\n")) == (2, 1)
    assert "it has 'Name', 'Was', 'Wie', 'X' (--map name=COLUMN" in errors

    out = cli.output(book, "--map", "name=1", "--map", "value=Was", "--map", "label=3")
    assert json.loads(out)["fields"][0]["categories"][1] == {"value": "2", "label": "female"}

    for option, message in (
        ("colour=1", "'colour' is no role of a code book's column; they are name, type"),
        ("name=Nix", "The code book has no column 'Nix'; it has 'Name', 'Was', 'Wie', 'X'."),
    ):
        assert message in cli.refusal(book, "--map", option)
    assert "--map is for one code book" in cli(book, book, "--map", "name=1")[2]


def test_several_code_books_agree_or_are_refused(tmp_path: Path, cli: Line) -> None:
    """Code books that contradict each other on a column are refused, and
    others are joined.
    """
    first_book = tmp_path / "one.csv"
    second_book = tmp_path / "other.csv"
    first_book.write_text("name,min,max\nage,0,99\n")
    second_book.write_text("name,min,max\nage,0,120\n")
    status, _, errors = cli(first_book, second_book)
    assert status == 2
    assert (
        "'one.csv' says integer from 0 to 99, and 'other.csv' says integer from 0 to 120"
        in errors
    )

    second_book.write_text("name,type\nage,integer\nborn,date\n")
    status, out, errors = cli(first_book, second_book)
    assert status == 0
    assert [field["name"] for field in json.loads(out)["fields"]] == ["age", "born"]
    assert errors == "Note: Column 'born' needs bounds; the code book does not say them.\n"


def test_a_code_book_holds_no_formula(tmp_path: Path, cli: Line) -> None:
    """No cell of a written code book is a formula that a spreadsheet would run.

    Names, values and labels that look like one get an apostrophe before them; -8 is a number
    and stays.
    """
    codes = ["=cmd|'/c calc'!A1", "@a", "+b", "-c", "-8", "\tx", "plain"]
    labels = [{"value": code, "label": f"={code}"} for code in codes]
    declared = {"name": "=x", "type": "string", "constraints": {"enum": codes}}
    path = tmp_path / "d.json"
    out = tmp_path / "book.csv"
    path.write_text(json.dumps({"fields": [{**declared, "categories": labels}]}))
    for output_option in (["--out", out], []):
        output = cli.output(path, "--to", "codebook", *output_option)
    for text in (out.read_text(), output):  # written to a file, and to standard output
        cells = {cell for row in csv.reader(io.StringIO(text)) for cell in row}
        assert [cell for cell in cells if guard_cell(cell) != cell and cell[:1] != "'"] == []
        assert {"'=x", "'=cmd|'/c calc'!A1", "'@a", "-8", "plain"} <= cells


def test_a_draft_by_a_look_is_for_its_maker_alone(tmp_path: Path) -> None:
    """A draft that was taken from the rows is a file that only its owner may read."""
    table = tmp_path / "t.csv"
    out = tmp_path / "d.json"
    table.write_text("sex\nF\nM\n")
    assert main(["domain", "draft", str(table), "--look", "--out", str(out)]) == 0
    assert out.stat().st_mode & 0o777 == 0o600


def test_csvw_eo_says_whose_rows_they_are(cli: Line, files: Files) -> None:
    """The format CSVW-EO holds the privacy unit: the column of persons, and most rows of
    each.

    Read back, the file's unit is not applied but proposed in a note. Other formats refuse the
    options for persons.
    """
    convert = (files[1], "--to")
    content = json.loads(cli.output(*convert, "csvw-eo", "--person", "id", "--max-rows", "3"))
    assert (content["privacyUnit"], content["maxContributions"]) == ("id", 3)
    assert content["tableSchema"]["columns"][-1] == {
        "@type": "Column",
        "name": "id",
        "datatype": "string",
        "privacyId": True,
    }

    path = files[1].with_name("eo.json")
    path.write_text(json.dumps(content), encoding="utf-8")
    _, out, notes = cli(path)
    assert [field["name"] for field in json.loads(out)["fields"]] == [*MIXED.names]
    assert "choose --person 'id' and --max-rows 3." in notes

    without_persons = json.loads(cli.output(*convert, "csvw-eo"))
    assert "privacyUnit" not in without_persons
    assert without_persons["maxContributions"] == 1
    assert cli.refusal(*convert, "sdv2", "--person", "id") == (
        "--person and --max-rows are for --to csvw-eo."
    )
    assert cli.refusal(*convert, "csvw-eo", "--max-rows", "3") == (
        "--max-rows is about the rows of one person: add --person COLUMN."
    )
