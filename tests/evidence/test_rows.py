"""The reduced form of ``rows``: a million of them, through a process of its own."""

from pathlib import Path

import pytest

from tests.bench.bench_scale import MILLION, released


@pytest.mark.slow
def test_a_release_takes_memory_for_cells_and_not_for_rows(tmp_path: Path) -> None:
    """A release of a million rows needs less than 256 MB more memory than one of 1,000
    rows.
    """
    peak_of_few, peak_of_many = (
        released(tmp_path, rows, "parquet").peak for rows in (1_000, MILLION)
    )
    # In MB. The codes of a million rows alone are 24 MB, their text is 55 MB.
    assert peak_of_many < peak_of_few + 256
