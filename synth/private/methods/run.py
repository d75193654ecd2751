"""A release by marginals: checks before the spend, the spend, the record. PRIVATE."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from synth.door import Door
from synth.estimate import (
    Choice,
    MarginalsRecord,
    Order,
    PartedRows,
    PublicGuess,
    RowStore,
    Rules,
    place_here,
    record,
)
from synth.privacy import Guarantee
from synth.private.counting import AddedMoments, Rows
from synth.private.methods.session import Session
from synth.private.methods.strategies import follow
from synth.util import one_thread


@dataclass(frozen=True, kw_only=True)
class ModelTask:
    """What a release by a model has in addition to its choice.

    Attributes:
        rows: Number of synthetic rows; None for the public or estimated number.
        claim: The door's guarantee as a claim, if it is a rho.
        rules: The result of `Choice.check_model`, computed by default.
        measured: Called with each measurement, right after it.
        public: The public table as a guess, if there is one.
        place: Where many rows are held.
        moments: Sums of numbers, to be measured after the counts.
    """

    rows: int | None
    claim: Guarantee | None = None
    rules: Rules | None = None
    measured: Callable[[str], None] | None = None
    public: PublicGuess | None = None
    place: RowStore = place_here
    moments: AddedMoments | None = None


@one_thread
def draw_model(
    choice: Choice,
    rows: Rows,
    door: Door,
    *,
    task: ModelTask,
) -> tuple[MarginalsRecord, PartedRows, int]:
    """Spend the door's guarantee on marginals; return the public record, the drawn rows,
    their seed.
    """
    rules = task.rules or choice.check_model(rows.domain)
    session = Session(
        rows,
        door,
        rules=rules,
        most_cells=choice.most_cells,
        progress=task.measured,
        public=task.public,
        moments=task.moments,
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
        neighbors=door.neighbors,
        charged=task.claim or door.guarantee,
        spent=session.spent,
    )
    return made, fitted.drawn, seed
