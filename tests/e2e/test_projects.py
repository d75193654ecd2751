"""Nothing is lost: a refresh, a closed browser, a killed server; and what a page says meanwhile."""

import os
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.browser import Steward, process_of, server
from tests.e2e.test_trust import written

SLOW = """
import os, sys, time
from pathlib import Path

import pages.ui.shell.job as job
from synth.ledger.ledger import Ledger

keep = Ledger.keep


def held(*arguments):
    while not Path(os.environ["SYNTH_GO"]).exists():
        time.sleep(0.05)
    return keep(*arguments)


Ledger.keep = held
exec(compile(Path("app.py").read_text(), "app.py", "exec"))
"""
"""The app, in which a release waits after its spend until a file is there."""


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


def kill(url: str) -> None:
    os.kill(int(process_of(url).name), signal.SIGKILL)
