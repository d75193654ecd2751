"""What commands share: how the table is read is asked, and never guessed in silence."""

from pathlib import Path

import pytest

from synth.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    status = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return status, captured.out + captured.err


def test_an_encoding_that_is_open_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("Größe,Alter\n1,2\n".encode("cp1252"))
    status, said = run(capsys, "domain", "draft", path)
    assert status == 2
    assert "cp1252 (it reads Größe,Alter)" in said
    assert "--format encoding=cp1252" in said
    assert said.count("\n") == 1
    status, said = run(capsys, "domain", "draft", path, "--format", "encoding=cp1252")
    assert (status, "Größe" in said) == (0, True)


def test_a_delimiter_that_gives_one_column_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age;sex\n1;2\n")
    status, said = run(capsys, "domain", "draft", path)
    assert status == 2
    assert "has one column with commas between the cells, and 2 with another mark" in said
    assert "--format 'delimiter=;'" in said
    for option, names in (("delimiter=;", 2), ("delimiter=,", 1)):
        status, said = run(capsys, "domain", "draft", path, "--format", option)
        assert (status, said.count('"name"')) == (0, names)
