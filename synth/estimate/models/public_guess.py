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
from typing import NamedTuple

import numpy as np

from synth.estimate.models.junction import Clique
from synth.estimate.repair.column import measure_likelihood
from synth.estimate.repair.marginal import rake
from synth.estimate.repair.simplex import project_to_simplex
from synth.util import Codes, Floats, maximize_mixture, sum_by_cell

# Rounds of expectation-maximisation of the law of drifts; more change nothing.
DRIFT_ROUNDS = 20


class _WeighedColumn(NamedTuple):
    """A column of the public table under all drifts, by the noisy counts.

    Attributes:
        chances: The probability of each drift; the last one is that the guess says nothing,
            shape (drifts + 1,).
        rows_by_drift: Expected rows of each cell under each drift, shape (drifts, cells).
    """

    chances: Floats
    rows_by_drift: Floats


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
        """Return whether the public table says something of some columns together.

        It must have all of them, and its pair must be linked in it.
        """
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
            rows = max(self.rows, 1)
            independent = self.independent_shares(pair)
            distance = float(np.abs(self.counts(pair) / rows - independent).sum())
            # The mean size of a share's sampling error, if it is normal, summed over cells.
            variances = independent * (1 - independent) / rows
            error = float(np.sqrt(2 / math.pi * variances).sum())
            # The link's square is that of the distance, less the error's; it must be larger.
            self._linked[pair] = distance > math.sqrt(2) * error
        return self._linked[pair]

    @cached_property
    def _linked(self) -> dict[Clique, bool]:
        """What `is_linked` returned, by pair."""
        return {}

    def counts(self, clique: Clique) -> Floats:
        """Return public rows by cell, with an axis for each column of the clique."""
        sizes = tuple(self.shape[column] for column in clique)
        return sum_by_cell([self.codes[column] for column in clique], sizes)

    @cached_property
    def _column_shares(self) -> dict[int, Floats]:
        """Shares of cells in the public table, shape (cells,), by the column's number.

        Half a row is added to each cell, so that none is impossible.
        """
        return {
            column: (self.counts((column,)) + 0.5) / (self.rows + self.shape[column] / 2)
            for column in self.codes
        }

    @cached_property
    def _shares(self) -> dict[Clique, Floats]:
        """What `shares` returned, by columns."""
        return {}

    def shares(self, clique: Clique) -> Floats:
        """Return public shares by cell, of sum 1, with an axis for each column.

        They are mixed with shares under independence, as if these were sqrt(rows) / 2 further
        rows, so that no cell is impossible.
        """
        if clique not in self._shares:
            weight = math.sqrt(self.rows) / 2
            mixed = self.counts(clique) + weight * self.independent_shares(clique)
            self._shares[clique] = mixed / (self.rows + weight)
        return self._shares[clique]

    def independent_shares(self, clique: Clique) -> Floats:
        """Return shares by cell if the public columns were independent, of sum 1.

        The result has an axis for each column of the clique.
        """
        table: Floats = np.array(1.0)
        for column in clique:
            table = np.multiply.outer(table, self._column_shares[column])
        return table

    def pair(self, clique: Clique, columns: Sequence[Floats], total: float) -> Floats:
        """Return a pair's expected rows: its public shares, scaled to the repaired columns.

        Args:
            clique: Numbers of the two columns.
            columns: Repaired counts of every declared column, shape (cells,), of sum
                ``total``.
            total: Rows of the private table, public or noisy.
        """
        a, b = clique
        return rake(self.shares(clique) * max(total, 1.0), columns[a], columns[b])

    def chance_variance(self, clique: Clique, total: float) -> Floats:
        """Return the variance of a cell's rows around their guess, if both are samples.

        A count varies by about its size; the public one, scaled to the total, by total / rows
        times that.
        """
        guess = self.shares(clique) * total
        return guess * (1 + total / max(self.rows, 1))

    def chance_distance(self, clique: Clique, total: float) -> float:
        """Return the L1 distance, in rows, to expect of tables that differ by chance alone.

        Args:
            clique: Columns of the tables.
            total: Rows of the private table, public or noisy.
        """
        # The mean size of a normal number of each cell's variance.
        return float(np.sqrt(2 / math.pi * self.chance_variance(clique, total)).sum())

    def columns(
        self, noisy: Sequence[tuple[Floats, float]], total: float, plain: Sequence[Floats]
    ) -> list[Floats]:
        """Return expected rows of every column, between its guess and its noisy counts.

        Columns that the public table lacks stay as they were repaired without it.

        Args:
            noisy: Each column's noisy counts, shape (cells,), and their variance.
            total: Rows of the private table, public or noisy.
            plain: The same counts, repaired without a guess.
        """
        corrected = list(plain)
        for column, weighed in self._weigh(noisy, total).items():
            # Averaged over all drifts, and the case that the guess says nothing.
            mixed = weighed.chances @ np.vstack([weighed.rows_by_drift, plain[column]])
            corrected[column] = project_to_simplex(mixed, total)
        return corrected

    def _weigh(
        self, noisy: Sequence[tuple[Floats, float]], total: float
    ) -> dict[int, _WeighedColumn]:
        """Return how likely each drift of each public column is, and what its cells then are.

        A drift is how far the private column is from the public one. Before any column is
        measured, each drift is half as likely as the one before it: the tail of a half-Cauchy
        law. That law counts as one column.

        Args:
            noisy: Each declared column's noisy counts, shape (cells,), and their variance.
            total: Rows of the private table, public or noisy.

        Returns:
            The public columns by their number.
        """
        covered = sorted(self.codes)
        corrections = [self._correct(a, *noisy[a], total=total) for a in covered]
        # The log-likelihood of each column under each drift, and under the law of usual
        # columns if the guess says nothing, shape (public columns, drifts + 1).
        logs = np.array(
            [
                np.append(likelihoods, measure_likelihood(*noisy[a], total))
                for a, (_, likelihoods) in zip(covered, corrections, strict=True)
            ]
        )
        likelihood = np.exp(logs - logs.max(axis=1, keepdims=True)) + 1e-300
        prior = 0.5 ** np.arange(logs.shape[1])
        prior /= prior.sum()

        def average_with_prior(_step: int, shares: Floats) -> Floats:
            """Return the shares averaged with the prior, as if it were one more column."""
            return np.asarray((len(logs) * shares + prior) / (len(logs) + 1))

        column_weights = np.full(len(logs), 1 / len(logs))  # all the same
        # How likely each drift is in any column: the law that makes all columns likely.
        drift_law = maximize_mixture(
            likelihood,
            column_weights,
            np.asarray(prior),
            rounds=DRIFT_ROUNDS,
            adjust=average_with_prior,
        )
        weights = likelihood * drift_law
        weights /= weights.sum(axis=1, keepdims=True)
        return {
            column: _WeighedColumn(column_weights, rows_by_drift)
            for column, column_weights, (rows_by_drift, _) in zip(
                covered, weights, corrections, strict=True
            )
        }

    def _correct(
        self, column: int, noisy: Floats, variance: float, *, total: float
    ) -> tuple[Floats, Floats]:
        """Return a column's expected rows under every drift, and how likely each drift is.

        Tails are Laplace, also for Gaussian noise: a single outlier is no drift. So a cell
        moves to its guess by no more than the mode under such a law does, variance * sqrt(2)
        / deviation.

        Args:
            column: The column's number.
            noisy: The column's noisy counts, shape (cells,).
            variance: Variance of the noise on each.
            total: Rows of the private table, public or noisy.

        Returns:
            Expected rows, shape (drifts, cells); and the log-likelihood of the noisy counts
            under each drift, shape (drifts,).
        """
        shares = self.shares((column,))
        # Public rows count as a sample of all, a quarter, a sixteenth ... of their number.
        halvings = np.arange(max(1, math.ceil(math.log2(max(self.rows, 1)) / 2)))
        sample_rows = np.maximum(self.rows / 4.0**halvings, 1.0)[:, None]
        # The variance of a cell between two samples, one of ``total`` rows and one of
        # ``sample_rows``. Gains of one cell are losses of others: a cell of nearly all rows
        # hardly drifts. The small number keeps variances above 0.
        drift_variance = shares * (1 - shares) * total * (1 + total / sample_rows) + 1e-9
        variance_sum = drift_variance + variance
        gaps = noisy - shares * total
        # Logarithms of Laplace densities of these variances, but for a constant.
        log_densities = -(np.log(variance_sum) / 2 + np.abs(gaps) * np.sqrt(2 / variance_sum))
        max_move = math.sqrt(2) * variance / np.sqrt(drift_variance)
        moves = np.minimum(np.abs(gaps) * variance / variance_sum, max_move)
        return noisy - np.sign(gaps) * moves, np.asarray(log_densities.sum(axis=1))

    def draw(
        self, columns: Sequence[Floats], count: int, generator: np.random.Generator
    ) -> Codes:
        """Draw codes from the public rows, each about equally often, shape (count, columns).

        Columns that the public table lacks are drawn independently.

        Args:
            columns: Repaired counts of every declared column, shape (cells,).
            count: Number of rows to draw.
            generator: Source of randomness.
        """
        order = generator.permutation(self.rows)
        places = np.resize(order, count)  # that order again and again, until it is enough
        codes = np.empty((count, len(self.shape)), dtype=np.int32)
        for number, column in enumerate(columns):
            if number in self.codes:
                codes[:, number] = self.codes[number][places]
            else:
                shares = column / max(float(column.sum()), 1e-300)
                codes[:, number] = generator.choice(len(column), size=count, p=shares)
        return codes
