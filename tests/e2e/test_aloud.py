"""What a screen reader hears on three pages: names of all controls, no two alike, headings.

The words are those of Chromium's accessibility tree.
"""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import Steward
from tests.e2e.test_keyboard import write_people

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# A line of the tree: a role, perhaps a name, and perhaps states such as a heading's level.
LINE = re.compile(r"""^\s*- ['"]?(\w+)(?: "((?:[^"\\]|\\.)*)")?(.*)$""")
NAMED = (
    *("button", "link", "textbox", "combobox", "checkbox", "radio", "slider"),
    *("progressbar", "spinbutton", "tab", "img", "figure"),
)
DIFFERENT = ("button", "combobox", "textbox", "checkbox", "progressbar")


Line = tuple[str | Any, ...]


def check_words(page: Page) -> list[Line]:
    """Check the tree of a page, and return its lines: role, name and states."""
    tree = page.get_by_test_id("stMain").aria_snapshot()
    lines = [match.groups(default="") for match in map(LINE.match, tree.split("\n")) if match]
    assert [line for line in lines if line[0] in NAMED and not line[1]] == []
    names = Counter((role, name) for role, name, _ in lines if role in DIFFERENT)
    assert [line for line, times in names.items() if times > 1] == []
    levels = [int(re.findall(r"level=(\d)", state)[0]) for _, _, state in headings(lines)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    skips = [after for before, after in pairwise(levels) if after > before + 1]
    assert skips == [], headings(lines)
    return lines


def headings(lines: list[Line]) -> list[Line]:
    """The headings among the lines."""
    return [line for line in lines if line[0] == "heading"]


def wait_for_names(page: Page) -> None:
    """Wait until the script that names parts has seen the page; lists are on each of them."""
    expect(page.get_by_role("button", name="Open", exact=True)).to_have_count(0)
    expect(page.get_by_role("progressbar", name="progress", exact=True)).to_have_count(0)
    expect(page.get_by_role("img", name=re.compile(" icon$"))).to_have_count(0)
    expect(page.get_by_role("button", name="Help", exact=True)).to_have_count(0)


def test_three_pages_can_be_heard(steward: Steward, tmp_path: Path) -> None:
    """On Domain, Release and Compare all controls have names of their own.

    The budget's bar says what is spent, a chart is its description and not its digits, and no
    heading skips a level.
    """
    page = steward.page
    steward.upload(write_people(tmp_path / "heard.csv", seed=33))
    steward.wait_for_text("has 3 columns")
    steward.go_to_next("Domain")
    steward.press(re.compile("^(Look at the data|Quick draft)"))  # type: ignore[arg-type]
    steward.wait_for_text(re.compile("^3 of 3 columns go on"))
    wait_for_names(page)
    assert ("checkbox", "Use age") in [(role, name) for role, name, _ in check_words(page)]

    steward.go_to_next("Plan")
    steward.go_to_next("Release")
    wait_for_names(page)
    check_words(page)
    steward.spend(1)
    bar = page.get_by_role("progressbar", name=re.compile("^epsilon 1 of 3 spent$"))
    expect(bar).to_be_visible()
    steward.wait_for_charts()
    wait_for_names(page)
    check_words(page)

    steward.go_to_next("Compare")
    steward.press("Compare with the confidential table")
    steward.wait_for_text(re.compile("^Single columns: "))
    for tab in ("Columns", "Pairs", "Groups"):
        with steward.waiting_for_rerun():
            page.get_by_role("tab", name=tab, exact=True).click()
        steward.wait_for_charts()
        wait_for_names(page)
        heard = check_words(page)
        for role, name, _ in heard:
            assert role != "figure" or len(name) > 20
