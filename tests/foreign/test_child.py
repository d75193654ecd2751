"""Hostile tables, packed or not: each is one sentence, and nothing of it is left."""

import zipfile
from pathlib import Path

import pandas as pd
import pytest

from synth import limits
from synth.bundle import read_archive
from synth.errors import LimitError, ReleaseError, SynthError
from synth.private.table import Format, open_table
from tests.foreign.files import MB, write_sheet, write_workbook, write_zeros
from tests.table.typed import read_rows

pytestmark = pytest.mark.usefixtures("nothing_is_left")

# Workbooks.


def test_a_workbook_by_hand_is_read(tmp_path: Path) -> None:
    """A workbook made by hand is read; so the tests below refuse others for their faults.

    Each cell holds a 1. The first row has two names, both 1, which are numbered. The second
    row lacks its first cell.
    """
    table = open_table(write_workbook(tmp_path / "t.xlsx", write_sheet("A1", "B1", "B2")))
    assert (table.header, read_rows(table)) == (("1_1", "1_2"), [(None, "1")])


def test_a_far_corner_takes_no_memory(tmp_path: Path) -> None:
    """A cell in the last row and column of a sheet does not enlarge the table.

    It once stood for so many cells that the table was refused. The column has one name and
    two rows with a cell, the second far down. The cell of the last column has no name.
    """
    path = write_workbook(
        tmp_path / "far.xlsx", write_sheet("A1", "A2", "XFD1048576", "A1048576")
    )
    table = open_table(path)
    assert (table.header, read_rows(table)) == (("1",), [("1",), ("1",)])


def test_a_workbook_is_measured_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A workbook that unpacks to more than 200 times its size is refused.

    Besides its sheet it has 4 MB of zeros. Small files are exempt; the limit for that is
    lowered to 1 MB.
    """
    monkeypatch.setattr(limits, "UNPACKED_FREE_MB", 1)
    path = write_workbook(tmp_path / "bomb.xlsx", write_sheet("A1"), spare=bytes(4 * MB))
    with pytest.raises(
        LimitError, match=r"'bomb.xlsx' unpacks to more than 8,192 MB or 200 times"
    ):
        open_table(path)


def test_a_sheet_by_name_and_a_header_further_down(tmp_path: Path) -> None:
    """The format chooses a sheet by its name, and the line of the names by its number.

    Three rows hold a 1 each. Below line 2 there is one row.
    """
    path = write_workbook(tmp_path / "t.xlsx", write_sheet("A1", "A2", "A3"))
    table = open_table(path, Format(header=2, sheet="One"))
    assert (table.header, read_rows(table)) == (("1",), [("1",)])

    with pytest.raises(SynthError, match=r"'t.xlsx' has no sheet 'Two'; it has One\.$"):
        open_table(path, Format(sheet="Two"))


# Packed tables.


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx"])
def test_zeros_are_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A small zip with 64 MB of zeros is refused, whatever kind of table its name claims.

    It unpacks to more than 200 times its size. Small files are exempt; the limit for that is
    lowered to 1 MB.
    """
    monkeypatch.setattr(limits, "UNPACKED_FREE_MB", 1)
    path = write_zeros(tmp_path / "t.zip", name, 64)
    assert path.stat().st_size < MB
    with pytest.raises(
        LimitError, match=r"'t.zip' unpacks to more than 8,192 MB or 200 times its"
    ):
        open_table(path)


def test_thousands_of_members_are_no_table(tmp_path: Path) -> None:
    """A zip of 5,000 files is no table, and with a certificate added no bundle either."""
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        for number in range(5_000):
            archive.writestr(f"{number}", b"")
    with pytest.raises(SynthError, match=r"^'t.zip' holds 5000 files; expected one table\.$"):
        open_table(tmp_path / "t.zip")

    with zipfile.ZipFile(tmp_path / "t.zip", "a") as archive:
        archive.writestr("certificate.json", b"")
    with pytest.raises(ReleaseError, match=r"^The bundle holds more than 100 files\.$"):
        read_archive(tmp_path / "t.zip")


def test_a_member_that_says_it_is_small_is_cut_off(tmp_path: Path) -> None:
    """A zip whose member states 10 bytes, but has 2 MB, is refused as damaged."""
    path = write_zeros(tmp_path / "t.zip", "t.csv", 2)
    content = path.read_bytes()
    # The size is stated in four bytes and, for large files, in eight.
    for size in (2 * MB).to_bytes(4, "little"), (2 * MB).to_bytes(8, "little"):
        content = content.replace(size, (10).to_bytes(len(size), "little"))
    path.write_bytes(content)
    with pytest.raises(
        SynthError, match=r"^'t.zip' cannot be unpacked; it is damaged or prot"
    ):
        open_table(path)


def test_a_zip_within_a_zip_is_not_followed(tmp_path: Path) -> None:
    """A table that is packed twice is refused, so that no chain of zips is unpacked."""
    inner = write_zeros(tmp_path / "inner.zip", "t.csv", 1)
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as archive:
        archive.write(inner, "inner.zip")
    with pytest.raises(SynthError, match=r"^'outer.zip' is packed twice; unpack it once\.$"):
        open_table(tmp_path / "outer.zip")


def test_a_members_name_is_never_a_path(tmp_path: Path) -> None:
    """A member whose name leads out of the folder is unpacked under a fixed name."""
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("../../t.x/../sh", b"a\n1\n")
    table = open_table(tmp_path / "t.zip")
    assert table.data.name == "unpacked"
    assert table.header == ("a",)


# Parquet tables.


def test_a_parquet_file_whose_footer_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Parquet file whose description of its columns exceeds a limit is refused.

    The limit is lowered to 0 MB. Under the usual one the same file opens.
    """
    pd.DataFrame({f"c{i}": [1] for i in range(200)}).to_parquet(tmp_path / "t.parquet")
    open_table(tmp_path / "t.parquet")

    monkeypatch.setattr(limits, "FOOTER_MB", 0)
    with pytest.raises(
        LimitError, match=r"^The footer of 't.parquet' has more than 0 MB, the lim"
    ):
        open_table(tmp_path / "t.parquet")
