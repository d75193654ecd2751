"""Measurements of *groups*, and of *histogram* as the one group of a model. PRIVATE."""

from numpy.random import Generator

from synth.estimate import NoisyParts, Order, cells, with_others
from synth.private.methods.session import Session


def measure_groups(session: Session, order: Order, _: Generator) -> NoisyParts:
    shape = session.evidence.shape
    cliques = with_others(shape, order.groups)
    costs = session.account.by_size(
        session.left, [cells(shape, clique) for clique in cliques]
    )
    return {c: session.measure(c, cost) for c, cost in zip(cliques, costs, strict=True)}


def measure_whole(session: Session, _order: Order, _: Generator) -> NoisyParts:
    clique = tuple(range(len(session.evidence.shape)))
    return {clique: session.measure(clique, session.left)}
