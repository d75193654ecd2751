"""Tables in memory, doors to them, and releases that several tests make."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from synth.domain import Categorical, Domain
from synth.door import Door, Ledger
from synth.estimate import Charge, Choice, Order, record
from synth.plans import Method
from synth.privacy import Guarantee, Neighbors
from synth.private.counting.counts import CodedRows
from synth.private.methods import draw_model
from synth.private.methods.session import ModelTask, Session
from synth.private.methods.strategies import follow
from synth.util import Ints

EPSILON_ONE = Guarantee.pure(Fraction(1))

EPSILON_ONE_AND_DELTA = Guarantee.approximate(Fraction(1), Fraction(1, 10**9))

SHAPE = (5, 4, 6, 3, 5, 4)


def make_domain(shape: tuple[int, ...]) -> Domain:
    """Columns c0, c1, ... of so many categories each, named v0, v1, ..."""
    names = [f"c{i}" for i in range(len(shape))]
    cells = [tuple(f"v{j}" for j in range(size)) for size in shape]
    return Domain(
        tuple(Categorical(name=n, categories=c) for n, c in zip(names, cells, strict=True))
    )


def hold_rows(codes: Ints, shape: tuple[int, ...]) -> CodedRows:
    """Rows in memory, from codes of the shape (rows, columns)."""
    return CodedRows(
        domain=make_domain(shape),
        codes=[np.ascontiguousarray(c) for c in codes.T],
        rows=len(codes),
    )


def open_door(
    guarantee: Guarantee = EPSILON_ONE, neighbors: Neighbors = Neighbors.ADD_REMOVE
) -> Door:
    """A door to a table with a fresh ledger, which draws the noise and counts what is
    spent.
    """
    return Door(
        ledger=Ledger(), dataset="t", neighbors=neighbors, guarantee=guarantee, purpose="test"
    )


def release(
    rows: CodedRows,
    strategy: Method,
    guarantee: Guarantee = EPSILON_ONE,
    neighbors: Neighbors = Neighbors.ADD_REMOVE,
    **options: Any,
) -> tuple[Any, Session, Door]:
    """Measure rows by a strategy, fit a model and draw its rows; what was fitted, the session
    that measured, and the door that was charged.
    """
    door = open_door(guarantee, neighbors)
    session = Session(rows, door, task=ModelTask(rules=options.pop("rules", None)))
    fitted = follow(session, Order(strategy=strategy, **options), np.random.default_rng(0))
    return fitted, session, door


def release_model(
    choice: Choice, rows: CodedRows, door: Door, *, wanted: int | None, public: Any = None
) -> tuple[Any, list[Ints], Any]:
    """The record, the rows as codes, one array a column, and the seed they were drawn
    with.
    """
    record, drawn_rows, seed = draw_model(
        choice, rows, door, task=ModelTask(rows=wanted, public=public)
    )
    return record, list(np.ascontiguousarray(drawn_rows.codes)), seed


def mean_pair_distance(codes: Ints, others_codes: Ints, shape: tuple[int, ...]) -> float:
    """Mean total variation over all pairs."""
    distances = []
    for first, second in combinations(range(len(shape)), 2):
        shares, others_shares = (
            np.bincount(
                rows[:, first] * shape[second] + rows[:, second],
                minlength=shape[first] * shape[second],
            )
            / len(rows)
            for rows in (codes, others_codes)
        )
        distances.append(abs(shares - others_shares).sum() / 2)
    return float(np.mean(distances))


def make_record(
    session: Session, fitted: Any, shape: tuple[int, ...], charged: Guarantee
) -> Any:
    """The public record of a release that `release` made."""
    return record(
        session.evidence,
        fitted,
        make_domain(shape),
        charge=Charge(
            neighbors=session.account.neighbors, charged=charged, spent=session.spent
        ),
    )
