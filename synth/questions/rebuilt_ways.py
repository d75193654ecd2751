"""A way to answer, rebuilt from its description. PUBLIC.

Nothing is chosen here. The description holds the grids or the strategy of a block, and its
cost. Sensitivity, noise and readouts follow from the questions.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from synth.domain import Steps
from synth.errors import ArgumentError
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
from synth.questions.way_names import WayName
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
    """Yield the ways without strategies among which a stored one must be."""
    if block.question.kind.is_single_choice:
        yield from choice_ways(block, cost)
        return
    if len(block.readings) == 1:
        yield from top_ways(block, cost)
    if len(grains) == len(block.tallies) and not (cost.delta and block.size > 1):
        yield from _total_ways(block, cost, tuple(grains))
    if not block.sums:
        yield from cell_ways(block, cost)


def _total_ways(block: Block, cost: Guarantee, grains: tuple[Grain, ...]) -> Iterator[Way]:
    """Yield the ways that add noise to the totals, on these grids."""
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
    """Yield the way that measures a stored strategy."""
    if cost.delta or block.sums:
        return
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
    """Refuse grids that a way of this block never has.

    Each sum must be on a grid of its own column that reaches all its values: others would be
    clipped, or belong to another column.
    """
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
    """Return whether a grid reaches all values of its column, but for half a step."""
    column_range = summable(block.workload.columns[steps.column])
    low = column_range.low
    high = column_range.high
    for span in spans_of(block) if block.multiplies else ():
        if span.axis == steps.column:  # only values that meet the condition are multiplied
            low = span.low
            high = span.high
    far = max(abs(low - steps.middle), abs(high - steps.middle))
    return far <= (steps.most + 0.5) * steps.grid
