"""Latent classes: all pairs of columns explained at once by a few kinds of rows.

Columns are independent within each of K unseen classes: P(x) = sum_k w_k prod_a P_a(x_a | k).
All pairs are then one matrix of rank K, so each steadies the others. The fit is weighted
least squares by Adam on the logits. A step costs two products of a (cells x cells) by a
(cells x K) matrix."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from synth.estimate.assumptions import NEIGHBOUR_LOG_DEVIATION
from synth.estimate.models.junction import Clique
from synth.estimate.models.junction_rows import deal, systematic
from synth.estimate.repair.marginal import Estimate
from synth.util import Floats, Singles, SmallCodes, check_deadline, one_thread, small_type

# The fit's time grows with its steps; twice as many lower pairs' errors by .2 %.
GRADIENT_STEPS = 300
# Most cells of all columns; the matrix of pairs has their square.
MAX_COLUMN_CELLS = 4_000
# Numbers of classes of the fits to average; the first is always made.
CLASS_NUMBERS = (10, 20, 40, 7, 14, 28, 5, 33)
# Cells of the matrices of all fits; a table of many cells gets fewer fits.
MAX_FIT_CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class Classes:
    """A fitted mixture.

    Attributes:
        weights: Share of each class, shape (K,).
        tables: P(cell | class) for every column, each of shape (cells, K).
        total: Number of rows.
    """

    weights: Floats
    tables: list[Floats]
    total: float

    def pair(self, a: int, b: int) -> Floats:
        """Return a pair's expected rows by cell, shape (cells of a, cells of b)."""
        return np.asarray((self.tables[a] * self.weights) @ self.tables[b].T) * self.total

    def deal(self, codes: SmallCodes, generator: np.random.Generator) -> None:
        """Draw rows from the mixture into codes, shape (columns, rows), which it overwrites.

        The first rows are those of the first class, and so on.
        """
        rows = np.array([codes.shape[1]])
        sizes = systematic(self.weights[None], rows, generator.random(1))[0]
        starts = np.cumsum(sizes)[:-1]
        for column, table in zip(codes, self.tables, strict=True):
            column[:] = deal(table.T, np.arange(len(sizes)), sizes, generator=generator)
            # Within a class, columns are independent: each is shuffled by itself.
            for codes_of_class in np.split(column, starts):
                generator.shuffle(codes_of_class)


def fit_classes(
    columns: Sequence[tuple[Floats, float]],
    pairs: Mapping[Clique, Estimate],
    *,
    count: int,
    generator: np.random.Generator,
    ordered: Sequence[int] = (),
) -> Classes:
    """Fit a mixture to columns and pairs.

    In ordered columns, a class's difference from the whole table is a random walk from cell
    to cell (``NEIGHBOUR_LOG_DEVIATION``); the fit is the likeliest.

    Args:
        columns: Repaired counts, shape (cells,), all with one total, and their variance.
        pairs: Noisy or guessed counts of pairs (a, b), a < b, with variances.
        count: Number of classes.
        generator: Source of randomness for the start.
        ordered: Number of ordered cells of each column, which come first; none by default.
    """
    counts = [values for values, _ in columns]
    variances = [variance for _, variance in columns]
    problem = _Problem(counts, variances, pairs, ordered=ordered)
    # Every class starts near the whole table; without differences all would stay equal.
    noise = generator.normal(0, 0.5, (len(problem.columns), count))
    logits = (problem.usual + noise).astype(np.float32)
    shares = np.zeros(count, dtype=np.float32)
    adam = _Adam([logits, shares])
    # The first half of the steps may move a cell's log over its range, from no row to all.
    rate = 2 * math.log(max(problem.total / problem.floor, 2.0)) / GRADIENT_STEPS
    with one_thread:
        for step in range(GRADIENT_STEPS):
            check_deadline()  # the longest part of a release: a steward may stop it
            # The rate is constant at first, and falls to 0 in the second half.
            gradients = problem.gradients(logits, shares)
            adam.step(gradients, rate * min(1.0, 2 * (1 - step / GRADIENT_STEPS)))
    return problem.result(logits, shares)


def numbers_of_classes(cells: int) -> tuple[int, ...]:
    """Return the number of classes of each fit, for columns of so many cells together.

    A fit's matrix of all pairs has the square of these cells. So more cells leave fewer fits,
    but at least one.

    >>> numbers_of_classes(200), numbers_of_classes(1_200), numbers_of_classes(4_000)
    ((10, 20, 40, 7, 14, 28, 5, 33), (10, 20), (10,))
    """
    return CLASS_NUMBERS[: max(1, min(len(CLASS_NUMBERS), MAX_FIT_CELLS // max(1, cells**2)))]


@dataclass(frozen=True, eq=False)
class Fits:
    """Several mixtures of the same table; their mean has less error than each (bagging)."""

    mixtures: tuple[Classes, ...]

    def pair(self, a: int, b: int) -> Floats:
        """Return a pair's expected rows by cell, the mean of all mixtures."""
        return np.asarray(np.mean([mixture.pair(a, b) for mixture in self.mixtures], axis=0))

    def deal(self, rows: int, generator: np.random.Generator) -> SmallCodes:
        """Return codes of drawn rows, shape (columns, rows), in random order.

        Each mixture draws an equal part of the rows.
        """
        shape = [len(table) for table in self.mixtures[0].tables]
        dealt = np.empty((len(shape), rows), dtype=small_type(shape))
        ends = np.linspace(0, rows, len(self.mixtures) + 1).astype(int)
        for mixture, part in zip(self.mixtures, pairwise(ends), strict=True):
            mixture.deal(dealt[:, slice(*part)], generator)
        return dealt.take(generator.permutation(rows), axis=1)


class _Problem:
    """Weighted least squares on the matrix of all pairs of cells, of side "cells".

    That is the number of cells of all columns together. Columns follow each other in it.

    Attributes:
        sizes, starts: Number of cells of each column, and where each starts, with the end.
        columns: Repaired rows of all columns, shape (cells,).
        column_weights: Inverse noise variance of each, same shape.
        values, weights: Rows of all pairs and their inverse variance, shape (cells, cells),
            0 where a pair is not known.
        usual: Logs of the columns' rows, shape (cells, 1).
        tied: Inverse variance of the step from each cell's log to the next one's, shape
            (cells - 1, 1); 0 if these are not neighbours in order.
    """

    def __init__(
        self,
        columns: Sequence[Floats],
        column_variances: Sequence[float],
        pairs: Mapping[Clique, Estimate],
        *,
        ordered: Sequence[int] = (),
    ) -> None:
        """Lay out all columns and pairs.

        Args:
            columns: Repaired counts of each column, shape (cells,), all with one total.
            column_variances: Variance of each column's counts.
            pairs: Noisy or guessed counts of pairs (a, b), a < b, with variances.
            ordered: Number of ordered cells of each column, which come first.
        """
        self.sizes = [len(column) for column in columns]
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        self.columns = np.concatenate(columns).astype(np.float32)
        self.total = float(columns[0].sum())
        # Smaller cells count as this, so that no logarithm is that of about 0.
        self.floor = max(0.3, 1e-9 * self.total)
        self.usual = np.log(np.maximum(self.columns, self.floor))[:, None]
        weights = [
            np.full(size, 1 / variance)
            for size, variance in zip(self.sizes, column_variances, strict=True)
        ]
        self.column_weights = np.concatenate(weights).astype(np.float32)
        side = self.starts[-1]
        self.values = np.zeros((side, side), dtype=np.float32)
        self.weights = np.zeros((side, side), dtype=np.float32)
        for (a, b), pair in pairs.items():
            # The matrix is symmetric, so that each pair has two blocks.
            self._place(a, b, pair.values, weights=1 / pair.variance)
            self._place(b, a, pair.values.T, weights=1 / pair.variance.T)
        self.tied = np.zeros((max(side - 1, 0), 1), dtype=np.float32)
        # Steps within the ordered cells of a column, none from one column to the next.
        for start, cells in zip(self.starts, ordered, strict=False):
            self.tied[start : start + max(cells - 1, 0)] = NEIGHBOUR_LOG_DEVIATION**-2

    def _place(self, a: int, b: int, values: Floats, *, weights: Floats) -> None:
        """Write a pair's rows and weights into their block of the matrices of all cells.

        Args:
            a: Number of the column whose cells are the block's rows.
            b: Number of the column whose cells are its columns.
            values: Rows of the pair, shape (cells of a, cells of b).
            weights: The inverse variance of each count, in the same shape.
        """
        block = (slice(*self.starts[a : a + 2]), slice(*self.starts[b : b + 2]))
        self.values[block] = values
        self.weights[block] = weights

    def tables(self, logits: Singles) -> Singles:
        """Return P(cell | class) of each column, a softmax; together of shape (cells, K)."""
        # Relative to the largest logit of each column, so that no power overflows.
        peak = np.maximum.reduceat(logits, self.starts[:-1], axis=0)
        powers = np.exp(logits - np.repeat(peak, self.sizes, axis=0))
        return np.asarray(powers / self._sums(powers))

    def _sums(self, values: Singles) -> Singles:
        """Return for each cell the sum over all cells of its column, shape (cells, K)."""
        sums = np.add.reduceat(values, self.starts[:-1], axis=0)
        return np.asarray(np.repeat(sums, self.sizes, axis=0))

    def gradients(self, logits: Singles, shares: Singles) -> list[Singles]:
        """Return the gradients of the loss by the classes' logits and by those of the shares.

        The loss is the weighted squared gap of pairs and columns, plus a penalty on
        roughness. A pair's expected counts are the total times the sum over classes of share
        P(a) P(b). The slope by a probability p goes through the softmax, whose gradient is
        p (slope - sum of slope p).

        Args:
            logits: Log weights of cells in each class, shape (cells, K).
            shares: Log weights of the classes, shape (K,).

        Returns:
            Two gradients, of these shapes.
        """
        tables = self.tables(logits)
        weights = _softmax(shares)
        # Expected rows of each cell in each class.
        expected_rows = tables * weights
        expected_rows *= self.total
        # The weighted gaps of all pairs, shape (cells, cells), and of all columns, (cells,).
        pair_gaps = expected_rows @ tables.T
        pair_gaps -= self.values
        pair_gaps *= self.weights
        column_gaps = (expected_rows.sum(axis=1) - self.columns) * self.column_weights
        # These two slopes of the loss, by the probability of a cell in a class, still lack
        # the factor of the class's share.
        pair_slopes = pair_gaps @ tables * self.total
        column_slopes = (column_gaps * self.total)[:, None]
        slopes = (pair_slopes + column_slopes) * weights
        # The matrix has every pair twice, but a class's share moves the pair only once.
        share_slopes = ((pair_slopes / 2 + column_slopes) * tables).sum(axis=0)
        return [
            tables * (slopes - self._sums(slopes * tables)) + self._roughness(logits),
            weights * (share_slopes - (share_slopes * weights).sum()),
        ]

    def _roughness(self, logits: Singles) -> Singles:
        """Return the gradient of the penalty on steps between neighbouring cells' logits.

        Steps count as far as they differ from those of the whole table. Shape (cells, K).
        """
        steps = np.diff(logits - self.usual, axis=0) * self.tied
        slopes = np.zeros_like(logits)
        slopes[1:] += steps
        slopes[:-1] -= steps
        return slopes

    def result(self, logits: Singles, shares: Singles) -> Classes:
        """Return the mixture of these parameters.

        Args:
            logits: Log weights of cells in each class, shape (cells, K).
            shares: Log weights of the classes, shape (K,).
        """
        tables = self.tables(logits).astype(np.float64)
        weights = _softmax(shares)
        # The cells of each column.
        blocks = [tables[i:j] for i, j in zip(self.starts, self.starts[1:], strict=False)]
        return Classes(weights.astype(np.float64), blocks, self.total)


def _softmax(values: Singles) -> Singles:
    """Return exp(values) scaled to sum 1, in the values' shape."""
    powers = np.exp(values - values.max())
    return np.asarray(powers / powers.sum())


class _Adam:
    """Kingma and Ba 2015, Algorithm 1, with a second moment that forgets in 100 steps."""

    def __init__(self, parameters: list[Singles]) -> None:
        """Start at these arrays, which each step changes in place."""
        self.parameters = parameters
        self.first = [np.zeros_like(p) for p in parameters]
        self.second = [np.zeros_like(p) for p in parameters]
        self.steps = 0

    def step(self, gradients: list[Singles], rate: float) -> None:
        """Move the parameters by one step of Adam, with decay rates 0.9 and 0.99.

        Args:
            gradients: The gradient of the loss by each parameter, in the shape of the
                parameter.
            rate: Size of the step: most that a parameter moves, about.
        """
        self.steps += 1
        for parameter, gradient, first, second in zip(
            self.parameters, gradients, self.first, self.second, strict=True
        ):
            first += 0.1 * (gradient - first)
            second += 0.01 * (gradient * gradient - second)
            # Both moments started at 0, which this corrects.
            rate_now = rate * math.sqrt(1 - 0.99**self.steps) / (1 - 0.9**self.steps)
            parameter -= np.float32(rate_now) * first / (np.sqrt(second) + 1e-12)
