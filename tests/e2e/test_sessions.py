"""Who gets a session's table: the same browser at the same address, and nobody else."""

import http.client
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from pages.ui.shell.home import open_ledger
from tests.e2e.browser import PATIENCE, Steward, server
from tests.e2e.test_trust import release_bundle, write_table
from tests.patience import SECONDS, port, until

pytestmark = pytest.mark.browser


@contextmanager
def listener() -> Iterator[tuple[str, list[str]]]:
    """Another server of this machine, and the cookies that browsers send it.

    Browsers send a cookie of one port of a host to all its ports.
    """
    sent: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", sent
        server.shutdown()


@pytest.mark.slow
def test_another_server_of_this_machine_cannot_open_the_table_of_a_closed_tab(
    chromium: Browser, app_url: str, tmp_path: Path
) -> None:
    """Whoever gets the cookies of a browser does not get the table of its closed tab.

    Another server of this machine is sent the cookies of the app, as browsers do not tell
    ports apart. A browser with these cookies sees no table; the owner's browser finds it
    again.
    """
    table, _ = write_table(tmp_path, "people", "sex", ("F", "M"))
    context = chromium.new_context()
    steward = Steward(context.new_page(), app_url)
    steward.upload(table)
    steward.wait_for_text("has 1 column")

    with listener() as (url, sent):
        context.new_page().goto(url)
        assert until(lambda: sent)
    cookies = [pair.split("=", 1) for pair in sent[0].split("; ")]
    assert cookies  # they go to every port, whatever a server does
    steward.page.close()

    thief = chromium.new_context()
    thief.add_cookies(
        [{"name": name, "value": value, "url": app_url} for name, value in cookies]
    )
    robbed = Steward(thief.new_page(), app_url)
    expect(robbed.page.get_by_text("has 1 column")).to_have_count(0)
    expect(robbed.page.get_by_text("people.csv")).to_have_count(0)
    thief.close()

    Steward(context.new_page(), app_url).wait_for_text("has 1 column")
    context.close()


@pytest.mark.slow
def test_cookies_that_another_port_plants_hide_nothing(
    chromium: Browser, app_url: str, tmp_path: Path
) -> None:
    """Cookies that another server of this machine sets do not keep a browser from its table.

    They take the names of the app's own cookies, and no script of the app can read or remove
    them. They change between two visits, and the second visit still finds the table.
    """
    table, _ = write_table(tmp_path, "people", "sex", ("F", "M"))
    context = chromium.new_context()
    names = ("synth_browser", "_streamlit_xsrf", "other")
    for value in ("first", "second"):
        planted = [
            {"name": name, "value": value, "url": app_url, "httpOnly": True} for name in names
        ]
        context.add_cookies(planted)  # type: ignore[arg-type]
        steward = Steward(context.new_page(), app_url)
        if value == "first":
            steward.upload(table)
        steward.wait_for_text("has 1 column")
        steward.page.close()
    context.close()


@pytest.mark.slow
def test_a_browser_that_stores_nothing_is_let_in_and_not_known_again(
    chromium: Browser, app_url: str, tmp_path: Path
) -> None:
    """A browser without storage can use the app, and begins anew after a reload.

    The script makes every access to the storage fail, as some private windows do. The app
    knows a browser by what it stored there.
    """
    table, _ = write_table(tmp_path, "people", "sex", ("F", "M"))
    context = chromium.new_context()
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw 1 }})"
    )
    steward = Steward(context.new_page(), app_url)
    steward.upload(table)
    steward.wait_for_text("has 1 column")

    steward.page.reload()
    steward.wait_for_step("Data")
    expect(steward.page.get_by_text("Nothing chosen yet.")).to_be_visible()
    context.close()


@pytest.mark.slow
def test_a_file_that_there_is_no_room_for_is_refused_in_words(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upload beyond one person's limit is refused in a sentence, not by an error of the
    browser.

    The limit is 1 MB here, and the table has twice as much: 2^20 lines of two bytes.
    """
    monkeypatch.setenv("SYNTH_PERSON_MB", "1")
    table = tmp_path / "people.csv"
    table.write_text("sex\n" + "F\n" * 2**20)
    with server(tmp_path / "log.txt") as url:
        steward = Steward(chromium.new_context().new_page(), url)
        steward.upload(table)
        steward.wait_for_text(
            "Refused: the file is larger than this server's limit, or your uploads"
        )
        expect(steward.page.get_by_text("AxiosError")).to_have_count(0)


@contextmanager
def open_session(url: str, cookies: str = "") -> Iterator[str]:
    """The name of a session, once its first page is drawn for a client that is no browser."""
    address = f"{url.replace('http', 'ws')}/_stcore/stream"
    headers = {"Cookie": cookies} if cookies else {}
    tokens = re.findall("_streamlit_xsrf=([^;]+)", cookies)
    with connect(
        address, origin=url, subprotocols=["streamlit", *tokens], additional_headers=headers
    ) as line:  # type: ignore[arg-type, list-item]
        line.send(BackMsg(rerun_script={}).SerializeToString())
        message = ForwardMsg()
        name = ""
        while message.WhichOneof("type") != "script_finished":
            message.ParseFromString(bytes(line.recv(SECONDS)))  # type: ignore[arg-type]
            name = message.new_session.initialize.session_id or name
        yield name


def put_file(url: str, session: str, content: bytes) -> tuple[int, str]:
    """Hand a file to the server as its pages do."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)
    connection.request("GET", "/_stcore/health")
    answer = connection.getresponse()
    answer.read()
    cookie = str(answer.getheader("set-cookie")).partition(";")[0]
    body = (
        b'--x\r\nContent-Disposition: form-data; name="f"; filename="t.csv"\r\n\r\n'
        + content
        + b"\r\n--x--\r\n"
    )
    headers = {
        "Cookie": cookie,
        "X-Xsrftoken": cookie.partition("=")[2],
        "Content-Type": "multipart/form-data; boundary=x",
    }
    connection.request("PUT", f"/_stcore/upload_file/{session}/f", body, headers)
    answer = connection.getresponse()
    reply = answer.status, answer.read().decode()
    connection.close()
    return reply


SECRETS = """[auth]
redirect_uri = "{app}/oauth2callback"
cookie_secret = "of this test"
client_id = "synth"
client_secret = "none"
server_metadata_url = "{provider}/.well-known/openid-configuration"
"""


@pytest.mark.slow
def test_who_has_not_signed_in_sends_no_file(tmp_path: Path) -> None:
    """Where people sign in, a session that has not done so may not upload a file.

    The configuration of the server (`SECRETS`) asks for it. A client that is no browser opens
    a session and sends 1 MB four times. Each time the answer is 403, with the reason.
    """
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(
        SECRETS.format(app="http://127.0.0.1:1", provider="http://127.0.0.1:2")
    )

    with server(tmp_path / "log.txt", options=("--secrets.files", str(secrets))) as url:
        with open_session(url) as name:
            answers = [put_file(url, name, bytes(2**20)) for _ in range(4)]

    assert {status for status, _ in answers} == {403}
    assert answers[0][1].startswith(
        "Synth takes files only from its own pages, after you have sig"
    )


PEOPLE = (
    {"sub": "ann", "email": "ann@example.org", "email_verified": True},
    {"sub": "bo", "email": "bo@example.org", "email_verified": True},
    {"sub": "eve", "email": "eve@example.org", "email_verified": True},
    {"sub": "mallory", "email": "ann@example.org", "email_verified": False},
)


@contextmanager
def identity_provider() -> Iterator[str]:
    """A provider of OpenID Connect that knows these people, at a name other than the
    app's.
    """
    with port() as at:
        words = ["-m", "oidc_provider_mock", "--port", str(at)]
        words += [word for person in PEOPLE for word in ("--user-claims", json.dumps(person))]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen([sys.executable, *words], stdout=quiet, stderr=quiet)
        try:
            assert until(lambda: is_answering(f"http://127.0.0.1:{at}"))
            yield f"http://localhost:{at}"
        finally:
            process.terminate()
            process.wait(SECONDS)


def is_answering(url: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(url, timeout=5):
        return True
    return False


@pytest.fixture
def signed_in_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The app, where Ann and Bo may come in by a provider."""
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SYNTH_USERS", "ann@example.org, bo@example.org")
    secrets = tmp_path / "secrets.toml"
    log = tmp_path / "log.txt"
    with identity_provider() as identity, port() as at:
        secrets.write_text(SECRETS.format(app=f"http://127.0.0.1:{at}", provider=identity))
        with server(log, at=at, options=("--secrets.files", str(secrets))) as url:
            yield url


def sign_in(context: BrowserContext, url: str, person: str) -> Page:
    """Sign in as one of `PEOPLE` in a new page, which is then open or says why not."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(url)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name=person, exact=True).click()
    page.wait_for_url(f"{url}/**")
    expect(page.get_by_role("button").or_(page.get_by_role("alert")).first).to_be_visible()
    return page


@pytest.mark.slow
def test_strangers_to_the_list_stay_outside(chromium: Browser, signed_in_app: str) -> None:
    """Who signs in and is not on the list of the server's users sees nothing and uploads
    nothing.

    Eve's address is not on the list. Mallory claims Ann's address, which the provider has not
    verified.
    """
    for person in ("eve", "mallory"):
        context = chromium.new_context()
        page = sign_in(context, signed_in_app, person)
        expect(page.get_by_text("is not on the list of this server's users")).to_be_visible()
        expect(page.get_by_test_id("stFileUploader")).to_have_count(0)
        cookies = "; ".join(
            f"{cooky['name']}={cooky['value']}" for cooky in context.cookies(signed_in_app)
        )
        with open_session(signed_in_app, cookies) as name:
            assert put_file(signed_in_app, name, b"sex\nF\n")[0] == 403
        context.close()


@pytest.mark.slow
def test_two_people_who_sign_in_are_apart(
    chromium: Browser, signed_in_app: str, tmp_path: Path
) -> None:
    """Of two people who sign in, neither sees the work of the other, even in the same
    browser.

    Whoever has a table finds its release, so Bo finds that of Ann's table, but not her
    project. The ledger says who spent what. When Ann signs in again, her work goes on.
    """
    table, schema = write_table(tmp_path, "people", "sex", ("F", "M"))
    other_table, others = write_table(tmp_path, "pets", "kind", ("cat", "dog"))
    hers = chromium.new_context()
    his = chromium.new_context()

    sign_in(hers, signed_in_app, "ann").close()
    ann = Steward(hers.new_page(), signed_in_app)
    release_bundle(ann, table, schema)
    ann.page.goto(f"{signed_in_app}/auth/logout")
    sign_in(hers, signed_in_app, "bo").close()  # the same browser, another person
    assert_nothing_of_people(Steward(hers.new_page(), signed_in_app))

    sign_in(his, signed_in_app, "bo").close()
    bo = Steward(his.new_page(), signed_in_app)
    assert_nothing_of_people(bo)
    release_bundle(bo, other_table, others)
    bo.go("Data")
    bo.upload(table)  # whoever has it finds its release, but not her project
    bo.wait_for_text("This table was released before: its declaration and plan are back.")
    expect(bo.page.get_by_text("This table has a project here")).to_have_count(0)
    spends = [(entry.by, entry.dataset) for entry in open_ledger().entries()]
    assert spends == [("ann@example.org", "people"), ("bo@example.org", "pets")]

    hers.pages[-1].goto(f"{signed_in_app}/auth/logout")
    sign_in(hers, signed_in_app, "ann").close()
    ann = Steward(hers.new_page(), signed_in_app)
    ann.wait_for_text("has 1 column: sex")  # her work goes on, though he was here in between
    ann.go("Release")
    ann.wait_for_text("This release is stored")
    hers.close()
    his.close()


def assert_nothing_of_people(steward: Steward) -> None:
    """The page knows nothing of the table people.csv, and no table is chosen."""
    expect(steward.page.get_by_text("people.csv")).to_have_count(0)
    expect(steward.page.get_by_text("Nothing chosen yet.")).to_be_visible()
