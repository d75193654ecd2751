"""The server's socket: bound first, handed over by a pipe, and refused where it is in use."""

import io
import socket
import subprocess
import sys

import pytest

from synth.cli.listening import (
    Handover,
    listen,
    listen_or_refuse,
    port_of,
    start_with,
    take_over,
)
from synth.errors import ArgumentError

# A server that takes over the socket from its stdin, and answers with the secret.
SERVER = """
import sys
from synth.cli.listening import take_over
handover = take_over(sys.stdin.buffer)
connection, _ = handover.listener.accept()
connection.sendall(handover.secret)
"""


def test_a_server_answers_on_the_socket_that_it_was_given() -> None:
    """A server in another process accepts connections on the socket that was handed to it.

    As long as the first process holds the socket, nobody else gets the port, even when the
    server has ended.
    """
    words = [sys.executable, "-c", SERVER]
    with listen(0) as listener:
        port = port_of(listener)
        with start_with(words, Handover(listener, b"secret")) as server:
            with socket.create_connection(("127.0.0.1", port)) as connection:
                assert connection.makefile("rb").read() == b"secret"
            assert server.wait() == 0
        with pytest.raises(
            ArgumentError, match=rf"^Port {port} is in use; name another with"
        ):
            listen_or_refuse(port)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"[1]\n",
        b"{}\n",
        b'{"secret": 5}\n',
        b'{"secret": "00"}\n',
        b'{"secret": "00", "descriptor": 999999}\n',
        b'{"secret": "00", "descriptor": "x"}\n',
    ],
)
def test_a_server_without_a_window_says_so(line: bytes) -> None:
    """A first line of stdin that no window wrote is refused: no socket can be taken over.

    The cases lack the secret or the descriptor, or name a descriptor that is not open.
    """
    with pytest.raises(
        ArgumentError, match=r"^The server was not started by `synth desktop`"
    ):
        take_over(io.BytesIO(line))


def test_a_server_that_has_ended_is_no_failure_of_the_pipe() -> None:
    """Handing a socket to a server that closed its input at once raises no error."""
    words = [sys.executable, "-c", "import os; os.close(0)"]
    with listen(0) as listener, start_with(words, Handover(listener, b"s")) as server:
        assert server.wait() == 0


def test_the_hidden_option_needs_a_window() -> None:
    """`app --with-parent`, which only a window passes, is refused if nothing was
    handed over.
    """
    words = [sys.executable, "-m", "synth", "app", "--with-parent"]
    refused = subprocess.run(words, input="", capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr.startswith("The server was not started by `synth desktop`")
