"""What commands share: how the table is read is asked, and never guessed in silence."""

from pathlib import Path

from tests.cli.conftest import Line


def test_an_encoding_that_is_open_is_asked_for(tmp_path: Path, cli: Line) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("Größe,Alter\n1,2\n".encode("cp1252"))
    status, _, said = cli("domain", "draft", path)
    assert (status, said.count("\n")) == (2, 1)
    assert "cp1252 (it reads Größe,Alter)" in said
    assert "--format encoding=cp1252" in said
    assert "Größe" in cli.out("domain", "draft", path, "--format", "encoding=cp1252")


def test_a_delimiter_that_gives_one_column_is_asked_for(tmp_path: Path, cli: Line) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age;sex\n1;2\n")
    said = cli.refused("domain", "draft", path)
    assert "has one column with commas between the cells, and 2 with another mark" in said
    assert "--format 'delimiter=;'" in said
    for option, names in (("delimiter=;", 2), ("delimiter=,", 1)):
        assert cli.out("domain", "draft", path, "--format", option).count('"name"') == names
