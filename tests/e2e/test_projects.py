"""Nothing is lost: a refresh, a closed browser, a killed server; and what a page says
meanwhile.
"""

import json
import os
import re
import signal
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pages.ui.shell.home import open_ledger
from synth.door.ledger.sqlite_store import Store
from tests.e2e.browser import Steward, process_of, server
from tests.e2e.test_trust import write_table
from tests.patience import port, until

pytestmark = pytest.mark.browser

PAUSING_SERVER = """
import os, time
from streamlit.web.cli import main
from synth.door.ledger.ledger import Ledger

keep, parts = Ledger.keep, int(os.environ.get("SYNTH_TEST_PARTS", 0))

def keep_later(*arguments):
    global parts
    while parts <= 0 and not os.path.exists(os.environ["SYNTH_TEST_GO"]):
        time.sleep(0.05)
    parts -= 1
    return keep(*arguments)

Ledger.keep = keep_later
main()
"""
"""A program that serves the app, with releases that wait after their spend.

They wait before a part is stored in the ledger until the file SYNTH_TEST_GO is there; the
first SYNTH_TEST_PARTS parts, none by default, are stored at once.
"""


def upload_declared(steward: Steward, table: Path, schema: Path) -> None:
    """Choose a table of one column in the app, and declare it by its schema."""
    steward.upload(table)
    steward.wait_for_text("has 1 column")
    steward.go_to_next("Domain")
    steward.open("Import or save a description")
    steward.upload(schema)
    steward.wait_for_text(re.compile("· 1 column ·"))


def begin_release(steward: Steward, table: Path, schema: Path) -> None:
    """Go from a table to its release at work, which `PAUSING_SERVER` keeps from ending."""
    upload_declared(steward, table, schema)
    steward.go_to_next("Plan")
    steward.go_to_next("Release")
    steward.say_whose_data("people")
    steward.confirm_spend(1)
    steward.page.get_by_role("button", name="Release with epsilon 1").click()
    steward.wait_for_text(AT_WORK)


@pytest.fixture
def at() -> Iterator[int]:
    """The port of a server that is started again: a browser is known at one address."""
    with port() as number:
        yield number


@pytest.mark.slow
def test_nothing_is_lost(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """A reload, a killed server and a closed browser lose no work, and a stranger sees none
    of it.

    The declaration survives a reload. While the server is down, the page says so. Afterwards
    the project is on its list: it waits for its table, which the server does not keep, and
    then has its declaration again. A second tab is told that the first one has the project.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    table, schema = write_table(tmp_path, "people", "sex", ("F", "M"))
    context = chromium.new_context()
    with server(tmp_path / "one.log", at=at) as url:
        steward = Steward(context.new_page(), url)
        upload_declared(steward, table, schema)

        steward.page.reload()
        steward.wait_for_step("Domain")
        steward.wait_for_text(re.compile("· 1 column ·"))
        assert "?" not in steward.page.url  # the address shows nothing of the session

        kill_server(url)
        steward.wait_for_text("Synth does not answer")
        # Streamlit's own message blames the internet, though the server is the user's own.
        expect(steward.page.get_by_text(re.compile("internet"))).to_have_count(0)

    with server(tmp_path / "two.log", at=at) as url:
        steward.go("Data")  # on the page that stayed open
        steward.wait_for_text("Your projects")
        steward.page.close()
        steward = Steward(context.new_page(), url)  # the browser was closed: another tab
        steward.wait_for_text("Your projects")
        steward.press("Open")
        steward.wait_for_text("This project waits for its table")
        steward.upload(table)
        steward.wait_for_text("This is the table of the project")
        steward.go("Domain")
        steward.wait_for_text(re.compile("· 1 column ·"))

        stranger = Steward(chromium.new_context().new_page(), url)
        expect(stranger.page.get_by_text("Your projects")).to_have_count(0)

        other_tab = Steward(context.new_page(), url)
        other_tab.press("Open")
        other_tab.wait_for_text("Another tab opened this project first")
    context.close()


@pytest.mark.slow
def test_a_running_release_is_found_again(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """A release that runs is found again after a reload, and goes on after its server was
    killed.

    It has spent its epsilon by then (entry 2 of the ledger; entry 1 is the budget). The next
    server finishes it from what the ledger holds, so that epsilon 1 is all that is spent.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SYNTH_TEST_GO", str(tmp_path / "go"))
    table, schema = write_table(tmp_path, "people", "sex", ("F", "M"))
    context = chromium.new_context()
    with server(tmp_path / "one.log", launch=("-c", PAUSING_SERVER), at=at) as url:
        steward = Steward(context.new_page(), url)
        begin_release(steward, table, schema)
        steward.page.reload()
        steward.wait_for_text(AT_WORK)  # with its progress, and no second spend
        kill_server(url)

    with server(tmp_path / "two.log", launch=("-c", PAUSING_SERVER), at=at) as url:
        steward.page.close()
        steward = Steward(context.new_page(), url)
        steward.wait_for_text(
            "Its release was interrupted after its spend (entry 2 of the ledger)"
        )
        steward.press("Open")
        steward.upload(table)
        steward.wait_for_text("It goes on in the step Release, and spends nothing more.")
        steward.go("Release")
        steward.page.get_by_role("button", name="Get the stored release").click()
        steward.wait_for_text(AT_WORK)
        (tmp_path / "go").touch()  # from here on the release may end
        steward.wait_for_text("This release is stored")

        steward.page.reload()
        steward.wait_for_text("This release is stored")
        steward.page.get_by_role("link", name="Ledger").click()
        steward.wait_for_text(re.compile("epsilon 1 of 3 spent, 2 left"))
    context.close()


@pytest.mark.slow
def test_a_release_of_several_parts_goes_on_from_the_last_one(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """A release of several parts, killed on its way, goes on from the last part it stored.

    The server is killed when three parts are stored: the choice of pairs and two measured
    pairs. The next server finishes the release, and all that was stored before stays as it
    was.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SYNTH_TEST_GO", str(tmp_path / "go"))
    monkeypatch.setenv("SYNTH_TEST_PARTS", "3")
    table = tmp_path / "people.csv"
    schema = tmp_path / "people.json"
    values = {"sex": "FM", "town": "ab", "job": "xyz"}
    rows = [",".join(row) + "\n" for row in product(*values.values())]
    table.write_text("sex,town,job\n" + "".join(rows * 30))
    fields = [
        {
            "name": name,
            "type": "string",
            "constraints": {"enum": list(enum), "required": True},
        }
        for name, enum in values.items()
    ]
    schema.write_text(json.dumps({"fields": fields}))

    context = chromium.new_context()
    with server(tmp_path / "one.log", launch=("-c", PAUSING_SERVER), at=at) as url:
        steward = Steward(context.new_page(), url)
        steward.upload(table)
        steward.wait_for_text("has 3 columns")
        steward.go_to_next("Domain")
        steward.open("Import or save a description")
        steward.upload(schema)
        steward.wait_for_text(re.compile("· 3 columns ·"))
        steward.go_to_next("Plan")
        steward.choose("Method", "Tree of pairs")
        steward.go_to_next("Release")
        steward.say_whose_data("people")
        steward.confirm_spend(1)
        steward.page.get_by_role("button", name="Release with epsilon 1").click()
        assert until(lambda: len(read_kept_parts()) == 3)
        for _ in range(2):
            steward.page.reload()
            steward.wait_for_text(re.compile("2 measured so far"))
        parts_before = read_kept_parts()
        kill_server(url)

    (tmp_path / "go").touch()
    with server(tmp_path / "two.log", launch=("-c", PAUSING_SERVER), at=at) as url:
        steward.go("Data")
        steward.wait_for_text(
            "Its release was interrupted after its spend (entry 2 of the ledger)"
        )
        steward.press("Open")
        steward.upload(table)
        steward.wait_for_text("It goes on in the step Release, and spends nothing more.")
        steward.go("Release")
        steward.press("Get the stored release")
        steward.wait_for_text("This release is stored")
    context.close()

    assert len(read_kept_parts()) > len(parts_before) == 3
    assert parts_before.items() <= read_kept_parts().items()


def read_kept_parts() -> dict[str, tuple[bytes, str] | None]:
    """What the ledger keeps of its one spend, by part; nothing before it."""
    ledger = open_ledger()
    entries = ledger.entries()
    store = Store(ledger.path, readonly=True)
    assert len(entries) < 2
    return {
        part: ledger.kept(entry, part)
        for entry in entries
        for part in store.parts(entry.number)
    }


AT_WORK = re.compile(r"^Drawing noise, stage 2 of 5 … ")
"""The stage after the spend."""


def kill_server(url: str) -> None:
    os.kill(int(process_of(url).name), signal.SIGKILL)
