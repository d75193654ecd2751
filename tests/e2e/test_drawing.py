"""IDs, a dummy and rows under a condition in a real browser: each file is read back by
pandas.
"""

import re
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from synth.cli.main import main
from synth.lessons import write_example
from tests.e2e.browser import Steward
from tests.e2e.test_use_page import open_bundle, survey_bundle

pytestmark = [pytest.mark.browser, pytest.mark.slow]


NOT_ALL_CHECKED = 3
"""Exit status of `verify` if no claim is refuted and some could not be checked."""


def download_bundle(steward: Steward, name: str, folder: Path) -> Path:
    """Download a bundle."""
    with steward.page.expect_download() as waiting:
        steward.page.get_by_role("button", name=f"Download {name}").click()
    waiting.value.save_as(folder / name)
    return folder / name


def rows_in(path: Path, name: str) -> pd.DataFrame:
    """The rows of a CSV or Parquet file in a bundle, as pandas reads them."""
    with zipfile.ZipFile(path) as archive, archive.open(name) as rows:
        return pd.read_parquet(rows) if name.endswith("parquet") else pd.read_csv(rows)


def test_ids_and_a_dummy_of_the_declaration(steward: Steward, tmp_path: Path) -> None:
    """A steward adds an ID column and makes a dummy table, which pandas reads with its types.

    The dummy follows the declaration and the typed shares, not the rows. Its bundle verifies.
    """
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
    assert rows["sex"].eq("female").sum() == 750  # .75 of the 1,000 rows of a dummy
    assert rows["patient"].is_unique
    typed = rows_in(dummy, "dummy.parquet").dtypes.astype(str)
    assert (typed["age"], typed["income"], typed["sex"]) == ("int64", "float64", "category")
    assert rows["patient"].str.fullmatch(r"P\d{6}").all()
    assert main(["verify", str(dummy)]) == 0


def test_rows_under_a_condition(steward: Steward, tmp_path: Path) -> None:
    """Whoever has a bundle draws rows under a condition, and the rows keep it.

    They come as CSV and as Parquet, verify against the release, and say that their shares
    were set and not measured.
    """
    page = steward.page
    bundle = survey_bundle(tmp_path)
    open_bundle(steward, bundle)
    steward.wait_for_text(re.compile("^Verified"))
    steward.open("Draw rows")
    steward.enter_text(
        page.get_by_role("textbox", name="Condition", exact=True), "sex = male"
    )
    steward.press("Draw the rows")

    drawn_path = download_bundle(steward, "set_shares.zip", tmp_path)
    assert set(rows_in(drawn_path, "set_shares.csv")["sex"]) == {"male"}
    assert str(rows_in(drawn_path, "set_shares.parquet")["age"].dtype) == "int64"
    assert main(["verify", str(drawn_path)]) == NOT_ALL_CHECKED  # nothing of its release
    assert main(["verify", str(drawn_path), "--release", str(bundle)]) == 0

    open_bundle(steward, drawn_path)
    steward.wait_for_text("The shares of these rows were set, not measured")
