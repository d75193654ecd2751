"""axe-core on every view of the app, in both themes and at four widths: nothing of our
own.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e import axe, views
from tests.e2e.browser import Steward, server

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.timeout(
    3600
)  # two minutes of a processor's time, and many more of a busy machine's
def test_no_view_has_a_fault_of_our_own(steward: Steward) -> None:
    """axe-core finds no fault of the app itself on any view, in either theme, at any width.

    Faults that Streamlit brings, and that the app cannot mend, are exempt (`axe.EXEMPT`).
    Each exemption must still be needed, or it is taken off the list. A fault with ``exempt``
    -1 is the app's own.
    """
    own_faults = []
    exempted = set()
    for view, page in views.each_view(steward):
        for theme, width in views.each_setting(page):
            # Between the themes only colours differ, so the dark one needs their rules alone.
            for fault in axe.list_faults(page, axe.TAGS if theme == "light" else axe.COLOURS):
                exempted.add(fault.exempt)
                if fault.exempt < 0:
                    own_faults.append(f"{view}, {theme}, {width}: {fault}")

    assert not own_faults, "\n".join(own_faults)
    assert exempted == {*range(len(axe.EXEMPT))}, (
        "What Streamlit has mended need not be exempt."
    )


FAULTY = """
() => {
  const main = document.querySelector('[data-testid=stMain]');
  main.insertAdjacentHTML('afterbegin', '<p style="color: #ccc; background: #fff">Faint</p>');
  main.insertAdjacentHTML('beforeend', '<h5>Deep</h5><p style="width: 3000px">Wide</p>');
}
"""
"""Puts three faults into a page: grey on white, a heading of level 5 after none of level 4,
and a paragraph wider than the window.
"""


def test_a_fault_of_our_own_is_found(steward: Steward) -> None:
    """The search for faults is not blind: it finds three that a script puts into the page.

    `FAULTY` adds faint text (colour contrast), a heading that skips levels (heading order),
    and a paragraph of 3,000 px that reaches beyond the window (cut off).
    """
    steward.page.evaluate(FAULTY)

    faults = axe.list_faults(steward.page, again=0)

    assert {"color-contrast", "heading-order", "cut-off"} <= {
        f.rule for f in faults if f.exempt < 0
    }
    # The right end of the paragraph is said, somewhere from 2,000 to 3,999 px.
    assert any(re.match("cut-off at P.*: [2-3]... px of", str(fault)) for fault in faults)


CHIPS = """
import streamlit as st
from pages.ui.shell.top import top

st.title("Chips")
st.multiselect("Columns", ["age", "town"], ["age", "town"])
top("chips", {})
"""
"""A page of one list of chips, with the script and the style of every page."""


def test_chips_are_read_in_both_themes(context: BrowserContext, tmp_path: Path) -> None:
    """The letters on chosen values have contrast enough on the light and the dark page.

    The script is beside no settings of its own, so it has those of the repository.
    """
    script = tmp_path / "chips.py"
    script.write_text(CHIPS, encoding="utf-8")
    with server(tmp_path / "log.txt", str(script)) as url:
        page = context.new_page()
        page.goto(url)
        expect(page.get_by_role("heading", name="Chips")).to_be_visible()
        expect(page.get_by_title("town")).to_be_visible()
        for theme in views.THEMES:
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", theme)
            faults = axe.list_faults(page, axe.COLOURS)
            assert not [str(fault) for fault in faults if fault.exempt < 0], theme


MOVING = """
() => [...document.querySelectorAll('*')].map(e => getComputedStyle(e)).filter(s =>
  parseFloat(s.transitionDuration) > 0.01 || parseFloat(s.animationDuration) > 0.01).length
"""


def test_motion_is_reduced_where_that_is_wished(steward: Steward) -> None:
    """Nothing moves on a page whose reader asked the browser for reduced motion.

    `MOVING` counts elements with a transition or animation of more than 0.01 s. By default
    there are some, so that 0 under the wish is a result of it.
    """
    page = steward.page
    expect(page.get_by_role("button", name="Use the simulated survey")).to_be_visible()
    assert page.evaluate(MOVING) > 0

    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(MOVING) == 0
