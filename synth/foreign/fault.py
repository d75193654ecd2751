"""Faults of a foreign file or a cell, which the child reports to its parent."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Reply = dict[str, object]
Request = dict[str, Any]
# The fault that has its own sentence and kind of error.
REFUSED = "refused"
# The text of an unreadable cell: SUBSTITUTE in ASCII, which no domain may declare.
UNREADABLE = "\x1a"


class Fault(Exception):
    """A fault of a foreign file, as one word with some facts."""

    def __init__(self, word: str, **facts: object) -> None:
        """Join the word and the facts to the answer for the parent."""
        super().__init__(word)
        self.answer = {"fault": word, **facts}


@contextmanager
def refuse_damage(*of_memory: type[Exception]) -> Iterator[None]:
    """Turn every error within the block into a Fault that says that the file is damaged.

    The message of the error may quote the file, so it is dropped. A Fault, and errors of
    memory or imports, pass through. ``of_memory`` are a library's own errors of memory.
    """
    try:
        yield
    except (MemoryError, ImportError, Fault):
        raise
    except of_memory:
        raise Fault("memory") from None
    except Exception:  # noqa: BLE001
        raise Fault("damaged") from None
