"""Faults of a foreign file or a cell, which the child reports to its parent."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Reply = dict[str, object]
Request = dict[str, Any]
REFUSED = "refused"
"""The fault that has its own sentence and kind of error."""
UNREADABLE = "\x1a"
"""The text of an unreadable cell: SUBSTITUTE in ASCII, which no domain may declare."""


class Fault(Exception):
    """A fault of the file, as one word, with facts about it."""

    def __init__(self, word: str, **facts: object) -> None:
        super().__init__(word)
        self.answer = {"fault": word, **facts}


@contextmanager
def refuse_damage() -> Iterator[None]:
    """Turn every error of a reader into damage, as the reader's own message may quote the file.

    Raises:
        Fault: The file is damaged, or the fault that the reader raised.
    """
    try:
        yield
    except (MemoryError, ImportError, Fault):
        raise
    except Exception:  # noqa: BLE001
        raise Fault("damaged") from None
