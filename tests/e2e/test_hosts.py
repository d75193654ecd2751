"""A name that is bound anew to this machine: every kind of request, before any page was
drawn.
"""

import http.client
import re
import socket
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e import browser as drive
from tests.patience import SECONDS

pytestmark = pytest.mark.browser

REQUESTS = (
    ("GET", "/"),
    ("GET", "/ledger"),
    ("GET", "/favicon.png"),
    ("GET", "/_stcore/health"),
    ("GET", "/_stcore/host-config"),
    ("GET", "/_stcore/agent/openapi.json"),
    ("GET", "/_stcore/agent/mcp"),
    ("GET", "/media/0123456789abcdef.csv"),
    ("PUT", "/_stcore/upload_file/session/file"),
    ("DELETE", "/_stcore/upload_file/session/file"),
    ("OPTIONS", "/_stcore/upload_file/session/file"),
)


def request_status(url: str, method: str, path: str, host: str) -> tuple[int, str]:
    """The status and the text of the answer to a request that names a host."""
    with closing(
        http.client.HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)
    ) as connection:
        connection.request(method, path, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read().decode("latin-1")


def handshake_status(url: str, host: str, origin: str | None) -> int:
    """The status a raw WebSocket handshake gets; 101 if it is let in."""
    at = urlsplit(url)
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: streamlit",
    ]
    if origin:
        lines.append(f"Origin: {origin}")
    with socket.create_connection((str(at.hostname), int(at.port or 0)), SECONDS) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode())
        return int(line.recv(1024).split()[1])


@pytest.mark.parametrize(("method", "path"), REQUESTS)
def test_another_name_is_refused(app_url: str, method: str, path: str) -> None:
    """Under a host name that is not its own, the server answers no request, whatever its
    kind.

    A web page may bind its own name to this machine (DNS rebinding), and a browser would then
    let it read the app. The same requests are let in under localhost.
    """
    port = urlsplit(app_url).port
    status, answer = request_status(app_url, method, path, f"evil.example:{port}")
    assert status == 403
    assert answer.startswith("Synth does not answer under this name.")

    status, answer = request_status(app_url, method, path, f"localhost:{port}")
    assert "Synth does not answer" not in answer  # though an upload lacks its token, say


def test_the_websocket_is_for_pages_of_this_server(app_url: str) -> None:
    """Only a page of this host and port may open the WebSocket, by which all of the app runs.

    It is let in (status 101). Another host, another origin or port, and the origin "null" of
    pages without an address get 403.
    """
    mine = urlsplit(app_url).netloc
    port = urlsplit(app_url).port

    assert handshake_status(app_url, mine, app_url) == 101
    assert (
        handshake_status(app_url, f"evil.example:{port}", f"http://evil.example:{port}")
        == 403
    )
    assert handshake_status(app_url, f"evil.example:{port}", None) == 403
    assert handshake_status(app_url, mine, f"http://evil.example:{port}") == 403
    assert handshake_status(app_url, mine, "http://127.0.0.1:1") == 403
    assert handshake_status(app_url, mine, "null") == 403


@pytest.fixture
def rebound_url(app_url: str) -> str:
    """The app under a name that is bound to this machine, in a browser that binds it so."""
    return app_url.replace("127.0.0.1", "evil.example")


RULES = "--host-resolver-rules=MAP *.example 127.0.0.1"
"""An option of Chromium, for which every name that ends in .example is then this machine."""


@pytest.mark.slow
def test_a_browser_that_was_rebound_gets_nothing(
    rebound_url: str, chromium: Browser, app_log: Path
) -> None:
    """A page whose name was bound to this machine later (DNS rebinding) is refused.

    The browser takes evil.example for this machine (`RULES`). Neither the page nor a script
    of it gets more than 403.
    """
    with drive.launched(chromium.browser_type, RULES) as mapped:
        page = mapped.new_page()
        page.set_default_timeout(drive.PATIENCE)
        answer = page.goto(rebound_url)
        assert answer is not None
        assert answer.status == 403
        expect(page.get_by_text("Synth does not answer under this name.")).to_be_visible()
        assert page.evaluate("fetch('/_stcore/health').then(answer => answer.status)") == 403
    assert "Traceback" not in app_log.read_text()


@pytest.mark.slow
def test_a_name_that_was_given_is_answered(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a name that the operator lists in SYNTH_HOSTS, the app works as under its own."""
    monkeypatch.setenv("SYNTH_HOSTS", "synth.example")
    running = drive.launched(chromium.browser_type, RULES)
    with drive.server(tmp_path / "log.txt") as url, running as mapped:
        steward = drive.Steward(mapped.new_page(), url.replace("127.0.0.1", "synth.example"))
        steward.press("Use the simulated survey")
        steward.wait_for_text(re.compile("has 11 columns"))
