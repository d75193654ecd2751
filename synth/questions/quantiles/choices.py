"""Ways to choose quantiles, and the best of several conditions. PUBLIC.

Permute-and-flip under a pure guarantee, the exponential mechanism under zCDP, each aim by an
equal part of the budget."""

from collections.abc import Iterator
from dataclasses import replace

from synth.noise import ChoiceLaw
from synth.privacy import Guarantee, Neighbors, Sensitivity
from synth.questions.moves.joint import Joint
from synth.questions.quantiles.aims import aims_of
from synth.questions.sum_ways import move
from synth.questions.way.way import Way, chosen_way
from synth.questions.workloads.block import Block
from synth.questions.workloads.tallies import Grain


def choice_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Yield the way to answer a question of quantiles, or for the best of several conditions.

    Nothing for an (epsilon, delta).
    """
    if cost.delta:
        return
    if not block.question.candidates:
        yield _choose_ranks(block, cost)
        return
    grains = tuple(Grain() for _ in block.tallies)
    joint = move(block, grains)
    assert joint is not None  # there are two conditions or more
    law = best_law(block, joint, cost)
    yield chosen_way(grains, joint, cost, score=law.expected, candidates=law.candidates)


def _choose_ranks(block: Block, cost: Guarantee) -> Way:
    """Return the way that chooses values by their ranks.

    The sensitivity is that of the rank that one person moves most.
    """
    aims = aims_of(block, cost)
    workload = block.workload
    move = max(aim.moves(workload.neighbors, block.unit) for aim in aims.each)
    joint = rank_moves(move, aims.candidates)
    way = chosen_way(
        (),
        joint,
        cost,
        score=max(law.expected for law in aims.laws),
        candidates=aims.candidates,
    )
    return replace(way, size=len(aims.each))


def rank_moves(move: int, candidates: int) -> Joint:
    """Return how far scores of all candidates move together, if each moves by this."""
    bound = Sensitivity(move * candidates, move * move * candidates, move)
    least = Sensitivity(1, 1, 1)
    return Joint(bound, bound == least, least)


def best_law(block: Block, joint: Joint, cost: Guarantee) -> ChoiceLaw:
    """Return the law of the rows by which the chosen condition falls short of the best."""
    epsilon = float(cost.epsilon) if cost.epsilon else (8 * float(cost.rho or 0)) ** 0.5
    twice = 1 if is_monotone(block) else 2
    rate = epsilon / (twice * joint.sensitivity.l_infinity)
    return ChoiceLaw(len(block.question.candidates), rate, pure=cost.rho is None)


def is_monotone(block: Block) -> bool:
    """Return whether one person moves all scores in the same direction: counts under
    add-remove.
    """
    has_candidates = bool(block.question.candidates)
    return block.workload.neighbors is Neighbors.ADD_REMOVE and has_candidates
