"""A template holds names and nothing of the rows, and is read again once it is filled in."""

from pathlib import Path

import pytest

from synth.bundle import guard_cell
from synth.cli.main import main
from synth.domain import read_schema, template
from synth.domain.codebooks.sheets import sheet_of
from synth.domain.codebooks.template import TEMPLATE_COLUMNS


def test_the_template_of_a_table_is_filled_in_and_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The template of a table holds its column names and no value, and is read once filled
    in.

    A name that looks like a formula is guarded by an apostrophe. Here the value F of the
    first column, and kind and bounds of the second, are filled in.
    """
    table, book = tmp_path / "t.csv", tmp_path / "book.csv"
    table.write_text("=x,b\nsecret,7\n")

    assert main(["domain", "template", str(table), "--out", str(book)]) == 0
    text = book.read_text()
    assert "secret" not in text
    assert text.splitlines()[1].startswith("'=x,")

    book.write_text(
        text.replace("'=x,,,,,", "'=x,,,,F,").replace("\nb,,,", "\nb,integer,0,9")
    )
    assert main(["domain", "convert", str(book)]) == 0
    assert read_schema(book).names == ("=x", "b")
    assert capsys.readouterr().err == ""


def test_every_column_of_the_template_has_its_role() -> None:
    assert tuple(sheet_of(template(["a"], guard_cell)).roles) == TEMPLATE_COLUMNS
