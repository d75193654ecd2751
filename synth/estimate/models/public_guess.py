"""A public table of the same columns as a guess that noisy counts correct. PUBLIC.

A little independence is mixed in, so that nothing is impossible. A pair whose public link is
within the public table's own sampling error counts as unlinked.

Noisy columns correct the guess. A public table of m rows is taken for a sample of only m, m /
4, m / 16, ... rows, down to one: the fewer, the further its columns drift (a Dirichlet law of
the shares). Or it says nothing of a column. Evidence from all noisy columns together weighs
these.

Source: Liu, Vietri, Steinke, Ullman and Wu (2021), *Leveraging public data for practical
private query release*; for the half-Cauchy law of the drift's size Polson and Scott (2012),
*On the half-Cauchy prior for a global scale parameter*."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synth.estimate.models.junction import Clique
from synth.estimate.repair.column import measure_likelihood
from synth.estimate.repair.marginal import rake
from synth.estimate.repair.simplex import project_to_simplex
from synth.util import Codes, Floats, maximize_mixture, sum_by_cell

# Rounds of expectation-maximisation of the law of drifts; more change nothing.
DRIFT_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class PublicGuess:
    """Public rows, coded by the declared domain, as a guess for a table.

    Attributes:
        shape: Cells of every declared column.
        codes: Codes of each public column, by its number.
        rows: Number of public rows.
    """

    shape: tuple[int, ...]
    codes: dict[int, Codes]
    rows: int

    def speaks_of(self, clique: Clique) -> bool:
        """Return whether the public table says something of some columns."""
        return self.covers(clique) and (len(clique) != 2 or self.is_linked(clique))

    def covers(self, clique: Clique) -> bool:
        """Return whether the public table has all these columns."""
        return self.codes.keys() >= set(clique)

    def select_known(self, cliques: Sequence[Clique]) -> list[Clique]:
        """Return the cliques that the public table covers."""
        return [clique for clique in cliques if self.covers(clique)]

    def is_linked(self, pair: Clique) -> bool:
        """Return whether a pair's public link exceeds the sampling error of the public table.

        The squares of link and error add up in the table. If the error's is the larger part,
        independence is nearer than the public link.
        """
        if pair not in self._linked:
            independent = self.unrelated(pair)
            distance = float(
                np.abs(self.counts(pair) / max(self.rows, 1) - independent).sum()
            )
            error = float(
                np.sqrt(
                    2 / math.pi * independent * (1 - independent) / max(self.rows, 1)
                ).sum()
            )
            self._linked[pair] = distance > math.sqrt(2) * error
        return self._linked[pair]

    @cached_property
    def _linked(self) -> dict[Clique, bool]:
        return {}

    def counts(self, clique: Clique) -> Floats:
        """Return public rows by cell."""
        sizes = tuple(self.shape[column] for column in clique)
        return sum_by_cell([self.codes[column] for column in clique], sizes)

    @cached_property
    def _column_shares(self) -> dict[int, Floats]:
        """Shares of each column's cells in the public table, with half a row added to
        each.
        """
        return {
            column: (self.counts((column,)) + 0.5) / (self.rows + self.shape[column] / 2)
            for column in self.codes
        }

    @cached_property
    def _shares(self) -> dict[Clique, Floats]:
        return {}

    def shares(self, clique: Clique) -> Floats:
        """Return public shares by cell, mixed with independence of weight sqrt(rows) / 2; sum
        1.
        """
        if clique not in self._shares:
            weight = math.sqrt(self.rows) / 2
            mixed = self.counts(clique) + weight * self.unrelated(clique)
            self._shares[clique] = mixed / (self.rows + weight)
        return self._shares[clique]

    def unrelated(self, clique: Clique) -> Floats:
        """Return shares under independent public columns; sum 1."""
        table: Floats = np.array(1.0)
        for column in clique:
            table = np.multiply.outer(table, self._column_shares[column])
        return table

    def pair(self, clique: Clique, columns: Sequence[Floats], total: float) -> Floats:
        """Return a pair's public shares, raked to the repaired columns, in rows."""
        a, b = clique
        return rake(self.shares(clique) * max(total, 1.0), columns[a], columns[b])

    def chance(self, clique: Clique, total: float) -> Floats:
        """Return the variance of a cell's rows around their guess, if both are samples."""
        guess = self.shares(clique) * total
        return guess * (1 + total / max(self.rows, 1))

    def misses(self, clique: Clique, total: float) -> float:
        """Return the expected L1 distance, in rows, of a table that differs by chance
        alone.
        """
        return float(np.sqrt(2 / math.pi * self.chance(clique, total)).sum())

    def columns(
        self, noisy: Sequence[tuple[Floats, float]], total: float, plain: Sequence[Floats]
    ) -> list[Floats]:
        """Return every column between its guess and its noisy counts, shape (cells,).

        Args:
            noisy: Each column's noisy counts, shape (cells,), and their variance.
            plain: The same counts, repaired without a guess.
        """
        corrected = list(plain)
        for (a, weights), (means, _) in zip(*self._weigh(noisy, total), strict=True):
            mixed = weights @ np.vstack([means, plain[a]])
            corrected[a] = project_to_simplex(mixed, total)
        return corrected

    def _weigh(
        self, noisy: Sequence[tuple[Floats, float]], total: float
    ) -> tuple[list[tuple[int, Floats]], list[tuple[Floats, Floats]]]:
        """Return by column the probability of each drift, and what its cells then are.

        The last probability is that the guess says nothing. Before any column is measured,
        each drift is half as likely as the one before it: the tail of a half-Cauchy law. That
        law counts as one column.
        """
        covered = sorted(self.codes)
        corrections = [self._correct(a, *noisy[a], total=total) for a in covered]
        logs = np.array(
            [
                np.append(likelihoods, measure_likelihood(*noisy[a], total))
                for a, (_, likelihoods) in zip(covered, corrections, strict=True)
            ]
        )
        likelihood = np.exp(logs - logs.max(axis=1, keepdims=True)) + 1e-300
        prior = 0.5 ** np.arange(logs.shape[1])
        prior /= prior.sum()

        def steady(_step: int, shares: Floats) -> Floats:
            return np.asarray((len(logs) * shares + prior) / (len(logs) + 1))

        even = np.full(len(logs), 1 / len(logs))
        law: Floats = np.asarray(prior)
        law = maximize_mixture(likelihood, even, law, rounds=DRIFT_ROUNDS, adjust=steady)
        weights = likelihood * law
        weights /= weights.sum(axis=1, keepdims=True)
        return list(zip(covered, weights, strict=True)), corrections

    def _correct(
        self, column: int, noisy: Floats, variance: float, *, total: float
    ) -> tuple[Floats, Floats]:
        """Return a column's cells under every drift, shape (drifts, cells), and its
        log-likelihood.

        Tails are Laplace, also for Gaussian noise: a single outlier is no drift. So a cell
        moves to its guess by no more than the mode under such a law does, variance * sqrt(2)
        / deviation."""
        shares = self.shares((column,))
        halvings = np.arange(max(1, math.ceil(math.log2(max(self.rows, 1)) / 2)))
        worth = np.maximum(self.rows / 4.0**halvings, 1.0)[:, None]
        # Gains of one cell are losses of others: a cell of nearly all rows hardly drifts.
        drift = shares * (1 - shares) * total * (1 + total / worth) + 1e-9
        variance_sum = drift + variance
        gaps = noisy - shares * total
        logs = -(np.log(variance_sum) / 2 + np.abs(gaps) * np.sqrt(2 / variance_sum)).sum(
            axis=1
        )
        max_move = math.sqrt(2) * variance / np.sqrt(drift)
        back = np.minimum(np.abs(gaps) * variance / variance_sum, max_move)
        return noisy - np.sign(gaps) * back, np.asarray(logs)

    def draw(
        self, columns: Sequence[Floats], count: int, generator: np.random.Generator
    ) -> Codes:
        """Draw public rows, each about equally often, shape (count, columns).

        Columns without public rows are drawn independently from their repaired counts.
        """
        order = generator.permutation(self.rows)
        places = np.resize(order, count)
        codes = np.empty((count, len(self.shape)), dtype=np.int32)
        for number, column in enumerate(columns):
            if number in self.codes:
                codes[:, number] = self.codes[number][places]
            else:
                shares = column / max(float(column.sum()), 1e-300)
                codes[:, number] = generator.choice(len(column), size=count, p=shares)
        return codes
