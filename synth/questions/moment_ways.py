"""The noise of sums of products, and the grids that it allows. PUBLIC."""

import math

from synth import limits
from synth.privacy import Guarantee
from synth.questions.moments.sensitivity import entry_grains, joint_of_moments, scales_of
from synth.questions.moments.spans import spans_of
from synth.questions.way.way import (
    Way,
    independent_noise,
)
from synth.questions.workloads.block import Block
from synth.questions.workloads.tallies import Grain

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
