"""``synth app``: which port, which place, and what Streamlit is called with."""

import http.client
import shutil
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import streamlit.web.cli
import uvicorn
from streamlit.web.server.starlette import starlette_server

from synth.cli import app, listening
from synth.cli.desktop import serve_app
from synth.cli.main import main
from synth.errors import ArgumentError
from tests import patience
from tests.cli.conftest import Line

ROOT = Path(__file__).parents[2]


def test_a_clone_serves_its_own_app() -> None:
    assert app.app_script() == ROOT / "app.py"


def test_an_installed_package_serves_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed package serves the app from its own folder, and refuses if that is
    missing.
    """
    package = tmp_path / "synth"
    (package / "served" / "pages").mkdir(parents=True)
    shutil.copy(ROOT / "app.py", package / "served")
    monkeypatch.setattr(app, "PACKAGE", package)
    assert app.app_script() == package / "served" / "app.py"
    shutil.rmtree(package / "served")
    with pytest.raises(
        ArgumentError, match=r"^This copy of Synth has no app; install it again"
    ):
        app.app_script()


def test_a_port_in_use_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """`synth app` on a port that somebody uses is refused in one sentence, which names
    another port.
    """
    with socket.socket() as occupied:
        occupied.bind((listening.HOST, 0))
        occupied.listen()
        port = occupied.getsockname()[1]
        assert main(["app", "--port", str(port), "--headless"]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(f"Port {port} is in use; name another with --port, such as ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x", "--port must be a number such as 1, 0.1 or 1/3, but it is 'x'."),
        ("0", "--port must be between 1 and 65535, but it is 0."),
        ("99999", "--port must be between 1 and 65535, but it is 99999."),
        ("8501.5", "--port must be a whole number, such as 8501, but it is 8501.5."),
    ],
)
def test_what_is_no_port_is_said(cli: Line, text: str, sentence: str) -> None:
    """A --port that is no whole number from 1 to 65535 is refused in one sentence."""
    assert cli("app", "--port", text) == (2, "", f"{sentence}\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--address", "example.org"),
            "--address must be an address of this machine, such as 127.0.0.1, or 0.0.0.0 for "
            "all of them.",
        ),
        (
            ("--address", "192.0.2.1"),
            "--address: this machine does not have the address 192.0.2.1.",
        ),
        (
            ("--base-path", "a b"),
            "--base-path must be a path such as synth or tools/synth, of letters, digits, "
            '"-", "_" and ".".',
        ),
        (
            ("--base-path", "../synth"),
            "--base-path must be a path such as synth or tools/synth, of letters, digits, "
            '"-", "_" and ".".',
        ),
    ],
)
def test_what_is_no_address_and_no_path_is_said(
    cli: Line, words: tuple[str, str], sentence: str
) -> None:
    assert cli("app", "--headless", *words) == (2, "", f"{sentence}\n")


def test_streamlit_serves_on_a_port_that_is_bound_before_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody else can bind the port between its choice and Streamlit's start."""
    called: list[tuple[str, list[str]]] = []
    refused: list[str] = []  # who else tried to bind the port, once it is taken
    with patience.port() as port:

        def run(prog_name: str, **_options: object) -> None:  # in place of Streamlit
            called.append((prog_name, list(app.sys.argv)))
            listener, address = starlette_server._bind_server_socket("", "", 0, 0)
            assert (address, *listener.getsockname()) == (
                listening.HOST,
                listening.HOST,
                port,
            )
            with pytest.raises(OSError, match="in use"):
                listening.listen(port)
            refused.append("another account")

        # `main` replaces these two for its process; the test restores them at its end.
        original = starlette_server._bind_server_socket
        monkeypatch.setattr(starlette_server, "_bind_server_socket", original)
        monkeypatch.setattr(uvicorn, "Config", uvicorn.Config)
        monkeypatch.setattr(streamlit.web.cli, "main", run)
        monkeypatch.setattr(app.sys, "argv", ["synth"])
        assert main(["app", "--port", str(port), "--headless"]) == 0
    assert refused
    words = app.command_line(ROOT / "app.py", port, headless=True)
    assert called == [("streamlit", words)]
    assert "--server.showEmailPrompt false" in " ".join(words)
    assert f"http://127.0.0.1:{port}" in capsys.readouterr().out


def test_a_streamlit_that_binds_its_socket_elsewhere_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A version of Streamlit that lacks the function that Synth replaces is refused.

    Otherwise Streamlit would bind a port that others can take before it.
    """
    monkeypatch.delattr(starlette_server, "_bind_server_socket")
    monkeypatch.setattr(uvicorn, "Config", uvicorn.Config)
    monkeypatch.setenv("WEBSOCKETS_MAX_LINE_LENGTH", "8192")
    with listening.listen(0) as listener, pytest.raises(ArgumentError, match="does not fit"):
        listening.serve_on(listener, [])


def test_the_largest_upload_is_what_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment variable SYNTH_UPLOAD_MB sets Streamlit's limit for uploaded files."""
    monkeypatch.setenv("SYNTH_UPLOAD_MB", "2048")
    words = app.command_line(ROOT / "app.py", 8765, headless=True)
    assert words[words.index("--server.maxUploadSize") + 1] == "2048"


@pytest.mark.slow
def test_it_answers_below_a_path_and_keeps_its_guards_there() -> None:
    """With a base path and an open address, the app answers below the path only, for its own
    names only; interfaces that its pages do not use stay closed, and files of unknown
    sessions are refused.
    """
    with patience.port() as port:
        command = [sys.executable, "-m", "synth", "app", "--headless", "--port", str(port)]
        command += ["--base-path", "/tools/synth/", "--address", "0.0.0.0"]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                assert f"http://0.0.0.0:{port}/tools/synth " in server.stdout.readline()
                assert "sign-in" in server.stdout.readline()
                health = "/tools/synth/_stcore/health"
                assert patience.until(
                    lambda: _is_listening(port) and _ask(port, health) == 200
                )
                assert _ask(port, "/tools/synth/") == 200  # the page itself
                assert _ask(port, "/tools/synth/_stcore/metrics") == 404
                assert _ask(port, "/_stcore/health") == 404
                assert _ask(port, "/tools/synth/", host="evil.example") == 403
                upload = "/tools/synth/_stcore/upload_file/nobody/file"
                assert _ask(port, upload, method="PUT") >= 400
            finally:
                server.terminate()


def _is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _ask(port: int, path: str, *, host: str = "127.0.0.1", method: str = "GET") -> int:
    """Return the HTTP status that the app answers with."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience.SECONDS)
    with closing(connection):
        connection.request(method, path, headers={"Host": host})
        return connection.getresponse().status


@pytest.mark.slow
def test_it_answers_whatever_cookies_other_ports_have_set() -> None:
    """The app answers a request whose cookies are as many and as long as a browser keeps.

    Other ports of this machine share its cookies, so another program can set them. The app
    must answer both for a page and for the connection of the page, a WebSocket.
    """
    planted = "; ".join(f"c{number}={'x' * 4_000}" for number in range(180))
    agent = {"Cookie": f"{planted}; _streamlit_xsrf=planted; synth_browser=planted"}
    with serve_app() as address:
        port = int(address.rpartition(":")[2])
        connection = http.client.HTTPConnection(
            listening.HOST, port, timeout=patience.SECONDS
        )
        connection.request("GET", "/", headers=agent)
        response = connection.getresponse()
        assert (response.status, b"<html" in response.read()) == (200, True)
        assert response.getheader("set-cookie") is None

        upgrade = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Origin": address,
            "Sec-WebSocket-Protocol": "streamlit, PLACEHOLDER_AUTH_TOKEN",
        }
        connection.request("GET", "/_stcore/stream", headers={**agent, **upgrade})
        assert connection.sock is not None
        # Status 101: the server switches from HTTP to the WebSocket protocol.
        assert connection.sock.recv(15).startswith(b"HTTP/1.1 101 ")
        connection.close()
