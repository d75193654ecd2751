"""Nothing is lost: a refresh, a closed browser, a killed server; and what a page says meanwhile."""

import os
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.browser import Steward, process_of, server
from tests.e2e.test_trust import written

pytestmark = pytest.mark.browser

HELD = """
import os, time
from streamlit.web.cli import main
from synth.ledger.ledger import Ledger

keep = Ledger.keep

def held(*arguments):
    while not os.path.exists(os.environ["SYNTH_TEST_GO"]):
        time.sleep(0.05)
    return keep(*arguments)

Ledger.keep = held
main()
"""
"""A server whose releases wait after their spend until a file is there."""


def declared(steward: Steward, table: Path, schema: Path) -> None:
    steward.upload(table)
    steward.sees("has 1 column")
    steward.next("Domain")
    steward.open("Import or save a declaration")
    steward.upload(schema)
    steward.sees("2 cells: F | M")


@pytest.mark.slow
def test_nothing_is_lost(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    table, schema = written(tmp_path, "people", "sex", ("F", "M"))
    context = chromium.new_context()
    with server(tmp_path / "one.log") as url:
        steward = Steward(context.new_page(), url)
        declared(steward, table, schema)
        steward.page.reload()
        steward.at("Domain")
        steward.sees("2 cells: F | M")
        assert "?" not in steward.page.url
        kill(url)
        steward.sees("Synth does not answer")
        expect(steward.page.get_by_text(re.compile("internet"))).to_have_count(0)
    with server(tmp_path / "two.log") as url:
        steward = Steward(context.new_page(), url)  # the browser was closed: another tab
        steward.sees("Your projects")
        steward.press("Open")
        steward.sees("This project waits for its table")
        steward.upload(table)
        steward.sees("This is the table of the project")
        steward.go("Domain")
        steward.sees("2 cells: F | M")
        stranger = Steward(chromium.new_context().new_page(), url)
        expect(stranger.page.get_by_text("Your projects")).to_have_count(0)
        second = Steward(context.new_page(), url)
        second.press("Open")
        second.sees("This project is open in another tab too")
    context.close()


@pytest.mark.slow
def test_a_running_release_is_found_again(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SYNTH_TEST_GO", str(tmp_path / "go"))
    table, schema = written(tmp_path, "people", "sex", ("F", "M"))
    context = chromium.new_context()
    with server(tmp_path / "one.log", launch=("-c", HELD)) as url:
        steward = Steward(context.new_page(), url)
        declared(steward, table, schema)
        steward.next("Plan")
        steward.next("Release")
        steward.whose("people")
        steward.confirms(1)
        steward.page.get_by_role("button", name="Release with epsilon 1").click()
        steward.sees(AT_WORK)
        steward.page.reload()
        steward.sees(AT_WORK)  # with its progress, and no second spend
        kill(url)
    with server(tmp_path / "two.log", launch=("-c", HELD)) as url:
        steward = Steward(context.new_page(), url)
        steward.sees("Its release was interrupted after its spend (entry 2 of the ledger)")
        steward.press("Open")
        steward.upload(table)
        steward.sees("It goes on in the step Release, and spends nothing more.")
        steward.go("Release")
        steward.page.get_by_role("button", name="Get the stored release").click()
        steward.sees(AT_WORK)
        (tmp_path / "go").touch()
        steward.sees("This release is stored")
        steward.page.reload()
        steward.sees("This release is stored")
        steward.page.get_by_role("link", name="Ledger").click()
        expect(steward.page.get_by_test_id("stMetricValue").nth(1)).to_have_text("1")
    context.close()


AT_WORK = re.compile(r"^Drawing noise … ")
"""The stage after the spend."""


def kill(url: str) -> None:
    os.kill(int(process_of(url).name), signal.SIGKILL)
