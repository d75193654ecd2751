"""The socket of the app's server: bound before anybody hears of its port.

A program that names a port first and binds it later leaves a gap, in which another account of
the machine can take the port and show a page of its own. Here the socket is bound first.
`synth app` serves on it. `synth desktop` binds it and hands it to its server over a private
pipe; it holds the socket itself as well, so nobody else gets the port as long as its window
is open.
"""

import base64
import errno
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, BinaryIO

from synth.errors import ArgumentError
from synth.util import read_json

HOST = "127.0.0.1"
BACKLOG = 2048
# Bytes of the headers of a request, more than all cookies of a host: any other port may set
# as many as a browser keeps (180 of 4,096 bytes), and the app answers nevertheless.
HEADER_BYTES = 2**20
_NO_HANDOVER = "The server was not started by `synth desktop`; start it by `synth app`."
# The function of Streamlit's server that binds its socket.
_BINDING = "_bind_server_socket"


@dataclass(frozen=True)
class Handover:
    """What a window gives to its server.

    Attributes:
        listener: The bound socket.
        secret: A secret that only the two know.
    """

    listener: socket.socket
    secret: bytes


def listen(port: int, address: str = HOST) -> socket.socket:
    """Return a listening socket; port 0 is any free port.

    Only this machine reaches its own address, `HOST`.

    Raises:
        OSError: The port is in use.
    """
    listener = socket.socket()
    try:
        if sys.platform != "win32":  # there it would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


def listen_or_refuse(port: int, address: str = HOST) -> socket.socket:
    """Return a listening socket of a port.

    Raises:
        ArgumentError: The port is in use; the sentence names a free one. Or the machine does
            not have this address.
    """
    try:
        return listen(port, address)
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise ArgumentError(
                f"--address: this machine does not have the address {address}."
            ) from None
        others = range(port + 1, min(port + 100, 65_536))
        free = next(
            (f", such as {candidate}" for candidate in others if _is_free(candidate)), ""
        )
        raise ArgumentError(
            f"Port {port} is in use; name another with --port{free}."
        ) from None


def address_of(listener: socket.socket) -> str:
    """Return the address that a socket listens on."""
    address: str = listener.getsockname()[0]
    return address


def port_of(listener: socket.socket) -> int:
    """Return the port of a socket."""
    port: int = listener.getsockname()[1]
    return port


def start_with(words: list[str], handover: Handover) -> "subprocess.Popen[bytes]":
    """Start a server, and hand it a socket and a secret over its standard input.

    The pipe stays open: when it ends, the server ends. The socket is named by its inherited
    descriptor, or on Windows shared by a system call.

    Args:
        words: The command that starts the server.
        handover: The bound socket and the secret.

    Returns:
        The process of the server.
    """
    quiet = subprocess.DEVNULL
    by_number = sys.platform != "win32"
    inherited = (handover.listener.fileno(),) if by_number else ()
    server = subprocess.Popen(
        words,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=quiet,
        stderr=quiet,
        pass_fds=inherited,
    )
    document: dict[str, str | int] = {"secret": handover.secret.hex()}
    if by_number:
        document["descriptor"] = handover.listener.fileno()
    else:
        share: Callable[[int], bytes] = getattr(handover.listener, "share")  # noqa: B009
        document["shared"] = base64.b64encode(share(server.pid)).decode()
    assert server.stdin is not None
    with suppress(BrokenPipeError):  # it ended already, which the caller finds out
        server.stdin.write(json.dumps(document).encode() + b"\n")
    return server


def take_over(source: BinaryIO) -> Handover:
    """Return what a window hands over, from the first line of the server's standard input.

    Raises:
        ArgumentError: The line does not come from a window.
    """
    try:
        document = read_json(source.readline(), "The first line")
        secret = bytes.fromhex(document["secret"])
        listener = _listener_of(document)
    except (ArgumentError, KeyError, TypeError, ValueError, OSError):
        raise ArgumentError(_NO_HANDOVER) from None
    listener.set_inheritable(False)  # no process that the server starts may keep the port
    return Handover(listener, secret)


def serve_on(listener: socket.socket, words: list[str]) -> None:
    """Run Streamlit's command line with these words, on a socket that is bound already.

    Streamlit's own binding is replaced. Headers of requests may be as large as all cookies
    that other programs of this host may set.

    Args:
        listener: The bound socket.
        words: The command line of Streamlit, which begins with its name.

    Raises:
        ArgumentError: This version of Streamlit binds its socket in another way.
    """
    from click import Abort

    os.environ.setdefault("WEBSOCKETS_MAX_LINE_LENGTH", str(HEADER_BYTES))  # read at import
    uvicorn: Any = import_module("uvicorn")
    uvicorn.Config = partial(uvicorn.Config, h11_max_incomplete_event_size=HEADER_BYTES)
    server = import_module("streamlit.web.server.starlette.starlette_server")
    if not hasattr(server, _BINDING):
        raise ArgumentError(
            "This version of Streamlit does not fit; install the one of requirements.txt."
        )

    def take_bound(*_: object) -> tuple[socket.socket, str]:
        """Return the bound socket and its host, in place of Streamlit's own binding."""
        listener.setblocking(False)
        return listener, address_of(listener)

    setattr(server, _BINDING, take_bound)
    sys.argv = words
    with suppress(Abort):  # Ctrl-C
        import_module("streamlit.web.cli").main(prog_name="streamlit", standalone_mode=False)


def _listener_of(document: Any) -> socket.socket:
    """Return the socket that a window hands over.

    Args:
        document: The first line of the standard input: the number of an inherited
            descriptor, or on Windows what the system's call to share a socket returned.
    """
    if sys.platform != "win32":
        return socket.socket(fileno=document["descriptor"])
    shared = base64.b64decode(document["shared"])
    listener: socket.socket = getattr(socket, "fromshare")(shared)  # noqa: B009
    return listener


def _is_free(port: int) -> bool:
    """Return whether a server could listen on a port just now."""
    try:
        listen(port).close()
    except OSError:
        return False
    return True
