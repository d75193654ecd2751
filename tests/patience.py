"""Waiting for what must come, however busy the machine is, and processes as at a terminal."""

import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SECONDS = 120.0
"""How long a test waits for what takes a second on a quiet machine."""


def until(condition: Callable[[], object], seconds: float = SECONDS) -> bool:
    """Whether a condition comes to hold.

    >>> until(lambda: True), until(lambda: False, 0)
    (True, False)
    """
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@contextmanager
def signals_by_default() -> Iterator[None]:
    """A process started in this block dies of signals that `nohup` or a shell had us
    ignore.
    """
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = [(number, signal.getsignal(number)) for number in numbers]
    ignored = [number for number, handler in before if handler is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def port() -> Iterator[int]:
    """A port of this machine that nobody but a server of this block gets.

    On Linux it stays bound without listening: the system then gives it to no other, while a
    server that asks for SO_REUSEADDR, as Streamlit does, can listen on it.
    """
    with socket.socket() as bound_socket:
        bound_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound_socket.bind(("127.0.0.1", 0))
        number = int(bound_socket.getsockname()[1])
        if sys.platform != "linux":
            bound_socket.close()
        yield number
