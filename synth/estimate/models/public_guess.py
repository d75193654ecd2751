"""A public table of the same columns as a guess that noisy counts correct. PUBLIC.

Last year's table, a census extract, an earlier synthetic release: its shares replace independence
as the guess. A little independence is mixed in, so that nothing is impossible. Noisy columns
correct the guess as far as their distance from it outweighs their noise. How far public columns
drift is estimated from all noisy columns together.

Source: Liu, Vietri, Steinke, Ullman and Wu (2021), *Leveraging public data for practical private
query release*; for shrinking towards a guess James and Stein (1961).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from synth.estimate.models.junction import Clique
from synth.estimate.repair.marginal import rake
from synth.estimate.repair.simplex import project_to_simplex
from synth.util import Codes, Floats, maximize_mixture, sum_by_cell

DRIFTS = np.array([0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.4, 1.5])
"""Considered sizes of drift beyond chance; at the last the guess says nothing."""
NATURAL = np.array([12.0, 8.0, 4.0, 2.0, 1.0, 0.3, 0.1, 0.03]) / 27.43
"""Probability of each before any column is measured."""
DRIFT_POWER = 0.75
"""Power of its share by which a cell drifts: rare ones drift less, but more relative to their
share.
"""
NEW = np.array([0.03] * (len(DRIFTS) - 1) + [0.5])
"""Additional drift of every cell, as a part of an even share of the column: a cell that the public
table lacks may still hold rows.
"""
PRIOR_COLUMNS = 10
"""Weight of these probabilities, in measured columns."""
DRIFT_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class PublicGuess:
    """Public rows, coded by the declared domain, as a guess for a table. PUBLIC.

    Attributes:
        shape: Cells of every declared column.
        codes: One array of codes for each column of the public table, by its number.
        rows: Number of public rows.
        aside: Pairs that the public table gets wrong, and that are not guessed from it.
    """

    shape: tuple[int, ...]
    codes: dict[int, Codes]
    rows: int
    aside: set[Clique] = field(default_factory=set)

    def fresh(self) -> "PublicGuess":
        """Return the guess for all pairs again."""
        return replace(self, aside=set())

    def speaks_of(self, clique: Clique) -> bool:
        """Return whether it guesses these columns."""
        return self.codes.keys() >= set(clique) and clique not in self.aside

    def select_known(self, cliques: Sequence[Clique]) -> list[Clique]:
        """Return the cliques that it guesses."""
        return [clique for clique in cliques if self.speaks_of(clique)]

    def counts(self, clique: Clique) -> Floats:
        """Count public rows by cell of the columns, in their shape."""
        sizes = tuple(self.shape[column] for column in clique)
        return sum_by_cell([self.codes[column] for column in clique], sizes)

    @cached_property
    def _column_shares(self) -> dict[int, Floats]:
        """Public shares of each column, none of them 0."""
        return {
            column: (self.counts((column,)) + 0.5) / (self.rows + self.shape[column] / 2)
            for column in self.codes
        }

    @cached_property
    def _shares(self) -> dict[Clique, Floats]:
        return {}

    def shares(self, clique: Clique) -> Floats:
        """Return public shares by cell with a little independence, of weight sqrt(rows) / 2; sum 1.
        """
        if clique not in self._shares:
            weight = math.sqrt(self.rows) / 2
            mixed = self.counts(clique) + weight * self.unrelated(clique)
            self._shares[clique] = mixed / (self.rows + weight)
        return self._shares[clique]

    def unrelated(self, clique: Clique) -> Floats:
        """Return shares by cell if the public columns were independent; sum 1."""
        table: Floats = np.array(1.0)
        for column in clique:
            table = np.multiply.outer(table, self._column_shares[column])
        return table

    def pair(self, clique: Clique, columns: Sequence[Floats], total: float) -> Floats:
        """Return expected rows by cell of a pair: its public shares, raked to the repaired columns.
        """
        a, b = clique
        return rake(self.shares(clique) * max(total, 1.0), columns[a], columns[b])

    def chance(self, clique: Clique, total: float) -> Floats:
        """Return the variance between the rows of a cell and their guess if both tables are
        samples.
        """
        guess = self.shares(clique) * total
        return guess * (1 + total / max(self.rows, 1))

    def misses(self, clique: Clique, total: float) -> float:
        """Return the expected L1 distance, in rows, of a table that differs by chance alone."""
        return float(np.sqrt(2 / math.pi * self.chance(clique, total)).sum())

    def columns(
        self, noisy: Sequence[tuple[Floats, float]], total: float, plain: Sequence[Floats]
    ) -> tuple[list[Floats], list[float]]:
        """Return every column between its guess and its noisy counts.

        Args:
            noisy: Noisy counts of every column, shape (cells,), and the variance of each.
            total: Their number of rows.
            plain: The same counts, repaired without a guess.

        Returns:
            Counts of every column, shape (cells,), with the given sum; and their approximate
            remaining L1
            error.
        """
        told = [a for a in range(len(noisy)) if a in self.codes]
        weights = dict(zip(told, self._weights([(a, *noisy[a]) for a in told], total), strict=True))
        found, left = [], []
        for a, (counts, variance) in enumerate(noisy):
            weight = weights.get(a)
            if weight is None:
                found.append(plain[a])
                left.append(len(counts) * math.sqrt(2 / math.pi * variance))
            else:
                mean, spread = self._blend(a, counts, variance, total, plain[a], weight)
                found.append(project_to_simplex(mean, total))
                left.append(math.sqrt(2 / math.pi) * float(np.sqrt(spread).sum()))
        return found, left

    def _weights(self, noisy: Sequence[tuple[int, Floats, float]], total: float) -> Floats:
        """Return the probability of each drift, for each column, shape (columns, drifts)."""
        logs = np.array([self._likely(*one, total) for one in noisy]).reshape(-1, len(DRIFTS))
        likelihood = np.exp(logs - logs.max(axis=1, keepdims=True)) + 1e-300
        even = np.full(len(logs), 1 / max(len(logs), 1))
        law = NATURAL.copy()

        def steady(_step: int, shares: Floats) -> Floats:
            mixed = (len(logs) * shares + PRIOR_COLUMNS * NATURAL) / (len(logs) + PRIOR_COLUMNS)
            return np.asarray(mixed / mixed.sum())

        law = maximize_mixture(likelihood, even, law, rounds=DRIFT_ROUNDS, adjust=steady)
        weights = likelihood * law
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def _spreads(self, column: int, total: float) -> Floats:
        """Return the variance of each cell around its guess under every drift, shape (drifts,
        cells).

        Cells gain at each other's cost, so a cell of nearly all rows hardly drifts.
        """
        shares = self.shares((column,))
        moved = shares**DRIFT_POWER * (1 - shares) + NEW[:, None] / len(shares)
        by_chance = self.chance((column,), total) * (1 - shares)
        return np.asarray(by_chance + (DRIFTS[:, None] * moved * total) ** 2)

    def _likely(self, column: int, noisy: Floats, variance: float, total: float) -> Floats:
        """Return the log-likelihood of a column's noisy counts under every drift, shape (drifts,).

        Tails are Laplace, also for Gaussian noise: a single outlier is no drift.
        """
        whole = self._spreads(column, total) + variance
        gaps = noisy - self.shares((column,)) * total
        return np.asarray(-(np.log(whole) / 2 + np.abs(gaps) * np.sqrt(2 / whole)).sum(axis=1))

    def _blend(
        self,
        column: int,
        noisy: Floats,
        variance: float,
        total: float,
        plain: Floats,
        weights: Floats,
    ) -> tuple[Floats, Floats]:
        """Return the posterior mean and variance of a column's cells, each of shape (cells,)."""
        guess, spreads = self.shares((column,)) * total, self._spreads(column, total)
        trust = spreads / (spreads + variance)
        means = guess + trust * (noisy - guess)
        means[-1] = plain
        return weights @ means, weights @ (trust * variance)

    def draw(self, columns: Sequence[Floats], count: int, generator: np.random.Generator) -> Codes:
        """Draw public rows, each about equally often, shape (count, columns).

        Columns that the public table lacks are drawn independently.

        Args:
            columns: Repaired counts of every column.
            count: Number of rows.
            generator: Source of randomness.
        """
        order = generator.permutation(self.rows)
        places = np.resize(order, count)
        drawn = np.empty((count, len(self.shape)), dtype=np.int32)
        for number, column in enumerate(columns):
            if number in self.codes:
                drawn[:, number] = self.codes[number][places]
            else:
                shares = column / max(float(column.sum()), 1e-300)
                drawn[:, number] = generator.choice(len(column), size=count, p=shares)
        return drawn
