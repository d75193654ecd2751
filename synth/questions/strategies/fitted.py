"""A strategy fitted to a workload: every cell, and a few weighted sums of cells. PUBLIC.

Source: p-identity matrices, HDMM (McKenna, Miklau, Hay, Machanavajjhala 2018, section 4).

>>> ranges = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 1, 1]])
>>> fitted = fit_sums(ranges, 2, squared=False)
>>> fitted.size, fitted.moves.alone[0]
(6, 1024)
>>> fitted.consistent(fitted.measure(np.array([5, 6, 7, 8]))).round(6).tolist()
[5.0, 6.0, 7.0, 8.0]
"""
# Columns have one L1 length for Laplace noise, one L2 length for Gaussian noise. Gradient
# descent in floats finds them from a fixed start. They are rounded to whole numbers before
# anything is asked, so sensitivity is exact.

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.errors import ArgumentError
from synth.questions.strategies.descent import descend
from synth.questions.way.strategy import Moves
from synth.util import Document, Floats, Ints

# Length of the columns in steps.
COLUMN_STEPS = 1 << 10
# Most float products of a fit, about a second; steps are counted, not seconds.
MAX_FLOAT_PRODUCTS = 4 * 10**9
DESCENT_STEPS = 400
# Most steps of a fit, and the least: below, it has fewer sums, or is not tried.
LEAST_STEPS = 100
# Largest weight of a cell in a further sum, as a multiple of its own.
MAX_CELL_WEIGHT = 1 << 8
# Pairs of cells whose distances are in memory at once.
_CHUNK_PAIRS = 1 << 22


@dataclass(frozen=True, eq=False)
class FittedSums:
    """Every cell, and further sums of cells, in whole steps.

    Attributes:
        own: Steps that a row adds to its own cell, at least 1; shape (cells,).
        rows: Steps that a row of each cell adds to each further sum, shape (sums, cells).

    Raises:
        ArgumentError: They are too many, or too large to be added exactly.
    """

    own: Ints
    rows: Ints

    def __post_init__(self) -> None:
        """Refuse weights out of range, or more further sums than cells."""
        largest = max(self.own.max(), np.abs(self.rows).max(initial=0))
        if self.own.min() < 1 or largest > COLUMN_STEPS or len(self.rows) > self.cells:
            raise ArgumentError(
                f"Sums of cells take whole steps of at most {COLUMN_STEPS:,}."
            )

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.own)

    @property
    def size(self) -> int:
        """Number of measured numbers."""
        return self.cells + len(self.rows)

    def describe(self) -> Document:
        """Return the weights as JSON."""
        return {"own": self.own.tolist(), "rows": self.rows.tolist()}

    def measure(self, counts: Ints) -> Ints:
        """Return the exact sums for counts of cells; shape (size,)."""
        return np.concatenate([self.own * counts, self.rows @ counts])

    @cached_property
    def moves(self) -> Moves:
        """How far a row moves all numbers; the distance of two rows is over all pairs of
        cells.

        `Moves` has the norms of what one row adds, and of the difference of two rows.
        """
        # The L1 and the squared L2 length of what a row of each cell adds.
        added = [
            self.own + np.abs(self.rows).sum(axis=0),
            self.own**2 + (self.rows**2).sum(axis=0),
        ]
        largest_added = max(self.own.max(), np.abs(self.rows).max(initial=0))
        # An exchanged row moves a sum by at most the range of its weights.
        low = self.rows.min(axis=1)
        ranges = self.rows.max(axis=1) - low
        largest_exchanged = max(self.own.max(), ranges.max(initial=0))
        l1_and_l2_exchanged = _furthest(self.own, self.rows) if self.cells > 1 else (0, 0)
        return Moves(
            (int(added[0].max()), int(added[1].max()), int(largest_added)),
            (*l1_and_l2_exchanged, int(largest_exchanged)),
        )

    @cached_property
    def _core(self) -> Floats:
        """The small matrix of Woodbury's formula, shape (sums, sums).

        It is the inverse of I + R U^-1 R', with R the further sums, and U the squares of what
        rows add to their own cells.
        """
        scaled = self.rows / self.own
        return np.asarray(np.linalg.inv(np.eye(len(self.rows)) + scaled @ scaled.T))

    def _solve(self, weights: Floats) -> Floats:
        """Return the product of some weights of cells with (A'A)^-1, A being the strategy's
        matrix.

        Both have the shape (..., cells). It uses Woodbury's formula, as A'A is a diagonal
        matrix plus few products.
        """
        diagonal = self.own.astype(np.float64) ** 2
        rows = self.rows.astype(np.float64)
        first = weights / diagonal
        second = ((first @ rows.T) @ self._core) @ (rows / diagonal)
        return np.asarray(first - second)

    def consistent(self, noisy: NDArray[Any]) -> Floats:
        """Return the least-squares estimate of the count of every cell, in rows, shape
        (cells,).

        ``noisy`` has the measured numbers, in steps: first the cells, then the further sums.
        Numbers are measured in whole steps, the unit in which noise is drawn.
        """
        steps = np.asarray(noisy, np.float64)
        return self._solve(steps[: self.cells] * self.own + steps[self.cells :] @ self.rows)

    def weights(self, answers: NDArray[Any]) -> Floats:
        """Return how much a step of noise on each number moves estimates of sums, in rows.

        It is W (A'A)^-1 A', with A the strategy's matrix; shape (sums, size).
        Numbers are measured in whole steps, the unit in which noise is drawn.

        Args:
            answers: W, how often every cell counts in each sum, shape (sums, cells).
        """
        solved = self._solve(np.asarray(answers, np.float64))
        return np.concatenate([solved * self.own, solved @ self.rows.T], axis=1)


def _furthest(cell_weights: Ints, rows: Ints) -> tuple[int, int]:
    """Return the largest L1 and the largest squared L2 distance of two columns of the
    strategy.

    A column is what one row adds to all measured numbers.

    Args:
        cell_weights: What a row of each cell adds to its own cell, shape (cells,).
        rows: What it adds to each further sum, shape (sums, cells).
    """
    cells = len(cell_weights)
    columns = rows.astype(np.float64)
    # Squared lengths of the columns; all are whole and below 2^53, so exact as floats.
    squares = cell_weights.astype(np.float64) ** 2 + (columns**2).sum(axis=0)
    furthest = [0, 0]
    step = max(1, _CHUNK_PAIRS // cells)
    for start in range(0, cells, step):
        part = slice(start, start + step)
        # L1 distances: the cells of both rows, and all further sums.
        both = (cell_weights[part, None] + cell_weights).astype(np.int32)
        for row in rows.astype(np.int32):
            both += np.abs(row[part, None] - row)
        # Squared distances; two different cells share no number but the further sums.
        far = squares[part, None] + squares - 2 * (columns[:, part].T @ columns)
        # A cell paired with itself has no distance.
        same = np.arange(len(both)), np.arange(cells)[part]
        both[same] = far[same] = 0
        furthest = [max(furthest[0], int(both.max())), max(furthest[1], round(far.max()))]
    return furthest[0], furthest[1]


def sums_for(answers: int, cells: int, *, squared: bool) -> int | None:
    """Return how many further sums a fit has: the most that leave it enough steps.

    None if even the fewest leave too few.

    Args:
        answers: The number of counts to be answered.
        cells: The number of cells.
        squared: Whether the noise is Gaussian, for which more sums are of use.
    """
    # The tried numbers of sums are these parts of the number of cells, but 8 or more.
    shares = (4, 8, 16, 32, 64) if squared else (16, 32, 64)
    for sums in dict.fromkeys(min(cells, max(8, cells // share)) for share in shares):
        if steps_for(answers, cells, sums) >= LEAST_STEPS:
            return sums
    return None


def steps_for(answers: int, cells: int, sums: int) -> int:
    """Return how many steps a fit may take, so that it takes about a second.

    Args:
        answers: The number of counts to be answered.
        cells: The number of cells.
        sums: The number of further sums.
    """
    # Products of one step: with the answers, and of the further sums with each other.
    inner = min(cells, 2 * answers)
    return min(DESCENT_STEPS, MAX_FLOAT_PRODUCTS // (2 * sums * cells * (inner + 3 * sums)))


def fit_sums(answer_cells: NDArray[Any], sums: int, *, squared: bool) -> FittedSums:
    """Return a strategy of small mean variance for some sums of cells.

    Args:
        answer_cells: How often every cell counts in each sum, shape (answers, cells).
        sums: Number of sums in addition to the cells.
        squared: Whether columns have one L2 length, for Gaussian noise; otherwise one L1
            length.
    """
    answers = np.asarray(answer_cells, np.float64)
    steps = steps_for(len(answers), answers.shape[1], sums)
    if len(answers) > answers.shape[1]:
        # A square matrix of the same products, so that there are no more answers than cells.
        values, vectors = np.linalg.eigh(answers.T @ answers)
        answers = np.asarray(np.sqrt(np.maximum(values, 0))[:, None] * vectors.T)
    cells = answers.shape[1]
    # A fixed start in [0, 1): fractional parts of squares times the golden ratio, which look
    # random but are the same everywhere.
    place = np.arange(1, sums * cells + 1, dtype=np.float64)
    start = np.asarray((place**2 * ((5**0.5 - 1) / 2)) % 1.0).reshape(sums, cells)
    minimum = descend(_Badness(answers, squared), start, steps)
    return _round_rows(minimum if squared else minimum**2, squared)


class _Badness:
    # The sum of variances of all answers at noise of one size, and its gradient. With T the
    # further sums, c the lengths of the columns of (I; T) and A = (I; T) C^-1, it is tr(W
    # (A'A)^-1 W') = tr(C W'W C) - tr((I + T T')^-1 T C W'W C T'). For L1 lengths T is a
    # square, number by number, so that it is not negative.

    def __init__(self, answers: Floats, squared: bool) -> None:
        """Take W, shape (answers, cells); ``squared`` is True for L2 lengths, else L1."""
        self.answers = answers
        self.squared = squared
        self.diagonal = (answers**2).sum(axis=0)

    def __call__(self, point: Floats) -> tuple[float, Floats]:
        """Return the sum of variances at a point, and its gradient there.

        ``point`` has the further sums, shape (sums, cells), or their roots for L1 lengths.
        The value is infinite where a weight is too large.
        """
        if not np.abs(point).max() < (
            MAX_CELL_WEIGHT if self.squared else MAX_CELL_WEIGHT**0.5
        ):
            return math.inf, np.zeros_like(point)
        # The sum is tr(C W'W C) - tr((I + T T')^-1 T C W'W C T'). T are the further sums
        # (`rows`), C is the diagonal matrix of `lengths`, and W are the answers. So `scaled`
        # is T C, `products` T C W'W, `inner` (I + T T')^-1, and `spread` T C W'W C T'. The
        # gradient is by T and by the lengths, which depend on T.
        rows = point if self.squared else point**2
        lengths = np.sqrt(1 + (rows**2).sum(axis=0)) if self.squared else 1 + rows.sum(axis=0)
        scaled = rows * lengths
        products = (scaled @ self.answers.T) @ self.answers
        inner = np.linalg.inv(np.eye(len(rows)) + rows @ rows.T)
        spread = products @ scaled.T
        value = float(self.diagonal @ lengths**2 - np.vdot(inner, spread))
        turned = inner @ products
        of_rows = 2 * ((inner @ spread @ inner) @ rows - turned * lengths)
        of_lengths = 2 * (self.diagonal * lengths - (turned * rows).sum(axis=0))
        if self.squared:
            return value, of_rows + of_lengths / lengths * rows
        return value, 2 * point * (of_rows + of_lengths)


def _round_rows(rows: Floats, squared: bool) -> FittedSums:
    """Return the strategy in whole steps, with columns of about one length.

    A step is 1 / COLUMN_STEPS. In L1 the length is COLUMN_STEPS; in L2 it is that or a little
    shorter.

    Args:
        rows: What a row of each cell adds to the further sums, relative to its own cell,
            shape (sums, cells).
        squared: Whether columns have one L2 length; otherwise one L1 length.
    """
    if not squared:
        shares = rows / (1 + rows.sum(axis=0))
        steps = np.rint(shares * COLUMN_STEPS).astype(np.int64)
        # At least one step must be left for the cell; it is taken from the largest entry.
        over = np.maximum(0, steps.sum(axis=0) - (COLUMN_STEPS - 1))
        steps[np.argmax(steps, axis=0), np.arange(steps.shape[1])] -= over
        return FittedSums(COLUMN_STEPS - steps.sum(axis=0), steps)
    shares = rows / np.sqrt(1 + (rows**2).sum(axis=0))
    steps = np.trunc(shares * COLUMN_STEPS).astype(np.int64)
    # The cell itself gets what is left of the squared length.
    unused = COLUMN_STEPS**2 - (steps**2).sum(axis=0)
    cell_steps = np.floor(np.sqrt(unused.astype(np.float64))).astype(np.int64)
    return FittedSums(np.maximum(1, cell_steps), steps)
