"""Wide tables and other tools' dictionaries in a real browser, as far as a release."""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import expect

from synth.domain.table_schema import read_schema
from tests.e2e.browser import Steward
from tests.tables import SHARED

NIST = SHARED / "sdnist_ma"
pytestmark = [pytest.mark.browser, pytest.mark.slow]
TEN = ("AGEP", "SEX", "MSP", "HISP", "RAC1P", "OWN_RENT", "INDP_CAT", "EDU", "PINCP_DECILE", "DVET")
ITEMS = [f"item_{i:03}" for i in range(1, 191)]
OTHERS = ["person_id", "comment", "age", "sex", "visit", "region", "hours", "smoker", "pay", "ward"]


def search(steward: Steward, text: str) -> None:
    box = steward.page.get_by_label("Search", exact=True)
    steward.enters(box, text)
    expect(steward.page.get_by_role("button", name="Only these")).to_have_count(1)  # no stale one


def released(steward: Steward) -> None:
    steward.next("Plan")
    if steward.page.get_by_text("a dense histogram of them").count():
        steward.choose("How the table is modelled", "Automatic")
    steward.next("Release")
    steward.whose("people of the dictionary")
    steward.spends(1)


@pytest.mark.slow
@pytest.mark.skipif(not NIST.is_dir(), reason="the shared tables are not here")
def test_a_nist_dictionary_takes_ten_of_24_columns_to_a_release(
    steward: Steward, tmp_path: Path
) -> None:
    steward.upload(NIST / "ma2019.csv")
    steward.sees("has 24 columns")
    steward.next("Domain")
    steward.open("Import or save a declaration")
    steward.upload(NIST / "data_dictionary.json")
    steward.sees("9 remarks on the declaration")
    search(steward, ", ".join(TEN))
    steward.sees("the 10 columns shown")
    steward.press("Only these")
    domain = read_schema(NIST / "data_dictionary.json")
    ten = domain.project(name for name in domain.names if name in TEN)
    assert ten.size == 756_756_000
    steward.sees(f"{ten.size:,}")
    steward.sees("You can go on all the same")
    expect(steward.page.get_by_test_id("stAlertContentError")).to_have_count(0)
    released(steward)
    steward.next("Compare")
    steward.next("Download")
    steward.download(0).save_as(tmp_path / "synthetic.csv")
    with (tmp_path / "synthetic.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == ten.names
    assert len(rows) == 7_634
    for name, values in zip(header, zip(*rows, strict=True), strict=True):
        if ten[name].kind == "categorical":
            assert set(values) <= set(ten[name].cells)


def wide_table(path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*ITEMS, *OTHERS])
        for row in range(300):
            items = [1 + (row * i) % 5 for i in range(190)]
            rest = [row, "x", 20 + row % 60, 1 + row % 2, "2024-05-17", "N", 40, "yes", 9.5, "A"]
            writer.writerow([*items, *rest])
    return path


@pytest.mark.slow
def test_200_columns_are_declared_together_and_eight_go_on_to_plan(
    steward: Steward, tmp_path: Path
) -> None:
    steward.upload(wide_table(tmp_path / "wide.csv"))
    steward.sees("has 200 columns")
    steward.next("Domain")
    steward.sees("Perhaps unfit for a synthetic table, by their declaration: 'person_id', 'comm")
    search(steward, "item_")
    steward.sees("the 190 columns shown")
    steward.open("Declare these columns alike")
    steward.choose("Missing values", "do not occur")
    listing = steward.page.get_by_label("Categories: a list")
    listing.fill("1\tnever\n2\trarely\n3\tsome\n4\toften\n5\t")
    listing.press("Control+Enter")
    steward.sees("190 columns declared anew.")
    expect(listing).to_have_value("")
    expect(listing).to_be_visible()  # still unfolded, for more columns
    steward.choose("Kind", "integer")
    steward.choose("Kind", "categorical")
    steward.sees("5 cells: 1 · never | 2 · rarely | 3 · some | 4 · often | 5")
    steward.sees("You can go on all the same")
    search(steward, ", ".join(ITEMS[:8]))
    steward.sees("the 8 columns shown")
    steward.press("Only these")
    steward.sees(f"{5**8:,}")
    steward.next("Plan")
    steward.sees("8 columns, 390,625 cells")


def test_columns_are_found_and_chosen_without_a_mouse(steward: Steward, tmp_path: Path) -> None:
    steward.upload(wide_table(tmp_path / "wide.csv"))
    steward.sees("has 200 columns")
    steward.next("Domain")
    page = steward.page
    box = page.get_by_label("Search", exact=True)
    steward.enters(box, "smoker")
    steward.sees("act on the column shown")
    steward.tabs(box, page.locator("summary").filter(has_text="columns alike"))
    page.keyboard.press("Enter")
    expect(page.get_by_label("Categories: a list")).to_be_visible()
    kind = page.get_by_role("combobox", name="Kind", exact=True).first
    steward.tabs(box, kind)
    steward.types(kind, "boolean")
    steward.tabs(kind, page.get_by_role("button", name="Declare 1 column"))
    page.keyboard.press("Enter")
    steward.sees("1 column declared anew.")
    steward.sees("1 column, 3 cells")
