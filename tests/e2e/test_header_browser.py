"""The header in a browser: light and dark, and names that are not translated."""

from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import Steward

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def wait_for_colours(page: Page, scheme: str) -> None:
    """Wait until the page has light or dark colours."""
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)


def test_the_colours_are_changed_by_one_button_and_stay(steward: Steward) -> None:
    """The button says what it changes to; the menu that it uses is closed afterwards.

    The choice holds on another page that is loaded anew, and in the words of the button.
    """
    page = steward.page
    steward.wait_until_idle()
    wait_for_colours(page, "light")
    page.get_by_role("button", name="Dark colours").click()
    wait_for_colours(page, "dark")
    light_button = page.get_by_role("button", name="Light colours")
    expect(light_button).to_be_focused()
    expect(page.get_by_test_id("stMainMenuItem-theme-Dark")).to_have_count(0)

    page.goto(f"{steward.url}/learn")
    wait_for_colours(page, "dark")
    light_button.click()
    wait_for_colours(page, "light")
    expect(page.get_by_role("button", name="Dark colours")).to_be_focused()


def test_names_and_values_are_not_translated(steward: Steward, tmp_path: Path) -> None:
    """Names of columns and of the table, cells and choices are marked for the browser.

    Sentences of the app are not, so that they can be translated.
    """
    page = steward.page
    path = tmp_path / "people.csv"
    path.write_text("age,town\n" + "30,Bonn\n40,Kiel\n" * 20, encoding="utf-8")
    steward.upload(path)
    steward.wait_for_text("has 2 columns")
    for name in ("people.csv", "age", "town"):
        found = page.get_by_test_id("stMain").get_by_text(name, exact=True)
        expect(found.first).to_have_attribute("translate", "no")
    expect(page.get_by_test_id("stDataFrame")).to_have_attribute("translate", "no")
    box = page.get_by_role("combobox", name="Whose row is it?")
    expect(box).to_have_attribute("translate", "no")
    option = page.get_by_role("option", name="The column 'town' says")
    for _ in range(20):  # a list folds when the page scrolls under it
        if box.get_attribute("aria-expanded") != "true":
            box.click()
        with suppress(AssertionError):
            expect(option).to_have_attribute("translate", "no", timeout=6_000)
            break
    expect(option).to_have_attribute("translate", "no")

    sentence = page.get_by_text("Choose the confidential table. It stays on this machine.")
    expect(sentence).not_to_have_attribute("translate", "no")
