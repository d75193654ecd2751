"""Databases that the server's operator names: picked in a browser, and nothing else is
reached.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from tests.e2e.browser import Steward, server

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the databases and the log of the server."""
    return tmp_path_factory.mktemp("sources")


@pytest.fixture(scope="module")
def sources(folder: Path) -> Iterator[str]:
    """A server with two sources; a third file and a view are offered to nobody."""
    for name in ("clinic", "registry", "hidden"):
        with closing(sqlite3.connect(folder / f"{name}.sqlite")) as file:
            file.execute("CREATE TABLE people (name TEXT)")
            file.execute("CREATE TABLE visits (sex TEXT)")
            file.execute("INSERT INTO visits VALUES ('f')")
            file.execute("CREATE VIEW hidden AS SELECT 1 / 0 AS q FROM people")
            file.commit()
    with pytest.MonkeyPatch.context() as patch:
        places = ";".join(f"{name}={folder}/{name}.sqlite" for name in ("clinic", "registry"))
        patch.setenv("SYNTH_SOURCES", places)
        patch.setenv("SYNTH_HOME", str(folder / "home"))
        with server(folder / "log.txt") as url:
            yield url


def list_tables(steward: Steward) -> None:
    """Choose the database 'registry' on the page, and have its tables listed."""
    steward.open("Use a database")
    steward.choose("Database", "registry")
    steward.press("Show its tables")


def test_a_steward_picks_source_schema_and_table(
    sources: str, chromium: Browser, folder: Path
) -> None:
    """A steward picks a database, a schema and a table from lists, and cannot type a path.

    Typing the path of another database leaves a table of the list chosen. Where the database
    lies appears neither on the page or in its address, nor in what the server keeps or logs.
    """
    steward = Steward(chromium.new_context().new_page(), sources)
    page = steward.page
    list_tables(steward)
    expect(page.get_by_role("combobox", name="Schema")).to_have_value("main")

    table = page.get_by_role("combobox", name="Table", exact=True)
    table.focus()
    table.fill(f"{folder}/hidden.sqlite")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(table).to_have_value(re.compile("^(people|visits)$"))

    steward.choose("Table", "visits")
    steward.press("Use this table")
    steward.wait_for_text("registry: main.visits")

    assert str(folder) not in page.content()
    assert "?" not in page.url
    page.context.close()
    for path in (*(folder / "home").rglob("*"), folder / "log.txt"):
        assert (
            not path.is_file() or str(folder / "registry").encode() not in path.read_bytes()
        )


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"visits", b"hidden"), (b"registry", b"nothings")],
    ids=["a view that is not offered", "a database that is none"],
)
def test_a_browser_that_sends_other_names_reaches_nothing(
    sources: str, chromium: Browser, before: bytes, after: bytes
) -> None:
    """A browser that sends the name of a table or database it was not offered reaches
    nothing.

    All that it sends passes through a WebSocket route that replaces ``before`` by ``after``.
    One case asks for the view "hidden", which no list offers; the other for a database that
    is none.
    """
    page = chromium.new_context().new_page()
    changed = []

    def listen(socket: WebSocketRoute) -> None:
        target = socket.connect_to_server()

        def send(message: str | bytes) -> None:
            if isinstance(message, bytes) and before in message:
                changed.append(message)
                message = message.replace(before, after)
            target.send(message)

        socket.on_message(send)

    page.route_web_socket(re.compile("_stcore/stream"), listen)
    steward = Steward(page, sources)
    list_tables(steward)
    if before == b"visits":
        steward.choose("Table", "visits")
        steward.press("Use this table")

    assert changed  # so the browser did send another name
    expect(page.get_by_text(after.decode())).to_have_count(0)
    page.context.close()
