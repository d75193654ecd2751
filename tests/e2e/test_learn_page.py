"""The Learn page in a real Chromium: every topic draws, says what it shows, and reacts."""

import pytest
from playwright.sync_api import expect

from pages.ui.learn.lessons import LESSONS, Lesson
from tests.e2e.browser import Steward

pytestmark = pytest.mark.browser


def _open(steward: Steward, lesson: Lesson) -> None:
    steward.page.get_by_text(lesson.title, exact=True).first.click()
    expect(steward.page.get_by_role("heading", name=lesson.title, exact=True)).to_be_visible()
    steward.rest()


def _said(steward: Steward) -> list[str]:
    """The alternative texts of the charts on the page."""
    charts = steward.page.locator("[data-testid=stPlotlyChart]")
    expect(charts.first.locator(".main-svg").first).to_be_visible()
    steward.drawn()
    return [
        charts.nth(i).evaluate(
            "e => (e.querySelector('[role=img][aria-label]') || e.closest('[aria-label]') || e)"
            ".getAttribute('aria-label') || ''"
        )
        for i in range(charts.count())
    ]


@pytest.mark.slow
def test_every_topic_draws_and_reacts(steward: Steward) -> None:
    page = steward.page
    page.locator("[data-testid=stSidebarNav]").get_by_role("link", name="Learn").click()
    for lesson in LESSONS:
        _open(steward, lesson)
        before = _said(steward)
        assert before, lesson.title
        assert all(text.endswith(".") and len(text) > 40 for text in before), lesson.title
        handle = page.get_by_role("slider").first
        handle.focus()
        with steward.reruns():
            handle.press("ArrowRight")
        page.wait_for_function("old => !document.body.innerHTML.includes(old)", arg=before[0])
        assert _said(steward) != before, lesson.title
        expect(page.locator("[data-testid=stAlert]")).to_have_count(0)
