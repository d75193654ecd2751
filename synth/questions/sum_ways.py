"""Ways to answer sums of numbers, each column on a grid of its own. PUBLIC."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from synth.estimate import WayName
from synth.noise import Mechanism, Norm, largest_scale, law_of
from synth.privacy import Guarantee, Neighbors
from synth.questions.moves.joint import Joint, joint_sensitivity
from synth.questions.way.way import (
    Way,
    ball_noises,
    elliptical_noise,
    independent_noise,
    known_way,
)
from synth.questions.workloads.block import Block, asks_rows_alone
from synth.questions.workloads.grains import (
    MAX_HALF_STEPS,
    half_units,
    steps_around,
    steps_from_zero,
    summable,
)
from synth.questions.workloads.tallies import Grain


def move(block: Block, grains: Sequence[Grain]) -> Joint | None:
    """Return how far one person moves the totals of a block of questions.

    None if the block only asks for the public number of rows, which nobody moves.

    Args:
        block: Questions that one noisy vector answers.
        grains: How each of its sums becomes whole numbers, in the order of ``block.tallies``.
    """
    workload = block.workload
    if block.multiplies:
        from synth.questions.moments.sensitivity import joint_of_moments

        return joint_of_moments(block, grains)
    summed = (workload.tallies[number].summed for number in block.tallies)
    # Each atom of a summed column occurs twice, with its least and its greatest value, which
    # move a sum the most.
    doubled = frozenset(axis for axis in summed if axis is not None)
    pairs = zip(block.tallies, grains, strict=True)
    # A term says to which total a row of each combination of classes adds how much.
    terms = [workload.term(number, grain, doubled) for number, grain in pairs]
    if asks_rows_alone(block):
        return None
    # A damaged line is a row of the table, yet adds nothing: any row may be replaced by one.
    return joint_sensitivity(
        terms, workload.sizes(doubled), workload.neighbors, unit=block.unit
    )


# Steps of a row relative to the steps of half the range: minimises the noise of a mean
# halfway between the middle and an end.
ROW_SHARE = 0.63


def sum_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Yield the ways to answer a block of sums of numbers at this cost.

    They are independent noise on equal grids, Gaussian noise on grids that differ by column,
    and noise that is drawn from a ball. A block is a set of questions that one noisy vector
    answers.
    """
    # A grid (`Grain`) says how numbers are rounded to whole steps. Here the range of each
    # column has about `MAX_HALF_STEPS` steps to either side of its middle.
    even_grains = _cut_evenly(block, MAX_HALF_STEPS, alike=False)
    # How far a person moves the sums. None if only the public number of rows is asked for.
    joint = None if even_grains is None else move(block, even_grains)
    if even_grains is None or joint is None:
        yield known_way(even_grains or ())
        return
    even_noise = independent_noise(joint, block.size, cost)
    yield _make_way(even_noise, even_grains, cost, joint=joint, size=block.size)
    if cost.rho is not None and block.size > 1:
        # Steps grow with the root of a column's range, and so does the noise of its sums.
        uneven_grains = _elliptical(block)
        uneven_joint = None if uneven_grains is None else move(block, uneven_grains)
        if uneven_grains is not None and uneven_joint is not None:
            uneven_noise = elliptical_noise(uneven_joint, cost.rho)
            yield _make_way(
                uneven_noise, uneven_grains, cost, joint=uneven_joint, size=block.size
            )
    yield from _ball_ways(block, cost)


def _ball_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Yield the ways that draw the noise of all sums together from a ball or a cube.

    They use the finest grid on which this noise can still be drawn. A way is left out if its
    grid would round values that independent noise need not round.

    Args:
        block: The questions whose sums one noisy vector answers.
        cost: The share of the budget that it may spend; nothing is yielded without a pure
            epsilon.
    """
    if cost.epsilon is None or cost.delta or block.size < 2:
        return
    # The scale of this noise is the sensitivity over epsilon, and limited. In the l-infinity
    # norm each replaced row moves a sum by twice the steps of half a range.
    limit = largest_scale(block.size) * cost.epsilon / (2 * block.unit.max_rows)
    cube_steps = int(limit)
    # In the L2 norm, moves are longer by up to the root of the number of sums, rounded up.
    ball_steps = int(limit / (math.isqrt(block.size - 1) + 1))
    for half_steps in (cube_steps, ball_steps):
        grains = _cut_evenly(block, min(half_steps, MAX_HALF_STEPS), alike=True)
        joint = None if grains is None else move(block, grains)
        if grains is None or joint is None:
            continue
        for name, noise in ball_noises(joint, block.size, cost):
            # The first grid is for noise from a cube, the second for noise from a ball (L2).
            is_for_l2 = half_steps != cube_steps
            if (noise.norm is Norm.L2) == is_for_l2:
                yield _make_way((name, noise), grains, cost, joint=joint, size=block.size)


def _make_way(
    named_noise: tuple[WayName, Mechanism],
    grains: tuple[Grain, ...],
    cost: Guarantee,
    *,
    joint: Joint,
    size: int,
) -> Way:
    """Return the way that adds this noise to sums.

    Its score is the mean over the sums of the average error, relative to the range of a
    column.

    Args:
        named_noise: The name of the way, and its noise in grid steps.
        grains: How each sum becomes whole numbers.
        cost: What the block spends.
        joint: How far one person moves the sums together.
        size: How many numbers get noise.
    """
    name, noise = named_noise
    error = law_of(noise).expected_size
    # Both in steps: the error, and the range, which has `most` steps to either side.
    relative = [error / (2 * grain.steps.most) for grain in grains if grain.steps is not None]
    return Way(
        name=name,
        mechanism=noise,
        grains=grains,
        joint=joint,
        cost=cost,
        score=float(np.mean(relative)),
        size=size,
    )


def _cut_evenly(block: Block, finest: int, *, alike: bool) -> tuple[Grain, ...] | None:
    """Return how each sum becomes whole numbers, with about as many steps in each column's
    range.

    None if the grid would round whole numbers that a finer grid need not round.

    Args:
        block: Questions that one noisy vector answers.
        finest: The most steps from the middle of a range to its end.
        alike: Whether to cut whole units as finely as possible, so that the numbers of steps
            of different ranges differ as little as possible.
    """
    columns = block.workload.columns
    # Half of each range in whole units; None for real numbers.
    units = [half_units(columns[summed]) for summed in _summed_columns(block)]
    # Ranges of whole units that fit, so that nothing is rounded.
    fitting = [unit for unit in units if unit is not None and unit <= finest]
    are_whole = len(fitting) == len(units)
    if not are_whole and finest < MAX_HALF_STEPS:
        return None
    steps = max(fitting) if are_whole else finest
    # The largest multiple of the widest range's units that is not finer than allowed.
    if are_whole and alike:
        steps = finest // steps * steps
    return _grains(block, [steps] * len(units))


def _elliptical(block: Block) -> tuple[Grain, ...] | None:
    """Return grids that divide the noise among sums of different ranges; None if of no use.

    A grid step is proportional to the root of a column's range, and so is then the standard
    deviation of its noise. That has the least total variance (Pagh, Lebeda 2022).
    """
    columns = block.workload.columns
    summed = _summed_columns(block)
    ranges = [summable(columns[number]) for number in summed]
    widths = [column_range.high - column_range.low for column_range in ranges]
    # Of no use for equal ranges; not possible for a range of one value, or beside counts.
    if len(set(widths)) < 2 or min(widths) <= 0 or len(summed) < len(block.tallies):
        return None
    # Steps of a range, relative to each other: its width over the width of a step.
    ratios = [width / math.sqrt(width * sum(widths)) for width in widths]
    return _grains(
        block, [max(1, int(MAX_HALF_STEPS * ratio / max(ratios))) for ratio in ratios]
    )


def _summed_columns(block: Block) -> list[int]:
    """Return the numbers of the columns that a block adds, in the order of its tallies."""
    tallies = (block.workload.tallies[number] for number in block.tallies)
    return [tally.summed for tally in tallies if tally.summed is not None]


def _grains(block: Block, half_steps: Sequence[int]) -> tuple[Grain, ...]:
    """Return how each tally (a sum over the rows) of a block becomes whole numbers.

    A tally of rows is weighted so that a row counts about as much as the widest sum.

    Args:
        block: Questions that one noisy vector answers.
        half_steps: For each summed column, the steps from the middle of its range to its end.
    """
    columns = block.workload.columns
    remaining = list(half_steps)
    # None for a tally of rows, whose weight is known only after all sums.
    grains: list[Grain | None] = []
    centred = all(reading.centred for reading in block.readings)
    for number in block.tallies:
        summed = block.workload.tallies[number].summed
        if summed is None:
            grains.append(None)
            continue
        steps = steps_around(summed, columns[summed], remaining.pop(0))
        grains.append(
            Grain(steps=steps if centred else steps_from_zero(summed, columns[summed]))
        )
    most_steps = max(
        grain.steps.most for grain in grains if grain is not None and grain.steps
    )
    # If persons are added or removed, a mean has less noise if a row counts for less.
    share = 1.0 if block.workload.neighbors is Neighbors.REPLACE_ONE else ROW_SHARE
    weight = max(1, round(most_steps * share))
    return tuple(Grain(weight) if grain is None else grain for grain in grains)
