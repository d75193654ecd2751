"""The reduced form of ``rows``: a million of them, through a process of its own."""

from pathlib import Path

import pytest

from tests.bench.bench_scale import MILLION, released


@pytest.mark.slow
def test_a_release_takes_memory_for_cells_and_not_for_rows(tmp_path: Path) -> None:
    few, many_peak = (released(tmp_path, rows, "parquet").peak for rows in (1_000, MILLION))
    assert many_peak < few + 256  # MB; their codes alone are 24 MB, their text is 55 MB
