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
    """Return the way that adds independent noise to each sum of products of a question.

    The noise is Laplace under a pure guarantee, and Gaussian under a zCDP rho. The way's
    score is the mean size of the noise, in units of a row's largest product.

    Args:
        block: The one question of variances, covariances or a regression.
        cost: A pure epsilon or a zCDP rho.

    Raises:
        QuestionError: The condition leaves a column one value.
    """
    grains = grains_of(block, finest(block, cost))
    # How often a step counts in the sum of a column. A row adds at most about its square.
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
    """Return how each sum of a block becomes whole numbers, in the order of its tallies.

    A column's values are rounded to a grid of about ``weight`` steps from the middle of its
    range to either end. A sum of the column, the products and the number of rows are scaled
    so that a row adds at most about ``weight ** 2`` to each. A block is a question that one
    noisy vector answers, and a tally one of its sums.
    """
    columns = [span.steps(weight) for span in spans_of(block)]
    # The most steps that any grid really has.
    weight = max(steps.most for steps in columns)
    # Those of all sums and products. The remaining tally is the number of rows.
    grains = entry_grains(block, weight, columns)
    return tuple(grains.get(number, Grain(weight**2)) for number in block.tallies)


def finest(block: Block, cost: Guarantee) -> int:
    """Return how many grid steps to take from the middle of a range to its end.

    A row adds up to the square of that number to a sum of products. It is the largest number
    for which the noise on such sums is at most about `limits.FINE_PRODUCTS` steps. A block is
    a question that one noisy vector answers, and a tally one of its sums.
    """
    # The noise scale is sensitivity / rate: L1 over epsilon, or L2 over sqrt(2 rho).
    rate = float(cost.epsilon) if cost.rho is None else math.sqrt(2 * float(cost.rho))  # type: ignore[arg-type]
    # A bound of the sensitivity in L1, in squares of steps: two rows differ in every tally.
    moved = 2 * len(block.tallies) * block.unit.max_rows
    steps = math.isqrt(int(float(limits.FINE_PRODUCTS) * rate / moved))
    return max(1, min(MAX_MOMENT_STEPS, steps))
