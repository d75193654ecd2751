"""Opening and reading tables: odd but valid files work, broken ones get their sentence."""

from pathlib import Path

import duckdb
import pytest

from synth.domain import Categorical, Domain
from synth.errors import TableError
from synth.private.counting import count
from synth.private.table import open_table

AB = Domain(a=["1", "2"], b=["x y", 'q"'])


def write_table(tmp_path: Path, content: bytes) -> Path:
    """Write a CSV file and return its path."""
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        b'a,b\n1,x y\n2,"q"""\n',
        b'\xef\xbb\xbfa,b\r\n1,x y\r\n2,q"\r\n',
        b'b,a,more\n"x y",1,\n"q""", 2 ,"two lines"',
        b' a , b\n1, x y\n2,q"',
        b'a,b\n1,x y,\n2,q",\n',
    ],
)
def test_odd_but_valid_files(tmp_path: Path, content: bytes) -> None:
    """A sound file is counted alike in every spelling of quotes, line ends and blanks.

    Each file has the rows (1, x y) and (2, q"). These lie in the first and the last of four
    cells.
    """
    counts = count(open_table(write_table(tmp_path, content)), AB)
    assert (counts.cells.tolist(), counts.counts.tolist(), counts.rows) == ([0, 3], [1, 1], 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "'table.csv' is empty"),
        (b" \n\n", "'table.csv' is empty"),
        (b"PK\x03\x04\x00\x00", "'table.csv' cannot be unpacked; it is damaged or protected"),
        (
            b"\x1f\x8b\x08\x00\x00",
            "'table.csv' cannot be unpacked; it is damaged or protected",
        ),
        (b"\x89PNG\r\n\0\0", "'table.csv' is a picture or a document"),
        (b"\x7fELF\2\1\0\0\n", "'table.csv' is not a table in CSV text"),
        (b"\xff\xfea\n", r"The table has no column 'a'\."),
        (b"\xffa\n", "first line of 'table.csv' cannot be read"),
        (b",,\n1,2,3\n", "holds no column names"),
        (b"a,c\n1,x\n", r"The table has no column 'b'\."),
        (b"a,B\n1,x\n", "no column 'b'; it has a similar one, 'B'"),
        (b"a~b\n1~x\n", "the table has only one column: is its delimiter right"),
        (b"a,b,a\n1,x,2\n", "no column 'a'; it has a similar one, 'a_[12]'"),
    ],
)
def test_broken_files_get_one_sentence_without_values(
    tmp_path: Path, content: bytes, message: str
) -> None:
    """A file that is no table, or lacks a declared column, is refused with one line."""
    with pytest.raises(TableError, match=message) as caught:
        count(open_table(write_table(tmp_path, content)), AB)
    # Nothing hangs on the exception either: an engine's message would quote the line.
    assert caught.value.__cause__ is None
    assert not isinstance(caught.value.__context__, duckdb.Error)
    assert "\n" not in str(caught.value)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    """A path without a file, and a folder without Parquet files, are refused by name."""
    with pytest.raises(TableError, match=r"There is no file '.*none.csv'"):
        open_table(tmp_path / "none.csv")
    with pytest.raises(TableError, match="is a folder without Parquet files, not a table"):
        open_table(tmp_path)


def test_names_with_quotes_are_only_names(tmp_path: Path) -> None:
    """Column and file names with quotation marks and SQL in them are read as plain names.

    The only row is an apostrophe, which is the first declared category.
    """
    name = 'it\'s; DROP TABLE "x" --'
    path = tmp_path / "it's.csv"
    path.write_text('"it\'s; DROP TABLE ""x"" --"\n\'\n', encoding="utf-8")
    domain = Domain((Categorical(name=name, categories=("'", '"')),))
    assert count(open_table(path), domain).counts.tolist() == [1]


@pytest.mark.slow
def test_a_table_of_nine_thousand_columns(tmp_path: Path) -> None:
    """A table of 9,000 columns is counted by its last column."""
    names = [f"c{i}" for i in range(9_000)]
    path = tmp_path / "wide.csv"
    path.write_text(",".join(names) + "\n" + ",".join("1" * 9_000) + "\n")
    domain = Domain(c8999=["1"])
    assert count(open_table(path), domain).counts.tolist() == [1]
