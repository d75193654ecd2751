"""Answers to questions through the one door: `ask`. DOOR.

>>> from synth.lessons.survey import survey_domain, write_example
>>> from synth.privacy.guarantee import Guarantee
>>> from tempfile import TemporaryDirectory
>>> inquiry = Inquiry.read(["count where age >= 65"], survey_domain(), Guarantee.pure(1))
>>> with TemporaryDirectory() as folder:
...     (answer,) = ask(inquiry, write_example(folder)[0]).answers
>>> bool(answer.low[0] <= answer.value[0] <= answer.high[0])
True
"""

import numpy as np

from synth.bundle import Asked
from synth.door import Door, Ledger, note_standing, price
from synth.plans import ALONE
from synth.privacy import Guarantee
from synth.private.counting import Engine
from synth.private.queries import AskedRows, asked_rows, choices, totals
from synth.private.table import TableLike, open_any
from synth.questions import Inquiry, Portion
from synth.spending.purchase import Progress, Purchase, SpendSetting
from synth.util import Ints, Watch


@note_standing("the same call")
def ask(  # noqa: PLR0913 - the options of a spend, each by name
    inquiry: Inquiry,
    source: TableLike,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    engine: str = Engine.DUCKDB,
    watch: Watch | None = None,
) -> Asked:
    """Answer questions: count, spend, draw noise, compute the answers.

    Args:
        source: The confidential table in memory, or the path of its file.
        ledger, progress, watch: See `Purchase`; a repeated inquiry returns its answers.
        engine: The engine that counts rows.

    Raises:
        SynthError: With one sentence; before the second stage nothing was spent.
    """
    arrangement = inquiry.arrangement
    table = open_any(source, (*inquiry.workload.universe.names, inquiry.unit.person))
    purchase = Purchase.begin(
        inquiry,
        {ALONE: table},
        setting=SpendSetting(ledger=ledger, progress=progress, watch=watch),
    )
    inquiry = purchase.spending
    rows = purchase.count(
        lambda: asked_rows(inquiry, table, engine),
        lambda counted: counted.count(inquiry.unit).rows,
    )
    public_rows = rows.count(inquiry.unit).public_rows(inquiry.neighbors)
    if arrangement.spending is None:
        return Asked(
            inquiry=inquiry,
            noisy=tuple(np.zeros(0, np.int64) for _ in arrangement.portions),
            rows=public_rows,
        )
    prices = [_price_portion(rows, portion) for portion in arrangement.portions]
    costs = [cost for cost in prices if cost is not None]
    questions = len(inquiry.questions)
    purpose = "1 question" if questions == 1 else f"{questions:,} questions"
    door = purchase.open_door(purchase.charge(arrangement.spending), purpose, costs)
    inquiry = purchase.recall().spending
    noisy = tuple(_measure(door, rows, portion) for portion in arrangement.portions)
    return Asked(
        inquiry=inquiry,
        noisy=noisy,
        rows=public_rows,
        entry=door.entry,
        head=purchase.head_of(door),
        repeated=door.repeated,
    )


def _price_portion(rows: AskedRows, portion: Portion) -> Guarantee | None:
    """Return the cost of a portion; None if it is public already."""
    way = portion.way
    if way.mechanism is None:
        return way.cost
    return price(totals(rows, portion.block, way), way.mechanism, way.cost)


def _measure(door: Door, rows: AskedRows, portion: Portion) -> Ints:
    """Return the noisy values of a portion, measured or chosen at the door."""
    way = portion.way
    if way.cost is None:
        return np.zeros(0, np.int64)
    if way.mechanism is None:
        priced_queries = choices(rows, portion.block, way)
        indices = [door.choose(query, cost).index for query, cost in priced_queries]
        return np.array(indices)
    query = totals(rows, portion.block, way)
    return door.measure(query, way.mechanism, way.cost).values
