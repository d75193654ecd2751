"""Releases of dates without a day, and of fractions of a second: all that is read off
them.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synth
from synth.cli.main import main

ROWS = 3_000
DRAW = np.random.default_rng(7)
MONTHS = pd.date_range("2023-01-01", periods=24, freq="MS")
STAMPS = pd.date_range("2025-01-01", periods=ROWS, freq="3h")

TEXTS = {
    "months": DRAW.choice(MONTHS.strftime("%Y-%m"), ROWS),
    "years": DRAW.choice([f"{year}" for year in range(1990, 2010)], ROWS),
    "stamps": (STAMPS + pd.to_timedelta(DRAW.integers(0, 10**9, ROWS), "us")).strftime(
        "%Y-%m-%d %H:%M:%S.%f"
    ),
}
COLUMNS = {
    "months": synth.Date("2023-01", "2024-12", format="2024-05", period="month"),
    "years": synth.Date("1990", "2009", format="%Y", period="year"),
    "stamps": synth.Date(
        "2025-01-01", "2026-01-31", time=True, format="%Y-%m-%d %H:%M:%S.%f", period="month"
    ),
}
MEANS = """def mean_month(frame):
    return float(frame["months"].dt.month.mean())
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of a release at epsilon 20 of three columns of dates, counted one by one."""
    release = synth.release(pd.DataFrame(TEXTS), COLUMNS, epsilon=20, method="independent")
    return release.save(tmp_path_factory.mktemp("dates") / "release.zip")


def test_the_table_has_every_month_and_year_as_often_as_the_rows(bundle: Path) -> None:
    """Months and years are as frequent in the synthetic rows as in the table, up to noise.

    Each of three columns has epsilon 20/3, so noise of scale 0.3; a difference of 15 rows
    leaves much room. A month is shown as its first day.
    """
    table = synth.open_bundle(bundle).table
    assert table.shape == (ROWS, 3)
    for name, pattern in (("months", "%Y-%m"), ("years", "%Y")):
        real = pd.Series(TEXTS[name]).value_counts()
        shown_counts = table[name].dt.strftime(pattern).value_counts()
        assert {*shown_counts.index} == {*real.index}
        assert (shown_counts - real).abs().max() <= 15
    assert (table["months"].dt.day == 1).all()


def test_fractions_of_seconds_are_zeros_and_are_verified(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Synthetic times have no fractions of a second: the format keeps its digits, as zeros.

    The release verifies; without a ledger claims may stay open (status 3), but none is
    refuted.
    """
    opened = synth.open_bundle(bundle)
    lines = opened.result.synthetic.table["stamps"].to_pylist()
    assert all(text.endswith(".000000") and "%" not in text for text in lines)
    assert str(opened.table["stamps"].dtype) == "datetime64[s]"
    assert main(["verify", str(bundle)]) in (0, 3)
    assert "Refuted" not in capsys.readouterr().out


@pytest.mark.parametrize("form", ["xlsx", "sav", "dta", "xpt", "parquet"])
def test_it_is_exported(bundle: Path, form: str, tmp_path: Path) -> None:
    assert main(["export", str(bundle), "-o", str(tmp_path / f"rows.{form}")]) == 0


@pytest.mark.slow
def test_questions_functions_and_further_tables_are_answered(
    bundle: Path, tmp_path: Path
) -> None:
    """Functions, questions about dates and replicates work for a release of
    months and times.
    """
    (tmp_path / "mine.py").write_text(MEANS)
    words = ["--function", f"{tmp_path / 'mine.py'}:mean_month", "--columns", "months"]
    assert main(["analyse", str(bundle), *words]) == 0
    for question in ("count where months >= 2024-01", "count where stamps < 2025-02-01"):
        assert main(["analyse", str(bundle), "--question", question]) == 0
    assert main(["replicates", str(bundle), "-o", str(tmp_path / "tables")]) == 0


def test_a_dummy_has_them_too() -> None:
    dummy_rows = synth.dummy(COLUMNS, rows=ROWS)
    assert dummy_rows.table.shape == (ROWS, 3)
    assert dummy_rows.table["months"].nunique() == 24
