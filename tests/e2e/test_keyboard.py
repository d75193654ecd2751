"""The step Compare in a real browser, by keyboard alone: views, alternative texts, two reports."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser import PATIENCE, Steward

pytestmark = pytest.mark.browser

MARK = "PRIVATE - do not share"


def tab_to(page: Page, wanted: Locator, most: int = 60) -> None:
    """Press Tab until something has the focus."""
    for _ in range(most):
        if wanted.evaluate("e => e === document.activeElement"):
            return
        page.keyboard.press("Tab")
    message = "The keyboard does not get there."
    raise AssertionError(message)


@pytest.mark.slow
def test_the_survey_as_far_as_the_download_and_compare_by_keyboard(
    steward: Steward, tmp_path: Path
) -> None:
    page = steward.page
    steward.press("Use the simulated survey")
    for step in ("Domain", "Plan", "Release"):
        steward.next(step)
    steward.spends(1)
    steward.next("Compare")
    expect(page.get_by_text("k-marginal score")).to_have_count(0)

    tab_to(page, page.get_by_role("button", name="Compare with the confidential table"))
    page.keyboard.press("Enter")
    steward.sees("k-marginal score")
    views = page.get_by_role("radio")
    tab_to(page, views.first)
    names = [views.nth(i).inner_text() for i in range(views.count())]
    assert names[:3] == ["Worst first", "Columns", "Pairs"]
    for i in range(views.count()):
        if i:
            with steward.reruns():
                page.keyboard.press("ArrowRight")
                page.keyboard.press("Space")
        expect(views.nth(i)).to_have_attribute("aria-checked", "true")
        page.wait_for_function(ALL_CHARTS_ARE_MARKED, arg=MARK)

    steward.rest()
    steward.open("Internal report")
    expect(page.get_by_role("button", name=re.compile("internal report"))).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("internal report")).click()
    made = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(made)
    assert made.name == "PRIVATE-internal-report.html"
    check_print(page, made)
    steward.next("Download")
    assert steward.download(0).suggested_filename == "synthetic.csv"


# In one go, as a view that is being left still has its charts.
ALL_CHARTS_ARE_MARKED = """
mark => [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
  .filter(chart => chart.checkVisibility({visibilityProperty: true}))
  .every(chart => chart.textContent.includes(mark)
    && (chart.getAttribute('aria-label') || '').length > 30)
"""


def check_print(page: Page, report: Path) -> None:
    """The internal report opens without a network and is marked on every page of a print."""
    own = page.context.new_page()
    own.set_default_timeout(PATIENCE)
    own.route(re.compile("^https?:"), lambda route: route.abort())
    own.goto(report.as_uri())
    expect(own.locator(".private")).to_have_text(MARK)
    expect(own.locator("svg.main-svg").first).to_be_visible()
    own.emulate_media(media="print")
    assert own.locator(".private").evaluate("e => getComputedStyle(e).position") == "fixed"
    own.close()
