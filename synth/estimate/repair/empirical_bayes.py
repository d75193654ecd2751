"""Empirical Bayes: the law of the true counts, estimated from the noisy counts. PUBLIC.

Expectation-maximisation fits it under the known noise (Dempster, Laird, Rubin 1977;
nonparametric prior: Robbins 1956), with true counts summing to the total.

>>> values = np.array([0] * 900 + [50] * 100)
>>> prior = fit_prior(values, scale=0.5, cells=1_000, total=5_000)
>>> round(float(prior.shares[0]), 2), prior.estimate(np.array([-1, 0, 1, 50])).tolist()
(0.9, [0.0, 0.0, 0.0, 50.0])
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synth.noise import LaplaceLaw
from synth.util import Floats, Ints, bisect, maximize_mixture

# Most rounds of expectation-maximisation.
MIXTURE_ROUNDS = 200
# With wide noise, counts are grouped in steps of this part of its scale.
STEPS_PER_SCALE = 8
# Counts above this many scales (and a few rows) are not repaired.
UNREPAIRED_SCALES = 30


@dataclass(frozen=True, eq=False, kw_only=True)
class Levels:
    """Groups of noisy counts, their possible true counts, and the noise between the two.

    Attributes:
        counts: Possible true counts, ascending from 0, shape (s,).
        low: Start of the first group.
        step: Width of groups.
        chances: Probability of groups by true count, shape (v + 1, s); group 0 is below
            ``low``.
    """

    counts: Floats
    low: int
    step: int
    chances: Floats

    @classmethod
    def from_scale(
        cls, scale: float, low: int, *, plain: float = UNREPAIRED_SCALES
    ) -> "Levels":
        """Return the groups of noisy counts for discrete Laplace noise.

        Args:
            scale: Scale of the noise.
            low: Start of the first group, but no lower than noise of `UNREPAIRED_SCALES`
                scales (and a few rows) would bring an empty cell.
            plain: Noisy counts above so many scales (and a few rows) are in no group, as
                they are not repaired.
        """
        step = max(1, int(scale / STEPS_PER_SCALE))
        # The few rows are 50, so that small scales leave some groups too.
        low = max(low, -math.ceil(UNREPAIRED_SCALES * scale + 50))
        top = max(plain * scale + 50, low + 2 * step)
        # True counts reach 10 scales farther than groups: noise below -10 scales is rare.
        counts = np.arange(0, top + 10 * scale, step, dtype=np.float64)
        edges = np.arange(low, top + step, step, dtype=np.float64)
        return cls(
            counts=counts, low=low, step=step, chances=chances_of(edges, counts, scale)
        )

    @property
    def plain(self) -> int:
        """Number of groups, and the group of larger counts."""
        return len(self.chances)

    @property
    def middles(self) -> Floats:
        """Middle noisy count of each group, shape (v + 1,)."""
        return self.low + (np.arange(self.plain, dtype=np.float64) - 0.5) * self.step - 0.5

    def groups(self, values: Ints) -> Ints:
        """Return the group of each noisy count, from 1 to ``plain``, in their shape.

        Counts below the first group are in group 1, those above all groups in ``plain``.
        """
        # Groups count from 1, as group 0 is for cells that are not listed.
        group = values - self.low
        if self.step > 1:
            group //= self.step
        return np.clip(group + 1, 1, self.plain, out=group)


@dataclass(frozen=True, eq=False, kw_only=True)
class Prior:
    """A law of true counts over the cells of a universe, under noise.

    Attributes:
        levels: The groups of noisy counts.
        shares: The share of cells with each true count, shape (s,).
        total: The wanted sum of all counts.
        seen: Number of repaired cells in each group, shape (v + 1,).
    """

    levels: Levels
    shares: Floats
    total: float
    seen: Floats

    @cached_property
    def joint(self) -> Floats:
        """Joint probability of a cell's noisy count and true count, shape (v + 1, s).

        Noisy counts are in v + 1 groups, of equal width but the first. There are s possible
        true counts.
        """
        joint: Floats = self.levels.chances * self.shares
        return joint

    @cached_property
    def estimates(self) -> Floats:
        """Posterior median of the true count by group of noisy counts, shape (v + 1,).

        Noisy counts are in groups, of equal width but the first. It is the posterior mean
        instead if medians kept less than half of the rows.
        """
        cumulated = np.cumsum(self.joint, axis=1)
        probability_of_group = cumulated[:, -1]
        # So many true counts are below the median of each group.
        place_of_median = (cumulated < probability_of_group[:, None] / 2).sum(axis=1)
        counts = self.levels.counts
        medians: Floats = counts[place_of_median.clip(0, len(counts) - 1)]
        if medians @ self.seen >= self.total / 2:
            return medians
        means: Floats = (self.joint @ counts) / probability_of_group
        return means

    def estimate(self, values: Ints) -> Floats:
        """Return the repaired count of each noisy count, in their shape.

        It is the estimate of the count's group. Counts above all groups stay as they are.
        """
        # The last entry stands for counts above all groups, and is overwritten below.
        table = np.concatenate((self.estimates, [0.0]))
        group = self.levels.groups(values)
        repaired = table[group]
        plain = group == self.levels.plain
        repaired[plain] = values[plain]
        return repaired

    def error(self, repaired: Floats) -> float:
        """Return the expected absolute error of a cell under this law, in rows.

        Args:
            repaired: Rows after a repair by group of noisy counts, shape (v + 1,).
        """
        return float((self.joint * np.abs(repaired[:, None] - self.levels.counts)).sum())


def fit_prior(
    values: Ints,
    *,
    scale: float,
    cells: int,
    total: float,
    threshold: int | None = None,
) -> Prior:
    """Return the law of true counts that makes the noisy counts likeliest.

    Noisy counts are sorted into groups of equal width, up to the largest count that repair
    changes. Counts above stay as they are, so the law is of the other cells and rows.

    Args:
        values: The noisy counts, shape (k,).
        scale: Scale of their discrete Laplace noise.
        cells: Number of cells of the universe.
        total: Number of rows, the sum of all true counts.
        threshold: The least noisy count that is listed; None if all are.
    """
    low = min(0, int(values.min(initial=0))) if threshold is None else threshold
    levels = Levels.from_scale(scale, low)
    groups = levels.groups(values)
    cells_by_group = np.bincount(groups, minlength=levels.plain + 1).astype(np.float64)
    # The last group, `plain`, has the counts that are not repaired.
    unrepaired_cells = cells_by_group[-1]
    cells_by_group = cells_by_group[:-1]
    # Group 0 is for cells that are not listed, below the threshold.
    cells_by_group[0] = cells - len(values)
    unrepaired_rows = float(values[groups == levels.plain].sum())
    remaining_rows = max(0.0, total - unrepaired_rows)
    remaining_cells = max(1.0, float(cells) - unrepaired_cells)
    shares = _maximize(
        cells_by_group, levels.chances, levels.counts, mean=remaining_rows / remaining_cells
    )
    return Prior(levels=levels, shares=shares, total=remaining_rows, seen=cells_by_group)


def _maximize(group_cells: Floats, chances: Floats, counts: Floats, *, mean: float) -> Floats:
    """Return the shares of cells with each true count that make the noisy counts likeliest.

    Expectation-maximisation fits them; every tenth step restores the mean count.

    Args:
        group_cells: Number of cells in each group of noisy counts, shape (v + 1,).
        chances: Probability of each group by true count, shape (v + 1, s).
        counts: Possible true counts, shape (s,).
        mean: The wanted mean true count of a cell.

    Returns:
        The shares, shape (s,), of sum 1.
    """
    # The start: half of the cells are empty, and the others have any count.
    shares = np.full(len(counts), 0.5 / len(counts))
    shares[0] += 0.5
    reached = group_cells > 0
    weights = group_cells[reached] / group_cells.sum()
    chances = chances[reached]

    def keep_mean(step: int, shares: Floats) -> Floats:
        """Return the shares, in every tenth step those nearest of the wanted mean."""
        return shares if step % 10 else tilt(shares, counts, mean)

    return maximize_mixture(chances, weights, shares, rounds=MIXTURE_ROUNDS, adjust=keep_mean)


def tilt(shares: Floats, counts: Floats, mean: float) -> Floats:
    """Return the law of the given mean nearest to a law in relative entropy, shape (s,).

    That law is the old one times exp(power * count), for the power that gives the mean.

    Args:
        shares: A law, shape (s,).
        counts: Value of each share, shape (s,).
        mean: The wanted mean value.
    """
    logs = np.log(np.maximum(shares, 1e-300))

    def tilt_by(power: float) -> Floats:
        """Return the law times exp(power * count), of sum 1."""
        powers = logs + power * counts
        powers = np.exp(powers - powers.max())  # the largest is 1, so that none overflows
        return np.asarray(powers / powers.sum())

    def is_too_low(power: float) -> bool:
        """Return whether the law tilted by this power has at most the wanted mean."""
        return bool(tilt_by(power) @ counts <= mean)

    low, _ = bisect(is_too_low, -40.0, 40.0, steps=50)
    return tilt_by(low)


def chances_of(edges: Floats, counts: Floats, scale: float) -> Floats:
    """Return the probability of each group of noisy counts by true count, shape (v + 1, s).

    The first row is for noisy counts below edges[0], the next ones for those in
    [edges[i], edges[i + 1]). Differences of edges and counts repeat, so each is computed
    once.

    Args:
        edges: Starts of groups, ascending, shape (v + 1,).
        counts: True counts with the edges' spacing, ascending, shape (s,).
        scale: Scale of the discrete Laplace noise.
    """
    # All differences of an edge and a count, ascending.
    offsets = np.concatenate((edges[0] - counts[:0:-1], edges - counts[0]))
    reach = LaplaceLaw(scale).upper_tail(offsets)
    short = LaplaceLaw(scale).upper_tail(1 - offsets)  # P(Z < offset), precise where small
    inner = np.where(offsets[:-1] > 0, reach[:-1] - reach[1:], short[1:] - short[:-1])
    # Where the difference of each edge and count is among the offsets, shape (v + 1, s).
    place = np.arange(len(edges))[:, None] + np.arange(len(counts))[::-1]
    chances: Floats = np.concatenate((short[place[:1]], inner[place[:-1]]))
    return np.maximum(chances, 1e-300, out=chances)
