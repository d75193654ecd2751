"""One spend on one table: count the rows, check, pay, open the door. DOOR.

A refusal costs nothing, and the ledger's line is written before noise is drawn.
"""

import json
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from synth import limits
from synth.door import Door, Ledger
from synth.errors import LimitError, TableError
from synth.privacy import Guarantee, Neighbors, Unit
from synth.private.counting import digest_rows
from synth.private.table import PrivateTable, content
from synth.util import Watch

Work = TypeVar("Work")
# Called with the name of a stage as it starts.
Progress = Callable[[str], None]

# Most spends' stages; the budget is spent between the two.
STAGES = ("Counting rows", "Drawing noise")


class Spending(Protocol):
    """A paid request: a plan, an inquiry, a check or a draft."""

    @property
    def dataset(self) -> str:
        """The steward's name for the table."""

    @property
    def neighbors(self) -> Neighbors:
        """The relation of the guarantee."""

    @property
    def unit(self) -> Unit:
        """The protected unit."""

    @property
    def request(self) -> str:
        """Text that determines a table's answer."""


class Purchase:
    """A paid request about one table, and its ledger. DOOR.

    Args:
        ledger: It records the spend; by default one in memory only.
        progress: Called with the name of each stage as it starts.
        watch: It may stop the work before the spend; by default after `limits.seconds`.
        stages: The budget is spent between the first two.
    """

    def __init__(
        self,
        spending: Spending,
        table: PrivateTable,
        ledger: Ledger | None = None,
        progress: Progress | None = None,
        watch: Watch | None = None,
        stages: Sequence[str] = STAGES,
    ) -> None:
        self.spending, self.table, self.stages = spending, table, stages
        self.ledger, self.watch = ledger or Ledger(), watch or Watch()
        self.report: Progress = progress or (lambda _stage: None)

    def count(self, work: Callable[[], Work], rows: Callable[[Work], int]) -> Work:
        """Count under the watch, and refuse too many rows, or none.

        Args:
            rows: It returns the number of counted rows.

        Raises:
            SynthError: With one sentence; nothing is spent.
        """
        self.report(self.stages[0])
        with self.watch.watch():
            counted = work()
        check_rows(self.spending, self.table, rows(counted))
        return counted

    def charge(self, claim: Guarantee, *, gaussian: bool = False) -> Guarantee:
        budget = self.ledger.balance(self.spending.dataset).budget
        return budget.charge(claim, gaussian=gaussian) if budget else claim

    def open_door(
        self, guarantee: Guarantee, purpose: str, costs: Sequence[Guarantee] = ()
    ) -> Door:
        """Return the door for the table, after the ledger recorded the spend.

        Raises:
            LedgerError: The budget is too small, or the spend cannot be recorded.
            ReleaseError: The guarantee does not cover these costs.
        """
        self.report(self.stages[1])
        return Door(
            ledger=self.ledger,
            dataset=self.spending.dataset,
            neighbors=self.spending.neighbors,
            guarantee=guarantee,
            purpose=purpose,
            unit=self.spending.unit,
            table=mark_of(self.table, self.ledger),
            request=request_of(self.spending, self.table),
            costs=costs,
        )

    def head_of(self, door: Door) -> str | None:
        """Return the hash of the ledger's newest event of this spend; None without a file."""
        return door.head if self.ledger.path else None


def check_rows(spending: Spending, table: PrivateTable, rows: int) -> None:
    """Refuse too many rows; also none, if their number is public.

    Raises:
        LimitError: There are more than `limits.table_rows`.
        TableError: There are none.
    """
    if rows > limits.table_rows():
        raise LimitError(
            f"The table has more than {limits.table_rows():,} rows, the limit (SYNTH_ROWS)."
        )
    if spending.unit.shares_rows(spending.neighbors) and not rows:
        raise TableError(f"'{table.path.name}' has a header but no rows.")


def mark_of(table: PrivateTable, ledger: Ledger) -> str:
    """Return the mark by which a ledger file recognises a table; a cluster's table has none.

    A database returns rows in any order, so the mark depends on the rows and their frequency only.
    """
    if not ledger.path:
        return ""
    if table.database:
        return ledger.keyed_digest([digest_rows(table, ledger.keyed_digest([b"rows"]))])
    if table.held is not None:
        return ledger.keyed_digest(content(table.held))
    return ledger.fingerprint(*table.files) if table.files else ""


def request_of(spending: Spending, table: PrivateTable) -> str:
    """Return the ledger's key of answers, used with the table's fingerprint."""
    return f"{spending.request} {json.dumps(table.asked)}" if table.asked else spending.request
