"""Where the focus is after a step and after what it was on goes away; states in words."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import Steward

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FOCUSED = "() => document.activeElement.innerText"


def wait_for_focus(page: Page, heading: str) -> None:
    """Wait until a heading has the focus."""
    expect(page.get_by_role("heading", name=heading)).to_be_focused()


def test_the_first_stop_skips_to_the_page_and_no_heading_is_one(steward: Steward) -> None:
    """The first Tab offers a link that skips the navigation, and Tab then stops at no
    heading.

    Headings can take the focus by a script; a person who goes by Tab should not stop at them.
    """
    page = steward.page
    steward.wait_until_idle()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("stMain")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('h1, h2, h3') === null")


def test_each_step_begins_at_its_heading(steward: Steward) -> None:
    """After a change of the step the focus is on its heading, and the title names the step.

    So a screen reader says where one is. The link of a step says its state in words: done,
    open, or locked and why.
    Right after loading, the focus is still on nothing.
    """
    page = steward.page
    link = page.get_by_test_id("stSidebarNav").get_by_role("link", name="Plan")
    expect(link).to_have_attribute(
        "aria-description", "Locked. Choose a table in the step Data first."
    )
    assert page.evaluate("document.activeElement === document.body")

    steward.press("Use the simulated survey")
    for step in ("Domain", "Plan", "Release"):
        steward.go_to_next(step)
        wait_for_focus(page, step)
        expect(page).to_have_title(f"{step} - Synth")
    expect(link).to_have_attribute("aria-description", "Open.")
    data_link = page.get_by_test_id("stSidebarNav").get_by_role("link", name="Data")
    expect(data_link).to_have_attribute("aria-description", "Done.")
    steward.go("Ledger")
    wait_for_focus(page, "Ledger")
