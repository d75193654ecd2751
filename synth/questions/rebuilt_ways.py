"""A way to answer, rebuilt from its description. PUBLIC.

Nothing is chosen here. The description holds the grids or the strategy of a block, and its
cost. Sensitivity, noise and readouts follow from the questions.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from synth.domain import Steps
from synth.errors import ArgumentError
from synth.estimate import WayName
from synth.noise import expected_largest
from synth.privacy import Guarantee
from synth.questions.moments.spans import spans_of
from synth.questions.quantiles.choices import choice_ways
from synth.questions.quantiles.trees import expected_ranks, tree_of
from synth.questions.strategies.offered import strategy_of, strategy_way, tree_way
from synth.questions.sum_ways import move
from synth.questions.way.way import (
    Way,
    elliptical_noise,
    known_way,
)
from synth.questions.ways import cell_ways, count_noises, largest_by, top_ways
from synth.questions.workloads.block import Block, asks_rows_alone
from synth.questions.workloads.grains import summable
from synth.questions.workloads.tallies import Grain
from synth.util import Document


def way_again(
    block: Block,
    name: WayName,
    cost: Guarantee | None,
    *,
    grains: Sequence[Grain],
    strategy: Sequence[Document],
) -> Way | None:
    """Return the way that measured a block as its description says; None if there is none.

    Nothing is chosen again: noise and sensitivity follow from the description and the
    questions.

    Args:
        block: Questions that one noisy vector answers.
        name: The name of the way.
        cost: What the block spent; None for nothing.
        grains: How each of its sums becomes whole numbers, in the order of ``block.tallies``.
        strategy: What `CountStrategy.describe` returned; empty for ways without a strategy.

    Raises:
        ArgumentError: These questions are not answered together, or not on these grids.
    """
    # Only the public number of rows costs nothing, and it never costs anything.
    if cost is None or asks_rows_alone(block):
        return known_way(()) if cost is None and asks_rows_alone(block) else None
    several = len(block.readings) > 1
    if several and any(
        block.workload.questions[r.question].kind.is_single_choice for r in block.readings
    ):
        raise ArgumentError("a choice is made for one question alone.")
    if several and block.sums:
        raise ArgumentError("sums are answered for one question alone.")
    possible_ways = (
        _strategy_ways(block, cost, strategy) if strategy else _ways(block, cost, grains)
    )
    return next((way for way in possible_ways if way.name == name), None)


def _ways(block: Block, cost: Guarantee, grains: Sequence[Grain]) -> Iterator[Way]:
    """Yield the ways without a strategy that may have measured a block on these grids.

    Args:
        block: Questions that one noisy vector answers.
        cost: What the block spent.
        grains: How each of its sums becomes whole numbers.
    """
    if block.question.kind.is_single_choice:
        yield from choice_ways(block, cost)
        return
    if len(block.readings) == 1:
        yield from top_ways(block, cost)
    # An (epsilon, delta) pays for a single number only.
    if len(grains) == len(block.tallies) and not (cost.delta and block.size > 1):
        yield from _total_ways(block, cost, tuple(grains))
    if not block.sums:
        yield from cell_ways(block, cost)


def _total_ways(block: Block, cost: Guarantee, grains: tuple[Grain, ...]) -> Iterator[Way]:
    """Yield the ways that add noise to the totals of a block, on these grids.

    Args:
        block: Questions that one noisy vector answers.
        cost: What the block spent.
        grains: How each of its sums becomes whole numbers, in the order of ``block.tallies``.
    """
    _check_grains(block, grains)
    joint = move(block, grains)
    size = block.size
    assert joint is not None  # the number of rows is not all that is asked for
    noises = [*count_noises(joint, size, cost)]
    # Only sums have grids that differ by column, with Gaussian noise.
    if block.sums and cost.rho is not None:
        noises.append(elliptical_noise(joint, cost.rho))
    for name, noise in noises:
        # No answer shows the score of a sum.
        score = 0.0 if block.sums else expected_largest(noise, size)
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
    """Yield the way that measures a stored strategy, if it fits the block.

    Args:
        block: Questions that one noisy vector answers.
        cost: What the block spent.
        descriptions: What `CountStrategy.describe` returned.
    """
    # No strategy takes an (epsilon, delta), or adds numbers.
    if cost.delta or block.sums:
        return
    # Quantiles are read off a tree over the values of their column.
    if block.question.kind.is_ranked:
        values = tree_of(block, descriptions)
        if values is not None:
            yield from tree_way(values, block, cost, score=partial(expected_ranks, values))
        return
    named_strategy = strategy_of(block, descriptions)
    if named_strategy is not None:
        name, strategy = named_strategy
        score = partial(largest_by, strategy)
        yield from strategy_way(name, strategy, block, cost=cost, score=score)


def _check_grains(block: Block, grains: Sequence[Grain]) -> None:
    """Refuse grids that no way of this block can have.

    Each sum must be on a grid of its own column that reaches all its values. Otherwise values
    would be clipped, or belong to another column.

    Args:
        block: Questions that one noisy vector answers.
        grains: How each of its sums becomes whole numbers, in the order of ``block.tallies``.
    """
    # Whether sums are of distances from the middle of the range.
    centred = all(reading.centred for reading in block.readings)
    for number, grain in zip(block.tallies, grains, strict=True):
        tally = block.workload.tallies[number]
        # The columns that the sum adds or multiplies must be those of its grids.
        axes = sorted(axis for axis in (tally.summed, tally.times) if axis is not None)
        grids = [grid for grid in (grain.steps, grain.times) if grid is not None]
        are_of_columns = sorted(grid.column for grid in grids) == axes
        if not (are_of_columns and all(_reaches(block, grid) for grid in grids)):
            raise ArgumentError("the grids do not reach all values of the columns.")
        # Without a public number of rows, a row that adds nothing must add 0.
        if grain.steps is not None and not centred and grain.steps.middle:
            raise ArgumentError("without a public number of rows a grid begins at 0.")
        # Weights above 1 are for sums of products, and for rows that are counted beside sums.
        counts_beside_sums = block.sums and not grain.steps
        may_have_weight = block.multiplies or counts_beside_sums
        if grain.weight > 1 and not may_have_weight:
            raise ArgumentError("rows, and steps of numbers, are counted one by one.")


def _reaches(block: Block, steps: Steps) -> bool:
    """Return whether a grid reaches all values of its column, but for half a step.

    Args:
        block: Questions that one noisy vector answers.
        steps: The grid of a column, with its middle and its most steps to either side.
    """
    column_range = summable(block.workload.columns[steps.column])
    low = column_range.low
    high = column_range.high
    # In sums of products, only values that meet the condition count.
    for span in spans_of(block) if block.multiplies else ():
        if span.axis == steps.column:
            low = span.low
            high = span.high
    far = max(abs(low - steps.middle), abs(high - steps.middle))
    return far <= (steps.most + 0.5) * steps.grid
