"""The side bar on a narrow screen, where it lies over the page."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser import Steward

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TELEPHONE = {"width": 390, "height": 844}


def open_side_bar(page: Page) -> Locator:
    """Open the side bar of a narrow screen; the links to its pages."""
    page.get_by_test_id("stExpandSidebarButton").click()
    links = page.get_by_test_id("stSidebarNav").get_by_role("link")
    expect(links.first).to_be_in_viewport()
    return links


def test_the_side_bar_closes_on_a_telephone_once_a_page_is_chosen(steward: Steward) -> None:
    """On a telephone the side bar closes after a click or Enter, also on the page that is
    open.

    The focus is then at the heading of the page, as everywhere.
    """
    page = steward.page
    page.set_viewport_size(TELEPHONE)
    links = open_side_bar(page)
    links.get_by_text("Learn", exact=True).click()
    expect(links.first).not_to_be_in_viewport()
    steward.wait_for_step("Learn")

    links = open_side_bar(page)
    links.get_by_text("Learn", exact=True).click()
    expect(links.first).not_to_be_in_viewport()

    links = open_side_bar(page)
    links.filter(has_text=re.compile("Ask$")).focus()
    page.keyboard.press("Enter")
    expect(links.first).not_to_be_in_viewport()
    steward.wait_for_step("Ask")
    expect(page.get_by_role("heading", name="Ask", level=1)).to_be_focused()


def test_the_side_bar_of_a_wide_window_stays(steward: Steward) -> None:
    """In a wide window the side bar stays open, as it takes no room from the page."""
    steward.page.set_viewport_size({"width": 1360, "height": 900})
    steward.go("Learn")
    links = steward.page.get_by_test_id("stSidebarNav").get_by_role("link")
    expect(links.first).to_be_in_viewport()


@pytest.mark.parametrize("step", ["Data", "Domain", "Learn"])
def test_no_page_of_a_telephone_can_be_moved_sideways(steward: Steward, step: str) -> None:
    """Nothing on a page, seen or not, makes it wider than the screen."""
    steward.press("Use the simulated survey")
    if step != "Data":
        steward.go(step)
    steward.page.set_viewport_size(TELEPHONE)
    steward.wait_until_idle()
    expect(steward.page.get_by_role("heading", level=1).first).to_be_visible()
    wider_by = steward.page.evaluate(
        "() => [...document.querySelectorAll('[data-testid=stMain]')]"
        ".map(e => e.scrollWidth - e.clientWidth)"
    )
    assert wider_by == [0]
