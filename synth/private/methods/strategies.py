"""A release by marginals: from the budget to the record and the rows. PRIVATE.

A private number of rows is measured; a public guess is tried; *auto* chooses; columns and
distances of pairs are measured if pairs may follow. Then the method measures
(`measurements`), and the rows are drawn.
"""

from copy import deepcopy
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from synth.door import Door
from synth.estimate import (
    RECIPES,
    SELECTION,
    SIZING,
    Account,
    Charge,
    Choice,
    Fitted,
    MarginalsRecord,
    Order,
    PartedRows,
    TableSize,
    cells,
    choose,
    first_share,
    prospect,
    quietest_for_columns,
    record,
    with_others,
)
from synth.private.counting import Rows
from synth.private.methods.measurements import MEASURED
from synth.private.methods.session import ModelTask, Session
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


def follow(session: Session, order: Order, generator: Generator) -> Fitted:
    """Spend a session's budget as a method does, and return the fitted model with its rows.

    Args:
        session: The rows, the door and the budget.
        order: The method, and the number of rows to draw.
        generator: Draws the rows.
    """
    fitted = _follow(session, order, generator)
    fitted.drawn.enforce(session.evidence.rules)
    return fitted


def _follow(session: Session, order: Order, generator: Generator) -> Fitted:
    """Measure what the chosen method needs, fit its model and draw the rows.

    See `follow` for the arguments. Rules of the domain are not enforced on the rows yet.
    """
    method = order.strategy
    # Methods of pairs are planned by the number of rows.
    if RECIPES[method].by_pairs and session.evidence.pair_count:
        _size_up(session)
    if session.evidence.public is not None:
        from synth.private.methods.guided import follow_guess

        fitted = follow_guess(session, order, generator)
        if fitted is not None:
            return fitted
    if RECIPES[method].chooses:  # only *auto* does
        method, account = choose(
            session.account,
            session.account_as(pure=True) if session.may_be_pure else None,
            TableSize(
                shape=session.evidence.shape,
                rows=session.evidence.total,
                rows_are_public=session.rows_are_public,
                most_cells=session.evidence.most_cells,
            ),
            pairs=0 if _hopeless(session) else session.evidence.pair_count,
        )
        session.spend_as(pure=account.pure)
    elif session.may_be_pure:
        session.spend_as(pure=_quieter(session, order).pure)
    if RECIPES[method].by_pairs:
        if _hopeless(session):
            method = RECIPES[method].fallback
        else:
            _begin(session)
    # A copy is split, so that the model draws other numbers than the rows, and the rows'
    # generator stays as its seed made it.
    model_generator = deepcopy(generator).spawn(1)[0]
    noisy = MEASURED[method](session, order, model_generator)
    session.measure_moments()
    return RECIPES[method].finish(session.evidence, noisy, order, generator=generator)


def _size_up(session: Session) -> None:
    """Measure the approximate number of rows, if it is private.

    It gets the share `SIZING` of the budget.
    """
    # It is paid in epsilon if the guarantee allows it: the square of a fiftieth is next to
    # nothing as rho.
    if session.rows_are_public:
        return
    with session.in_epsilon():
        session.measure_total(session.account.total * SIZING)


def _hopeless(session: Session) -> bool:
    """Return whether pairs can't be chosen: there are none, no rows, or too much noise.

    The noise is that of their distances, which get the share `SELECTION` of the budget.
    """
    evidence = session.evidence
    return (
        not evidence.pair_count or evidence.total < 1 or session.too_loud_to_choose(SELECTION)
    )


def _quieter(session: Session, order: Order) -> Account:
    """Return the account, in pure epsilon or as it is, whose noise is smaller for a method.

    Args:
        session: The rows, the door and the budget.
        order: The method, and its groups of columns.
    """
    account = session.account
    pure = session.account_as(pure=True)
    shape = session.evidence.shape
    if RECIPES[order.strategy].takes_groups:
        # Each group, and each other column, is measured as one wide column would be.
        cliques = with_others(shape, order.groups)
        sizes = [cells(shape, clique) for clique in cliques]
        return quietest_for_columns(account, pure, sizes)
    if RECIPES[order.strategy].by_pairs and not _hopeless(session):
        rows = session.evidence.total
        return min(account, pure, key=lambda way: prospect(way, shape, rows).pairs)
    return quietest_for_columns(account, pure, shape)


def _begin(session: Session) -> None:
    """Measure columns, then the distances of pairs.

    The noisier the columns, the larger their share: knowledge about the pairs must outweigh
    the loss on the columns.
    """
    account, evidence = session.account, session.evidence
    # The distances by which pairs are selected have a share of their own.
    selection = account.total * prospect(account, evidence.shape, evidence.total).selection
    share = first_share(account, evidence.shape, evidence.total)
    session.measure_columns((session.left - selection) * share)
    session.measure_distances(selection)
