"""The text of a missing value in each column of a CSV file."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from synth.rows import write_csv


@pytest.mark.parametrize("rows", [4, 20_000])
def test_each_column_has_its_own_text(rows: int, tmp_path: Path) -> None:
    """Listed texts, short and long ranges of numbers, and decimals are written apart."""
    places = np.arange(rows)
    is_missing = places % 2 == 1
    table = pa.table(
        {
            "sex": pa.array(np.where(places % 4 < 2, "f", "m"), mask=is_missing),
            "age": pa.array(places % 7, mask=is_missing),
            "number": pa.array(places * 10**6, mask=is_missing),
            "share": pa.array(places / 4, mask=is_missing),
        }
    )
    columns = table.column("sex").combine_chunks().dictionary_encode()
    table = table.set_column(0, "sex", columns)
    path = tmp_path / "t.csv"
    write_csv([table], path, missing=["9", "", "-8", 'a "b"'])
    lines = path.read_text().splitlines()
    assert lines[1] == "f,0,0,0"
    assert {line.partition(",")[0] for line in lines[2::2]} == {"9"}
    assert lines[2] == '9,,-8,"a ""b"""'
