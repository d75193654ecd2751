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
        """Expected largest error of all counts, in rows; None for sums, whose units
        differ.
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
        """The charge: the claim, without a delta if all noise is pure; None for nothing."""
        costs = [p.way.cost for p in self.portions if p.way.cost is not None]
        return spending_of(self.claim, costs)


def spending_of(claim: Guarantee, costs: Sequence[Guarantee]) -> Guarantee | None:
    """Return what blocks of these costs spend of a claim; None for nothing.

    The whole claim is spent unless every cost is pure: then its epsilon, without the delta.
    """
    if not costs:
        return None
    if claim.epsilon is None or any(cost.rho is not None or cost.delta for cost in costs):
        return claim
    return Guarantee.pure(claim.epsilon)


def largest_of(parts: Sequence[tuple[float, int]]) -> float:
    """Return the expected largest error of independent parts, from each part's own and its
    size.

    Integrates the probability that any error exceeds t, by steps of a 64th of the largest
    scale. A part's scale is its own expected largest error over 1 + 1/2 + ... + 1/size. Exact
    for Laplace numbers, a little too large for noise with lighter tails.

    >>> round(largest_of([(10, 1)] * 10), 2), round(largest_of([(29.29, 10)]), 2)
    (29.29, 29.29)
    """
    if len(parts) == 1:
        return parts[0][0]
    scales = np.array([error / np.sum(1 / np.arange(1, size + 1)) for error, size in parts])
    sizes = np.array([size for _, size in parts])
    step = float(scales.max()) / 64
    t = step * (0.5 + np.arange(64 * (40 + int(np.log(sizes.sum())))))
    within = np.zeros(len(t))
    for scale, size in zip(scales, sizes, strict=True):
        within += size * np.log1p(-np.exp(-t / scale))
    return float(np.sum(-np.expm1(within)) * step)
