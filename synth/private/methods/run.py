"""A release by marginals: checks before the spend, the spend, the record. PRIVATE."""

from collections.abc import Callable

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


@one_thread
def draw_model(
    choice: Choice,
    rows: Rows,
    door: Door,
    *,
    claim: Guarantee | None = None,
    rules: Rules | None = None,
    wanted: int | None,
    measured: Callable[[str], None] | None = None,
    public: PublicGuess | None = None,
    place: RowStore = place_here,
    moments: AddedMoments | None = None,
) -> tuple[MarginalsRecord, PartedRows, int]:
    """Spend the door's guarantee on marginals; return the public record, the drawn rows,
    their seed.

    Args:
        claim: The door's guarantee as a claim, if it is a rho.
        rules: The result of `Choice.check_model`, computed by default.
        wanted: Number of synthetic rows; None for the public or estimated number.
        measured: Called with each measurement, right after it.
    """
    rules = rules or choice.check_model(rows.domain)
    session = Session(
        rows,
        door,
        rules=rules,
        most_cells=choice.most_cells,
        progress=measured,
        public=public,
        moments=moments,
        terms=choice.moments if moments else (),
    )
    seed = door.seed()
    groups, predicted = choice.cliques(rows.domain), choice.predicted(rows.domain)
    order = Order(
        strategy=choice.method,
        rows=wanted,
        groups=groups,
        favour=choice.favour,
        predicted=predicted,
        place=place,
    )
    fitted = follow(session, order, np.random.default_rng(seed))
    made = record(
        session.evidence,
        fitted,
        rows.domain,
        neighbors=door.neighbors,
        charged=claim or door.guarantee,
        spent=session.spent,
    )
    return made, fitted.drawn, seed
