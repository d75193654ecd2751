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

import numpy as np

from synth.bundle.asked import Asked
from synth.door.door import Door, price
from synth.door.ledger.ledger import Ledger
from synth.door.ledger.standing import standing
from synth.privacy.guarantee import Guarantee
from synth.private.counting.counts import Engine
from synth.private.queries.asked import AskedRows, asked_rows, choices, totals
from synth.private.table.frames import TableSource, opened
from synth.questions.arrangement import Portion
from synth.questions.inquiry import Inquiry
from synth.spending.opening import check_rows, open_door, silent
from synth.util.arrays import Ints
from synth.util.deadline import Watch

STAGES = ("Counting rows", "Drawing noise")
"""What `ask` reports, in order; the budget is spent between the two."""


@standing("the same call")
def ask(
    inquiry: Inquiry,
    source: TableSource,
    *,
    ledger: Ledger | None = None,
    progress: Callable[[str], None] | None = None,
    engine: Engine = Engine.DUCKDB,
    watch: Watch | None = None,
) -> Asked:
    """Answer questions: count, spend, draw noise, read the answers.

    Args:
        inquiry: What is asked.
        source: The confidential table: in memory, or the path of its file.
        ledger: Where the spend is written, and where the same inquiry finds its answers again;
            by default one in memory only.
        progress: Called with the name of each stage as it starts.
        engine: What counts the rows.
        watch: What may stop it before the spend; by default the time `limits.seconds`.

    Raises:
        SynthError: With one sentence; before the second stage nothing has been spent.
    """
    report = progress or silent
    ledger = ledger or Ledger()
    arrangement = inquiry.arrangement
    table = opened(source)
    inquiry = inquiry.read_as(table.reading)
    report(STAGES[0])
    with (watch or Watch()).on():
        rows = asked_rows(inquiry, table, engine)
    public = rows.of(inquiry.unit).public_rows(inquiry.neighbors)
    check_rows(inquiry, table, rows.of(inquiry.unit).rows)
    if arrangement.spent is None:
        known = tuple(np.zeros(0, np.int64) for _ in arrangement.portions)
        return Asked(inquiry, known, public)
    report(STAGES[1])
    budget = ledger.balance(inquiry.dataset).budget
    spent = budget.charge(arrangement.spent) if budget else arrangement.spent
    costs = [cost for one in arrangement.portions if (cost := _cost(rows, one)) is not None]
    door = open_door(inquiry, table, ledger, spent, _purpose(len(inquiry.questions)), costs)
    noisy = tuple(_measure(door, rows, portion) for portion in arrangement.portions)
    head = door.head if ledger.path else None
    return Asked(inquiry, noisy, public, door.entry, head, door.repeated)


def _cost(rows: AskedRows, portion: Portion) -> Guarantee | None:
    """What the door will be paid for one portion; None where it is public already."""
    way = portion.way
    if way.mechanism is None:
        return way.cost
    return price(totals(rows, portion.block, way), way.mechanism, way.cost)


def _measure(door: Door, rows: AskedRows, portion: Portion) -> Ints:
    """What the door lets out for one portion."""
    way = portion.way
    if way.cost is None:
        return np.zeros(0, np.int64)
    if way.mechanism is None:
        asked = choices(rows, portion.block, way)
        return np.array([door.choose(query, cost).index for query, cost in asked])
    query = totals(rows, portion.block, way)
    return door.measure(query, way.mechanism, way.cost).values


def _purpose(questions: int) -> str:
    return "1 question" if questions == 1 else f"{questions:,} questions"
