"""The spreadsheet of the step Domain in a real browser: typing, filling down, undoing."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Locator, expect

from tests.e2e.browser import Steward, place_of
from tests.wide import field, wide_table

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Pixels of the sheet: the widths of its columns up to "bins", and the heights of its rows.
WIDTHS = {
    "column": 120,
    "tick": 42,
    "use": 58,
    "kind": 90,
    "values": 190,
    "low": 76,
    "high": 76,
}
ROW = 35
HEADING = 37


class Sheet:
    """The sheet, driven as a person does."""

    def __init__(self, steward: Steward) -> None:
        self.steward = steward
        self.page = steward.page
        self.grid: Locator = steward.page.get_by_test_id("stDataFrame").first

    def at(self, heading: str, row: int) -> None:
        """Select the cell of a column, by its heading, in a row that is counted from 0."""
        before = [*WIDTHS, "bins"][: [*WIDTHS, "bins"].index(heading)]
        for x in (30, sum(WIDTHS[name] for name in before) + 30):
            box = self.resting_place()  # the page may have moved at a click
            self.page.mouse.click(box["x"] + x, box["y"] + HEADING + ROW * row + ROW / 2)
            self.page.wait_for_timeout(200)

    def resting_place(self) -> FloatRect:
        """Where the sheet is, once nothing above it moves any more."""
        box = place_of(self.grid)
        while (following := place_of(self.grid)) != box:
            box = following
        return box

    def type(self, heading: str, row: int, text: str) -> None:
        """Type into a cell."""
        self.steward.wait_until_idle()
        self.at(heading, row)
        self.page.keyboard.press("Enter")
        overlay = self.page.locator('[id^="gdg-overlay"]').locator("textarea, input").first
        overlay.fill(text)
        with self.steward.waiting_for_rerun():
            self.page.keyboard.press("Enter")


def test_cells_are_typed_into_filled_down_and_undone(
    steward: Steward, tmp_path: Path
) -> None:
    """In the spreadsheet of declarations, cells are typed into, filled down, and undone.

    Of 76 columns 40 are declared by a file. A wrong cell is named in a sentence until it is
    mended. Filling the lowest value down to a boolean column is refused, as booleans have
    none. Leaving out a column can be undone and redone.
    """
    schema = tmp_path / "half.json"
    schema.write_text(json.dumps({"fields": [field(i) for i in range(40)]}), encoding="utf-8")
    page = steward.page
    page.set_viewport_size({"width": 1280, "height": 1800})
    steward.upload(wide_table(tmp_path, 76))
    steward.wait_for_text("has 76 columns")
    steward.go_to_next("Domain")
    steward.open("Import or save a description")
    steward.upload(schema)
    steward.wait_for_text(re.compile("· 40 columns"))
    steward.open("All columns as a spreadsheet")
    sheet = Sheet(steward)
    expect(sheet.grid).to_be_visible()
    # Else the column "bins" would be out of sight, and clicks would miss it.
    assert sum(WIDTHS.values()) < place_of(sheet.grid)["width"]

    # Two wrong cells, and their mending.
    sheet.type("low", 1, "abc")
    steward.wait_for_text("Column 'c001': the bound 'abc' is not a finite number")
    sheet.type("bins", 3, "many")
    steward.wait_for_text("Column 'c003': 'many' is no number of bins")
    sheet.type("low", 1, "0")
    expect(page.get_by_text("the bound 'abc'")).to_have_count(0)
    sheet.type("bins", 3, "5")
    expect(page.get_by_text("'many' is no number")).to_have_count(0)

    # Fill down from column c001 to c002, which is boolean.
    sheet.at("low", 1)
    page.keyboard.press("Shift+ArrowDown")
    with steward.waiting_for_rerun():
        page.keyboard.press("Control+d")
    # The table of columns writes remarks one after the other, without full stops.
    steward.wait_for_text(
        "Column 'c002': a boolean column has no lowest and no highest value"
    )

    # Leave out the first column, and take that back.
    with steward.waiting_for_rerun():
        sheet.at("use", 0)
    steward.wait_for_text(re.compile("· 39 columns"))
    steward.press("Undo")
    steward.wait_for_text(re.compile("· 40 columns"))
    steward.press("Redo")
    steward.wait_for_text(re.compile("· 39 columns"))
    steward.go_to_next("Plan")
