"""Questions answered through the one door: `ask`. DOOR.

>>> from synth.lessons.survey import survey_domain, write_example
>>> from synth.privacy.guarantee import Guarantee
>>> from tempfile import TemporaryDirectory
>>> inquiry = Inquiry.of(["count where age >= 65"], survey_domain(), Guarantee.pure(1))
>>> with TemporaryDirectory() as folder:
...     answer, = ask(inquiry, write_example(folder)[0]).answers
>>> bool(answer.low[0] <= answer.value[0] <= answer.high[0])
True
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from synth import limits
from synth.arrays import Ints
from synth.bundle.asked import Asked
from synth.counting.counts import Engine
from synth.deadline import Watch
from synth.door import Door
from synth.errors import LimitError, TableError
from synth.ledger.ledger import Ledger
from synth.privacy.guarantee import Guarantee
from synth.queries.asked import AskedRows, asked_rows, totals
from synth.questions.arrangement import Portion
from synth.questions.inquiry import Inquiry
from synth.questions.way_names import WayName
from synth.table.private_table import PrivateTable, open_table

STAGES = ("Counting rows", "Drawing noise")
"""What `ask` reports, in order; the budget is spent between the two."""


def ask(
    inquiry: Inquiry,
    source: str | Path | PrivateTable,
    *,
    ledger: Ledger | None = None,
    progress: Callable[[str], None] | None = None,
    engine: Engine = Engine.DUCKDB,
    watch: Watch | None = None,
) -> Asked:
    """Answer questions: count, spend, draw noise, read the answers.

    Args:
        inquiry: What is asked.
        source: The confidential table, or the path of its file.
        ledger: Where the spend is written, and where the same inquiry finds its answers again;
            by default one in memory only.
        progress: Called with the name of each stage as it starts.
        engine: What counts the rows.
        watch: What may stop it before the spend; by default the time `limits.seconds`.

    Raises:
        SynthError: With one sentence; before the second stage nothing has been spent.
    """
    report = progress or _silent
    ledger = ledger or Ledger()
    arrangement = inquiry.arrangement
    table = source if isinstance(source, PrivateTable) else open_table(source)
    report(STAGES[0])
    with (watch or Watch()).on():
        rows = asked_rows(inquiry, table, engine)
    public = rows.of(inquiry.unit).public_rows(inquiry.neighbors)
    _check_rows(table, rows.of(inquiry.unit).rows, public)
    if arrangement.spent is None:
        known = tuple(np.zeros(1, np.int64) for _ in arrangement.portions)
        return Asked(inquiry, known, public)
    report(STAGES[1])
    door = _open(inquiry, table, ledger, arrangement.spent)
    noisy = tuple(_measure(door, rows, portion) for portion in arrangement.portions)
    head = door.head if ledger.path else None
    return Asked(inquiry, noisy, public, door.entry, head, door.repeated)


def _measure(door: Door, rows: AskedRows, portion: Portion) -> Ints:
    """What the door lets out for one portion."""
    way = portion.way
    if way.name is WayName.KNOWN:
        return np.zeros(1, np.int64)
    query = totals(rows, portion.block, way)
    assert way.cost is not None
    if way.mechanism is None:
        return np.array([door.choose(query, way.cost).index])
    return door.measure(query, way.mechanism, way.cost).values


def _check_rows(table: PrivateTable, rows: int, public: int | None) -> None:
    """Refuse too many rows; and none, where their number is public."""
    if rows > limits.table_rows():
        message = f"The table has more than {limits.table_rows():,} rows, the limit (SYNTH_ROWS)."
        raise LimitError(message)
    if public == 0:
        message = f"'{table.path.name}' has a header but no rows."
        raise TableError(message)


def _open(inquiry: Inquiry, table: PrivateTable, ledger: Ledger, spent: Guarantee) -> Door:
    budget = ledger.balance(inquiry.dataset).budget
    known = ledger.path and table.files
    return Door(
        ledger=ledger,
        dataset=inquiry.dataset,
        neighbors=inquiry.neighbors,
        guarantee=budget.charge(spent) if budget else spent,
        purpose=_purpose(len(inquiry.questions)),
        unit=inquiry.unit,
        table=ledger.fingerprint(*table.files) if known else "",
        request=request_for(inquiry, table),
    )


def request_for(inquiry: Inquiry, table: PrivateTable) -> str:
    """What a ledger finds answers again by, together with the table's fingerprint."""
    return " ".join((inquiry.request, *table.asked))


def _purpose(questions: int) -> str:
    return "1 question" if questions == 1 else f"{questions:,} questions"


def _silent(_stage: str) -> None:
    pass
