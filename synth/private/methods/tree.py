"""Measurements of *tree*. PRIVATE."""

from numpy.random import Generator

from synth.estimate import NoisyParts, Order, spanning_pairs
from synth.private.methods.session import Session


def measure_tree(session: Session, _order: Order, _: Generator) -> NoisyParts:
    noisy = session.measure_pairs(spanning_pairs(session.evidence), session.left)
    session.spend_rest()
    return noisy
