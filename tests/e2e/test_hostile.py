"""A whole run over a hostile table, declaration and bundle: no request leaves the app's
server.
"""

import csv
import json
import re
import threading
import urllib.request
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Request,
    expect,
)

from tests.e2e.browser import Steward, place_of, server

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TABS = ("Columns", "Pairs", "Groups", "Details")

LINKS = """() => [...document.querySelectorAll('a, area, img, iframe, object, embed, link, use')]
  .flatMap(e => ['href', 'src', 'data', 'xlink:href'].map(name => e.getAttribute(name)))
  .filter(at => at && !/^(data|blob):/.test(at))
  .filter(at => !URL.canParse(at, document.baseURI)
    || new URL(at, document.baseURI).origin !== location.origin)"""  # noqa: E501
"""What a page links to, or shows, from elsewhere."""


@pytest.fixture
def beacon() -> Iterator[tuple[str, list[str]]]:
    """A server elsewhere, and what it was asked for."""
    requests: list[str] = []

    class Counted(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Counted)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_port}", requests
    listening.shutdown()
    listening.server_close()


def hostile_column_names(elsewhere: str) -> dict[str, list[str]]:
    """Names and categories that each try something."""
    return {
        f"![x]({elsewhere}/name)": [
            f"<img src='{elsewhere}/cell'>",
            "[a](javascript:alert(1))",
        ],
        f"<a href='{elsewhere}/a'>b</a>": ["http://evil.example/x", "www.evil.example"],
        ":material/home: :smile: :red[r]": [
            rf"$\href{{{elsewhere}/tex}}{{x}}$",
            "eve@evil.example",
            "\u202egpj.exe",
        ],
        "%{x}&lt;b&gt;|`#": ["1. <script>alert(1)</script>", "9" + "x" * 9_900],
    }


def write_hostile(folder: Path, elsewhere: str) -> tuple[Path, Path]:
    """The table and its declaration, named as badly as files can be."""
    hostile_columns = hostile_column_names(elsewhere)
    person = f"who ![p]({elsewhere}/person)"
    table = folder / "![f](www.evil.example) eve@evil.example <b>.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow([*hostile_columns, person])
        for i in range(240):
            cells = [
                values[i // (j + 1) % len(values)]
                for j, values in enumerate(hostile_columns.values())
            ]
            rows.writerow([*cells, f"p{i % 80}"])
    fields = [
        {
            "name": name,
            "type": "string",
            "description": f"![d]({elsewhere}/about) www.evil.example",
            "categories": [
                {"value": v, "label": f"![l]({elsewhere}/label) {v}"} for v in values
            ],
        }
        for name, values in hostile_columns.items()
    ]
    declaration = folder / "declared.json"
    declaration.write_text(
        json.dumps({"fields": fields, "missingValues": [""]}), encoding="utf-8"
    )
    return table, declaration


class Watched:
    """A steward whose every request is watched."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.outside: list[str] = []
        self.origin = url
        context.on("request", self._requested)
        self.steward = Steward(context.new_page(), url)

    @property
    def page(self) -> Page:
        return self.steward.page

    def _requested(self, request: Request) -> None:
        mine = (
            f"{self.origin}/",
            self.origin.replace("http", "ws"),
            "data:",
            "blob:",
            "file:",
        )
        if not request.url.startswith(mine):
            self.outside.append(request.url)

    def looks(self) -> None:
        """Unfold all, point at all pictures; nothing is linked, loaded or in trouble."""
        self.steward.wait_until_idle()
        self.unfolds()
        self.steward.wait_until_idle()
        self.steward.wait_for_charts()
        self.hovers()
        assert self.page.evaluate(LINKS) == []
        assert self.page.get_by_test_id("stException").count() == 0
        assert not re.search("Traceback|did not expect", self.page.inner_text("body"))

    def unfolds(self) -> None:
        """Open what is folded; a panel that is drawn anew meanwhile is opened again."""
        self.page.wait_for_function(
            """() => {
              const folded = document.querySelectorAll(
                '[data-testid=stMain] details:not([open]) > summary')
              folded.forEach(each => each.click())
              return !folded.length
            }""",
            polling=500,
        )

    def hovers(self) -> None:
        """Point at three places of each picture, where labels appear; none of them links
        elsewhere.
        """
        self.page.wait_for_timeout(300)  # pictures take their last size after they are drawn
        pictures = self.page.locator(".js-plotly-plot .nsewdrag:visible")
        number = 0
        while number < pictures.count():  # one that is drawn anew is gone for a moment
            box = place_of(pictures.nth(number))
            number += 1
            for share in (0.1, 0.5, 0.9):
                at = box["x"] + share * box["width"], box["y"] + 0.9 * box["height"]
                self.page.mouse.move(*at)
                self.page.wait_for_timeout(20)
            assert self.page.evaluate(LINKS) == []


def release_and_watch(watched: Watched, table: Path, declaration: Path) -> Path:
    """From the upload to the bundle, looking at everything on the way."""
    steward = watched.steward
    page = watched.page
    steward.upload(table)
    steward.wait_for_text(re.compile(r"has 5 columns"))
    steward.choose("Whose row is it?", "The column 'who")
    watched.looks()
    steward.go_to_next("Domain")
    steward.open("Import or save a description")
    steward.upload(declaration)
    steward.wait_for_text(re.compile("· 4 columns ·"))
    watched.looks()
    steward.go_to_next("Plan")
    steward.say_rows(240)
    steward.open("Advanced")
    steward.choose("Method", "Histogram of all")
    watched.looks()
    steward.go_to_next("Release")
    watched.looks()
    steward.spend(1)
    watched.looks()
    steward.go_to_next("Compare")
    watched.looks()
    steward.press("Compare with the confidential table")
    steward.wait_for_text(re.compile("^Single columns: "))
    for number, name in enumerate(TABS):
        tab = page.get_by_role("tab", name=name, exact=True)
        if number:  # the first is there already
            with steward.waiting_for_rerun():
                tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        watched.looks()
    with steward.waiting_for_rerun():
        page.get_by_role("radio", name="Where the error comes from").click()
    watched.looks()
    steward.go_to_next("Download")
    watched.looks()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("^Download bundle")).click()
    bundle = table.with_name("bundle.zip")
    waiting.value.save_as(bundle)
    return bundle


def open_bundle_and_watch(watched: Watched, bundle: Path) -> None:
    """Open the bundle as somebody else would, and see all it brings."""
    steward = watched.steward
    steward.open_bundle(bundle)
    watched.looks()
    steward.go("Download")
    watched.looks()
    watched.page.get_by_role("link", name="Ledger").click()
    steward.wait_for_text("Every spend, in exact numbers")
    watched.looks()


def read_page_and_watch(watched: Watched, bundle: Path) -> None:
    """Open the bundle's page from the disk, and let it check the bundle."""
    with zipfile.ZipFile(bundle) as archive:
        opened = Path(archive.extract("open.html", bundle.parent))
    page = watched.page
    page.goto(opened.as_uri())
    page.get_by_label("Zip file of the bundle").set_input_files(bundle)
    expect(page.get_by_text("Nothing that this page can check is refuted.")).to_be_visible()
    assert page.locator("[src]").count() == 0
    links = page.locator("[href]").all()
    assert all(str(link.get_attribute("href")).startswith("#") for link in links)


def test_no_request_leaves_the_server(
    chromium: Browser,
    beacon: tuple[str, list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever names a table has, no browser asks another server, on any page or in
    the bundle's own.

    Names, categories and labels hold addresses of `beacon`, a second server. A steward
    releases the table, a second one opens the bundle, a third reads its page from the disk.
    The beacon is never asked, and no browser tries.
    """
    elsewhere, requests = beacon
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    table, declaration = write_hostile(tmp_path, elsewhere)
    with server(tmp_path / "log.txt") as url:
        contexts = [chromium.new_context(accept_downloads=True) for _ in range(3)]
        releaser, opener, reader = (Watched(context, url) for context in contexts)
        bundle = release_and_watch(releaser, table, declaration)
        open_bundle_and_watch(opener, bundle)
        read_page_and_watch(reader, bundle)
        with urllib.request.urlopen(f"{url}/_stcore/health") as answer:
            assert answer.read() == b"ok"
        for context in contexts:
            context.close()

    assert releaser.outside + opener.outside + reader.outside + requests == []
    assert "Traceback" not in (tmp_path / "log.txt").read_text()
