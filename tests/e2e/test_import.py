"""Wide tables in a real browser, as far as a plan."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.browser import Steward

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# The columns of a wide table: 190 items with the same five answers, and ten others.
ITEMS = [f"item_{i:03}" for i in range(1, 191)]
OTHERS = [
    "person_id",
    "comment",
    "age",
    "sex",
    "visit",
    "region",
    "hours",
    "smoker",
    "pay",
    "ward",
]


def search_columns(steward: Steward, text: str) -> None:
    """Type into the search of the columns, and wait until the page lists what it finds."""
    box = steward.page.get_by_label("Search", exact=True)
    steward.enter_text(box, text)
    expect(steward.page.get_by_role("button", name="Only these")).to_have_count(
        1
    )  # no stale one


def wide_table(path: Path) -> Path:
    """A CSV of 300 rows with the columns `ITEMS`, whose answers are 1 to 5, and `OTHERS`."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*ITEMS, *OTHERS])
        for row in range(300):
            items = [1 + (row * i) % 5 for i in range(190)]
            other_columns = [
                row,
                "x",
                20 + row % 60,
                1 + row % 2,
                "2024-05-17",
                "N",
                40,
                "yes",
                9.5,
                "A",
            ]
            writer.writerow([*items, *other_columns])
    return path


@pytest.mark.slow
def test_200_columns_are_declared_together_and_eight_go_on_to_plan(
    steward: Steward, tmp_path: Path
) -> None:
    """190 columns with the same five answers are declared in one act, and eight go on to a
    plan.

    A list of codes and labels is typed once for all columns that a search finds. Eight
    columns of five cells make a table of 5^8 cells, which the page says.
    """
    steward.upload(wide_table(tmp_path / "wide.csv"))
    steward.wait_for_text("has 200 columns")
    steward.go_to_next("Domain")
    steward.open("Change several columns")
    search_columns(steward, "item_")
    steward.wait_for_text("the 190 columns shown")
    steward.choose("Missing values", "do not occur")
    listing = steward.page.get_by_label("Categories: a list")
    listing.fill("1\tnever\n2\trarely\n3\tsome\n4\toften\n5\t")
    listing.press("Control+Enter")
    steward.wait_for_text("190 columns declared anew.")
    expect(listing).to_have_value("")
    expect(listing).to_be_visible()  # still unfolded, for more columns

    # Choosing another kind and going back loses none of the typed categories.
    steward.choose("Kind for all", "integer")
    steward.choose("Kind for all", "categorical")
    steward.open("Change its description")
    steward.wait_for_text("5 cells: 1 · never | 2 · rarely | 3 · some | 4 · often | 5")

    # A histogram of the cells of all declared columns is too large, which is but a remark.
    steward.open("Size and noise")
    steward.wait_for_text("You can go on all the same")
    search_columns(steward, ", ".join(ITEMS[:8]))
    steward.wait_for_text("the 8 columns shown")
    steward.press("Only these")
    steward.wait_for_text(f"{5**8:,}")
    steward.go_to_next("Plan")
    steward.wait_for_text(re.compile("· 8 columns ·"))


def test_columns_are_found_and_chosen_without_a_mouse(
    steward: Steward, tmp_path: Path
) -> None:
    """By keys alone a person searches for a column, sets its kind, and declares it."""
    steward.upload(wide_table(tmp_path / "wide.csv"))
    steward.wait_for_text("has 200 columns")
    steward.go_to_next("Domain")
    page = steward.page
    steward.open("Change several columns")
    box = page.get_by_label("Search", exact=True)

    steward.enter_text(box, "smoker")
    steward.wait_for_text("acts on the column shown")
    expect(page.get_by_label("Categories: a list")).to_be_visible()

    kind = page.get_by_role("combobox", name="Kind for all", exact=True)
    steward.tab_until_focus(box, kind)
    steward.type_option(kind, "boolean")
    steward.tab_until_focus(kind, page.get_by_role("button", name="Declare 1 column"))
    page.keyboard.press("Enter")

    steward.wait_for_text("1 column declared anew.")
    steward.wait_for_text(re.compile("· 1 column ·"))
