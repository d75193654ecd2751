"""``synth desktop``: the app in its own window; its server ends with the window."""
# The server is a process on a free port. It reads a pipe that the window's process holds: when that
# process ends in any way, the server ends too.

import argparse
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from synth.cli import launchers
from synth.cli.app import HOST, WITH_PARENT, free_port
from synth.cli.saying import say
from synth.cli.window import open_window
from synth.errors import ArgumentError
from synth.foreign import home_folder

# Seconds until a server that does not answer is given up.
WAIT = 120.0
LOCK = "desktop.lock"


def define(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--install", action="store_true", help="only write a launcher for a double click"
    )
    parser.add_argument("--out", metavar="DIR", help="folder (default: this system's own)")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if options.install:
        for path in launchers.install(options.out):
            say(f"Wrote {path}")
        return
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

    Raises:
        ArgumentError: The app does not start.
    """
    address = f"http://{HOST}:{(port := free_port())}"
    words = [sys.executable, "-m", "synth", "app", "--headless", "--port", str(port), WITH_PARENT]
    quiet = subprocess.DEVNULL
    with _ended_in_order():
        server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
        try:
            _wait_for(address, server)
            yield address
        finally:
            end(server)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    # Signals that end this process close its files first.

    def leave(*_: object) -> None:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def end(process: subprocess.Popen[bytes], patience: float = 15.0) -> None:
    """End a process that reads its standard input until closed, by force if needed."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_for(address: str, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline and server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=5):
            return
        time.sleep(0.1)
    raise ArgumentError("The app does not start; `synth app` says why.")
