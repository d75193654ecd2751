"""Measurements of *adaptive*. PRIVATE."""

from fractions import Fraction

from numpy.random import Generator

from synth.estimate import NoisyParts, Order, Together, error_after
from synth.private.methods.session import Session

# Most pairs that are taken one after another.
ROUNDS = 12
# Share of the budget for pairs that these rounds get.
LATER = Fraction(1, 3)
# Share of a round's budget for choosing the pair; the rest measures it.
CHOOSING = Fraction(1, 5)


def measure_adaptively(session: Session, order: Order, generator: Generator) -> NoisyParts:
    budget = session.left * (1 - LATER)
    noisy = session.measure_pairs(session.evidence.pairs, budget, order.predicted)
    rounds = min(ROUNDS, len(session.evidence.pairs) - len(noisy))
    costs = session.account.split(session.left, [1.0] * rounds) if rounds else []
    for cost in costs:
        together = Together(session.evidence, noisy, generator)
        noise = session.account.noise(cost * (1 - CHOOSING)).mean_absolute
        open_pairs = [pair for pair in session.evidence.pairs if pair not in noisy]
        guesses = {pair: together.estimates[pair].values for pair in open_pairs}
        allowed = [error_after(guess, noise) for guess in guesses.values()]
        worst = session.measure_worst(guesses, allowed, cost * CHOOSING)
        noisy[worst] = session.measure(worst, cost * (1 - CHOOSING))
    session.spend_rest()
    return noisy
