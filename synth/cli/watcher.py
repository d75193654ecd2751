"""A small process that says the last word if the command was killed, or crashed.

When memory is short, the system may kill a process, or a library crashes it. Such a process
says nothing more, and the person who ran it does not learn what became of the budget. So each
command starts by forking a watcher that waits at the end of a pipe. The command tells it the
amount spent, and at its end that it is done. If the pipe ends without that, the watcher
prints one sentence.

The command stays the process that was started, with its number, signals, input and exit
status. Systems without `os.fork` have no watcher.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from synth.util import NOTHING_SPENT

ENDED = (
    "Synth was stopped by the system or by another program before its work was done, most "
    "often because memory ran out; free some, leave out columns, or coarsen the domain."
)
_DONE = b"\0"
# Most bytes of the last sentence on the spend, which is all that the watcher keeps.
_SENTENCE_BYTES = 4096
# Signals that reach all processes of a terminal; the command reacts to them, and its watcher
# waits.
_SHARED_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP")


@contextmanager
def have_watcher() -> Iterator[Callable[[str], None]]:
    """Have a second process that says what was spent if this one is killed in the block.

    Yields a function; call it with a sentence on the amount spent, whenever that changes.
    """
    try:
        source, sink = os.pipe()
        child = os.fork()
    except (AttributeError, OSError):  # Windows; no more processes
        yield lambda _spent: None
        return
    if child == 0:  # this is the watcher's process, which never leaves `_watch`
        os.close(sink)
        _watch(source)
    os.close(source)
    try:
        yield lambda spent: _tell(sink, spent)
    finally:
        _end(sink, child)


def _tell(sink: int, spent: str) -> None:
    with suppress(OSError):
        os.write(sink, spent.encode() + b"\n")


def _end(sink: int, child: int) -> None:
    """Tell the watcher that all is done, and wait until it has ended.

    Args:
        sink: The descriptor of the pipe's end that is written.
        child: The watcher's process number.
    """
    with suppress(OSError):
        os.write(sink, _DONE)
        os.close(sink)
        os.waitpid(child, 0)


def _watch(source: int) -> NoReturn:
    """Wait in the watcher's process for the end of the pipe; never return.

    If the command did not say that it is done, it was killed: print its last word.

    Args:
        source: The descriptor of the pipe's end that is read.
    """
    try:
        for name in _SHARED_SIGNALS:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        # Who waits for the end of standard input and output does not wait for the watcher.
        for descriptor in (0, 1):
            with suppress(OSError):
                os.close(descriptor)
        received = b""
        while block := os.read(source, _SENTENCE_BYTES):
            received = (received + block)[-_SENTENCE_BYTES:]
        if not received.endswith(_DONE):
            os.write(2, f"{_last_sentence(received)}\n".encode())
    finally:
        os._exit(0)


def _last_sentence(received: bytes) -> str:
    """Return the end of a killed command in words, with the last sentence on its spend."""
    lines = received.decode(errors="replace").split("\n")
    # The last complete line, as each ends with a line break.
    spent = lines[-2] if len(lines) > 1 else ""
    return f"{ENDED} {spent or NOTHING_SPENT}"
