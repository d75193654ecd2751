"""``synth desktop``: one window, a server that ends with it, no process left behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from synth.cli import desktop
from synth.cli.desktop import LOCK, end, only_one, refuse_other_server, serve_app
from synth.cli.listening import Handover, listen, port_of, start_with
from synth.errors import ArgumentError
from tests import patience
from tests.cli.conftest import Line
from tests.e2e.browser import MISSING, chromium

ROOT = Path(__file__).parents[2]
MARK = "SYNTH_TEST_MARK"


def test_there_is_one_window(tmp_path: Path) -> None:
    """While a window of a home folder is open, a second one is refused;
    afterwards it is not.
    """
    sentence = r"^Synth is open in another window already; close that one first\.$"
    with only_one(tmp_path), pytest.raises(ArgumentError, match=sentence), only_one(tmp_path):
        pass
    with only_one(tmp_path):  # the lock is free again
        assert (tmp_path / LOCK).exists()


def test_a_home_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Line
) -> None:
    """If SYNTH_HOME cannot be a folder, here below a file, `desktop` says to set
    another one.
    """
    (tmp_path / "file").touch()
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "file" / "home"))
    assert "; set SYNTH_HOME to another folder." in cli.refusal("desktop")


@pytest.mark.slow
def test_a_server_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the app's server ends at once, here by an unknown option, the sentence says what to
    do.
    """
    monkeypatch.setattr(desktop, "WITH_PARENT", "--no-such-option")
    sentence = r"^The app does not start; `synth app` says why\.$"
    with pytest.raises(ArgumentError, match=sentence), serve_app():
        pass


class Other(BaseHTTPRequestHandler):
    """Another account's server: it answers whatever it is asked."""

    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(b"<title>Synth</title>the other's page")

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("status", [200, 404])
def test_no_other_server_is_shown(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No window opens on a server that does not know the secret of Synth's own server.

    It may be of another account that took the port; neither a page nor an error of it is
    shown.
    """
    monkeypatch.setattr(Other, "status", status)
    with HTTPServer(("127.0.0.1", 0), Other) as foreign_server:
        thread = threading.Thread(target=foreign_server.handle_request)
        thread.start()
        sentence = (
            "^Another program answers in place of Synth's server, so no window was opened"
        )
        with pytest.raises(ArgumentError, match=sentence):
            refuse_other_server(f"http://127.0.0.1:{foreign_server.server_port}", b"secret")
        thread.join()


@pytest.mark.slow
def test_nobody_else_gets_the_port_of_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """From before the server's start to the window's end, nobody else can bind its port.

    The port stands in no command line either, where other accounts could read it. Even a
    server that was killed does not free it.
    """
    started: list[tuple[list[str], subprocess.Popen[bytes]]] = []

    # Called in place of `start_with`: first another program tries to bind the port.
    def start(words: list[str], handover: Handover) -> "subprocess.Popen[bytes]":
        with pytest.raises(OSError, match="in use"):
            listen(port_of(handover.listener))
        started.append((words, start_with(words, handover)))
        return started[-1][1]

    monkeypatch.setattr(desktop, "start_with", start)
    with serve_app() as address:
        ((words, server),) = started
        port = int(address.rpartition(":")[2])
        assert not any(str(port) in word for word in words)
        with urllib.request.urlopen(address) as page:
            assert b"Streamlit" in page.read()

        server.kill()
        server.wait()
        with pytest.raises(OSError, match="in use"):
            listen(port)
    listen(port).close()  # the window is closed, and the port is free


def test_what_does_not_end_is_ended() -> None:
    """A process that has not ended within the given time, here 0.1 seconds, is killed."""
    words = [sys.executable, "-c", "import time; time.sleep(600)"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE)
    end(process, 0.1)
    assert process.poll() == -signal.SIGKILL


def test_installing_says_what_it_wrote(tmp_path: Path, cli: Line) -> None:
    """`desktop --install` prints the path of each launcher file that it wrote."""
    written = cli.output("desktop", "--install", "--out", str(tmp_path)).splitlines()
    assert written
    assert all(Path(line.removeprefix("Wrote ")).is_file() for line in written)


@contextmanager
def virtual_display() -> Iterator[dict[str, str]]:
    """A screen that nobody sees; without Xvfb the browser shows its window on none."""
    if shutil.which("Xvfb") is None:
        yield {}
        return
    words = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=quiet) as process:
        assert process.stdout is not None
        try:
            yield {"DISPLAY": f":{process.stdout.readline().decode().strip()}"}
        finally:
            process.terminate()


@contextmanager
def open_window(folder: Path) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """The command with its window open, and the port that the window is steered by."""
    with virtual_display() as screen, patience.port() as port, patience.signals_by_default():
        headless = "" if screen else "--headless=new"
        flags = (
            f"--no-sandbox --disable-dev-shm-usage --remote-debugging-port={port} {headless}"
        )
        wrapper = folder / "bin" / "chromium"
        wrapper.parent.mkdir()
        wrapper.write_text(f'#!/bin/sh\nexec "{chromium()}" {flags} "$@"\n')
        wrapper.chmod(0o755)
        path = f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}"
        environment = {
            "PATH": path,
            "SYNTH_HOME": str(folder),
            MARK: folder.name,
            "PYTHONPATH": str(ROOT),
        }
        words = [sys.executable, "-m", "synth", "desktop"]
        process = subprocess.Popen(
            words, env={**os.environ, **screen, **environment}, cwd=folder
        )
        try:
            yield process, port
        finally:
            for number in list_processes(folder.name):
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            process.wait()


def list_processes(mark: str) -> list[int]:
    """The processes that were started with that mark and have not ended."""
    processes_found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={mark}".encode() in (process / "environ").read_bytes().split(b"\0"):
                processes_found.append(int(process.name))
    return processes_found


def list_windows(port: int) -> list[dict[str, str]]:
    """The pages that the browser shows."""
    with (
        suppress(OSError),
        urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer,
    ):
        return [target for target in json.load(answer) if target["type"] == "page"]
    return []


def list_app_windows(port: int) -> list[dict[str, str]]:
    """Pages whose title says that the app is there."""
    return [window for window in list_windows(port) if "Synth" in window["title"]]


def close_window(port: int, page: str) -> None:
    """Close the window, and the browser where it has none: it would stay for the next
    page.
    """
    if shutil.which("Xvfb") is not None:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/json/close/{page}").close()
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        browser.new_browser_cdp_session().send("Browser.close")


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(sys.platform != "linux", reason="processes are told by /proc")
@pytest.mark.parametrize("how", ["its window is closed", "it is asked to end"])
def test_it_opens_and_leaves_no_process(tmp_path: Path, how: str) -> None:
    """However the window of `synth desktop` ends, browser and server end with it.

    The processes are found by a variable of their environment that this test sets.
    """
    if chromium() is None:
        pytest.skip(MISSING)
    folder = tmp_path / uuid.uuid4().hex
    folder.mkdir()
    with open_window(folder) as (process, port):
        assert patience.until(lambda: list_app_windows(port) or process.poll() is not None)
        (page,) = list_app_windows(port)
        assert len(list_processes(folder.name)) > 2  # the command, its server and a browser
        if how == "its window is closed":
            close_window(port, page["id"])
        else:
            process.terminate()

        assert process.wait(patience.SECONDS) == 0
        assert patience.until(lambda: not list_processes(folder.name))
