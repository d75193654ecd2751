"""The table of columns in a real browser: by mouse, by keys, on a telephone, translated."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import Steward

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Most presses of Tab from the heading of the page to the button to the next step.
MAX_TABS = 20


@pytest.fixture
def page(steward: Steward, tmp_path: Path) -> Page:
    """The page Domain after a look at 14 columns, of which two wait for a decision."""
    names = ["town", "job", *(f"item_{number:02}" for number in range(12))]
    rows = [
        ",".join(["ab"[row % 2], "cd"[row % 2], *(str(1 + row * n % 5) for n in range(12))])
        for row in range(200)
    ]
    rows += [",".join([f"town {n}", f"job {n}", *["3"] * 12]) for n in range(20)]
    table = tmp_path / "items.csv"
    table.write_text("\n".join([",".join(names), *rows]) + "\n")
    steward.upload(table)
    steward.wait_for_text("has 14 columns")
    steward.go_to_next("Domain")
    with steward.waiting_for_rerun():
        steward.page.get_by_role("button", name=re.compile("^Look at the data")).click()
    steward.wait_for_text("12 of 14 columns go on. 2 wait for you: town, job.")
    return steward.page


def test_a_row_opens_its_card_and_its_tick_takes_in(steward: Steward, page: Page) -> None:
    """A browser that translates leaves names and values alone; the card has a heading."""
    rows = page.locator(".c-box tbody tr")
    expect(rows).to_have_count(14)
    expect(rows.first).to_contain_text("22 values: 2 listed, 20 become (other)")
    for part in (".c-name", ".c-values", ".c-example"):
        alone = rows.nth(3).locator(part).evaluate("e => !!e.closest('[translate=no]')")
        assert alone, part

    with steward.waiting_for_rerun():
        rows.nth(3).get_by_text("categorical").click()
    card = page.locator(".st-key-card")
    expect(card.get_by_role("heading", name="item_01")).to_be_focused()
    expect(card.get_by_role("heading")).to_have_attribute("translate", "no")

    with steward.waiting_for_rerun():
        page.get_by_role("checkbox", name="Use town").check()
    steward.wait_for_text("13 of 14 columns go on. 1 waits for you: job.")
    with steward.waiting_for_rerun():
        page.get_by_role("checkbox", name="Use item_05").uncheck()
    steward.wait_for_text("12 of 14 columns go on. 1 waits for you: job. 1 out: item_05.")


def test_by_keys_alone_to_a_card_and_to_the_plan(steward: Steward, page: Page) -> None:
    """Arrows go from row to row, and the next step is within 20 Tabs; it asks about town."""
    heading = page.get_by_role("heading", name="Domain", level=1)
    forward = page.get_by_role("button", name="Next: Plan")
    heading.evaluate("e => { e.tabIndex = -1; e.focus(); }")
    for _ in range(MAX_TABS):
        page.keyboard.press("Tab")
        if forward.evaluate("e => e === document.activeElement"):
            break
    expect(forward).to_be_focused()

    page.get_by_role("button", name="town", exact=True).focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="job", exact=True)).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="item_11", exact=True)).to_be_focused()
    with steward.waiting_for_rerun():
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="item_11")).to_be_focused()

    forward.focus()
    page.keyboard.press("Enter")
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("town: 22 values: 2 listed, 20 become (other)")
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    steward.wait_until_idle()

    forward.focus()
    page.keyboard.press("Enter")
    taking = question.get_by_role("button", name="Take in town and job and go on")
    taking.focus()
    page.keyboard.press("Enter")
    steward.wait_for_step("Plan")
    steward.wait_for_text(re.compile("· 14 columns ·"))


def test_a_telephone_has_a_card_for_each_column(steward: Steward, page: Page) -> None:
    """At 390 pixels nothing is cut off, and each row is a card below the one before."""
    page.set_viewport_size({"width": 390, "height": 844})
    rows = page.locator(".c-box tbody tr")
    expect(rows.first).to_have_css("display", "grid")
    for part in (".c-name", ".c-words", ".c-status"):
        box = rows.first.locator(part).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    with steward.waiting_for_rerun():
        rows.nth(2).locator(".c-words").click()
    expect(page.get_by_role("heading", name="item_00")).to_be_in_viewport()
