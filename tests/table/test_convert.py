"""Formats, packed files and their limits, workbooks and statistics files."""

import csv
import gzip
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from synth import limits
from synth.domain import Domain
from synth.domain.building import Categorical, Date, Integer
from synth.errors import ArgumentError, LimitError, SynthError, TableError
from synth.foreign import Folder
from synth.private.counting import count
from synth.private.table import DEFAULT, Format, open_table, parse_format
from synth.private.table.format_guesses import suggest

AB = Domain(a=Categorical(["x", "y"], outside="cell"), b=Integer(0, 9, bins=2))
"""Three cells of ``a`` (x, y, outside) times two of ``b`` (0 to 4, 5 to 9)."""


def write_zip(path: Path, **members: bytes) -> Path:
    """Write a zip file of the members, by name, and return its path."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["colour=red"],
            "'colour=red' is no reading option; they are below, columns, comment, decimal",
        ),
        (["delimiter"], "'delimiter' is no reading option"),
        (["delimiter=;;"], "'delimiter' must be one character, or one of the words"),
        (["header=first"], "'header' must be the number of a line, or 0 for none"),
        (["decimal=x"], "'decimal' must be a point or a comma"),
        (["thousands=."], "'thousands' must be one character, not the decimal mark"),
        (["thousands=e"], "'thousands' must be a mark, not a letter or a sign"),
        (["thousands=-"], "'thousands' must be a mark, not a letter or a sign"),
        (["comment=//"], "'comment' must be one character"),
        (["ragged=yes"], "'ragged' must be leave_out or fill"),
        (["encoding=klingon"], "no encoding 'klingon'; known are utf-8"),
    ],
)
def test_wrong_options_say_what_was_expected(options: list[str], message: str) -> None:
    """An impossible reading option is refused with a sentence that names it and its rule."""
    with pytest.raises(ArgumentError, match=message):
        parse_format(options)


def test_options_are_read_as_they_are_shown() -> None:
    """The options that a format shows give the same format when they are read again.

    A format shows only options that differ from the defaults, so the default shows none.
    """
    form = Format(
        delimiter="\t",
        encoding="cp1252",
        header=3,
        comment="#",
        decimal=",",
        thousands=".",
        sheet="Sheet 2",
        ragged="fill",
    )

    assert parse_format(form.options) == form
    assert DEFAULT.options == ()


def test_a_suggestion_is_never_applied(tmp_path: Path) -> None:
    """A guessed format is only suggested; the file is still read by the default.

    The rows look like semicolons with decimal commas. The header stays one column, and the
    refusal of the missing column 'a' names the suggestion.
    """
    path = tmp_path / "t.csv"
    path.write_text("a;b\n" + "x;1,5\n" * 5)
    assert suggest(path.read_bytes()).options == ("delimiter=;", "decimal=,")

    table = open_table(path)
    assert table.header == ("a;b",)
    with pytest.raises(
        TableError, match=r"no column 'a'.*suggests the format delimiter=; decimal"
    ):
        count(table, AB)


def test_a_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A packed file that states a size above the limit is refused, as zip and as gzip.

    The content has 2**19 rows of 4 bytes, which are 2 MB; the limit is lowered to 1 MB.
    """
    monkeypatch.setattr(limits, "UNPACKED_MB", 1)
    content = b"a,b\n" + b"x,1\n" * 2**19
    path = write_zip(tmp_path / "bomb.zip", **{"t.csv": content})
    with pytest.raises(
        LimitError, match=r"'bomb.zip' would unpack to 2 MB; the limit is 1 MB"
    ):
        open_table(path)

    packed = tmp_path / "bomb.csv.gz"
    packed.write_bytes(gzip.compress(content))
    with pytest.raises(LimitError, match=r"'bomb.csv.gz' would unpack to 2 MB"):
        open_table(packed)


def test_a_file_that_lies_about_its_size_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unpacking stops when a file turns out to be much larger than it states.

    The content has 4 MB, but the last four bytes of the gzip file state 16 bytes. The limits
    are lowered so that more than 1 MB, and more than twice the packed size, is too much.
    """
    monkeypatch.setattr(limits, "PACKED_RATIO", 2)
    monkeypatch.setattr(limits, "UNPACKED_FREE_MB", 1)
    packed = tmp_path / "t.csv.gz"
    content = b"a,b\n" + b"x,1\n" * 2**20
    stated_size = (16).to_bytes(4, "little")
    packed.write_bytes(gzip.compress(content)[:-4] + stated_size)
    with pytest.raises(LimitError, match=r"unpacks to more than .* or 2 times its size"):
        open_table(packed)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"a.csv": b"a\n", "b.csv": b"b\n"}, "'t.zip' holds 2 files; expected one table"),
        ({}, r"holds 0 files; expected one table"),
        ({"a.zip": b"PK\x03\x04" + b"x" * 30}, "is packed twice"),
    ],
)
def test_archives_that_hold_no_table(
    tmp_path: Path, members: dict[str, bytes], message: str
) -> None:
    """A zip file is refused unless it holds exactly one table that is not packed itself."""
    with pytest.raises(SynthError, match=message):
        open_table(write_zip(tmp_path / "t.zip", **members))


def test_private_copies_go_with_the_table(tmp_path: Path) -> None:
    """The unpacked copy of a table is for its owner alone and is deleted with the table.

    Neither group nor others may read the copy, or else the folder it is in.
    """
    table = open_table(write_zip(tmp_path / "t.zip", **{"t.csv": b"a,b\nx,1\n"}))
    copy = table.data
    assert copy.exists()
    group_and_others = 0o077
    modes = [copy.stat().st_mode, copy.parent.stat().st_mode]
    assert any(mode & group_and_others == 0 for mode in modes)
    assert count(table, AB).rows == 1

    del table
    assert not copy.exists()
    assert not copy.parent.exists()


def test_a_folder_that_nobody_needs_is_never_made() -> None:
    """A private folder is made when its path is first asked for, not with its object."""
    assert "path" not in vars(Folder())


def test_workbooks_are_read_as_text(tmp_path: Path) -> None:
    """A workbook's cells are read as the texts 1 and 7.5, and counted in bins.

    Each of the three cells of a has the bins 0 to 4 and 5 to 9 of b. So (x, 1) lies in the
    first cell of six, and (y, 7.5), which is between 5 and 9, in the fourth.
    """
    pytest.importorskip("openpyxl", reason="writing a workbook needs openpyxl")
    path = tmp_path / "t.xlsx"
    pd.DataFrame({"a": ["x", "y"], "b": [1.0, 7.5]}).to_excel(path, index=False)
    assert count(open_table(path), AB).dense().tolist() == [1, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("name", ["t.sav", "t.dta", "t.xpt"])
@pytest.mark.first_case
def test_statistics_files_are_counted_as_other_tables(tmp_path: Path, name: str) -> None:
    """SPSS, Stata and SAS files open as tables, and blank or absent cells are kept.

    There are three cells of ``a`` (x, y, outside) times three of ``b`` (0 to 4, 5 to 9,
    missing). The rows (x, 1), (y, 7) and (blank, missing) lie on the diagonal.
    """
    library = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
    frame = pd.DataFrame({"a": ["x", "y", ""], "b": [1.0, 7.0, None]})
    writer = {"t.sav": "write_sav", "t.dta": "write_dta", "t.xpt": "write_xport"}[name]
    getattr(library, writer)(frame, str(tmp_path / name))
    table = open_table(tmp_path / name)
    assert table.header == ("a", "b")
    domain = Domain(a=AB["a"], b=Integer(0, 9, bins=2, missing=True))
    assert count(table, domain).dense().tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 1]


def test_a_damaged_statistics_file_is_one_sentence(tmp_path: Path) -> None:
    """A file that begins as SPSS files do, but is none, is refused with a sentence."""
    pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
    (tmp_path / "t.sav").write_bytes(b"$FL2 but not really")
    with pytest.raises(
        TableError, match=r"'t.sav' cannot be read as an SPSS, Stata or SAS file"
    ):
        open_table(tmp_path / "t.sav")


def test_without_the_library_the_message_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without pyreadstat, an SPSS file is refused with the command that installs it."""
    # Python takes a module that is None here for one that is not installed.
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    (tmp_path / "t.sav").write_bytes(b"$FL2")
    with pytest.raises(TableError, match="needs the package pyreadstat: pip install "):
        open_table(tmp_path / "t.sav")


def test_parquet_moments_are_written_as_the_domain_writes_them(tmp_path: Path) -> None:
    """A date column counts the moments of a Parquet file, whatever format it declares.

    The column has one bin for each half of 2024 and one cell for missing dates. Both dates
    lie in the first half, and one is missing.
    """
    path = tmp_path / "t.parquet"
    days = pd.to_datetime(["2024-01-01 10:00", "2024-06-30 00:00", None])
    pd.DataFrame({"d": days}).to_parquet(path)
    day = Date("2024-01-01", "2024-12-31", bins=2, missing=True, format="%d.%m.%y")
    assert count(open_table(path), Domain(d=day)).dense().tolist() == [2, 0, 1]


def test_a_truncated_parquet_file_is_one_sentence(tmp_path: Path) -> None:
    """A Parquet file without its last bytes is refused with one sentence.

    The end of the file holds the description of its columns.
    """
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": range(1000)}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(TableError, match=r"'t.parquet' cannot be read as a Parquet file"):
        open_table(path)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_line_ends_and_encodings_change_nothing(
    tmp_path: Path, newline: str, encoding: str
) -> None:
    """A table is counted alike for every line end and for every declared encoding.

    One row has x and one has ü. Encodings other than UTF-8 are named in the format.
    """
    path = tmp_path / "t.csv"
    with path.open("w", newline="", encoding=encoding) as file:
        csv.writer(file, lineterminator=newline).writerows(
            [["é", "b"], ["x", "1"], ["ü", "2"]]
        )
    form = DEFAULT if encoding.startswith("utf-8") else Format(encoding=encoding)
    domain = Domain(é=["x", "ü"])
    assert count(open_table(path, form), domain).dense().tolist() == [1, 1]
