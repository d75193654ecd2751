"""Ways to answer questions together, and their expected errors. PUBLIC.

>>> [way.value for way in WayName][:2]
['laplace', 'gaussian']

A way to answer, rebuilt from its description.

Nothing is chosen here. The description holds the grids or the strategy of a block, and its
cost. Sensitivity, noise and readouts follow from the questions.

The noise of sums of products, and the grids that it allows.
"""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from synth import limits
from synth.domain import Steps
from synth.errors import ArgumentError
from synth.noise import Mechanism, expected_largest, largest_normal, law_of
from synth.privacy import Guarantee, Neighbors, Sensitivity, Unit
from synth.questions.moments.sensitivity import entry_grains, joint_of_moments, scales_of
from synth.questions.moments.spans import spans_of
from synth.questions.moves.joint import Joint
from synth.questions.quantiles.choices import choice_ways
from synth.questions.quantiles.trees import ValueTree, expected_ranks, tree_of, tree_ways
from synth.questions.strategies.offered import strategies, strategy_of, strategy_way, tree_way
from synth.questions.sum_ways import move, sum_ways
from synth.questions.way.strategy import CountStrategy
from synth.questions.way.way import (
    HistogramCells,
    Way,
    ball_noises,
    chosen_way,
    elliptical_noise,
    histogram_way,
    independent_noise,
    known_way,
)
from synth.questions.way_names import WayName
from synth.questions.workloads.block import Block, asks_rows_alone
from synth.questions.workloads.grains import summable
from synth.questions.workloads.tallies import Grain, Tally, joint_classes
from synth.util import Document, Ints


def typical_error(way: Way) -> float:
    """Return the expected error of one number of an answer; for sums relative to the
    ranges.
    """
    ranks = way.mechanism is None or isinstance(way.strategy, ValueTree)
    if way.mechanism is None or ranks or any(grain.steps is not None for grain in way.grains):
        return way.score
    if way.strategy is not None:
        spreads = way.strategy.variances() * way.mechanism.variance
        return float(np.mean(np.sqrt(2 / math.pi * spreads)))
    if way.cells is None:
        return law_of(way.mechanism).expected_size
    variances = [
        max(1, len(members)) * way.mechanism.variance for members in way.cells.members
    ]
    return float(np.mean(np.sqrt(2 / math.pi * np.array(variances))))


def ways(block: Block, cost: Guarantee) -> list[Way]:
    """Return all ways to answer a block at this cost, the best first.

    ``cost`` is pure, as zCDP, or for a single number an (epsilon, delta).

    Raises:
        LimitError: A question distinguishes too many cells.
    """
    if block.multiplies:
        return [moments_way(block, cost)]
    if block.question.kind.is_alone:
        both = [*choice_ways(block, cost), *tree_ways(block, cost)]
        return sorted(both, key=lambda way: way.score)
    paid_ways = sum_ways(block, cost) if block.sums else _count_ways(block, cost)
    return sorted([*top_ways(block, cost), *paid_ways], key=lambda way: way.score)


def top_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Yield the way that chooses the most frequent candidate, if a block asks for it."""
    if not block.question.is_choice or cost.delta:
        return
    grains = (Grain(),)
    joint = move(block, grains)
    if joint is not None and block.size > 1:
        # About the most rows by which the chosen value is expected to fall short of the most
        # frequent. For R equal candidates (2 sensitivity / epsilon) ln R bounds it for
        # permute-and-flip and for the exponential mechanism (McKenna, Sheldon 2020, Theorem
        # 3; Dwork, Roth 2014, Theorem 3.11). The most frequent of noisy counts falls short by
        # at most the largest noise, so both bound the same.
        rate = float(cost.epsilon) if cost.epsilon else math.sqrt(8 * float(cost.rho or 1))
        error = 2 * joint.sensitivity.l_infinity / rate * math.log(block.size)
        yield chosen_way(grains, joint, cost, score=error, candidates=block.size)


def _count_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
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
        yield from strategy_way(name, strategy, block, cost, partial(largest_by, strategy))


def largest_by(strategy: CountStrategy, noise: Mechanism) -> float:
    """Return about the expected largest error of counts by a strategy; deviations to one
    %.
    """
    deviations = np.sqrt(strategy.variances() * noise.variance)
    deviations = deviations[deviations > 0]
    if not len(deviations):
        return 0.0
    return largest_normal(1.01 ** np.ceil(np.log(deviations) / math.log(1.01)))


def count_noises(
    joint: Joint, size: int, cost: Guarantee
) -> Iterator[tuple[WayName, Mechanism]]:
    """Yield the noises on single counts, and on all counts at once."""
    yield independent_noise(joint, size, cost)
    yield from ball_noises(joint, size, cost)


def cell_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Yield noise on every cell; its largest error is about that of sums of cells."""
    cells = None if block.has_pairs or cost.delta else histogram_cells(block)
    if cells is None:
        return
    moves = histogram_moves(block.unit, block.workload.neighbors, cells.tally.size)
    cells_by_total = np.array([float(max(1, len(members))) for members in cells.members])
    yield histogram_way(
        cells,
        Joint(moves, True, moves),
        cost,
        score=lambda noise: largest_normal(np.sqrt(cells_by_total * noise.variance)),
    )


def histogram_moves(unit: Unit, neighbors: Neighbors, cells: int) -> Sensitivity:
    """Return how far one person moves a histogram: in a single cell, nobody takes two
    places.
    """
    if cells == 1:
        neighbors = Neighbors.ADD_REMOVE
    return Sensitivity(unit.sensitivity(neighbors), unit.square(neighbors), unit.max_rows)


def histogram_cells(block: Block) -> HistogramCells | None:
    """Return the cells that the totals of a block distinguish; None if they are too many."""
    tallies = [block.workload.tallies[number] for number in block.tallies]
    axes = tuple(sorted({axis for tally in tallies for axis in tally.axes}))
    classes, atoms = joint_classes(tallies, axes, by_first=False)
    shape = tuple(map(len, atoms))
    size = math.prod(shape)
    if size > limits.QUESTION_CELLS or size * len(tallies) > limits.HISTOGRAM_WORK:
        return None
    members: list[Ints] = []
    for tally in tallies:
        places = tally.totals_of(axes, atoms)
        order = np.argsort(places, kind="stable")
        cuts = np.searchsorted(places[order], np.arange(tally.size + 1))
        members += [order[a:b] for a, b in pairwise(cuts)]
    assert len(members) == sum(tally.size for tally in tallies)
    place = np.arange(size).reshape(shape)
    return HistogramCells(
        Tally(axes=axes, classes=tuple(classes), place=place, size=size), tuple(members)
    )


def way_again(
    block: Block,
    name: WayName,
    cost: Guarantee | None,
    *,
    grains: Sequence[Grain],
    strategy: Sequence[Document],
) -> Way | None:
    """Return the way of a name that measures a block like this; None if this version knows
    none.

    ``cost`` is None if nothing is spent; ``strategy`` comes from `CountStrategy.describe`.

    Raises:
        ArgumentError: These questions are not answered together, or not on these grids.
    """
    if cost is None or asks_rows_alone(block):
        return known_way(()) if cost is None and asks_rows_alone(block) else None
    several = len(block.readings) > 1
    if several and any(
        block.workload.questions[r.question].kind.is_alone for r in block.readings
    ):
        raise ArgumentError("a choice is made for one question alone.")
    if several and block.sums:
        raise ArgumentError("sums are answered for one question alone.")
    possible_ways = (
        _strategy_ways(block, cost, strategy) if strategy else _ways(block, cost, grains)
    )
    return next((way for way in possible_ways if way.name == name), None)


def _ways(block: Block, cost: Guarantee, grains: Sequence[Grain]) -> Iterator[Way]:
    if block.question.kind.is_alone:
        yield from choice_ways(block, cost)
        return
    if len(block.readings) == 1:
        yield from top_ways(block, cost)
    if len(grains) == len(block.tallies) and not (cost.delta and block.size > 1):
        yield from _total_ways(block, cost, tuple(grains))
    if not block.sums:
        yield from cell_ways(block, cost)


def _total_ways(block: Block, cost: Guarantee, grains: tuple[Grain, ...]) -> Iterator[Way]:
    _check_grains(block, grains)
    joint = move(block, grains)
    size = block.size
    assert joint is not None  # the number of rows is not all that is asked for
    noises = [*count_noises(joint, size, cost)]
    if block.sums and cost.rho is not None:
        noises.append(elliptical_noise(joint, cost.rho))
    for name, noise in noises:
        score = 0.0 if block.sums else expected_largest(noise, size)  # that no answer shows
        yield Way(
            name=name,
            mechanism=noise,
            grains=grains,
            joint=joint,
            cost=cost,
            score=score,
            size=size,
        )


def _strategy_ways(
    block: Block, cost: Guarantee, descriptions: Sequence[Document]
) -> Iterator[Way]:
    if cost.delta or block.sums:
        return
    if block.question.kind.is_ranked:
        values = tree_of(block, descriptions)
        if values is not None:
            yield from tree_way(values, block, cost, score=partial(expected_ranks, values))
        return
    named_strategy = strategy_of(block, descriptions)
    if named_strategy is not None:
        yield from strategy_way(
            *named_strategy, block, cost, partial(largest_by, named_strategy[1])
        )


def _check_grains(block: Block, grains: Sequence[Grain]) -> None:
    # Each sum must be on a grid of its own column that reaches all its values: others would
    # be clipped, or belong to another column.
    centred = all(reading.centred for reading in block.readings)
    for number, grain in zip(block.tallies, grains, strict=True):
        tally = block.workload.tallies[number]
        axes = sorted(axis for axis in (tally.summed, tally.times) if axis is not None)
        steps = [
            column_steps
            for column_steps in (grain.steps, grain.times)
            if column_steps is not None
        ]
        right = sorted(column_steps.column for column_steps in steps) == axes
        if not (right and all(_reaches(block, column_steps) for column_steps in steps)):
            raise ArgumentError("the grids do not reach all values of the columns.")
        if grain.steps is not None and not centred and grain.steps.middle:
            raise ArgumentError("without a public number of rows a grid begins at 0.")
        if grain.weight > 1 and not block.multiplies and (grain.steps or not block.sums):
            raise ArgumentError("rows, and steps of numbers, are counted one by one.")


def _reaches(block: Block, steps: Steps) -> bool:
    column_range = summable(block.workload.columns[steps.column])
    low = column_range.low
    high = column_range.high
    for span in spans_of(block) if block.multiplies else ():
        if span.axis == steps.column:  # only values that meet the condition are multiplied
            low = span.low
            high = span.high
    far = max(abs(low - steps.middle), abs(high - steps.middle))
    return far <= (steps.most + 0.5) * steps.grid


# Most steps from the middle of a range to its end; products have the square.
MAX_MOMENT_STEPS = 2**14


def moments_way(block: Block, cost: Guarantee) -> Way:
    """Return the way with noise on each sum: Laplace under a pure guarantee, Gaussian under a
    rho.

    Raises:
        QuestionError: The condition leaves a column one value.
    """
    grains = grains_of(block, finest(block, cost))
    weight, _ = scales_of(block, grains)
    joint = joint_of_moments(block, grains)
    name, noise = independent_noise(joint, block.size, cost)
    return Way(
        name=name,
        mechanism=noise,
        grains=grains,
        joint=joint,
        cost=cost,
        score=noise.mean_absolute / weight**2,
        size=block.size,
    )


def grains_of(block: Block, weight: int) -> tuple[Grain, ...]:
    """Return grids of about this many steps for all columns: sums and rows have equal
    size.
    """
    columns = [span.steps(weight) for span in spans_of(block)]
    weight = max(steps.most for steps in columns)
    grains = entry_grains(block, weight, columns)
    return tuple(grains.get(number, Grain(weight**2)) for number in block.tallies)


def finest(block: Block, cost: Guarantee) -> int:
    """Return the most steps whose squares have noise of at most `limits.FINE_PRODUCTS`."""
    rate = float(cost.epsilon) if cost.rho is None else math.sqrt(2 * float(cost.rho))  # type: ignore[arg-type]
    moved = 2 * len(block.tallies) * block.unit.max_rows  # squares of steps, at most, in L1
    steps = math.isqrt(int(float(limits.FINE_PRODUCTS) * rate / moved))
    return max(1, min(MAX_MOMENT_STEPS, steps))
