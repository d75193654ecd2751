"""What each method measures with its budget, through the door. PRIVATE.

Each function spends the rest of a session's budget and returns the histograms to join. What
comes before and after is in `strategies`; how rows come of the histograms, in
`synth.estimate.recipes`, where each method is described from top to bottom.
"""

from collections.abc import Callable
from fractions import Fraction

from numpy.random import Generator

from synth.estimate import (
    Clique,
    Method,
    NoisyParts,
    Order,
    cells,
    error_after,
    spanning_pairs,
    with_others,
)
from synth.private.methods.session import Session

# Most pairs that *adaptive* takes one after another.
ROUNDS = 12
# Share of the budget for pairs that these rounds get.
LATER = Fraction(1, 3)
# Share of a round's budget for choosing the pair; the rest measures it.
CHOOSING = Fraction(1, 5)


def measure_columns_alone(session: Session, _order: Order, _: Generator) -> NoisyParts:
    """Measure *independent*: every column, with the whole budget."""
    session.spend_rest()
    return {}


def measure_tree(session: Session, _order: Order, _: Generator) -> NoisyParts:
    """Measure *tree*: the pairs of a maximum spanning tree of the noisy distances.

    A distance is how far a pair of columns is from independence. Returns the noisy histogram
    of each measured pair.
    """
    noisy = session.measure_pairs(spanning_pairs(session.evidence), session.left)
    session.spend_rest()
    return noisy


def measure_pairs_at_once(session: Session, order: Order, _: Generator) -> NoisyParts:
    """Measure *one-shot*: all pairs of columns that are worth their budget.

    Returns the noisy histogram of each measured pair.
    """
    noisy = session.measure_pairs(session.evidence.pairs, session.left, order.predicted)
    session.spend_rest()
    return noisy


def measure_adaptively(session: Session, order: Order, generator: Generator) -> NoisyParts:
    """Measure *adaptive*: one-shot with two thirds of the budget, then pairs by worst fit.

    Each round estimates all pairs, chooses the one whose estimate is furthest from the rows,
    beyond what its noise would be, and measures it.

    Args:
        session: The rows, the door and what was measured so far.
        order: Has the column that analysts will predict, if any.
        generator: Starts the models that estimate pairs.

    Returns the noisy histogram of each measured pair.
    """
    budget = session.left * (1 - LATER)
    noisy = session.measure_pairs(session.evidence.pairs, budget, order.predicted)
    rounds = min(ROUNDS, len(session.evidence.pairs) - len(noisy))
    costs: list[Fraction] = []
    if rounds:  # all of the same cost
        costs = session.account.split(session.left, [1.0] * rounds)
    for cost in costs:
        worst = _choose_worst(session, noisy, cost, generator=generator)
        noisy[worst] = session.measure(worst, cost * (1 - CHOOSING))
    session.spend_rest()
    return noisy


def _choose_worst(
    session: Session, noisy: NoisyParts, cost: Fraction, *, generator: Generator
) -> Clique:
    """Return the pair of columns to measure next: the open one with the worst estimate.

    It is chosen privately, with a part of a round's cost.

    Args:
        session: The rows, the door and what was measured so far.
        noisy: The noisy histograms of pairs that are measured already.
        cost: The budget of the round.
        generator: Starts the model that estimates pairs.
    """
    from synth.estimate import Together

    together = Together(session.evidence, noisy, generator)  # estimates all pairs at once
    noise = session.account.noise(cost * (1 - CHOOSING)).mean_absolute
    open_pairs = [pair for pair in session.evidence.pairs if pair not in noisy]
    guesses = {pair: together.estimates[pair].values for pair in open_pairs}
    # What a pair would still be off if it were measured does not count against its estimate.
    allowed = [error_after(guess, noise) for guess in guesses.values()]
    return session.measure_worst(guesses, allowed, cost * CHOOSING)


def measure_groups(session: Session, order: Order, _: Generator) -> NoisyParts:
    """Measure *groups*: each group, and each other column, with a share by its size.

    Groups are the sets of columns that the steward named. Returns the noisy histogram of each
    group, and of each single column that is in none.
    """
    shape = session.evidence.shape
    cliques = with_others(shape, order.groups)
    sizes = [cells(shape, clique) for clique in cliques]
    costs = session.account.by_size(session.left, sizes)
    return {
        clique: session.measure(clique, cost)
        for clique, cost in zip(cliques, costs, strict=True)
    }


def measure_whole(session: Session, _order: Order, _: Generator) -> NoisyParts:
    """Measure *histogram*: all columns in one histogram, with the whole budget."""
    clique = tuple(range(len(session.evidence.shape)))
    return {clique: session.measure(clique, session.left)}


# Measures with the rest of the budget, by method; the generator starts a model.
MEASURED: dict[str, Callable[[Session, Order, Generator], NoisyParts]] = {
    Method.INDEPENDENT: measure_columns_alone,
    Method.TREE: measure_tree,
    Method.ONE_SHOT: measure_pairs_at_once,
    Method.ADAPTIVE: measure_adaptively,
    Method.GROUPS: measure_groups,
    Method.HISTOGRAM: measure_whole,
}
