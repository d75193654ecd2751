"""A code for a missing value of one column is a value in another, in every form of table."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synth
from synth.domain import Domain
from synth.private.counting import fit_shares
from synth.private.table import open_any

DOMAIN = Domain(
    edu=synth.Categorical(["1", "2"], missing={"8": "refused", "-9": ""}),
    hours=synth.Integer(0, 12, bins=13, missing=["11"]),
    share=synth.Number(-20, 20, missing=["8"]),
)
FRAME = pd.DataFrame(
    {"edu": [1, 2, 8, -9] * 10, "hours": [8, 8, 11, 0] * 10, "share": [11.0, 8, 8, -9] * 10}
)


def write_form(ending: str, folder: Path) -> Any:
    """The table in a form: a file, or a frame."""
    path = folder / f"t{ending}"
    match ending:
        case ".csv":
            FRAME.astype({"share": int}).to_csv(path, index=False)
        case ".parquet":
            FRAME.astype({"share": int}).to_parquet(path)
        case ".jsonl":
            FRAME.astype({"share": int}).to_json(path, orient="records", lines=True)
        case ".sav":
            pytest.importorskip("pyreadstat").write_sav(FRAME, path)
        case ".dta":
            pytest.importorskip("pyreadstat").write_dta(FRAME, path)
        case _:
            return FRAME.astype({"share": int})
    return path


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl", ".sav", ".dta", "frame"])
def test_a_code_is_missing_in_its_column_only(ending: str, tmp_path: Path) -> None:
    """8 is missing in edu and in share, and hours; 11 is missing among hours, and a share."""
    table = open_any(write_form(ending, tmp_path), DOMAIN.names)
    shares = fit_shares(table, DOMAIN)
    assert shares.rows == 40
    assert dict(shares.missing) == {"edu": 20, "hours": 10, "share": 20}
    assert set(shares.columns.values()) == {40}
