"""What is wrong with a foreign file, and with a cell: what the child says to its parent."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Reply = dict[str, object]
Request = dict[str, Any]
REFUSED = "refused"
"""The fault that comes with a sentence of its own, and the kind of error that it is."""
UNREADABLE = "\x1a"
"""What the text of a cell is that cannot be read: SUBSTITUTE in ASCII, which none may declare."""


class Fault(Exception):
    """What is wrong with the file, in one word, and facts about it."""

    def __init__(self, word: str, **facts: object) -> None:
        super().__init__(word)
        self.answer = {"fault": word, **facts}


@contextmanager
def refuse_damage() -> Iterator[None]:
    """Call damage whatever a reader stumbles over: its own message may quote the file.

    Raises:
        Fault: The file is damaged, or what a reader says itself.
    """
    try:
        yield
    except (MemoryError, ImportError, Fault):
        raise
    except Exception:  # noqa: BLE001
        raise Fault("damaged") from None
