"""The Plan page in a real browser: the slider's own numbers, and a walk by keyboard alone."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.browser import Steward

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FOCUS = """
() => {
  const at = document.activeElement;
  const label = at.getAttribute('aria-label') || at.labels?.[0]?.innerText || at.innerText;
  return (label || '').trim();
}
"""
"""What a screen reader calls the element that has the focus."""


@pytest.fixture(scope="module")
def plan(chromium: Browser, app_url: str) -> Iterator[Steward]:
    """The page Plan of the simulated survey, opened once: each test leaves it to the next."""
    context = chromium.new_context()
    steward = Steward(context.new_page(), app_url)
    steward.press("Use the simulated survey")
    steward.wait_for_text("has 11 columns")
    steward.go("Plan")
    steward.open("Advanced")
    steward.wait_for_text(re.compile("pairs need an epsilon of about"))
    expect(steward.page.locator(".js-plotly-plot .scatterlayer").first).to_be_visible()
    expect(steward.page.get_by_role("button", name="Next: Release")).to_be_enabled()
    yield steward
    context.close()


def test_the_numbers_move_with_the_slider_before_the_server_answers(plan: Steward) -> None:
    """The browser itself computes the cards while the slider moves, even without a
    connection.

    At epsilon 2, who guesses a fact with 10 % certainty is at most 45.1 % sure later: the
    odds 1/9 grow by e^2. With a connection again, the server takes over the same epsilon.
    """
    page = plan.page
    slider = page.get_by_role("slider", name="Privacy budget (epsilon)")
    cards = page.locator(".s-cards dd")
    expect(slider).to_have_attribute("aria-valuetext", "epsilon 1")
    plan.wait_until_idle()
    before = cards.nth(1).inner_text()

    slider.focus()
    page.context.set_offline(True)
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "epsilon 2")
    expect(page.locator(".s-says")).to_contain_text("at most 45.1 % sure")
    expect(cards.nth(1)).not_to_have_text(before)

    page.context.set_offline(False)
    plan.wait_for_text(re.compile(r"· epsilon 2$"))
    expect(page.get_by_role("textbox", name="Exact epsilon")).to_have_value("2")
    plan.wait_until_idle()

    # Three steps down from 2 the slider stands at 0.2, which the server takes over too.
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    plan.wait_for_text(re.compile(r"· epsilon 0\.2$"))
    expect(slider).to_have_attribute("aria-valuetext", "epsilon 0.2")


def test_a_typed_epsilon_is_a_step_of_the_slider(plan: Steward) -> None:
    """An epsilon that is typed becomes a step of the slider, which then stands there.

    0.3 is none of its steps by default.
    """
    page = plan.page
    plan.enter_text(page.get_by_role("textbox", name="Exact epsilon"), "0.3")
    plan.wait_for_text(re.compile(r"· epsilon 0\.3$"))
    slider = page.get_by_role("slider", name="Privacy budget (epsilon)")
    expect(slider).to_have_attribute("aria-valuetext", "epsilon 0.3")


def test_the_thumb_does_not_pass_the_budget(
    chromium: Browser, app_url: str, tmp_path: Path
) -> None:
    """Of a budget of 3 the slider ends at epsilon 3, whichever key is pressed.

    Beside it stands what each step leaves. The budget is the one that Release proposes.
    """
    table = tmp_path / "thumb.csv"
    table.write_text("sex,job\n" + "f,yes\nm,no\n" * 300)
    context = chromium.new_context()
    page = context.new_page()
    steward = Steward(page, app_url)
    steward.upload(table)
    steward.wait_for_text("has 2 columns")
    steward.go_to_next("Domain")
    steward.press("Look at the data for 2 columns")
    steward.wait_for_text(re.compile("· 2 columns ·"))
    steward.go_to_next("Plan")
    slider = page.get_by_role("slider", name="Privacy budget (epsilon)")
    expect(slider).to_have_attribute("aria-valuetext", "epsilon 1, leaves 2 of 3")

    slider.focus()
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "epsilon 3, leaves 0 of 3")
    steward.wait_for_text(re.compile(r"· epsilon 3$"))
    steward.wait_until_idle()
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "epsilon 3, leaves 0 of 3")
    context.close()


def test_every_choice_is_reached_by_the_tab_key(plan: Steward) -> None:
    """Tab goes through the choices in the order in which they stand on the page.

    ``order`` lists some words of each choice, from the top to the button of the next step.
    Other stops between them do not matter.
    """
    page = plan.page
    plan.wait_until_idle()
    page.get_by_role("slider").first.focus()

    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUS))
        if reached[-1].endswith("Next: Release"):
            break

    order = [
        "Method",
        "Which column matters most? (optional)",
        "Advanced",
        "Exact epsilon",
        "Chance that the promise fails (delta)",
        "Replace one row.",
        "Rules that every row keeps",
        "Synthetic rows",
        "Largest error of pairs",
        "Next: Release",
    ]
    # The first stop that says the word, or -1 without one.
    positions = [next((i for i, r in enumerate(reached) if name in r), -1) for name in order]
    assert -1 not in positions, "; ".join(reached)
    assert positions == sorted(positions)
