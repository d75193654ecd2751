"""Tables in memory, doors to them, and releases that several tests make."""

from fractions import Fraction
from itertools import combinations

import numpy as np

from synth.domain import Categorical, Domain
from synth.door import Door, Ledger
from synth.estimate import Charge, Order, record
from synth.privacy import Guarantee, Neighbors
from synth.private.counting.counts import CodedRows
from synth.private.methods import draw_model
from synth.private.methods.session import ModelTask, Session
from synth.private.methods.strategies import follow

PURE = Guarantee.pure(Fraction(1))

LOOSE = Guarantee.approximate(Fraction(1), Fraction(1, 10**9))

SHAPE = (5, 4, 6, 3, 5, 4)


def domain_of(shape):
    names = [f"c{i}" for i in range(len(shape))]
    cells = [tuple(f"v{j}" for j in range(size)) for size in shape]
    return Domain(
        tuple(Categorical(name=n, categories=c) for n, c in zip(names, cells, strict=True))
    )


def coded_rows(codes, shape):
    return CodedRows(
        domain=domain_of(shape),
        codes=[np.ascontiguousarray(c) for c in codes.T],
        rows=len(codes),
    )


def door_for(guarantee=PURE, neighbors=Neighbors.ADD_REMOVE):
    return Door(
        ledger=Ledger(), dataset="t", neighbors=neighbors, guarantee=guarantee, purpose="test"
    )


def release(rows, strategy, guarantee=PURE, neighbors=Neighbors.ADD_REMOVE, **options):
    door = door_for(guarantee, neighbors)
    session = Session(rows, door, task=ModelTask(rules=options.pop("rules", None)))
    fitted = follow(session, Order(strategy=strategy, **options), np.random.default_rng(0))
    return fitted, session, door


def release_model(choice, rows, door, *, wanted, public=None):
    """The record, the rows as codes, one array a column, and the seed they were drawn
    with.
    """
    made, drawn, seed = draw_model(
        choice, rows, door, task=ModelTask(rows=wanted, public=public)
    )
    return made, list(np.ascontiguousarray(drawn.codes)), seed


def distance(codes, other, shape):
    """Mean total variation over all pairs."""
    found = []
    for a, b in combinations(range(len(shape)), 2):
        p, q = (
            np.bincount(c[:, a] * shape[b] + c[:, b], minlength=shape[a] * shape[b]) / len(c)
            for c in (codes, other)
        )
        found.append(abs(p - q).sum() / 2)
    return float(np.mean(found))


def recorded(session, fitted, shape, charged):
    return record(
        session.evidence,
        fitted,
        domain_of(shape),
        charge=Charge(
            neighbors=session.account.neighbors, charged=charged, spent=session.spent
        ),
    )
