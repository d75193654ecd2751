"""``synth app``: serve the app on this machine, from any folder.

Streamlit runs the app; this command finds its script, and binds the port before it names it.
"""

import argparse
import os
import re
import signal
import socket
import sys
import time
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path
from threading import Thread

from synth import limits
from synth.cli.listening import (
    HOST,
    address_of,
    listen_or_refuse,
    port_of,
    serve_on,
    take_over,
)
from synth.errors import ArgumentError
from synth.privacy import parse_rational
from synth.util import in_range, keep_secret

PORT = 8501
WITH_PARENT = "--with-parent"
# Seconds for open requests to finish.
PATIENCE_SECONDS = 5.0
OPEN_ADDRESS = (
    "Others reach this address, too: put HTTPS and a sign-in in front of it "
    "(docs/how-to/server.md)."
)
PACKAGE = Path(__file__).parents[1]


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth app``, and the function that runs."""
    parser.add_argument("--port", default=str(PORT), metavar="N", help=f"default: {PORT}")
    parser.add_argument("--headless", action="store_true", help="open no browser")
    parser.add_argument(
        "--address",
        default=HOST,
        metavar="A",
        help="where others reach the app, such as 0.0.0.0 in a container; by default only "
        "this machine does",
    )
    parser.add_argument(
        "--base-path",
        default="",
        metavar="P",
        help="the path below which a proxy serves the app, such as synth",
    )
    parser.add_argument(WITH_PARENT, action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> None:
    """Serve the app until Ctrl-C, on a port of its own or on the socket of its window.

    The socket is bound before its address is printed, so that no other program answers there.
    """
    base_path = base_path_from(options.base_path)
    address = address_from(options.address)
    listener = (
        _take_window()
        if options.with_parent
        else listen_or_refuse(port_from(options.port), address)
    )
    with listener:
        port = port_of(listener)
        place = f"http://{address_of(listener)}:{port}/{base_path}".rstrip("/")
        print(f"Synth is at {place} until you press Ctrl-C.", flush=True)
        if address != HOST:
            print(OPEN_ADDRESS, flush=True)
        words = command_line(
            app_script(), port, headless=options.headless, base_path=base_path
        )
        serve_on(listener, words)


def _take_window() -> socket.socket:
    """Take what `synth desktop` hands over, and return the socket on which to listen.

    The command writes to the standard input of this process: a secret, by which its window
    checks that it talks to this server, and a bound socket. A thread ends the process when
    the standard input closes, as that means that the window is gone.
    """
    handover = take_over(sys.stdin.buffer)
    keep_secret(handover.secret)
    Thread(target=_end_with_input, daemon=True).start()
    return handover.listener


def command_line(
    script: Path, port: int, *, headless: bool, base_path: str = ""
) -> list[str]:
    """Return the command that starts Streamlit.

    Streamlit reads other settings from the script's folder.

    Args:
        script: The app's script.
        port: The port that the server listens on.
        headless: Whether no browser is opened.
        base_path: The path below which the app is served; empty for the top.

    Raises:
        ArgumentError: The largest upload is set, but not to a number.

    >>> command_line(Path("app.py"), 8501, headless=True)[3:5]
    ['--server.port', '8501']
    """
    settings = {
        "server.port": str(port),
        "server.headless": str(headless).lower(),
        "server.baseUrlPath": base_path,
        "server.showEmailPrompt": "false",  # it would wait for an address before it serves
        "server.maxUploadSize": str(limits.upload_mb()),
        # Off, even if an environment variable would switch them on.
        "server.enableAgentApi": "false",
        "server.scriptHealthCheckEnabled": "false",
        "server.enableStaticServing": "false",
        "runner.fastReruns": "false",  # one script at a time for a page
    }
    words = ["streamlit", "run", str(script)]
    for name, value in settings.items():
        words += [f"--{name}", value]
    return words


def app_script() -> Path:
    """Return the app's script: in an installed package, or next to the package in a clone.

    Raises:
        ArgumentError: It is in neither place.
    """
    for folder in (PACKAGE / "served", PACKAGE.parent):
        if (folder / "app.py").is_file() and (folder / "pages").is_dir():
            return folder / "app.py"
    raise ArgumentError("This copy of Synth has no app; install it again from its wheel.")


def port_from(text: str) -> int:
    """Return a port from its text.

    Raises:
        ArgumentError: The text is not a port.

    >>> port_from("8502")
    8502
    """
    number = parse_rational(text, name="--port")
    in_range(1, 65_535, **{"--port": number})
    if number.denominator != 1:
        raise ArgumentError(
            f"--port must be a whole number, such as {PORT}, but it is {text}."
        )
    return int(number)


def address_from(text: str) -> str:
    """Return an address to listen on from its text.

    Raises:
        ArgumentError: The text is not an address such as 127.0.0.1.

    >>> address_from("0.0.0.0")
    '0.0.0.0'
    """
    try:
        return str(IPv4Address(text))
    except AddressValueError:
        raise ArgumentError(
            f"--address must be an address of this machine, such as {HOST}, or 0.0.0.0 for "
            "all of them."
        ) from None


def base_path_from(text: str) -> str:
    """Return the path below which the app is served, without slashes around it.

    Raises:
        ArgumentError: It has other signs than letters, digits, "-", "_", "." and "/".

    >>> base_path_from("/tools/synth/")
    'tools/synth'
    """
    path = text.strip("/")
    names = path.split("/") if path else []
    if not all(re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", name) for name in names):
        raise ArgumentError(
            "--base-path must be a path such as synth or tools/synth, of letters, digits, "
            '"-", "_" and ".".'
        )
    return path


def _end_with_input() -> None:
    """End this process when its standard input ends, which the window's process holds open.

    An interrupt comes first, so that open requests can finish.
    """
    sys.stdin.buffer.read()
    signal.raise_signal(signal.SIGINT)
    time.sleep(PATIENCE_SECONDS)
    os._exit(0)  # a page's thread may go on; private folders go with the process
