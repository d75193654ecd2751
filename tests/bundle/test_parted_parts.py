"""Parts of a table: what a piece becomes, and what they are if joined."""

import hashlib
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from synth import limits
from synth.bundle import PARQUET, PARTED, SYNTHETIC, PieceWriter, joined_digest, part_name
from synth.bundle.parted import write_parts
from synth.bundle.writer import rows_writers
from synth.errors import ReleaseError
from synth.estimate import LargeRows
from synth.estimate.models import large_rows
from synth.rows import decode
from tests.verification.models import DOMAIN


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut rows into parts of 1,000, and draw about 700 of them at a time."""
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 1_000)
    monkeypatch.setattr(large_rows, "PART_ROWS", 700)


def large_rows_of(rows: int) -> LargeRows:
    """Rows of random cells of the domain."""
    generator = np.random.default_rng(1)
    codes = [generator.integers(0, size, rows) for size in DOMAIN.shape]
    return LargeRows(np.array(codes, dtype=np.uint8), DOMAIN.shape, generator)


def piece_writer(folder: Path | None = None) -> PieceWriter:
    """What writes a piece of the rows as CSV and as Parquet; without a folder it takes
    digests only.
    """
    return PieceWriter(domain=DOMAIN, seed=7, order=(), folder=folder, names=PARTED)


@pytest.mark.parametrize("rows", [0, 1, 999, 1_000, 1_001, 2_500])
def test_parts_joined_are_the_file_of_all_rows(tmp_path: Path, rows: int) -> None:
    """The parts of a table, joined, are the file of all its rows, and the list has their
    digests.

    Parts hold 1,000 rows each. A table without rows still has one part, its header. Parquet
    files cannot be joined, so they have no digest of the whole.
    """
    large_rows = large_rows_of(rows)
    written_parts = write_parts(large_rows, piece_writer(), tmp_path)

    all_rows = decode(DOMAIN, list(large_rows.codes), seed=7)
    rows_writers(all_rows)[SYNTHETIC](tmp_path / "whole.csv")
    text = (tmp_path / "whole.csv").read_bytes()

    table = written_parts.tables[SYNTHETIC]
    parts = [(tmp_path / SYNTHETIC / part.name).read_bytes() for part in table.parts]
    assert b"".join(parts) == text
    assert table.sha256 == hashlib.sha256(text).hexdigest()
    assert [part.rows for part in table.parts] == [
        min(1_000, rows - start) for start in range(0, max(1, rows), 1_000)
    ]
    assert [part.bytes for part in table.parts] == [len(part) for part in parts]

    parquet_rows = pq.read_table(tmp_path / PARQUET)
    assert parquet_rows.to_pylist() == all_rows.table.to_pylist()
    assert written_parts.tables[PARQUET].sha256 == ""


def test_digests_alone_leave_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digests of parts can be computed without writing a file.

    For that the pieces are drawn by a writer without a folder. The working folder then still
    holds the tables that were written before, and nothing else.
    """
    monkeypatch.chdir(tmp_path)
    large_rows = large_rows_of(2_500)
    written_parts = write_parts(large_rows, piece_writer(), tmp_path)

    again = large_rows.each_piece(1_000, piece_writer().write)
    for name in PARTED:
        assert tuple(parts[name] for parts in again) == written_parts.tables[name].parts

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(PARTED)


def test_parts_that_are_not_there_or_are_others_have_no_digest(tmp_path: Path) -> None:
    """The digest of all parts joined is refused if a part changed or is missing, with its
    name.
    """
    digests = write_parts(large_rows_of(2_500), piece_writer(), tmp_path).tables[SYNTHETIC]
    second_part = tmp_path / SYNTHETIC / part_name(SYNTHETIC, 1)
    second_part.write_bytes(second_part.read_bytes()[::-1])

    with pytest.raises(
        ReleaseError, match=r"'part-00001.csv' of 'synthetic.csv' is not the one"
    ):
        joined_digest(second_part.parent, digests.parts)

    second_part.unlink()
    with pytest.raises(
        ReleaseError, match=r"'part-00001.csv' of 'synthetic.csv' is not there"
    ):
        joined_digest(second_part.parent, digests.parts)
