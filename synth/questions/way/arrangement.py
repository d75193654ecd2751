"""All blocks of a workload with their ways, and what they cost together. PUBLIC."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synth.privacy import Guarantee
from synth.questions.way.way import Portion
from synth.questions.workloads.workload import Workload


@dataclass(frozen=True, eq=False)
class Arrangement:
    """All blocks of a workload: one portion each, whose costs are within the claim."""

    workload: Workload
    claim: Guarantee
    portions: tuple[Portion, ...]

    @property
    def largest(self) -> float | None:
        """The expected largest error of all counts, in rows; None if sums of numbers are
        asked for.

        The errors of sums have different units, so they have no common maximum. Each portion
        is a set of questions that one noisy vector answers, and brings its own expected
        largest error.
        """
        if any(portion.block.sums for portion in self.portions):
            return None
        parts = [(p.way.score, p.block.size) for p in self.portions if p.way.score > 0]
        return largest_of(parts) if parts else 0.0

    @property
    def is_paid(self) -> bool:
        """Whether it spends anything."""
        return any(portion.way.cost is not None for portion in self.portions)

    @property
    def spending(self) -> Guarantee | None:
        """The privacy cost that is charged; None if every answer is public already.

        It is the whole claim, or only its epsilon if all noise has a pure guarantee.
        """
        costs = [p.way.cost for p in self.portions if p.way.cost is not None]
        return spending_of(self.claim, costs)


def spending_of(claim: Guarantee, costs: Sequence[Guarantee]) -> Guarantee | None:
    """Return the guarantee that is charged for several measurements; None if there are none.

    The whole claim is charged, unless the cost of every measurement is pure epsilon. Then the
    charge is the claim's epsilon without its delta.

    Args:
        claim: The most that all measurements together may cost.
        costs: The guarantee of each measurement.
    """
    if not costs:
        return None
    if claim.epsilon is None or any(cost.rho is not None or cost.delta for cost in costs):
        return claim
    return Guarantee.pure(claim.epsilon)


# Steps of the integral in `largest_of`, per largest noise scale.
STEPS_PER_SCALE = 64


def largest_of(parts: Sequence[tuple[float, int]]) -> float:
    """Return the expected largest error among independent groups of noisy numbers.

    It integrates the probability that any error exceeds t, over t, by the midpoint rule. The
    noise scale of a group is its expected largest error over 1 + 1/2 + ... + 1/size, as for
    Laplace noise. The result is exact for Laplace noise, and a little too large for noise
    with lighter tails.

    Args:
        parts: For each group its own expected largest error, and how many numbers it has.

    >>> round(largest_of([(10, 1)] * 10), 2), round(largest_of([(29.29, 10)]), 2)
    (29.29, 29.29)
    """
    if len(parts) == 1:
        return parts[0][0]
    scales = np.array([error / np.sum(1 / np.arange(1, size + 1)) for error, size in parts])
    sizes = np.array([size for _, size in parts])
    step = float(scales.max()) / STEPS_PER_SCALE
    # The tail beyond log(number of errors) + 40 scales is below exp(-40), so negligible.
    scales_covered = 40 + int(np.log(sizes.sum()))
    t = step * (0.5 + np.arange(STEPS_PER_SCALE * scales_covered))
    # The logarithm of the probability that all errors are below t.
    log_within = np.zeros(len(t))
    for scale, size in zip(scales, sizes, strict=True):
        log_within += size * np.log1p(-np.exp(-t / scale))
    return float(np.sum(-np.expm1(log_within)) * step)
