"""A release by marginals: checks before the spend, the spend, the record. PRIVATE."""

from dataclasses import replace

import numpy as np

from synth.door import Door
from synth.estimate import (
    Charge,
    Choice,
    MarginalsRecord,
    Order,
    PartedRows,
    record,
)
from synth.private.counting import Rows
from synth.private.methods.session import ModelTask, Session
from synth.private.methods.strategies import follow
from synth.util import one_thread


@one_thread
def draw_model(
    choice: Choice,
    rows: Rows,
    door: Door,
    *,
    task: ModelTask,
) -> tuple[MarginalsRecord, PartedRows, int]:
    """Spend the door's guarantee on marginals, and draw synthetic rows from a model of them.

    Args:
        choice: The method and its settings.
        rows: The used rows of the table, which can be counted by their columns. PRIVATE.
        door: Measures with noise, and keeps account of what is spent.
        task: What the release has in addition to its choice.

    Returns the public record of what was measured, the drawn rows, and their seed.
    """
    rules = task.rules or choice.check_model(rows.domain)
    # Without sums to measure, no share of the budget is reserved for them.
    session = Session(
        rows,
        door,
        task=replace(task, rules=rules, repair=choice.repair),
        most_cells=choice.most_cells,
        terms=choice.moments if task.moments else (),
    )
    seed = door.seed()
    order = Order(
        strategy=choice.method,
        rows=task.rows,
        groups=choice.cliques(rows.domain),
        favour=choice.favour,
        predicted=choice.predicted(rows.domain),
        place=task.place,
    )
    fitted = follow(session, order, np.random.default_rng(seed))
    made = record(
        session.evidence,
        fitted,
        rows.domain,
        charge=Charge(
            neighbors=door.neighbors,
            charged=task.claim or door.guarantee,
            spent=session.spent,
        ),
    )
    return made, fitted.drawn, seed
