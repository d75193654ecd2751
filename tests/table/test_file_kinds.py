"""Files that are no table in lines are refused, and never read as if they were."""

import gzip
from pathlib import Path

import pytest

from synth.errors import TableError
from synth.private.table import Format, open_table

OTHERS = {
    "list.json": (b'[\n {"a": 1},\n {"a": 2}\n]\n', "one JSON list"),
    "short.json": (b'[{"a": 1}, {"a": 2}]', "one JSON list"),
    "object.json": (b'{"rows": [1, 2]}', "holds JSON"),
    "page.html": (b"\xef\xbb\xbf<!DOCTYPE html>\n<html></html>", "web page"),
    "old.xls": (b"\n<html><table><tr><td>a</td></tr></table></html>", "web page"),
    "sheet.fods": (b'<?xml version="1.0"?>\n<office:document/>', "holds XML"),
    "plain.rds": (b"X\n\0\0\0\3\0\4\2\2", "data of R"),
    "data.rda": (b"RDX3\nX\n\0\0\0\3", "data of R"),
    "data.R": (b"structure(list(a = c(1L, 2L)))", "data of R"),
    "paper.csv": (b"%PDF-1.7\n", "PDF"),
}
"""The content of a file by its name, and words of the refusal."""


@pytest.mark.parametrize("name", OTHERS)
def test_files_of_other_kinds_are_refused_with_what_to_do(tmp_path: Path, name: str) -> None:
    """A list in JSON was once a column named "[", whose cells were pieces of JSON."""
    content, words = OTHERS[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(TableError, match=words):
        open_table(path)


def test_packed_data_of_r_is_refused(tmp_path: Path) -> None:
    """saveRDS packs by gzip, and says so nowhere in the name."""
    path = tmp_path / "people.rds"
    path.write_bytes(gzip.compress(b"X\n\0\0\0\3\0\4\2\2" + bytes(100)))
    with pytest.raises(TableError, match="data of R"):
        open_table(path)


@pytest.mark.parametrize(
    "header", ["[id],[age]", "<5 years,age", "structure,age", "{a},{b}", "X,Y", "[2020],b"]
)
def test_odd_column_names_are_none_of_another_kind(tmp_path: Path, header: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\n1,2\n")
    assert len(open_table(path).header) == 2


def test_lines_of_json_are_read_if_they_are_declared(tmp_path: Path) -> None:
    """A file of JSON lines is refused with advice, and is read if the format says so."""
    path = tmp_path / "people.json"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    with pytest.raises(TableError, match="lines=json"):
        open_table(path)
    table = open_table(path, Format(lines="json", header=0, names=("a",)))
    assert table.header == ("a",)
