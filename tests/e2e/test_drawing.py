"""IDs, a dummy and rows under a condition in a real browser: each file is read back by
pandas.
"""

import zipfile
from pathlib import Path

import pandas as pd
import pytest

from synth.cli.main import main
from synth.lessons import write_example
from tests.e2e.browser import Steward
from tests.e2e.test_use_page import open_bundle, survey_bundle

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def download_bundle(steward: Steward, name: str, folder: Path) -> Path:
    """Download a bundle."""
    with steward.page.expect_download() as waiting:
        steward.page.get_by_role("button", name=f"Download {name}").click()
    waiting.value.save_as(folder / name)
    return folder / name


def rows_in(path: Path, name: str) -> pd.DataFrame:
    with zipfile.ZipFile(path) as archive, archive.open(name) as rows:
        return pd.read_parquet(rows) if name.endswith("parquet") else pd.read_csv(rows)


def test_ids_and_a_dummy_of_the_declaration(steward: Steward, tmp_path: Path) -> None:
    page, (table, schema) = steward.page, write_example(tmp_path)
    steward.upload(table)
    steward.go_to_next("Domain")
    steward.open("Import or save a description")
    steward.upload(schema)
    steward.open("ID columns")
    steward.enter_text(page.get_by_role("textbox", name="Name of the ID column"), "patient")
    steward.press("Add IDs")
    steward.wait_for_text("Synth draws the IDs of column 'patient': the pattern P######.")
    steward.open("Dummy table")
    steward.enter_text(page.get_by_role("textbox", name="Shares (empty"), "sex: female=0.75")
    steward.press("Make a dummy")
    dummy = download_bundle(steward, "dummy.zip", tmp_path)
    rows = rows_in(dummy, "dummy.csv")
    assert rows["sex"].eq("female").sum() == 750
    assert rows["patient"].is_unique
    typed = rows_in(dummy, "dummy.parquet").dtypes.astype(str)
    assert (typed["age"], typed["income"], typed["sex"]) == ("int64", "float64", "category")
    assert rows["patient"].str.fullmatch(r"P\d{6}").all()
    assert main(["verify", str(dummy)]) == 3  # no file shows when it was made


def test_rows_under_a_condition(steward: Steward, tmp_path: Path) -> None:
    page = steward.page
    bundle = survey_bundle(tmp_path)
    open_bundle(steward, bundle)
    steward.wait_for_text("Nothing that survey.zip claims is refuted")
    steward.open("Draw rows")
    steward.enter_text(
        page.get_by_role("textbox", name="Condition", exact=True), "sex = male"
    )
    steward.press("Draw the rows")
    drawn_path = download_bundle(steward, "set_shares.zip", tmp_path)
    assert set(rows_in(drawn_path, "set_shares.csv")["sex"]) == {"male"}
    assert str(rows_in(drawn_path, "set_shares.parquet")["age"].dtype) == "int64"
    assert (
        main(["verify", str(drawn_path), "--release", str(bundle)]) == 3
    )  # nor was it drawn again
    open_bundle(steward, drawn_path)
    steward.wait_for_text("The shares of these rows were set, not measured")
