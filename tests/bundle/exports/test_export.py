"""Exported files of single formats, as other readers see them, and what cannot be written."""

import warnings
from pathlib import Path

import openpyxl
import pandas as pd
import pyreadstat
import pytest

from synth.bundle import FORMATS, export
from synth.bundle.exports import statistics
from synth.domain import MISSING_LABEL
from synth.errors import LimitError, ReleaseError
from tests.bundle.exports.contract import HOSTILE, csv_rows, table_of
from tests.tables import MIXED

EXCEL, SPSS, STATA, SAS = (FORMATS[name] for name in ("xlsx", "sav", "dta", "xpt"))


def test_labels_and_missing_codes_of_spss(tmp_path: Path) -> None:
    """Labels that are alike get their codes, long ones are cut to the 120 bytes SPSS holds,
    and missing is the code -9.
    """
    export(table_of(HOSTILE), SPSS, tmp_path / "t.sav")
    _, metadata = pyreadstat.read_sav(str(tmp_path / "t.sav"), user_missing=True)
    labels = metadata.variable_value_labels["code"]
    assert labels[1.0] == "1 · yes"
    assert labels[2.0] == "2 · yes"
    assert labels[4.0] == "(other)"
    assert labels[3.0].endswith("…")
    assert len(labels[3.0].encode()) <= 120
    assert labels[-9.0] == MISSING_LABEL
    assert metadata.missing_ranges["code"] == [{"lo": -9.0, "hi": -9.0}]
    assert metadata.column_names_to_labels["code"].endswith("…")
    assert metadata.variable_value_labels["漢字"] == {
        0.0: "non",
        1.0: "oui",
        -9.0: MISSING_LABEL,
    }
    sentence = "Column 'code': labels of codes are cut; see dictionary.csv."
    assert sentence in SPSS.list_losses(HOSTILE)


def test_pandas_reads_stata_and_sas(tmp_path: Path) -> None:
    """A program that Synth did not write reads from both files what the CSV file says.

    The columns of `MIXED` are, in order, sex, age, weight, day and smoker.
    """
    rows = table_of(MIXED)
    export(rows, STATA, tmp_path / "t.dta")
    export(rows, SAS, tmp_path / "t.xpt")
    csv_cells = csv_rows(rows, tmp_path)
    stata = pd.read_stata(tmp_path / "t.dta")
    sexes = stata["sex"].astype(object)
    assert sexes.where(sexes.notna(), "").tolist() == [row[0] for row in csv_cells]
    assert stata["smoker"].tolist() == [row[4] for row in csv_cells]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sas = pd.read_sas(tmp_path / "t.xpt")
    # pandas makes 5e-79 of a zero
    assert sas["AGE"].round(9).tolist() == [float(row[1]) for row in csv_cells]
    assert [v.decode() for v in sas["WEIGHT"]] == [row[2] for row in csv_cells]
    days = pd.Timestamp(1960, 1, 1) + pd.to_timedelta(sas["DAY"], unit="D")  # SAS's day 0
    assert days.dt.strftime("%Y-%m-%d").fillna("").tolist() == [row[3] for row in csv_cells]


def test_a_workbook_runs_nothing_and_says_what_columns_are(tmp_path: Path) -> None:
    """No cell is a formula, and a text that looks like one is marked as a text."""
    export(table_of(HOSTILE), EXCEL, tmp_path / "t.xlsx")
    book = openpyxl.load_workbook(tmp_path / "t.xlsx")
    kinds = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
    assert "f" not in kinds
    marked = next(c for c in book["rows"]["A"] if c.value == "=1+1")
    assert marked.quotePrefix
    dictionary_rows = list(book["columns"].iter_rows(values_only=True))
    assert ("code", None, None, None, "3", "l" * 200) in dictionary_rows
    assert HOSTILE.names[1] in {row[0] for row in dictionary_rows}


def test_what_cannot_be_written_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Too many rows, no place to write and a missing package are one sentence each, and leave
    no file.
    """
    with pytest.raises(
        LimitError, match="1,048,576 rows do not fit in a file for Excel, which"
    ):
        EXCEL.check(MIXED, 2**20)
    with pytest.raises(LimitError, match="do not fit in 4,096 MB of memory"):
        SPSS.check(MIXED, 10**9)
    with pytest.raises(ReleaseError, match="Nothing can be written to the folder"):
        export(table_of(MIXED), SPSS, "/dev/null/t.sav")
    monkeypatch.setattr(statistics, "find_spec", lambda _: None)
    with pytest.raises(ReleaseError, match="needs the package pyreadstat: pip install "):
        export(table_of(MIXED), SPSS, tmp_path / "t.sav")
    assert not list(tmp_path.iterdir())
