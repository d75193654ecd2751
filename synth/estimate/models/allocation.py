"""How the budget is split, in exact rationals, from public numbers only.

- Pure epsilon adds up and pays for discrete Laplace noise of scale sensitivity / epsilon, in
  L1.
- Under zCDP rho adds up and pays for discrete Gaussian noise of variance
  sensitivity / (2 rho), in squared L2.
- Under Gaussian DP mu^2 / 2 adds up, with one or two rows more of variance.

Both sensitivities are those of `privacy.Unit`; with one row a person they are equal.

>>> from synth.privacy.guarantee import Guarantee, Neighbors
>>> account = Account(Guarantee.pure(1), Neighbors.ADD_REMOVE)
>>> [str(cost) for cost in account.split(Fraction(1), [1.0, 3.0])]
['1/4', '3/4']
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Self

import numpy as np

from synth import limits
from synth.noise import (
    DiscreteLaplace,
    LaplaceLaw,
    Mechanism,
)
from synth.privacy import (
    GRID,
    ROW,
    Guarantee,
    Neighbors,
    Unit,
    distance_sensitivity,
    in_rho,
)
from synth.util import Floats, Ints

if TYPE_CHECKING:
    from synth.noise import DiscreteGaussian

# Shares are rounded to multiples of this part of a budget, and are at least one part.
SHARE_PARTS = 2**20
# Number of possible costs of one marginal, from a thousandth of the budget to all of it.
COST_LEVELS = 60
# Largest share of the budget for the distances of all pairs from independence.
SELECTION = Fraction(8, 100)
# Steps of the search for the price at which marginals fit a budget, which then is known to
# ten digits: `best_under`.
HALVINGS = 40
# After so many steps it looks which marginals a price between can still change.
HALVINGS_AT_ONCE = 5
# The prices between which it searches, in errors per unit of budget.
LEAST_PRICE = 1e-12
HIGHEST_PRICE = 1e15
# Scales of Laplace noise that Synth draws, in floats.
LEAST_SCALE = float(limits.SCALE_MIN)
LARGEST_SCALE = float(limits.MAX_SCALE)
# Share of a cell's noise left after repair, averaged over real tables.
REPAIRED_NOISE_SHARE = 0.8


@dataclass(frozen=True)
class Account:
    """Turns a budget of pure epsilon, or rho of zCDP or Gaussian DP, into noise."""

    guarantee: Guarantee
    neighbors: Neighbors
    unit: Unit = ROW

    @classmethod
    def open(
        cls, charged: Guarantee, neighbors: Neighbors, unit: Unit, *, pure: bool
    ) -> Self:
        """Return an account that spends a budget as epsilon or as rho.

        An epsilon with a delta may be spent as the rho of Gaussian DP that it contains.

        Args:
            charged: Pure epsilon, (epsilon, delta), or rho, which is always spent as rho.
            neighbors: Tables that the guarantee makes hard to tell apart.
            unit: What the guarantee protects: rows, or persons.
            pure: Whether to spend an epsilon as pure epsilon.
        """
        if charged.epsilon is None:
            return cls(charged, neighbors, unit)
        if pure:
            spent = Guarantee.pure(charged.epsilon)
        else:
            from synth.privacy import to_rho

            spent = to_rho(charged)
        return cls(spent, neighbors, unit)

    @property
    def pure(self) -> bool:
        """Whether the budget is spent as epsilon."""
        return self.guarantee.rho is None

    @property
    def total(self) -> Fraction:
        """The whole budget, in epsilon or rho."""
        return self.guarantee.rho or self.guarantee.epsilon or Fraction(0)

    def claim(self, cost: Fraction) -> Guarantee:
        """Return the guarantee that one measurement of this cost has.

        The cost is in the account's unit: pure epsilon, or a rho of the same kind (zCDP or
        Gaussian DP) as that of the budget.
        """
        if self.pure:
            return Guarantee.pure(cost)
        return replace(self.guarantee, rho=cost)

    def count_spent(self, spent: Guarantee) -> Fraction:
        """Return a spend as a number in this account's unit, epsilon or rho.

        In an account of rho, a spend of pure epsilon counts as the rho that it implies.
        """
        if self.pure:
            assert spent.epsilon is not None
            return spent.epsilon
        return in_rho(spent, gaussian=self.guarantee.is_gaussian)

    def noise(self, cost: Fraction) -> Mechanism:
        """Return the noise on each cell of a histogram that costs exactly this.

        It is Laplace noise for an epsilon, and Gaussian noise for a rho, by the squared L2
        sensitivity of a histogram (`Unit.square`).
        """
        if self.pure:
            return self.laplace(cost)
        return self.gaussian(cost, self.unit.square(self.neighbors))

    def laplace(self, epsilon: Fraction) -> DiscreteLaplace:
        """Return the Laplace noise on a histogram that costs exactly this epsilon."""
        sensitivity = self.unit.sensitivity(self.neighbors)
        return DiscreteLaplace.for_epsilon(epsilon, sensitivity=sensitivity)

    def gaussian(self, cost: Fraction, sensitivity2: int) -> "DiscreteGaussian":
        """Return the discrete Gaussian noise that costs exactly this.

        Args:
            cost: A rho of zCDP, or of Gaussian DP if the budget is of that kind.
            sensitivity2: Squared L2 sensitivity of the query.
        """
        from synth.noise import DiscreteGaussian

        if self.guarantee.is_gaussian:
            return DiscreteGaussian.for_gaussian(cost, sensitivity2=sensitivity2)
        return DiscreteGaussian.for_rho(cost, sensitivity2=sensitivity2)

    def size_of_noise(self, amounts: Floats) -> Floats:
        """Return the mean absolute noise of a cell, in rows, approximately.

        Args:
            amounts: What a histogram costs, in epsilon or rho; any shape, which is that of
                the result.
        """
        if self.pure:
            return np.asarray(self.unit.sensitivity(self.neighbors) / amounts)
        # A normal number of variance sensitivity^2 / (2 rho) has this mean size.
        return np.asarray(np.sqrt(self.unit.square(self.neighbors) / (math.pi * amounts)))

    def distance_noise(self, cost: Fraction, count: int) -> Mechanism:
        """Return the noise on ``count`` distances measured together: see `queries.distances`.

        A person may move all of them equally far. In pure epsilon, noise on the cube of these
        moves has 1 / sqrt(6) of the deviation of independent noise. Source: K-norm mechanism,
        Hardt and Talwar 2010, in l-infinity.

        Args:
            cost: What they cost together, in epsilon or rho.
            count: Number of distances.

        Returns:
            The noise on each distance, in steps of 1 / `GRID` rows. Where the noise on the
            cube cannot be drawn, or not quickly, it is independent Laplace noise.
        """
        sensitivity = distance_sensitivity(self.unit, self.neighbors)
        if not self.pure:
            return self.gaussian(cost, sensitivity**2 * count)
        from synth.noise import KNorm, Norm, is_in_reach, is_quick

        scale = sensitivity / cost
        if is_in_reach(count, scale) and is_quick(count, scale):
            return KNorm(Norm.MAX, count, scale)
        return DiscreteLaplace.for_epsilon(cost, sensitivity=sensitivity * count)

    def summed_noise(self, cost: Fraction, count: int) -> Mechanism:
        """Return the noise on the sum of ``count`` distances: see `queries.summed_distance`.

        Args:
            cost: What the sum costs, in epsilon or rho.
            count: Number of distances; a person may move each.

        Returns:
            The noise, in steps of 1 / `GRID` rows.
        """
        sensitivity = distance_sensitivity(self.unit, self.neighbors) * count
        if self.pure:
            return DiscreteLaplace.for_epsilon(cost, sensitivity=sensitivity)
        return self.gaussian(cost, sensitivity**2)

    def column_error(self, shape: Sequence[int], rows: float) -> float:
        """Return the mean total variation of noisy columns if they got the whole budget.

        Args:
            shape: Number of cells of every column.
            rows: Number of rows; less than 1 counts as 1.
        """
        noises = self.noise_by_size(self.total, shape)
        summed_noise = sum(size * noises[size] for size in shape)
        # A total variation is half the L1 error, over the rows; this is the mean of columns.
        return summed_noise / (2 * max(rows, 1.0) * len(shape))

    def distance_error(self, cost: Fraction, count: int, rows: float) -> float:
        """Return the mean absolute noise on each of ``count`` distances, in total variation.

        Args:
            cost: What the distances cost together, in epsilon or rho.
            count: Number of distances.
            rows: Number of rows; less than 1 counts as 1.
        """
        noise = self.distance_noise(cost, count).mean_absolute / GRID
        # A total variation is half the L1 distance, over the rows.
        return noise / (2 * max(rows, 1.0))

    def split(self, budget: Fraction, weights: Sequence[float]) -> list[Fraction]:
        """Return the parts of a budget in proportion to weights; they sum to it exactly.

        Every part is above 0, however small its weight.
        """
        parts = _whole_parts(weights)
        total = sum(parts)
        # Many weights are equal, and a fraction takes long to compute.
        costs = {part: budget * Fraction(part, total) for part in set(parts)}
        return [costs[part] for part in parts]

    def by_size(self, budget: Fraction, sizes: Sequence[int]) -> list[Fraction]:
        """Split a budget over marginals of these sizes with the least sum of errors.

        A marginal of n cells has an L1 error of about n / epsilon, or n / sqrt(rho). By
        Lagrange its share is proportional to the root of n, or to n^(2/3).

        Args:
            budget: What all marginals cost together, in epsilon or rho.
            sizes: Number of cells of each marginal.

        Returns:
            The cost of each marginal, in the same order; they sum to the budget exactly.
        """
        return self.split(budget, [size**self._power for size in sizes])

    @property
    def _power(self) -> float:
        """The power of a marginal's size that its share of a budget grows with: `by_size`."""
        return 1 / 2 if self.pure else 2 / 3

    def noise_by_size(self, budget: Fraction, sizes: Sequence[int]) -> dict[int, float]:
        """Return the mean absolute noise of a cell by size of its marginal, in rows.

        Args:
            budget: What all marginals cost together, in epsilon or rho; see `by_size`.
            sizes: Number of cells of each marginal. Those of one size have equal costs.
        """
        part_by_size, total = _parts_by_size(tuple(sizes), self._power)
        return {
            size: self._mean_noise(budget, part, total) for size, part in part_by_size.items()
        }

    def _mean_noise(self, budget: Fraction, part: int, total: int) -> float:
        """Return the mean absolute noise of a cell, in rows, for a part of a budget.

        It is that of `noise`. Laplace noise is not made for it, as a page asks for thousands
        of costs and exact fractions take long: a quotient of whole numbers is the same float.

        Args:
            budget: What all marginals cost together, in epsilon or rho.
            part: The marginal's part, of ``total``.
            total: The sum of all parts.
        """
        if self.pure:
            sensitivity = self.unit.sensitivity(self.neighbors)
            scale = (sensitivity * total * budget.denominator) / (budget.numerator * part)
            if LEAST_SCALE <= scale <= LARGEST_SCALE:
                return LaplaceLaw(scale).mean_absolute
        return self.noise(budget * Fraction(part, total)).mean_absolute


@lru_cache(maxsize=64)
def _parts_by_size(sizes: tuple[int, ...], power: float) -> tuple[dict[int, int], int]:
    """Return the part of a budget that each marginal gets by its size, and the sum of all.

    Args:
        sizes: Number of cells of each marginal.
        power: A part grows with this power of the size.
    """
    parts = _whole_parts([size**power for size in sizes])
    return dict(zip(sizes, parts, strict=True)), sum(parts)


def _whole_parts(weights: Sequence[float]) -> list[int]:
    """Return each weight's share in units of 1 / `SHARE_PARTS`, at least one.

    Whole numbers make exact fractions.
    """
    total_weight = sum(weights)
    return [max(1, round(SHARE_PARTS * weight / total_weight)) for weight in weights]


def error_after(guess: Floats, noise: float) -> float:
    """Return a repaired marginal's expected L1 error, in rows.

    Cells are off by what repair leaves of the noise, `REPAIRED_NOISE_SHARE` times its size.
    If they are likely to hold fewer rows, they are off by these.

    Args:
        guess: Expected rows by cell, any shape.
        noise: Mean absolute noise of a cell, in rows.
    """
    return float(np.minimum(REPAIRED_NOISE_SHARE * noise, guess).sum())


def choose_pairs(
    account: Account,
    budget: Fraction,
    distances: Sequence[float],
    *,
    guesses: Sequence[Floats],
) -> dict[int, Fraction]:
    """Choose the marginals to measure and the cost of each.

    The error of an unmeasured marginal is its distance from the guess, that of a measured one
    what is left after repair. By Lagrange, each takes its best amount at a price per unit of
    budget.

    Args:
        account: Turns costs into noise.
        budget: What all marginals may cost together, in epsilon or rho.
        distances: Noisy L1 distances from the guesses, in rows.
        guesses: Expected rows by cell of each marginal.

    Returns:
        Cost by position, with the budget as exact sum; empty if no marginal is worth it.
    """
    amounts = cost_levels(float(budget))
    errors = pair_errors(account, amounts, distances, guesses=guesses)
    best = best_under(float(budget), amounts, errors)
    chosen = [i for i, level in enumerate(best) if level]  # level 0 is not measured
    if not chosen:
        return {}
    costs = account.split(budget, [float(amounts[best[i]]) for i in chosen])
    return dict(zip(chosen, costs, strict=True))


def cost_levels(budget: float) -> Floats:
    """Return the possible costs of one marginal, shape (1 + COST_LEVELS,), ascending.

    They are 0, for an unmeasured one, and from a thousandth of the budget to all of it, in
    its unit.
    """
    return np.concatenate([[0.0], budget * np.geomspace(1e-3, 1.0, COST_LEVELS)])


def pair_errors(
    account: Account,
    amounts: Floats,
    distances: Sequence[float],
    *,
    guesses: Sequence[Floats],
) -> Floats:
    """Return marginals' expected L1 errors by cost, in rows, shape (marginals, levels).

    At the first level a marginal is not measured, and its error is the distance from its
    guess. At others it is `error_after`, computed for all levels at once.

    Args:
        account: Turns costs into noise.
        amounts: Epsilon or rho of `cost_levels`, shape (levels,).
        distances: Noisy L1 distances from the guesses, in rows; negative ones count as 0.
        guesses: Expected rows by cell of each marginal.
    """
    noise = account.size_of_noise(amounts[1:])
    lines = [[max(0.0, distance)] for distance in distances]
    for line, guess in zip(lines, guesses, strict=True):
        # Cells with fewer expected rows than the noise are off by these rows, others by the
        # noise. In sorted cells, the former come first.
        ordered = np.sort(guess, axis=None)
        sums = np.concatenate([[0.0], np.cumsum(ordered)])
        below = np.searchsorted(ordered, REPAIRED_NOISE_SHARE * noise)
        line.extend(sums[below] + REPAIRED_NOISE_SHARE * noise * (ordered.size - below))
    return np.array(lines).reshape(len(distances), len(amounts))


def best_under(budget: float, amounts: Floats, errors: Floats) -> list[int]:
    """Return each marginal's level at the least price at which all fit the budget.

    At a price per unit of budget, each marginal takes the level of the least error plus
    price times cost (Lagrange).

    Args:
        budget: What all may cost together, in epsilon or rho.
        amounts: Cost of each level, shape (levels,), ascending from 0.
        errors: Error of each marginal at each level, shape (marginals, levels).
    """
    levels = best_under_each(np.array([budget]), amounts, errors[None])
    return [int(level) for level in levels[0]]


def best_under_each(budgets: Floats, amounts: Floats, errors: Floats) -> Ints:
    """Return the levels of `best_under` for several budgets at once.

    Args:
        budgets: What all marginals may cost together, in epsilon or rho, shape (k,).
        amounts: Cost of each level, shape (levels,), ascending from 0.
        errors: Error of each marginal at each level, shape (k, marginals, levels).

    Returns:
        The level of each marginal under each budget, shape (k, marginals).
    """
    # Without marginals nothing is spent, and there is no least error to find.
    if not errors.shape[1]:
        return np.zeros(errors.shape[:2], dtype=np.int64)
    # Prices differ by orders of magnitude, so that the bisection halves their logs.
    low = np.full(len(budgets), LEAST_PRICE)
    high = np.full(len(budgets), HIGHEST_PRICE)
    levels_at_low = _cheapest_levels(errors, low, amounts)
    levels_at_high = _cheapest_levels(errors, high, amounts)
    for step in range(HALVINGS):
        if step % HALVINGS_AT_ONCE == 0:
            # A level does not rise with the price: a marginal with equal levels at both
            # prices has them in between, too.
            undecided = np.flatnonzero((levels_at_low != levels_at_high).any(axis=0))
            undecided_errors = errors[:, undecided]
        prices = np.sqrt(low * high)
        levels = levels_at_high.copy()
        levels[:, undecided] = _cheapest_levels(undecided_errors, prices, amounts)
        is_too_cheap = amounts[levels].sum(axis=1) > budgets
        low = np.where(is_too_cheap, prices, low)
        high = np.where(is_too_cheap, high, prices)
        levels_at_low = np.where(is_too_cheap[:, None], levels, levels_at_low)
        levels_at_high = np.where(is_too_cheap[:, None], levels_at_high, levels)
    return levels_at_high


def _cheapest_levels(errors: Floats, prices: Floats, amounts: Floats) -> Ints:
    """Return each marginal's level of least error at the price of each budget.

    Args:
        errors: Error of each marginal at each level, shape (k, marginals, levels).
        prices: Price per unit of each budget, shape (k,).
        amounts: Cost of each level, shape (levels,).

    Returns:
        The levels, shape (k, marginals).
    """
    return np.asarray((errors + prices[:, None, None] * amounts).argmin(axis=2))
