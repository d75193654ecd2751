"""Measurements of *one-shot*. PRIVATE."""

from numpy.random import Generator

from synth.estimate import NoisyParts, Order
from synth.private.methods.session import Session


def measure_pairs_at_once(session: Session, order: Order, _: Generator) -> NoisyParts:
    noisy = session.measure_pairs(session.evidence.pairs, session.left, order.predicted)
    session.spend_rest()
    return noisy
