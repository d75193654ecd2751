"""The record of spends, written and synced before any noise is drawn.

>>> from fractions import Fraction
>>> from synth.privacy import Guarantee, Neighbors
>>> ledger = Ledger()
>>> entry = ledger.spend(dataset="survey", guarantee=Guarantee.pure(Fraction(1, 2)),
...                      neighbors=Neighbors.REPLACE_ONE, purpose="histogram")
>>> entry.number, entry.guarantee, ledger.path
(1, 'epsilon = 1/2', None)
"""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from synth.errors import LedgerError
from synth.privacy import Guarantee, Neighbors

_TABLE = """
CREATE TABLE IF NOT EXISTS spends (
    number INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    dataset TEXT NOT NULL,
    guarantee TEXT NOT NULL,
    neighbors TEXT NOT NULL,
    purpose TEXT NOT NULL
)
"""


@dataclass(frozen=True)
class Entry:
    """One spend. ``time`` is UTC in ISO 8601; the rest is what was asked for."""

    number: int
    time: str
    dataset: str
    guarantee: str
    neighbors: str
    purpose: str


class Ledger:
    """A list of spends in a file that outlives the process; without a path, in memory only.

    Raises:
        LedgerError: The file cannot be opened or is no ledger.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = None if path is None else Path(path)
        try:
            self._connection = sqlite3.connect(
                ":memory:" if self.path is None else self.path,
                isolation_level=None,
                timeout=30,
                check_same_thread=False,
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute(_TABLE)
        except sqlite3.Error:
            message = f"The ledger '{self.path}' cannot be opened."
            raise LedgerError(message) from None

    def spend(
        self, *, dataset: str, guarantee: Guarantee, neighbors: Neighbors, purpose: str
    ) -> Entry:
        """Write one spend and sync it to the disk.

        Raises:
            LedgerError: It could not be written; then nothing may be released.
        """
        time = datetime.now(UTC).isoformat(timespec="seconds")
        row = (time, dataset, str(guarantee), str(neighbors), purpose)
        try:
            number = self._connection.execute(
                "INSERT INTO spends (time, dataset, guarantee, neighbors, purpose) "
                "VALUES (?, ?, ?, ?, ?)",
                row,
            ).lastrowid
        except sqlite3.Error:
            message = "The ledger cannot be written, so nothing was released."
            raise LedgerError(message) from None
        return Entry(int(number or 0), *row)

    def entries(self) -> list[Entry]:
        """All spends, oldest first."""
        rows = self._connection.execute("SELECT * FROM spends ORDER BY number")
        return [Entry(*row) for row in rows]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
