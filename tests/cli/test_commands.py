"""What commands share: how the table is read is asked, and never guessed in silence."""

from pathlib import Path

from tests.cli.conftest import Line


def test_an_encoding_that_is_open_is_asked_for(tmp_path: Path, cli: Line) -> None:
    """A file that may be in several encodings is refused; the sentence says how each reads
    it.

    The header is in cp1252, and is no UTF-8. With --read encoding=cp1252 it is read.
    """
    path = tmp_path / "t.csv"
    path.write_bytes("Größe,Alter\n1,2\n".encode("cp1252"))
    status, _, errors = cli("domain", "draft", path)
    assert (status, errors.count("\n")) == (2, 1)
    assert "cp1252 (it reads Größe,Alter)" in errors
    assert "--read encoding=cp1252" in errors
    assert "Größe" in cli.output("domain", "draft", path, "--read", "encoding=cp1252")


def test_a_delimiter_that_is_sure_is_taken_with_undo(tmp_path: Path, cli: Line) -> None:
    """A delimiter other than a comma is used if nothing else fits, and a note says how to
    undo it.

    Two columns are found, so the draft has two names.
    """
    path = tmp_path / "t.csv"
    for mark, name in ((";", "a semicolon"), ("\t", "a tab")):
        path.write_text(f"age{mark}sex\n1{mark}2\n")
        status, out, errors = cli("domain", "draft", path)
        assert (status, out.count('"name"')) == (0, 2)
        assert f"with {name} between the cells; --read delimiter=, reads it as one" in errors


def test_a_delimiter_that_may_be_one_of_several_is_asked_for(
    tmp_path: Path, cli: Line
) -> None:
    """If two delimiters would give two columns each, the file is refused until one is named.

    With a semicolon the file has two columns, and with a comma one.
    """
    path = tmp_path / "t.csv"
    path.write_text("age;sex|x\n1;2|3\n")
    refusal = cli.refusal("domain", "draft", path)
    assert "has one column with commas between the cells, and 2 with another mark" in refusal
    assert "--read 'delimiter=;'" in refusal
    for option, names in (("delimiter=;", 2), ("delimiter=,", 1)):
        assert cli.output("domain", "draft", path, "--read", option).count('"name"') == names
