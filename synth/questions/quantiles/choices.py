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
    """Yield the way that chooses quantiles, or the best of several conditions, at random.

    Better candidates have a higher probability. Nothing is yielded for an (epsilon, delta).

    Args:
        block: The one question.
        cost: The share of the budget that it may spend.
    """
    if cost.delta:
        return
    if block.question.claimed is not None:
        from synth.questions.quantiles.figure_checks import check_way

        yield check_way(block, cost)
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
    """Return the way that chooses the values of quantiles by their ranks.

    Its sensitivity is that of the scores of the target rank that one person moves most. Its
    score is the average error of the worst rank, in rows.

    Args:
        block: The one question of quantiles.
        cost: A pure epsilon or a zCDP rho for all its ranks together.
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
    """Return how far the scores of all candidates move together, if each moves by ``move``.

    The bound may never be reached: two tables are only known to differ by 1.
    """
    # The moves in L1, squared L2 and L-infinity.
    bound = Sensitivity(move * candidates, move * move * candidates, move)
    least = Sensitivity(1, 1, 1)
    return Joint(bound, bound == least, least)


def best_law(block: Block, joint: Joint, cost: Guarantee) -> ChoiceLaw:
    """Return the law of how many rows the chosen condition falls short of the best one.

    Args:
        block: The one question, with its candidate conditions.
        joint: How far one person moves the counts of the candidates.
        cost: A pure epsilon or a zCDP rho.
    """
    # The exponential mechanism with this epsilon costs a rho of epsilon^2 / 8.
    epsilon = float(cost.epsilon) if cost.epsilon else (8 * float(cost.rho or 0)) ** 0.5
    # Scores that all move in one direction need half the noise.
    factor = 1 if is_monotone(block) else 2
    rate = epsilon / (factor * joint.sensitivity.l_infinity)
    return ChoiceLaw(len(block.question.candidates), rate, pure=cost.rho is None)


def is_monotone(block: Block) -> bool:
    """Return whether one person moves the scores of all candidates in the same direction.

    That holds for numbers of rows of conditions if a person is added or removed.
    """
    has_candidates = bool(block.question.candidates)
    return block.workload.neighbors is Neighbors.ADD_REMOVE and has_candidates
