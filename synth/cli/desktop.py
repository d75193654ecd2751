"""``synth desktop``: the app in its own window; its server ends with the window.

The window is pywebview's, a browser's in app mode, or a tab of the default browser.
"""

import argparse
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
import uuid
import webbrowser
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from urllib.error import HTTPError

from synth.cli import launchers
from synth.cli.app import WITH_PARENT
from synth.cli.listening import HOST, Handover, listen, port_of, start_with
from synth.cli.outputs import FOLDER, check_ending
from synth.cli.plan import offer_options
from synth.cli.saying import say
from synth.errors import ArgumentError
from synth.foreign import Folder
from synth.util import PROOF_PATH, home_folder, is_proved

TITLE = "Synth"
SIZE = (1280, 900)
# Browsers with an app mode (``--app``), by the name of their command.
BROWSERS = (
    "chromium chromium-browser google-chrome google-chrome-stable microsoft-edge "
    "brave-browser chrome msedge"
).split()
MAC = ("Google Chrome", "Microsoft Edge", "Chromium", "Brave Browser")
WINDOWS = (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")


def open_window(address: str) -> None:
    """Show a page, and return when its window is closed.

    Without pywebview and a browser with an app mode, it opens a tab of the default browser:
    Ctrl-C ends it.
    """
    if find_spec("webview") is not None:
        import webview

        webview.create_window(TITLE, address, width=SIZE[0], height=SIZE[1])
        webview.start()
    elif (browser := next(_browsers(), None)) is not None:
        run_app_mode(browser, address)
    else:
        webbrowser.open(address)
        print(f"Synth is at {address} until you press Ctrl-C.", flush=True)
        while True:
            input()


def app_mode_command(browser: str, address: str, profile: Path) -> list[str]:
    """Return the command for a window without tabs, whose process ends with it.

    The window has its own profile.

    >>> app_mode_command("chromium", "http://127.0.0.1:1", Path("p"))[:3]
    ['chromium', '--app=http://127.0.0.1:1', '--user-data-dir=p']
    """
    return [
        browser,
        f"--app={address}",
        f"--user-data-dir={profile}",
        f"--window-size={SIZE[0]},{SIZE[1]}",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-mode",
        "--disable-sync",
    ]


def run_app_mode(browser: str, address: str) -> None:
    """Open a browser window without bars, and return when it is closed.

    If this process ends before, the window is closed too.

    Raises:
        ArgumentError: The browser ended with an error, as it does without a screen.
    """
    quiet = subprocess.DEVNULL
    with Folder() as profile:
        command = app_mode_command(browser, address, profile)
        window = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
        try:
            code = window.wait()
        finally:
            window.terminate()
            window.wait()
    if code:
        raise ArgumentError(
            f"The window ended with an error: {Path(browser).name} left with code {code}. "
            "Without a screen use 'synth app', and open its address in a browser elsewhere."
        )


def _browsers() -> Iterator[str]:
    yield from filter(None, map(shutil.which, BROWSERS))
    yield from (str(path) for path in usual_places() if path.is_file())


def usual_places() -> Iterator[Path]:
    """Yield usual paths of browsers outside of PATH."""
    platform = str(sys.platform)  # a checker of types would take it for the one it runs on
    if platform == "darwin":
        for name in MAC:
            yield Path(f"/Applications/{name}.app/Contents/MacOS/{name}")
    if platform == "win32":
        for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
            for place in WINDOWS:
                yield Path(os.environ.get(variable, "")) / place


# Seconds until a server that does not answer is given up.
WAIT_SECONDS = 120.0
# Most characters of an answer that are read.
ANSWER_LENGTH = 200
LOCK = "desktop.lock"


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth desktop``, and the function that runs."""
    parser.add_argument(
        "--install", action="store_true", help="only write a launcher for a double click"
    )
    offer_options(parser, "out", metavar="FOLDER", help="folder (default: this system's own)")
    offer_options(parser, "overwrite", help="replace another launcher")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    """Open the app in its window until that is closed, or only write a launcher."""
    if options.install:
        if options.out is not None:
            check_ending(options.out, [FOLDER])
        for path in launchers.install(options.out, overwrite=options.overwrite):
            say(f"Wrote {path}")
        return
    if options.out is not None or options.overwrite:
        raise ArgumentError("--out and --overwrite are about a launcher: add --install.")
    with only_one(home_folder()), serve_app() as address:
        open_window(address)


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the lock of a user's one window; the system releases it with the process.

    Raises:
        ArgumentError: Another process holds it, or its folder cannot be used.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None)
    except (OSError, sqlite3.Error):
        raise ArgumentError(
            f"Nothing can be kept in '{folder}'; set SYNTH_HOME to another folder."
        ) from None
    with closing(lock):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error:
            raise ArgumentError(
                "Synth is open in another window already; close that one first."
            ) from None
        yield


@contextmanager
def serve_app() -> Iterator[str]:
    """Serve the app while the context is open, and give its address.

    The socket is bound before the server starts, and held until the context ends: nobody else
    can answer at the address, even if the server ends before its window.

    Raises:
        ArgumentError: The app does not start.
    """
    words = [sys.executable, "-m", "synth", "app", "--headless", WITH_PARENT]
    with _ended_in_order(), listen(0) as listener:
        handover = Handover(listener, _make_secret().encode())
        address = f"http://{HOST}:{port_of(listener)}"
        server = start_with(words, handover)
        try:
            _wait_for(address, handover.secret, server)
            yield address
        finally:
            end(server)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let a signal that ends this process close its files first, within the context."""

    def leave(*_: object) -> None:
        """Raise an exception in place of the sudden end, so that `finally` blocks run."""
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def end(process: subprocess.Popen[bytes], patience: float = 15.0) -> None:
    """End a process that ends with its standard input, by force after some seconds."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_for(address: str, secret: bytes, server: "subprocess.Popen[bytes]") -> None:
    """Return when the server answers at its address and proves that it knows the secret.

    Args:
        address: The address of its page.
        secret: What only this process and its server know.
        server: The process of the server.

    Raises:
        ArgumentError: It ends, does not answer in time, or another program answers.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with suppress(OSError, HTTPException):  # nothing answers yet
            refuse_other_server(address, secret)
            return
        time.sleep(0.1)
    raise ArgumentError("The app does not start; `synth app` says why.")


def refuse_other_server(address: str, secret: bytes) -> None:
    """Refuse a server at this address that does not know the secret.

    The server proves that it knows the secret without sending it: its answer depends on the
    secret and on a fresh random question.

    Raises:
        ArgumentError: Another program answers.
        OSError: Nothing answers.
    """
    question = _make_secret()
    try:
        with urllib.request.urlopen(
            f"{address}{PROOF_PATH}?{question}", timeout=5
        ) as response:
            answer = response.read(ANSWER_LENGTH).decode("latin-1")
    except HTTPError:  # Synth's server has this page
        answer = ""
    if not is_proved(secret, question, answer):
        raise ArgumentError(
            "Another program answers in place of Synth's server, so no window was opened; "
            "start it again."
        )


def _make_secret() -> str:
    return uuid.uuid4().hex + uuid.uuid4().hex  # 244 bits of the system's randomness
