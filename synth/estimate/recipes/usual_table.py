"""A usual table, and the expected errors of a budget on it. PUBLIC.

No public number gives the association that a model loses. Synth assumes that of usual tables
of people (`ASSOCIATION`, in total variation), spread exponentially over pairs, plus chance.
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
from synth.estimate.assumptions import ASSOCIATION, HALF_EVEN, assume_shares
from synth.estimate.models.allocation import Account, cost_levels
from synth.estimate.models.choosing import SIZING, TableSize, choose, first_share
from synth.estimate.models.junction import Clique, cells
from synth.estimate.models.splitting import (
    assumed_column_errors,
    assumed_errors,
    exponential_values,
    least_errors,
    prospect,
    some_pairs,
)
from synth.util import Floats

# Half the mean distance of a standard normal law, as counts have by chance.
BY_CHANCE = math.sqrt(1 / (2 * math.pi))


class LikelyErrors(NamedTuple):
    """Mean expected total variation of columns and of pairs.

    Attributes:
        columns: That of columns.
        pairs: That of pairs.
    """

    columns: float
    pairs: float


@dataclass(frozen=True, kw_only=True)
class UsualTable:
    """A usual table under a budget.

    Attributes:
        account: The budget, as epsilon or rho.
        shape: Cells of every column.
        rows: Number of rows.
        rows_are_public: Whether the number of rows costs nothing.
        most_cells: Most cells of all pairs together.
        groups: The steward's groups of columns, if any.
        evenness: How even long lists are, from 0 to 1. It changes expected errors, and no
            choice of a method or split.
    """

    account: "Account"
    shape: tuple[int, ...]
    rows: int
    rows_are_public: bool
    most_cells: int
    groups: tuple[Clique, ...] = ()
    evenness: float = HALF_EVEN

    @property
    def count(self) -> int:
        """The number of pairs that may be measured."""
        return self._pairs[0]

    @property
    def worthy_pairs(self) -> int:
        """The expected number of pairs that are worth measuring, at least 1 if any is."""
        share = prospect(self.account, self.shape, self.rows).measured
        return math.ceil(share * self.count)

    @cached_property
    def sample_sizes(self) -> list[tuple[int, ...]]:
        """The numbers of cells of both columns, ascending, for each pair in a sample.

        The sample stands for all pairs that may be measured.
        """
        sampled_pairs = self._pairs[1]
        return [tuple(sorted((self.shape[a], self.shape[b]))) for a, b in sampled_pairs]

    @property
    def _pairs(self) -> tuple[int, list[Clique]]:
        """The number of pairs that may be measured, and a sample of them."""
        return some_pairs(self.shape, min(self.most_cells, limits.DENSE_CELLS))

    def choose_method(self, pure: "Account") -> "tuple[str, Account]":
        """Return the method that *auto* would follow, and the account that it would spend.

        Args:
            pure: The same budget as pure epsilon, which some methods spend instead.
        """
        size = TableSize(
            shape=self.shape,
            rows=self.rows,
            rows_are_public=self.rows_are_public,
            most_cells=self.most_cells,
        )
        return choose(self.account, pure, size, pairs=self.count)

    def columns(self, share: Fraction, again: Fraction = Fraction(0)) -> float:
        """Return the mean expected total variation of columns.

        Args:
            share: Share of the budget with which all columns are measured.
            again: Share with which they are measured once more; 0 for not at all.
        """

        budget = self.account.total
        noises = self.account.noise_by_size(budget * share, self.shape)
        if again:
            second_noises = self.account.noise_by_size(budget * again, self.shape)
            for size, noise in noises.items():
                # Inverse squared sizes of noise add up.
                noises[size] = 1 / math.hypot(1 / noise, 1 / second_noises[size])
        errors = assumed_column_errors(noises, self.shape, self.rows, evenness=self.evenness)
        return float(self._part_of_rows(errors).mean())

    def split(self, open_pairs: int | None = None) -> LikelyErrors:
        """Return the mean expected errors if the budget goes to the most helpful pairs.

        Columns get a first share. What is left, after noisy distances, is split between
        columns once more and pairs. A sample stands for all pairs, with its part of the
        budget.

        Args:
            open_pairs: Number of pairs that may be measured, the strongest; None for all.
        """

        first_share_of_columns, later_share = self._shares
        budget = float(self.account.total * later_share) * len(self.sample_sizes) / self.count
        amounts = cost_levels(budget)
        noises = self.account.size_of_noise(amounts[1:])
        measured = [
            assumed_errors(sizes, noises, self.rows, evenness=self.evenness)
            for sizes in self.sample_sizes
        ]
        # What a pair loses that is not measured, in total variation: its association, spread
        # exponentially over pairs, and its deviation by chance.
        unmeasured = ASSOCIATION * exponential_values(len(measured))
        unmeasured = np.hypot(unmeasured, self.by_chance)
        # By pair and cost: unmeasured at first, then at each level of `cost_levels`.
        errors = np.column_stack([unmeasured, self._part_of_rows(np.array(measured))])
        if open_pairs is not None:
            weaker_pairs = np.argsort(-unmeasured)[open_pairs:]
            errors[weaker_pairs, 1:] = np.inf  # they may not be measured

        def of_columns(percent: int) -> float:
            """Return the error that both columns add to a pair, by the columns' share."""
            again = later_share * Fraction(percent, 100)
            return 2 * self.columns(first_share_of_columns, again)

        best = least_errors(budget, amounts, errors, of_columns=of_columns)
        return LikelyErrors(of_columns(best.percent) / 2, best.error / len(unmeasured))

    @cached_property
    def _shares(self) -> tuple[Fraction, Fraction]:
        """The budget's share for columns at first, and that for columns and pairs later.

        A private number of rows and the distances of pairs get the rest.
        """

        remaining = Fraction(1)
        if not self.rows_are_public:
            remaining -= SIZING
        # The share that is best spent on the distances of pairs.
        remaining -= prospect(self.account, self.shape, self.rows).selection
        first = first_share(self.account, self.shape, self.rows) * remaining
        return first, remaining - first

    @cached_property
    def by_chance(self) -> Floats:
        """Distance of independent rows from independence by chance, shape (pairs,).

        It is in total variation, for each pair of the sample.
        """
        return np.array(
            [
                _measure_chance(sizes, self.rows, evenness=self.evenness)
                for sizes in self.sample_sizes
            ]
        )

    def _part_of_rows(self, errors: Floats) -> Floats:
        """Return the total variation, at most 1, of L1 errors in rows; same shape."""
        return np.minimum(1.0, errors / 2 / self.rows)

    def expect_inside(self, cliques: Sequence[Clique], order: int) -> dict[Clique, float]:
        """Return expected errors of columns or pairs that are sums of some histograms.

        Args:
            cliques: Column numbers of each histogram; they share the whole budget.
            order: 1 for columns, 2 for pairs.

        Returns:
            Total variation by column numbers, of all columns or pairs inside a histogram. If
            several have one, that of the last counts.
        """

        sizes = [cells(self.shape, clique) for clique in cliques]
        costs = self.account.by_size(self.account.total, sizes)
        errors = {}
        for clique, size, cost in zip(cliques, sizes, costs, strict=True):
            noise = self.account.noise(cost).mean_absolute
            for columns in combinations(clique, order):
                shape = tuple(self.shape[column] for column in columns)
                # The noise of all cells that are summed into one.
                summed_noise = np.array([noise * math.sqrt(size / math.prod(shape))])
                error = assumed_errors(shape, summed_noise, self.rows, evenness=self.evenness)
                (errors[columns],) = self._part_of_rows(error)
        return errors


@lru_cache(maxsize=4096)
def _measure_chance(sizes: tuple[int, ...], rows: int, *, evenness: float) -> float:
    """Return the distance by chance of independent rows from independence.

    It does not depend on the budget, and a page asks for it at every step of its slider.

    Args:
        sizes: Number of cells of each column.
        rows: Number of rows.
        evenness: How even long lists are, from 0 to 1.
    """
    expected, alike = assume_shares(sizes, evenness)
    # The standard deviation of each share in a sample of so many rows.
    spread = np.sqrt(expected * np.maximum(0.0, 1 - expected) / rows)
    return min(1.0, BY_CHANCE * float(spread @ alike))
