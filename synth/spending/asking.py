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

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from synth.door import Asker


@note_standing("the same call")  # errors then say what was spent
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
        inquiry: The questions, with the budget and the protected unit.
        source: The confidential table in memory, or the path of its file.
        ledger: It records the spend; None for one in memory only. An inquiry that it has
            recorded already returns the same answers at no cost.
        progress: Called with the name of each stage as it starts; None for none.
        engine: The name of the engine that counts rows.
        watch: It may stop the work before the spend; None for the usual time limit.

    Raises:
        SynthError: The request is refused, in one sentence. Before noise is drawn nothing was
            spent.
    """
    arrangement = inquiry.arrangement
    table = open_any(source, (*inquiry.workload.universe.names, inquiry.unit.person))
    purchase = Purchase.begin(
        inquiry,
        {ALONE: table},
        setting=SpendSetting(ledger=ledger, progress=progress, watch=watch),
    )
    inquiry = purchase.spending
    # The first function counts; the second gives the number of rows, which is checked.
    rows = purchase.count(
        lambda: asked_rows(inquiry, table, engine),
        lambda counted: counted.count(inquiry.unit).rows,
    )
    public_rows = rows.count(inquiry.unit).public_rows(inquiry.neighbors)
    if arrangement.spending is None:  # only public numbers are asked for
        return Asked(
            inquiry=inquiry,
            noisy=tuple(np.zeros(0, np.int64) for _ in arrangement.portions),
            rows=public_rows,
        )
    prices = [_price_portion(rows, portion) for portion in arrangement.portions]
    costs = [cost for cost in prices if cost is not None]
    questions = len(inquiry.questions)
    purpose = "1 question" if questions == 1 else f"{questions:,} questions"
    door = purchase.open_door(
        purchase.charge(arrangement.spending), purpose, costs, asker=_asker_of(inquiry)
    )
    # Somebody may have seen exact numbers of the rows meanwhile; the answers then say so.
    inquiry = purchase.recall(before=door.entry.number).spending
    noisy = tuple(_measure(door, rows, portion) for portion in arrangement.portions)
    return Asked(
        inquiry=inquiry,
        noisy=noisy,
        rows=public_rows,
        entry=door.entry,
        head=purchase.head_of(door),
        repeated=door.repeated,
    )


def _asker_of(inquiry: Inquiry) -> "Asker | None":
    """Return who asks and how many figures they have compared; None if nobody is named."""
    if not inquiry.asker:
        return None
    from synth.door import Asker

    checks = sum(question.claimed is not None for question in inquiry.questions)
    return Asker(name=inquiry.asker, checks=checks)


def _price_portion(rows: AskedRows, portion: Portion) -> Guarantee | None:
    """Return the cost of some questions that are answered together; None if public already.

    The cost follows from the exact sensitivity of the queries. A choice among candidates has
    no noise mechanism, and its cost is fixed.

    Args:
        rows: The exact counts of the rows.
        portion: The questions, and the method with its noise.
    """
    way = portion.way
    if way.mechanism is None:
        return way.cost
    return price(totals(rows, portion.block, way), way.mechanism, way.cost)


def _measure(door: Door, rows: AskedRows, portion: Portion) -> Ints:
    """Return the noisy values for some questions that are answered together.

    They are noisy totals, or the numbers of chosen candidates. There are none if the answer
    is public already.

    Args:
        door: The one place where noise is added; the spend is recorded before.
        rows: The exact counts of the rows.
        portion: The questions, and the method with its noise.
    """
    way = portion.way
    if way.cost is None:
        return np.zeros(0, np.int64)
    if way.mechanism is None:
        priced_queries = choices(rows, portion.block, way)
        indices = [door.choose(query, cost).index for query, cost in priced_queries]
        return np.array(indices)
    query = totals(rows, portion.block, way)
    return door.measure(query, way.mechanism, way.cost).values
