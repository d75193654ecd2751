"""A usual table, and the expected errors of a budget on it. PUBLIC.

A model of marginals measures some and loses the others: the part of two columns' association that
their shares alone do not show. No public number gives it. So it is assumed to be that of usual
tables of people (`TYPICAL`, in total variation from independence), spread over the pairs like an
exponential law, plus chance. Under that assumption the budget is split as in a release, and the
expected errors are added.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from synth import limits
from synth.estimate.models.allocation import EASED, LEVELS, Account
from synth.estimate.models.choosing import SIZING, choose, first_share, selection_share
from synth.estimate.models.junction import Clique, all_pairs, cells
from synth.estimate.models.splitting import TYPICAL, exponential_values, least_errors
from synth.estimate.repair.assumed_table import assume_shares
from synth.util import Floats

BY_CHANCE = math.sqrt(1 / (2 * math.pi))
"""Half the mean distance of a normal law of deviation 1: the distance of counts by chance."""
LOOKED_AT = 60
"""Number of pairs that represent all, if there are more."""


class LikelyErrors(NamedTuple):
    """Mean expected total variation of columns and of pairs."""

    columns: float
    pairs: float


@dataclass(frozen=True)
class UsualTable:
    """A usual table under a budget.

    Attributes:
        account: Turns the budget into noise.
        shape: Cells of every column.
        rows: Approximate number of rows.
        rows_are_public: Whether the number costs nothing.
        most_cells: Most cells of all tables measured together.
        groups: The steward's groups of columns, by number.
    """

    account: Account
    shape: tuple[int, ...]
    rows: int
    rows_are_public: bool
    most_cells: int
    groups: tuple[Clique, ...] = ()

    @property
    def count(self) -> int:
        """Number of pairs that may be measured."""
        return _some_pairs(self.shape, self.most_cells)[0]

    @property
    def sample_sizes(self) -> list[tuple[int, ...]]:
        """The sizes of some of these pairs, which represent all."""
        return _some_pairs(self.shape, self.most_cells)[1]

    def choose_method(self, pure: Account) -> tuple[str, Account]:
        """Return the method that *auto* follows, and its account.

        Args:
            pure: The budget as epsilon.
        """
        return choose(
            self.account,
            pure,
            self.shape,
            pairs=self.count,
            rows=self.rows,
            rows_are_public=self.rows_are_public,
            most_cells=self.most_cells,
        )

    def columns(self, share: Fraction, again: Fraction = Fraction(0)) -> float:
        """Return the expected error of columns measured with a share, and perhaps once more."""
        total, shape = self.account.total, self.shape
        noises = self.account.noise_by_size(total * share, shape)
        if again:
            more = self.account.noise_by_size(total * again, shape)
            noises = {size: 1 / math.hypot(1 / noises[size], 1 / more[size]) for size in noises}
        errors = {size: self._error((size,), noise) for size, noise in noises.items()}
        return float(np.mean([errors[size] for size in shape]))

    def split(self, open_pairs: int | None = None, carried: float = 0.0) -> LikelyErrors:
        """Return the expected errors if the budget goes to the pairs with the most benefit.

        Args:
            open_pairs: Number of pairs that may be measured, the strongest; None for all.
            carried: Share of the others' association that follows from these.
        """
        first, rest = self._shares
        amounts, measured = self._levels
        apart = np.hypot(TYPICAL * exponential_values(len(self.sample_sizes)), self.by_chance)
        errors = np.column_stack([(1 - carried) * apart, measured])
        if open_pairs is not None:
            errors[np.argsort(-apart)[open_pairs:], 1:] = np.inf

        def columns(percent: int) -> float:
            return self.columns(first, rest * Fraction(percent, 100))

        alone = float(np.hypot(apart, 2 * columns(100)).sum())
        levels = np.concatenate([[0.0], amounts])
        found = least_errors(
            float(amounts[-1]), levels, errors, lambda percent: 2 * columns(percent), alone
        )
        return LikelyErrors(columns(found.percent), found.error / len(apart))

    @cached_property
    def _shares(self) -> tuple[Fraction, Fraction]:
        """Shares of the budget: for columns at first, then for columns and pairs."""
        left = 1 - (0 if self.rows_are_public else SIZING)
        left -= selection_share(self.account, self.count, self.rows)
        first = first_share(self.account, self.shape, self.rows) * left
        return first, left - first

    @cached_property
    def by_chance(self) -> Floats:
        """Distance of rows of independent columns from independence, shape (pairs,)."""
        known: dict[tuple[int, ...], float] = {}
        for sizes in set(self.sample_sizes):
            expected, alike = assume_shares(sizes)
            spread = np.sqrt(expected * np.maximum(0.0, 1 - expected) / self.rows)
            known[sizes] = min(1.0, BY_CHANCE * float(spread @ alike))
        return np.array([known[sizes] for sizes in self.sample_sizes])

    @cached_property
    def _levels(self) -> tuple[Floats, Floats]:
        """Possible costs of a pair, and the error of each pair at each cost."""
        budget = float(self.account.total * self._shares[1]) * len(self.sample_sizes) / self.count
        amounts = budget * np.geomspace(1e-3, 1.0, LEVELS)
        noises = self.account.size_of_noise(amounts)
        by_sizes = {one: self._errors(one, noises) for one in set(self.sample_sizes)}
        return amounts, np.array([by_sizes[one] for one in self.sample_sizes])

    def _errors(self, sizes: tuple[int, ...], noises: Floats) -> Floats:
        """Return the expected total variation of a repaired table under noises of these sizes."""
        if math.prod(sizes) == 1:
            return np.zeros(len(noises))
        expected, alike = assume_shares(sizes)
        off = np.minimum(EASED * noises[:, None], self.rows * expected) @ alike
        return np.minimum(1.0, off / 2 / self.rows)

    def _error(self, sizes: tuple[int, ...], noise: float) -> float:
        return float(self._errors(sizes, np.array([noise]))[0])

    def expect_inside(self, cliques: Sequence[Clique], order: int) -> dict[Clique, float]:
        """Return the expected errors of columns or pairs inside histograms.

        Args:
            cliques: The histograms, which share the budget by size.
            order: 1 for columns, 2 for pairs.
        """
        sizes = [cells(self.shape, clique) for clique in cliques]
        costs = self.account.by_size(self.account.total, sizes)
        found = {}
        for clique, size, cost in zip(cliques, sizes, costs, strict=True):
            noise = self.account.noise(cost).mean_absolute
            for part in combinations(clique, order):
                own = tuple(sorted(self.shape[a] for a in part))
                found[part] = self._error(own, noise * math.sqrt(size / math.prod(own)))
        return found


@lru_cache(maxsize=256)
def _some_pairs(shape: tuple[int, ...], most_cells: int) -> tuple[int, list[tuple[int, ...]]]:
    """Return how many pairs of columns may be measured, and the sizes of some of them.

    They range evenly from the pairs with the fewest cells to those with the most.
    """
    pairs, sizes = all_pairs(shape)
    order = np.argsort(sizes, kind="stable")
    count = int((sizes <= min(most_cells, limits.DENSE_CELLS)).sum())
    step = max(1.0, count / LOOKED_AT)
    some = [pairs[order[int(i * step)]] for i in range(min(count, LOOKED_AT))]
    return count, [tuple(sorted(shape[a] for a in pair)) for pair in some]
