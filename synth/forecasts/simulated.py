"""Noisy counts as they may come: a usual table under the noise of a plan. PUBLIC.

No row of the confidential table is read, and nothing is random: the same plan gives the same
counts, so that a picture of them changes only with what the steward moves.

>>> from fractions import Fraction
>>> from synth.domain import Categorical, Domain
>>> from synth.plans import Method, Plan
>>> domain = Domain(tuple(Categorical(name=n, categories=("x", "y", "z")) for n in "abc"))
>>> simulated = simulate_counts(Plan(domain=domain, epsilon=Fraction(1)), 1_000)
>>> len(simulated.values), simulated.rows
(27, 1000)
"""

import math
from functools import reduce

import numpy as np

from synth.estimate import NoisyCounts, usual_shares
from synth.plans import Plan
from synth.util import Floats, Ints

# Repairing more cells would hold up the slider.
SIMULATED_CELLS = 20_000
# Cells are visited in steps of this part of them, which spreads each size and each noise
# evenly over the others: the golden section.
_GOLDEN = (math.sqrt(5) - 1) / 2


def simulate_counts(plan: Plan, rows: int) -> NoisyCounts | None:
    """Return noisy counts of a usual table, with the noise of a plan's histogram.

    Its columns are independent and have power-law shares (`usual_shares`). The noise on its
    cells has evenly spaced quantiles of the discrete Laplace law. None for more than
    `SIMULATED_CELLS` cells.

    Args:
        plan: The plan, whose columns and epsilon are used.
        rows: The rough number of rows.
    """
    size = plan.domain.size
    if size > SIMULATED_CELLS:
        return None
    shares = [usual_shares(cells) for cells in plan.domain.shape]
    expected = rows * reduce(np.multiply.outer, shares).ravel()
    noise = _quantiles(size, float(plan.scale))
    return NoisyCounts(
        domain=plan.domain,
        values=_round_to_sum(expected) + noise,
        scale=plan.scale,
        neighbors=plan.neighbors,
        guarantee=plan.guarantee(plan.epsilon),
        rows=rows,
    )


def _visit(size: int) -> Ints:
    """Return all cells in an order that mixes them evenly, shape (size,)."""
    step = max(1, round(_GOLDEN * size))
    while math.gcd(step, size) > 1:
        step += 1
    return np.arange(size) * step % size


def _round_to_sum(expected: Floats) -> Ints:
    """Return whole numbers near the expected ones, of the same sum, shape (k,).

    Running sums are rounded, and a count is the difference of two. So of ten cells that
    expect a tenth of a row each, one gets a row. They are visited in a mixed order, so that
    such rows are spread evenly.
    """
    order = _visit(len(expected))
    rounded_sums = np.floor(np.cumsum(expected[order]) + 0.5).astype(np.int64)
    counts = np.zeros(len(expected), dtype=np.int64)
    counts[order] = np.diff(rounded_sums, prepend=0)
    return counts


def _quantiles(size: int, scale: float) -> Ints:
    """Return evenly spaced quantiles of discrete Laplace noise, in a mixed order.

    Of this law P(Z > z) = p^(z + 1) / (1 + p) for z >= 0, with p = exp(-1 / scale).

    Args:
        size: How many.
        scale: The scale of the noise, in rows.
    """
    chances = (np.arange(size) + 0.5) / size
    # The law is symmetric: the smaller of both tails gives the size, the side gives the sign.
    tails = np.minimum(chances, 1 - chances)
    p = math.exp(-1 / scale)
    # The least z >= 0 with P(Z > z) at most the tail.
    sizes = np.ceil(np.log(tails * (1 + p)) / math.log(p) - 1)
    noise = np.where(chances < 0.5, -1, 1) * np.maximum(sizes, 0).astype(np.int64)
    return noise[_visit(size)]
