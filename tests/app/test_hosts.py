"""The doorman: which names are answered, by what kind of request, and with which headers."""

import re
import threading
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.web.server.app_discovery import discover_asgi_app
from streamlit.web.server.starlette.starlette_app import create_streamlit_routes

from pages.ui.shell import hosts, serving
from synth.cli.app import command_line
from tests.app.loops import await_result
from tests.patience import SECONDS
from tests.tables import ROOT


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8501",
        "127.0.0.1:8501",
        "127.0.0.1:9000",
        "[::1]:8501",
        "localhost.",
    ],
)
def test_loopback_names_are_answered(host: str) -> None:
    """The server answers requests that name this machine as their host, at any port."""
    assert hosts.is_answered(host, None)


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "evil.example:8501",
        "127.0.0.1.evil.example:8501",
        "localhost.evil.example",
        "localhost@evil.example",
        "evil.example/localhost",
        "::1",
        "0.0.0.0:8501",
        "127.0.0.2",
        "localhost:8501, evil.example",
        "localhost:",
        "localhost:x",
        " localhost",
        "2130706433",
        "[::ffff:127.0.0.1]",
        "*",
    ],
)
def test_other_names_are_not(host: str | None) -> None:
    """The server answers no request for another host, so that no other name can lead to it.

    The cases are other names, names that only contain localhost, other addresses of this
    machine, and invalid ones.
    """
    assert not hosts.is_answered(host, None)


@pytest.mark.parametrize(
    ("origin", "is_own_page"),
    [
        ("http://localhost:8501", True),
        ("https://localhost:8501", True),
        ("http://localhost:3000", False),
        ("http://127.0.0.1:8501", False),
        ("http://evil.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_pages_of_other_servers_are_not_answered(origin: str, is_own_page: bool) -> None:
    """A request is answered only if the page that sends it (its origin) has the same host and
    port.
    """
    assert hosts.is_answered("localhost:8501", origin) is is_own_page


def test_names_may_be_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator can add names under which the server answers; ports and invalid entries
    are dropped. A page of such a name may also call a local address, as it does behind a
    proxy.
    """
    monkeypatch.setenv("SYNTH_HOSTS", "Synth.example.org, synth.local:8501,, evil.example/x")
    names = hosts.names()
    assert names == ("synth.example.org", "synth.local")

    assert hosts.is_answered("synth.example.org", "https://synth.example.org", names)
    assert hosts.is_answered(
        "127.0.0.1:8501", "https://synth.example.org", names
    )  # by a proxy
    assert not hosts.is_answered("evil.example", None, names)


def doorman_replies(
    kind: str, *headers: tuple[bytes, bytes], path: str = "/"
) -> list[dict[str, Any]]:
    """What the doorman sends for a request; the server behind it says 200."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def server(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": f"{kind}.response.start", "status": 200, "headers": []})

    await_result(
        hosts.Doorman(server)({"type": kind, "headers": headers, "path": path}, None, send)
    )
    return sent


def test_who_is_refused_gets_one_sentence() -> None:
    """A request for another name than the server's is answered with status 403 and one
    sentence.
    """
    start, body = doorman_replies("http", (b"host", b"evil.example"))
    assert start["status"] == 403
    assert body["body"].decode() == (
        "Synth does not answer under this name. The operator of the server may add it to "
        "SYNTH_HOSTS.\n"
    )


def test_a_websocket_is_closed_before_it_opens() -> None:
    assert doorman_replies("websocket", (b"host", b"evil.example")) == [
        {"type": "websocket.close", "code": 1008}
    ]


def test_two_names_are_as_bad_as_a_wrong_one() -> None:
    """A request with two hosts or two origins is refused, even if the first of them is right.

    Servers might differ in which of the two counts.
    """
    twice = doorman_replies("http", (b"host", b"localhost"), (b"host", b"evil.example"))
    assert twice[0]["status"] == 403

    origins = ((b"origin", b"http://localhost"), (b"origin", b"http://evil.example"))
    assert doorman_replies("http", (b"host", b"localhost"), *origins)[0]["status"] == 403


def test_of_the_doors_of_streamlit_only_those_of_the_pages_are_open() -> None:
    """The doorman answers 404 to every path of Streamlit that no page of Synth needs.

    A later version of Streamlit that brings another path is noticed here.
    """
    runtime = Runtime(
        RuntimeConfig(
            str(ROOT / "app.py"),
            None,
            MemoryMediaFileStorage("/media"),
            MemoryUploadedFileManager(""),
        )
    )
    try:
        paths = {
            str(getattr(route, "path", "")) for route in create_streamlit_routes(runtime)
        }
    finally:
        # Streamlit allows one runtime for each process: make room for other tests.
        Runtime._instance = None

    host = (b"host", b"localhost")
    shut = {
        path for path in paths if doorman_replies("http", host, path=path)[0]["status"] == 404
    }
    agent = {f"/_stcore/agent/{name}" for name in ("interact", "mcp", "openapi.json")}

    assert shut == {*agent, "/_stcore/metrics"}

    assert paths - shut == {
        *(f"/_stcore/{door}" for door in ("health", "host-config", "stream")),
        *(
            "/_stcore/upload_file/{session_id}/{file_id}",
            "/_stcore/bidi-components/{path:path}",
        ),
        *("/media/{file_id:path}", "/component/{path:path}"),
        *("/auth/login", "/auth/logout", "/oauth2callback", ""),
    }

    # Paths that Streamlit does not have yet are shut as well.
    for path in ("/_stcore", "/_stcore/", "/_stcore/new", "/synth/_stcore/metrics", *agent):
        assert doorman_replies("http", host, path=path)[0]["status"] == 404
        assert doorman_replies("websocket", host, path=path)[0]["type"] == "websocket.close"


def test_newer_doors_of_streamlit_are_pinned_shut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Features of Streamlit that open further paths are off, in the settings and on the
    command line. A variable of the environment cannot turn them on. The requirements allow
    only the minor version whose paths were tested.
    """
    pinned = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["server"]
    for door in ("enableAgentApi", "scriptHealthCheckEnabled", "enableStaticServing"):
        assert pinned[door] is False
        monkeypatch.setenv("STREAMLIT_SERVER_ENABLE_AGENT_API", "true")
        words = command_line(ROOT / "app.py", 8501, headless=True)
        assert words[words.index(f"--server.{door}") + 1] == "false"

    (streamlit,) = re.findall(
        "^streamlit (.+)$", (ROOT / "requirements.txt").read_text(), re.M
    )
    major, minor, _ = map(int, version("streamlit").split("."))
    assert streamlit == f">={major}.{minor}, <{major}.{minor + 1}"


def test_pages_may_load_from_this_server_alone() -> None:
    """The content security policy lets pages load scripts and everything else from this
    server only.
    """
    (start,) = doorman_replies("http", (b"host", b"localhost"))
    policy = dict(start["headers"])[b"content-security-policy"].decode()
    assert policy.startswith("default-src 'none'; ")
    assert "http" not in policy
    assert "*" not in policy
    assert "unsafe-eval" not in policy
    assert "script-src 'self' blob:;" in policy


def test_a_server_ends_after_its_releases() -> None:
    """A server that is stopped waits for the threads of its releases, so that a paid release
    is completed. The thread ends 0.2 seconds after the server was told to stop. The job uses
    that thread name, and the app uses that lifespan.
    """
    release_ended = threading.Event()
    work = threading.Thread(target=lambda: release_ended.wait(SECONDS), name=serving.RELEASE)

    async def life() -> None:
        async with serving.to_the_end(None):
            work.start()
            threading.Timer(0.2, release_ended.set).start()

    await_result(life())
    assert release_ended.is_set()
    assert not work.is_alive()

    text = (ROOT / "pages" / "ui" / "shell" / "job.py").read_text()
    assert "Thread(target=self._run, name=RELEASE)" in text
    assert "lifespan=serving.to_the_end" in (ROOT / "app.py").read_text()


def test_streamlit_serves_the_app_by_the_doorman() -> None:
    """`streamlit run app.py` finds the guarded app in the file, with its guards in this
    order. Without that, Streamlit would serve the pages unguarded.
    """
    discovered = discover_asgi_app(ROOT / "app.py")
    assert discovered.import_string == "app:app"

    text = Path(ROOT / "app.py").read_text()
    guards = re.findall(r"Middleware\((\w+\.\w+)", text)
    assert guards == [
        *("hosts.Doorman", "window.Window", "pace.Pace", "cookies.Cookies", "uploads.Quota")
    ]
