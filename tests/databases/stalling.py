"""A server that stalls: a way to a real one that passes on its answers up to a moment."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

BYTES = 65_536
"""Bytes that are passed on at a time."""
FIRST_BYTES = 200
"""Bytes of the rows that still come through."""


class StallingServer:
    """Passes on what a client and a server say to each other until a table's rows come.

    Args:
        port: Of the real server.
        rows_of: What the query for the rows says.

    Attributes:
        port: Where it listens.
        has_stalled: Whether it is silent now.
    """

    def __init__(self, port: int, rows_of: bytes) -> None:
        self._real, self._rows_of = port, rows_of
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.has_stalled = Event()
        self._sockets: list[socket.socket] = []
        Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for open_socket in (self._listener, *self._sockets):
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            open_socket.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._real))
                self._sockets += client, server
                rows_were_asked_for = Event()
                Thread(
                    target=self._pass_questions,
                    args=(client, server, rows_were_asked_for),
                    daemon=True,
                ).start()
                Thread(
                    target=self._pass_answers,
                    args=(server, client, rows_were_asked_for),
                    daemon=True,
                ).start()

    def _pass_questions(
        self, client: socket.socket, server: socket.socket, rows_were_asked_for: Event
    ) -> None:
        with suppress(OSError):
            while text := client.recv(BYTES):
                if b"COPY (SELECT" in text and self._rows_of in text:
                    rows_were_asked_for.set()
                server.sendall(text)

    def _pass_answers(
        self, server: socket.socket, client: socket.socket, rows_were_asked_for: Event
    ) -> None:
        with suppress(OSError):
            while text := server.recv(BYTES):
                if rows_were_asked_for.is_set():
                    client.sendall(text[:FIRST_BYTES])
                    self.has_stalled.set()
                    return
                client.sendall(text)


@contextmanager
def stalling(port: int, rows_of: bytes) -> Iterator[StallingServer]:
    """Listen in this block; see `StallingServer`."""
    server = StallingServer(port, rows_of)
    try:
        yield server
    finally:
        server.close()
