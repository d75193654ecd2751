"""A usual table, and the expected errors of a budget on it. PUBLIC.

No public number gives the association that a model loses. Synth assumes that of usual tables
of people (`ASSOCIATION`, in total variation), spread exponentially over pairs, plus chance.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from synth import limits
from synth.estimate.assumptions import ASSOCIATION
from synth.estimate.models.allocation import Account, cost_levels
from synth.estimate.models.choosing import SIZING, choose, first_share
from synth.estimate.models.junction import Clique, cells
from synth.estimate.models.splitting import (
    assumed_column_errors,
    assumed_errors,
    exponential_values,
    least_errors,
    prospect,
    some_pairs,
)
from synth.estimate.repair.assumed_table import assume_shares
from synth.util import Floats

# Half the mean distance of a standard normal law, as counts have by chance.
BY_CHANCE = math.sqrt(1 / (2 * math.pi))


class LikelyErrors(NamedTuple):
    """Mean expected total variation of columns and of pairs."""

    columns: float
    pairs: float


@dataclass(frozen=True, kw_only=True)
class UsualTable:
    """A usual table under a budget."""

    account: Account
    shape: tuple[int, ...]
    rows: int
    rows_are_public: bool
    most_cells: int
    groups: tuple[Clique, ...] = ()

    @property
    def count(self) -> int:
        return self._pairs[0]

    @cached_property
    def sample_sizes(self) -> list[tuple[int, ...]]:
        shape = self.shape
        return [(min(shape[a], shape[b]), max(shape[a], shape[b])) for a, b in self._pairs[1]]

    @property
    def _pairs(self) -> tuple[int, list[Clique]]:
        return some_pairs(self.shape, min(self.most_cells, limits.DENSE_CELLS))

    def choose_method(self, pure: Account) -> tuple[str, Account]:
        """Return the method that *auto* follows, and its account; ``pure`` is the budget as
        epsilon.
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
        """Return the expected error of columns measured with a share, and perhaps with
        another.
        """
        total, shape = self.account.total, self.shape
        noises = self.account.noise_by_size(total * share, shape)
        if again:
            more = self.account.noise_by_size(total * again, shape)
            noises = {
                size: 1 / math.hypot(1 / noises[size], 1 / more[size]) for size in noises
            }
        return float(
            self._part_of_rows(assumed_column_errors(noises, shape, self.rows)).mean()
        )

    def split(self, open_pairs: int | None = None) -> LikelyErrors:
        """Return the expected errors if the budget goes to the most helpful pairs.

        Args:
            open_pairs: Number of pairs that may be measured, the strongest; None for all.
        """
        first, rest = self._shares
        budget = float(self.account.total * rest) * len(self.sample_sizes) / self.count
        amounts = cost_levels(budget)
        noises = self.account.size_of_noise(amounts[1:])
        off = [assumed_errors(sizes, noises, self.rows) for sizes in self.sample_sizes]
        apart = np.hypot(ASSOCIATION * exponential_values(len(off)), self.by_chance)
        errors = np.column_stack([apart, self._part_of_rows(np.array(off))])
        if open_pairs is not None:
            errors[np.argsort(-apart)[open_pairs:], 1:] = np.inf

        def beside(percent: int) -> float:
            return 2 * self.columns(first, rest * Fraction(percent, 100))

        alone = float(np.hypot(apart, beside(100)).sum())
        found = least_errors(budget, amounts, errors, beside=beside, alone=alone)
        return LikelyErrors(beside(found.percent) / 2, found.error / len(apart))

    @cached_property
    def _shares(self) -> tuple[Fraction, Fraction]:
        # For columns at first, then for columns and pairs.
        left = 1 - (0 if self.rows_are_public else SIZING)
        left -= prospect(self.account, self.shape, self.rows).selection
        first = first_share(self.account, self.shape, self.rows) * left
        return first, left - first

    @cached_property
    def by_chance(self) -> Floats:
        """Distance of independent rows from independence, shape (pairs,)."""
        known: dict[tuple[int, ...], float] = {}
        for sizes in set(self.sample_sizes):
            expected, alike = assume_shares(sizes)
            spread = np.sqrt(expected * np.maximum(0.0, 1 - expected) / self.rows)
            known[sizes] = min(1.0, BY_CHANCE * float(spread @ alike))
        return np.array([known[sizes] for sizes in self.sample_sizes])

    def _part_of_rows(self, errors: Floats) -> Floats:
        # Total variation, of L1 errors in rows.
        return np.minimum(1.0, errors / 2 / self.rows)

    def expect_inside(self, cliques: Sequence[Clique], order: int) -> dict[Clique, float]:
        """Return expected errors of columns (order 1) or pairs (2) inside histograms, which
        share the budget."""
        sizes = [cells(self.shape, clique) for clique in cliques]
        costs = self.account.by_size(self.account.total, sizes)
        found = {}
        for clique, size, cost in zip(cliques, sizes, costs, strict=True):
            noise = self.account.noise(cost).mean_absolute
            for part in combinations(clique, order):
                own = tuple(self.shape[a] for a in part)
                louder = np.array([noise * math.sqrt(size / math.prod(own))])
                (found[part],) = self._part_of_rows(assumed_errors(own, louder, self.rows))
        return found
