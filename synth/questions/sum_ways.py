"""Ways to answer sums of numbers, each column on a grid of its own. PUBLIC."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from synth.noise import Mechanism, Norm, largest_scale, law_of
from synth.privacy import Guarantee, Neighbors
from synth.questions.moments.sensitivity import joint_of_moments
from synth.questions.moves.joint import Joint, joint_sensitivity
from synth.questions.way.way import (
    Way,
    ball_noises,
    elliptical_noise,
    independent_noise,
    known_way,
)
from synth.questions.way_names import WayName
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
    """Return how far one person moves the totals of a block.

    None if the block only asks for the public number of rows, which nobody moves.
    """
    workload = block.workload
    if block.multiplies:
        return joint_of_moments(block, grains)
    summed = (workload.tallies[number].summed for number in block.tallies)
    # Each atom of a summed column occurs twice, with its least and its greatest value, which
    # move a sum the most.
    doubled = frozenset(axis for axis in summed if axis is not None)
    pairs = zip(block.tallies, grains, strict=True)
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
    """Yield the ways to answer a block of sums at this cost."""
    even = _even(block, MAX_HALF_STEPS, alike=False)
    joint = None if even is None else move(block, even)
    if even is None or joint is None:
        yield known_way(even or ())
        return
    even_noise = independent_noise(joint, block.size, cost)
    yield _make_way(even_noise, even, cost, joint=joint, size=block.size)
    if cost.rho is not None and block.size > 1:
        uneven = _elliptical(block)
        moved = None if uneven is None else move(block, uneven)
        if uneven is not None and moved is not None:
            uneven_noise = elliptical_noise(moved, cost.rho)
            yield _make_way(uneven_noise, uneven, cost, joint=moved, size=block.size)
    yield from _ball_ways(block, cost)


def _ball_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Yield the ways that draw the noise of all sums together from a ball.

    On the finest grid that it can reach; nothing is rounded that noise on each number would
    not round.
    """
    if cost.epsilon is None or cost.delta or block.size < 2:
        return
    reach = largest_scale(block.size) * cost.epsilon / (2 * block.unit.max_rows)
    shorter = int(reach / (math.isqrt(block.size - 1) + 1))
    for half_steps in (int(reach), shorter):
        grains = _even(block, min(half_steps, MAX_HALF_STEPS), alike=True)
        joint = None if grains is None else move(block, grains)
        if grains is not None and joint is not None:
            for name, noise in ball_noises(joint, block.size, cost):
                if (noise.norm is Norm.L2) == (half_steps != int(reach)):
                    yield _make_way((name, noise), grains, cost, joint=joint, size=block.size)


def _make_way(
    named_noise: tuple[WayName, Mechanism],
    grains: tuple[Grain, ...],
    cost: Guarantee,
    *,
    joint: Joint,
    size: int,
) -> Way:
    """Return a way to measure sums; its score is the error over the widest sum of one row."""
    name, noise = named_noise
    error = law_of(noise).expected_size
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


def _even(block: Block, finest: int, *, alike: bool) -> tuple[Grain, ...] | None:
    """Return grids for the sums, and for the rows, with as many steps in each range.

    All ranges have about the same number of steps. None if whole numbers would be rounded
    that a finer grid would not round; ``alike`` cuts them finer, so that ranges differ as
    little as possible.
    """
    columns = block.workload.columns
    units = [half_units(columns[summed]) for summed in _summed_columns(block)]
    natural = [unit for unit in units if unit is not None and unit <= finest]
    are_whole = len(natural) == len(units)
    if not are_whole and finest < MAX_HALF_STEPS:
        return None
    steps = max(natural) if are_whole else finest
    if are_whole and alike:
        steps = finest // steps * steps
    return _grains(block, [steps] * len(units))


def _elliptical(block: Block) -> tuple[Grain, ...] | None:
    """Return grids that divide the noise among sums of different ranges; None if no use.

    In proportion to the noise of least total variance (Pagh, Lebeda 2022), whose standard
    deviation is proportional to the root of a range.
    """
    columns = block.workload.columns
    summed = _summed_columns(block)
    ranges = [summable(columns[number]) for number in summed]
    widths = [column_range.high - column_range.low for column_range in ranges]
    if len(set(widths)) < 2 or min(widths) <= 0 or len(summed) < len(block.tallies):
        return None
    ratios = [width / math.sqrt(width * sum(widths)) for width in widths]
    return _grains(
        block, [max(1, int(MAX_HALF_STEPS * ratio / max(ratios))) for ratio in ratios]
    )


def _summed_columns(block: Block) -> list[int]:
    tallies = (block.workload.tallies[number] for number in block.tallies)
    return [tally.summed for tally in tallies if tally.summed is not None]


def _grains(block: Block, half_steps: Sequence[int]) -> tuple[Grain, ...]:
    """Return the grid of each tally, given the half steps of each sum's range.

    A row counts for about as much as the widest sum.
    """
    columns = block.workload.columns
    remaining = list(half_steps)
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
    share = 1.0 if block.workload.neighbors is Neighbors.REPLACE_ONE else ROW_SHARE
    weight = max(1, round(most_steps * share))
    return tuple(Grain(weight) if grain is None else grain for grain in grains)
