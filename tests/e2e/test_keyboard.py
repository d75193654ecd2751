"""All steps in a real browser by keyboard alone: visible focus, texts of charts, two
reports.
"""

import re
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Literal

import pytest
from playwright.sync_api import Download, Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from pages.ui.release.publishing import VOUCH
from tests.e2e.browser import PATIENCE, Steward

pytestmark = pytest.mark.browser

MARK = "PRIVATE - do not share"

Role = Literal["button", "checkbox"]


# A grid draws its own mark around a cell; a box shows by its border, a tick beside its input.
UNSEEN = """
() => {
  const at = document.activeElement, parents = [], primary = 'rgb(31, 111, 174)';
  if (at === document.body || at.closest('[data-testid=stDataFrame]')) return '';
  for (let e = at; e && parents.length < 4; e = e.parentElement) parents.push(e);
  const around = [...parents, ...(at.closest('label')?.querySelectorAll('*') || [])];
  const marked = around.map(e => getComputedStyle(e)).some(s =>
    s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0
    || s.boxShadow.replaceAll(/rgba\\(0, 0, 0, 0\\)[^,]*/g, '').includes('rgb')
    || s.borderTopColor === primary && parseFloat(s.borderTopWidth) > 0);
  return marked ? '' : at.outerHTML.slice(0, 300);
}
"""


MOST_TABS = 20
"""How often one has to press Tab on any step until the button to the next one, at most."""


def tab_to(page: Page, target: Locator, max_presses: int = 60) -> int:
    """Press Tab until something has the focus, which is seen wherever it is.

    Returns how often Tab was pressed.
    """
    for presses in range(max_presses):
        if target.evaluate("e => e === document.activeElement"):
            return presses
        page.keyboard.press("Tab")
        assert page.evaluate(UNSEEN) == ""
    message = "The keyboard does not get there."
    raise AssertionError(message)


def press_key_on(
    steward: Steward, role: Role, name: str | re.Pattern[str], press: str = "Enter"
) -> None:
    """Go by Tab to what has a role and a name, and press a key there."""
    target = steward.page.get_by_role(role, name=name)
    expect(target).to_be_enabled()
    tab_to(steward.page, target)
    with steward.waiting_for_rerun():
        steward.page.keyboard.press(press)


def next_by_key(steward: Steward, step: str) -> None:
    """The button to the next step, at whose heading the focus is then.

    One begins at the top of the page: two links skip the navigation and the page's content.
    """
    page = steward.page
    steward.wait_until_idle()
    following = page.get_by_role("button", name=f"Next: {step}")
    expect(following).to_be_enabled()
    page.get_by_role("link", name="Skip to main content").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("stMain")).to_be_focused()
    tabs = tab_to(page, page.get_by_role("link", name=f"Go to Next: {step}"))
    page.keyboard.press("Enter")
    expect(following).to_be_focused()
    assert 1 + tabs <= MOST_TABS, f"{1 + tabs} Tabs to {step}"
    with steward.waiting_for_rerun():
        page.keyboard.press("Enter")
    steward.wait_for_step(step)
    expect(page.get_by_role("heading", name=step, level=1)).to_be_focused()


def upload_by_key(steward: Steward, path: Path) -> None:
    """Go to the uploader by Tab, and choose a file in the dialog that Enter opens.

    Right after a page is there the uploader may not listen yet.
    """
    button = steward.page.get_by_test_id("stFileUploader").first.locator("button").first
    for _ in range(6):
        steward.wait_until_idle()
        tab_to(steward.page, button)
        with suppress(PlaywrightTimeout):
            with steward.page.expect_file_chooser(timeout=10_000) as chooser:
                steward.page.keyboard.press("Enter")
            chooser.value.set_files(path)
            return
    message = "The uploader does not listen."
    raise AssertionError(message)


def download_by_key(steward: Steward, label: str) -> Download:
    """Go to a download by Tab, and press Enter."""
    steward.wait_until_idle()
    tab_to(steward.page, steward.page.get_by_role("button", name=re.compile(f"^{label}")))
    with steward.page.expect_download() as waiting:
        steward.page.keyboard.press("Enter")
    return waiting.value


def write_people(path: Path, seed: int = 32) -> Path:
    """A table that nobody has described; each seed makes another one."""
    random = Random(seed)
    ages = range(18, 90)
    visits = range(9)
    rows = (
        f"{random.choice('FM')},{random.choice(ages)},{random.choice(visits)}"
        for _ in range(900)
    )
    path.write_text("\n".join(["sex,age,visits", *rows]))
    return path


@pytest.mark.slow
def test_from_an_upload_to_both_downloads_by_keyboard(
    steward: Steward, tmp_path: Path
) -> None:
    """Every step of a release can be done with Tab, arrows, Space and Enter alone.

    `press_key_on` and `next_by_key` go to a button by Tab, see that the focus is visible at
    every stop, and press a key. Each view of the comparison marks all its charts as private.
    So does the internal report, on paper too.
    """
    page = steward.page
    upload_by_key(steward, write_people(tmp_path / "people.csv"))
    steward.wait_for_text("has 3 columns")
    next_by_key(steward, "Domain")
    press_key_on(steward, "button", re.compile("^(Look at the data|Quick draft)"))
    steward.wait_for_text(re.compile("^3 of 3 columns go on"))
    for button, then in (("Undo", "none described yet"), ("Redo", "^3 of 3 columns go on")):
        page.get_by_role("link", name="Skip to main content").focus()
        page.keyboard.press("Enter")
        press_key_on(steward, "button", button)
        steward.wait_for_text(re.compile(then))
    for step in ("Plan", "Release"):
        next_by_key(steward, step)

    # The release.
    press_key_on(steward, "checkbox", "Spend epsilon 1", "Space")
    press_key_on(steward, "button", "Release with epsilon 1")
    steward.wait_for_text("This release is stored")

    # The comparison with the private table, which nobody gets to see unasked.
    next_by_key(steward, "Compare")
    verdict = page.get_by_text(re.compile("^Single columns: "))
    expect(verdict).to_have_count(0)

    press_key_on(steward, "button", "Compare with the confidential table")
    expect(verdict).to_be_visible()
    expect(page.get_by_role("heading", name="Against the confidential table")).to_be_focused()
    small = page.get_by_role("img", name=re.compile("^Real shares of '"))
    expect(small).to_have_count(3)
    expect(page.locator(".synth-small [data-mark=PRIVATE]")).to_have_count(3)
    tabs = page.get_by_role("tab")
    tab_to(page, tabs.first)
    assert tabs.all_inner_texts() == ["Columns", "Pairs", "Groups", "Details"]
    for i in range(tabs.count()):
        if i:  # the first one is open from the beginning
            with steward.waiting_for_rerun():
                page.keyboard.press("ArrowRight")
        expect(tabs.nth(i)).to_have_attribute("aria-selected", "true")
        page.wait_for_function(ALL_CHARTS_ARE_MARKED, arg=MARK)

    # The internal report, which is no part of a release.
    report = download_by_key(steward, "Make the internal report")
    download_path = tmp_path / report.suggested_filename
    report.save_as(download_path)
    assert download_path.name == "PRIVATE-internal-report.html"
    check_print(page, download_path)

    # The downloads.
    page.get_by_role("heading", name="Against the confidential table").focus()
    next_by_key(steward, "Download")
    press_key_on(steward, "button", VOUCH)
    steward.wait_for_text(re.compile("^Publishable:"))
    table_name = download_by_key(steward, "Download table").suggested_filename
    assert re.fullmatch(r"people_epsilon1_\d{4}-\d\d-\d\d\.csv", table_name)
    bundle_name = download_by_key(steward, "Download bundle").suggested_filename
    assert bundle_name == table_name.replace(".csv", ".zip")


# In one go, as a view that is being left still has its charts.
ALL_CHARTS_ARE_MARKED = """
mark => [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
  .filter(chart => chart.checkVisibility({visibilityProperty: true}))
  .every(chart => chart.textContent.includes(mark)
    && (chart.getAttribute('aria-label') || '').length > 30)
"""


def check_print(page: Page, report: Path) -> None:
    """The internal report opens without a network and is marked on every page of a print."""
    print_page = page.context.new_page()
    print_page.set_default_timeout(PATIENCE)
    print_page.route(re.compile("^https?:"), lambda route: route.abort())
    print_page.goto(report.as_uri())
    expect(print_page.locator(".private")).to_have_text(MARK)
    expect(print_page.locator("svg.main-svg").first).to_be_visible()
    print_page.emulate_media(media="print")
    assert (
        print_page.locator(".private").evaluate("e => getComputedStyle(e).position")
        == "fixed"
    )
    print_page.close()
