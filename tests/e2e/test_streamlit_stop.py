"""Streamlit's own Stop, in the toolbar: it ends a script, and no release."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.browser import Steward, server
from tests.e2e.test_projects import AT_WORK, PAUSING_SERVER, begin_release
from tests.e2e.test_trust import write_table

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_a_page_shows_its_release_again_after_streamlits_stop(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit's own Stop button ends a script of the page, and no release.

    The app hides that button; here an event presses it all the same. The script then runs
    anew, shows the release at work, and later its end. `PAUSING_SERVER` holds the release
    back until a file is there.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SYNTH_TEST_GO", str(tmp_path / "go"))
    table, schema = write_table(tmp_path, "people", "sex", ("F", "M"))
    context = chromium.new_context()
    with server(tmp_path / "log", launch=("-c", PAUSING_SERVER)) as url:
        steward = Steward(context.new_page(), url)
        begin_release(steward, table, schema)

        stop = steward.page.locator("[data-testid=stStatusWidget] button")
        expect(stop).to_have_count(1)
        expect(stop).to_be_hidden()
        runs = steward.page.evaluate("window.runs")
        stop.dispatch_event("click")  # as the button cannot be seen, no mouse gets there

        steward.page.wait_for_function("n => window.runs > n", arg=runs)
        steward.wait_for_text(AT_WORK)
        steward.wait_for_text("Stop; the spend stands")

        (tmp_path / "go").touch()
        steward.wait_for_text(
            re.compile("Released: .* with epsilon 1. This release is stored")
        )
        steward.wait_until_idle()
    context.close()
