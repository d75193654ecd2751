"""What is seen to before a door is opened: the rows, and what a ledger knows the table by. DOOR."""

import json
from collections.abc import Sequence
from typing import Protocol

from synth import limits
from synth.door.door import Door
from synth.door.ledger.ledger import Ledger
from synth.errors import LimitError, TableError
from synth.privacy.guarantee import Guarantee, Neighbors, Unit
from synth.private.table.frames import content
from synth.private.table.private_table import PrivateTable


class Spending(Protocol):
    """Whatever is paid for: a plan, an inquiry, a check, a draft."""

    @property
    def dataset(self) -> str:
        """The steward's name for the table, for the ledger."""

    @property
    def neighbors(self) -> Neighbors:
        """The relation of the guarantee."""

    @property
    def unit(self) -> Unit:
        """Whose data is protected."""

    @property
    def request(self) -> str:
        """What determines the answer of a table."""


def check_rows(spending: Spending, table: PrivateTable, rows: int) -> None:
    """Refuse too many rows; and none, where their number is public.

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


def open_door(
    spending: Spending,
    table: PrivateTable,
    ledger: Ledger,
    guarantee: Guarantee,
    purpose: str,
    costs: Sequence[Guarantee] = (),
) -> Door:
    """The door for a table; the spend is in the ledger when it is open.

    Raises:
        LedgerError: The budget does not pay it, or it cannot be written down.
        ReleaseError: The guarantee does not pay these costs.
    """
    return Door(
        ledger=ledger,
        dataset=spending.dataset,
        neighbors=spending.neighbors,
        guarantee=guarantee,
        purpose=purpose,
        unit=spending.unit,
        table=mark_of(table, ledger),
        request=request_of(spending, table),
        costs=costs,
    )


def mark_of(table: PrivateTable, ledger: Ledger) -> str:
    """What a ledger file knows a table again by; a table of a cluster it does not know again."""
    if not ledger.path:
        return ""
    if table.held is not None:
        return ledger.keyed_digest(content(table.held))
    return ledger.fingerprint(*table.files) if table.files else ""


def request_of(spending: Spending, table: PrivateTable) -> str:
    """What a ledger finds answers again by, together with the table's fingerprint."""
    return f"{spending.request} {json.dumps(table.asked)}" if table.asked else spending.request


def silent(_stage: str) -> None:
    """Report a stage to nobody."""
