"""Pieces of rows that several files need, made once for all of them. PUBLIC.

>>> made = []
>>> (take,) = shared_makers([lambda: made.append("made") or "rows"], times=2)
>>> take(), take(), made
('rows', 'rows', ['made'])
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from threading import BoundedSemaphore, Lock

import pyarrow as pa

from synth.rows.draw import SyntheticTable
from synth.rows.write import Maker

# Most pieces that wait for slower files; one beyond is made again for each file.
WAITING_PIECES = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedTable(SyntheticTable):
    """Synthetic rows whose pieces are made once for several files.

    Attributes:
        shared: What makes each piece, or returns the one that another file made.
    """

    shared: "list[Maker]" = field(default_factory=list)

    def parts(self) -> "list[Maker]":
        """Return a function for each piece, which may wait for another thread to make it."""
        return self.shared


def share_pieces(rows: SyntheticTable, times: int) -> SharedTable:
    """Return the same rows, whose pieces are made once for so many files.

    Args:
        rows: The rows.
        times: How often each piece will be asked for.
    """
    values = {each.name: getattr(rows, each.name) for each in fields(rows)}
    return SharedTable(**values, shared=shared_makers(rows.parts(), times))


def shared_makers(makers: "Sequence[Maker]", times: int) -> "list[Maker]":
    """Return functions that make a piece when they are called first, and then return it.

    A piece is let go once it was asked for so often.

    Args:
        makers: What makes each piece.
        times: How often each piece will be asked for.
    """
    room = BoundedSemaphore(WAITING_PIECES)
    return [_SharedPiece(make, times, room).take for make in makers]


class _SharedPiece:
    """A piece of rows, made when it is needed.

    Args:
        make: Makes it.
        times: How often it will be asked for.
        room: The places for pieces that wait to be asked for again.
    """

    def __init__(self, make: "Maker", times: int, room: BoundedSemaphore) -> None:
        """Begin without the piece."""
        self._make = make
        self._left = times
        self._room = room
        self._lock = Lock()
        self._waiting: pa.Table | None = None

    def take(self) -> pa.Table:
        """Return the piece; another thread that asks meanwhile waits for it."""
        with self._lock:
            self._left -= 1
            piece = self._waiting
            if piece is None:
                piece = self._make()
                if self._left > 0 and self._room.acquire(blocking=False):
                    self._waiting = piece
            elif self._left <= 0:
                self._waiting = None
                self._room.release()
            return piece
