"""Rows are not written again beside a CSV that is too short to hold them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from synth.bundle import SYNTHETIC
from synth.errors import RefutedError
from synth.rows import write_csv
from synth.verification import files as verified_files
from synth.verification import open_bundle, verify
from tests.bundle.bundles import read_bundle, replace_signed, rezip


def test_rows_are_not_written_beside_a_csv_of_fewer_signs_than_cells(
    bundle_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CSV file with fewer bytes than cells is refused before the rows are written again.

    Each cell takes a comma or a line break, so such a file cannot hold the rows.
    """

    def write_other_tables(pieces: Iterable[pa.Table], path: Path, **options: Any) -> None:
        assert path.name != SYNTHETIC, "the rows were written again"
        write_csv(pieces, path, **options)

    # One byte less than there are cells, with its digest made anew.
    table = open_bundle(bundle_path).synthetic.table
    members = read_bundle(bundle_path)
    replace_signed(members, SYNTHETIC, b"0" * (table.num_rows * table.num_columns - 1))
    forged = rezip(tmp_path / "forged.zip", members)

    monkeypatch.setattr(verified_files, "write_csv", write_other_tables)
    with pytest.raises(RefutedError, match="do not hold the same rows"):
        verify(forged)
