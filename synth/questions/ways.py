"""Ways to answer questions together, and their average errors. PUBLIC."""

import math
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from synth import limits
from synth.estimate import WayName
from synth.noise import Mechanism, expected_largest, largest_normal, law_of
from synth.privacy import Guarantee, Neighbors, Sensitivity, Unit
from synth.questions.moves.joint import Joint
from synth.questions.sum_ways import move, sum_ways
from synth.questions.way.way import (
    HistogramCells,
    Way,
    ball_noises,
    chosen_way,
    histogram_way,
    independent_noise,
    known_way,
)
from synth.questions.workloads.block import Block
from synth.questions.workloads.tallies import Grain, Tally, joint_classes
from synth.util import Ints

if TYPE_CHECKING:
    from synth.questions.way.strategy import CountStrategy


def typical_error(way: Way) -> float:
    """Return the average error of a number that a way gives, over all its numbers.

    For counts it is in rows; for sums it is relative to the ranges of the columns. For
    choices and quantiles it is the way's own score.
    """
    has_sums = any(grain.steps is not None for grain in way.grains)
    if way.mechanism is None or has_sums:
        return way.score  # of a choice or of sums, the score is the error
    # A normal number of variance v has the expected size sqrt(2 v / pi).
    if way.strategy is not None:
        from synth.questions.quantiles.trees import ValueTree

        if isinstance(way.strategy, ValueTree):
            return way.score
        variances = way.strategy.variances() * way.mechanism.variance
        return float(np.mean(np.sqrt(2 / math.pi * variances)))
    if way.cells is None:
        return law_of(way.mechanism).expected_size
    # Under a histogram, a total of m cells has m times the variance of a cell.
    cells_by_total = np.array([max(1, len(members)) for members in way.cells.members])
    return float(np.mean(np.sqrt(2 / math.pi * (cells_by_total * way.mechanism.variance))))


def ways(block: Block, cost: Guarantee) -> list[Way]:
    """Return all ways to answer a block of questions at this cost, the best first.

    Args:
        block: Questions that one noisy vector answers.
        cost: A pure epsilon, a zCDP rho, or an (epsilon, delta) for a single number.

    Raises:
        LimitError: A question distinguishes too many cells.
    """
    if block.multiplies:
        from synth.questions.moment_ways import moments_way

        return [moments_way(block, cost)]
    if block.question.kind.is_single_choice:
        from synth.questions.quantiles.choices import choice_ways
        from synth.questions.quantiles.trees import tree_ways

        # Drawn at random among the candidates, or read off a noisy tree of values.
        both = [*choice_ways(block, cost), *tree_ways(block, cost)]
        return sorted(both, key=lambda way: way.score)
    paid_ways = sum_ways(block, cost) if block.sums else _count_ways(block, cost)
    return sorted([*top_ways(block, cost), *paid_ways], key=lambda way: way.score)


def top_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Yield the way that chooses the most frequent value of a column, if a block asks for
    one.

    It releases only the chosen value, and no number of rows.

    Args:
        block: Questions that one noisy vector answers.
        cost: The share of the budget that it may spend.
    """
    if not block.question.is_choice or cost.delta:
        return
    grains = (Grain(),)
    joint = move(block, grains)
    if joint is not None and block.size > 1:
        # About the most rows by which the chosen value is expected to fall short of the most
        # frequent. For R equal candidates (2 sensitivity / epsilon) ln R bounds it for
        # permute-and-flip and for the exponential mechanism (McKenna, Sheldon 2020, Theorem
        # 3; Dwork, Roth 2014, Theorem 3.11). The most frequent of noisy counts falls short by
        # at most the largest noise, so both bound the same. A zCDP rho allows the exponential
        # mechanism an epsilon of sqrt(8 rho).
        rate = float(cost.epsilon) if cost.epsilon else math.sqrt(8 * float(cost.rho or 1))
        error = 2 * joint.sensitivity.l_infinity / rate * math.log(block.size)
        yield chosen_way(grains, joint, cost, score=error, candidates=block.size)


def _count_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Yield the ways to answer a block of counts of rows.

    They add noise to the counts, or to the cells that the counts distinguish, or to other
    numbers from which the counts are estimated (strategies). A block is a set of questions
    that one noisy vector answers.
    """
    from synth.questions.strategies.offered import strategies, strategy_way

    grains = tuple(Grain() for _ in block.tallies)
    joint = move(block, grains)
    if joint is None:
        yield known_way(grains)
        return
    for name, noise in count_noises(joint, block.size, cost):
        yield Way(
            name=name,
            mechanism=noise,
            grains=grains,
            joint=joint,
            cost=cost,
            score=expected_largest(noise, block.size),
            size=block.size,
        )
    yield from cell_ways(block, cost)
    for name, strategy in strategies(block, cost):
        yield from strategy_way(
            name, strategy, block, cost=cost, score=partial(largest_by, strategy)
        )


def largest_by(strategy: "CountStrategy", noise: Mechanism) -> float:
    """Return about the expected largest error of the counts that a strategy estimates, in
    rows.

    Standard deviations are rounded up to powers of 1.01, so that few are distinct.
    """
    deviations = np.sqrt(strategy.variances() * noise.variance)
    deviations = deviations[deviations > 0]
    if not len(deviations):
        return 0.0
    return largest_normal(1.01 ** np.ceil(np.log(deviations) / math.log(1.01)))


def count_noises(
    joint: Joint, size: int, cost: Guarantee
) -> Iterator[tuple[WayName, Mechanism]]:
    """Yield noises for counts, each with the name of its way.

    They are independent noise on each count, and noise drawn for all counts at once.

    Args:
        joint: How far one person moves all counts together (the sensitivity).
        size: The number of counts.
        cost: The privacy cost of all counts together.
    """
    yield independent_noise(joint, size, cost)
    yield from ball_noises(joint, size, cost)


def cell_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Yield the way that adds noise to every cell of a histogram, unless cells are too many.

    It answers no ratios of two noisy totals, and takes no (epsilon, delta).

    Args:
        block: The questions that one noisy vector answers.
        cost: The share of the budget that it may spend.
    """
    cells = None if block.has_pairs or cost.delta else histogram_cells(block)
    if cells is None:
        return
    # The sensitivity of the cells is exact: two neighbours differ by as much.
    moves = histogram_moves(block.unit, block.workload.neighbors, cells.tally.size)
    cells_by_total = np.array([float(max(1, len(members))) for members in cells.members])
    yield histogram_way(
        cells,
        Joint(moves, True, moves),
        cost,
        score=lambda noise: largest_normal(np.sqrt(cells_by_total * noise.variance)),
    )


def histogram_moves(unit: Unit, neighbors: Neighbors, cells: int) -> Sensitivity:
    """Return how far one person moves the cells of a histogram together.

    With a single cell a replaced row moves it by at most 1, as an added one does: the new row
    cannot go to another cell.

    Args:
        unit: What one person is: at most ``unit.max_rows`` rows.
        neighbors: Whether a person is added or removed, or replaced.
        cells: The number of cells.
    """
    if cells == 1:
        neighbors = Neighbors.ADD_REMOVE
    # The moves in L1, squared L2 and L-infinity.
    return Sensitivity(unit.sensitivity(neighbors), unit.square(neighbors), unit.max_rows)


def histogram_cells(block: Block) -> HistogramCells | None:
    """Return the cells that the totals of a block distinguish; None if they are too many.

    An atom is a piece of a column that no question cuts. Atoms that every tally (a sum over
    the rows) puts into the same totals are one class, and a cell is a combination of classes.
    Each total is a sum of cells, its members. A block is a set of questions that one noisy
    vector answers.
    """
    tallies = [block.workload.tallies[number] for number in block.tallies]
    axes = tuple(sorted({axis for tally in tallies for axis in tally.axes}))
    # For each column the class of every atom, and one atom of each class.
    classes, atoms = joint_classes(tallies, axes, by_first=False)
    shape = tuple(map(len, atoms))
    size = math.prod(shape)
    if size > limits.QUESTION_CELLS or size * len(tallies) > limits.HISTOGRAM_WORK:
        return None
    members: list[Ints] = []
    for tally in tallies:
        # The tally's total of each cell, or -1 for none. Sorted by it, the cells of a total
        # stand side by side.
        total_of_cell = tally.totals_of(axes, atoms)
        cells = np.argsort(total_of_cell, kind="stable")
        bounds = np.searchsorted(total_of_cell[cells], np.arange(tally.size + 1))
        members += [cells[first:end] for first, end in pairwise(bounds)]
    assert len(members) == sum(tally.size for tally in tallies)
    place = np.arange(size).reshape(shape)
    return HistogramCells(
        Tally(axes=axes, classes=tuple(classes), place=place, size=size), tuple(members)
    )
