"""Logistic regressions from noisy cells. PUBLIC.

The interval is a simulation, not a proof.
"""
# The score of the logistic likelihood is a weighted sum of cells, so unbiased noisy counts
# give an unbiased estimating equation. It is solved by iteratively reweighted least squares
# on the cells (McCullagh, Nelder 1989, 2.5). Each redraw takes noise of the score and of its
# slope from their joint law, and one more step of Newton's method.

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np

from synth.analysis.curved import (
    DRAWS,
    MAX_FAILED_SHARE,
    check_levels,
    interval_from,
    moved_nearer,
    noise_drawn,
)
from synth.analysis.factors import CellNumbers, DesignFactor, cell_numbers, factors_of
from synth.analysis.modelled import noise_again
from synth.analysis.release_view import ReleaseView
from synth.analysis.selection import (
    JointColumns,
    joint_columns,
    mended_columns,
    refuse_cuts,
    select_cells,
    used_in,
)
from synth.analysis.sum_noise import check_weights, noise_covariance, sampling_covariance
from synth.domain import OTHER_LABEL, Domain
from synth.questions import (
    Condition,
    Missing,
    Numbers,
    Question,
    columns_of,
    leaves,
    refuse_question,
    solve_symmetric,
)
from synth.util import Floats

# Most steps of iteratively reweighted least squares, and the least step.
NEWTON_STEPS = 40
_LEAST_STEP = 1e-9
# Largest change of log odds in one step.
_MAX_LOG_ODDS_STEP = 4.0
# Log odds beyond which regressors separate the outcome.
MAX_LOG_ODDS = 30.0
REFIT_DRAWS = 40
_Counts = tuple[Floats, Floats]
SEPARATED = (
    "no finite slopes fit its noisy counts: its regressors separate the outcome or depend on "
    "each other, or would with other noise"
)


def logistic(question: Question, view: ReleaseView, rng: np.random.Generator) -> Numbers:
    """Return the intercept and the slopes of a logistic regression, with intervals.

    Args:
        question: The question; its ``outcome`` is the condition whose odds are explained.
        view: The release, and the level of the intervals.
        rng: Draws the noise of the simulation.

    Returns:
        Arrays of shape (coefficients,) of log odds, the intercept first.

    Raises:
        QuestionError: Columns were not measured together, or the slopes are not determined.
    """
    assert question.outcome is not None
    used = used_in(question.where, *question.regressors, *columns_of(question.outcome))
    # The error of a sample is added later, for all sums at once (`_simulate`).
    columns = joint_columns(used, replace(view, sampled=False))
    where = select_cells(question.where, view)
    outcome = select_cells(question.outcome, view)
    refuse_cuts(where)
    refuse_cuts(outcome)
    factors = factors_of(question.regressors, question.reference, view.domain, where=where)
    _refuse_wide(factors, view.domain)

    def cells_of(columns: JointColumns) -> _Cells:
        """Return the regression on the counts of some columns, noisy or repaired."""
        rows = columns.spread(where, surely=True) * _mask_outcome(question.outcome, columns)
        true = columns.spread(outcome, surely=True)
        return _Cells(
            columns=columns,
            factors=tuple(factors),
            rows=rows,
            true=true,
            sampled=view.sampled,
        )

    numbers = _simulate(cells_of(columns), view.level, rng)
    mended = mended_columns(used, view)
    if mended is None:
        return numbers
    repaired = cells_of(mended)
    value = repaired.fit_counts(np.zeros(len(factors) + 1), repaired.counts)
    return numbers if value is None else moved_nearer(numbers, value, view)


def _refuse_wide(factors: Sequence[DesignFactor], domain: Domain) -> None:
    """Refuse regressors that are numbers with several values in a bin.

    Nothing bounds the effect of positions within bins on the slopes.

    Raises:
        QuestionError: There are such regressors.
    """
    wide = [
        f.name for f in factors if f.code is None and cell_numbers(domain, f.name).is_wide
    ]
    if wide:
        refuse_question(
            f"rows may be anywhere in the bins of {' and '.join(wide)}, and nothing bounds "
            "what that does to log odds; it takes lists, or numbers with a bin for each value"
        )


def _mask_outcome(outcome: Condition | None, columns: JointColumns) -> Floats:
    """Return 1 for the cells where the outcome's columns have a value, and 0 elsewhere.

    The mask broadcasts over the cells of ``columns``. A column has no such restriction if the
    outcome asks for its missing or undeclared values, or for a sign.
    """
    mask = np.ones(())
    for name in columns_of(outcome):
        # The comparisons of the condition that are about this column.
        column_leaves = [leaf for leaf in leaves(outcome) if leaf.column == name]
        signs = columns.domain[name].signs
        # A comparison with undeclared values names their cell by its label.
        if not any(
            isinstance(leaf, Missing)
            or OTHER_LABEL in str(leaf)
            or any(value in signs for _, value in leaf.comparisons)
            for leaf in column_leaves
        ):
            has_value = cell_numbers(columns.domain, name).held.astype(np.float64)
            mask = np.asarray(mask * columns.put_along(name, has_value))
    return mask


@dataclass(frozen=True, eq=False, kw_only=True)
class _Cells:
    """A logistic regression on the counts of a table.

    Attributes:
        columns: The counts of all columns that it uses, noisy or repaired.
        factors: The regressors, as one number per row each.
        rows: 1 for cells whose rows are selected, else 0; broadcasts over the cells.
        true: 1 for cells whose rows have the outcome, else 0; likewise.
        sampled: Whether the rows count as a random sample.
    """

    columns: JointColumns
    factors: tuple[DesignFactor, ...]
    rows: Floats
    true: Floats
    sampled: bool

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns of the regressors, in the order of the domain."""
        return tuple(n for n in self.columns.names if n in {f.name for f in self.factors})

    @cached_property
    def spans(self) -> dict[str, CellNumbers]:
        """The numbers of each regressor's column by its cells."""
        return {name: cell_numbers(self.columns.domain, name) for name in self.names}

    @cached_property
    def are_meant(self) -> Floats:
        """1 for cells whose rows count, else 0, in the shape of all cells.

        They meet the condition, and have a value in every regressor and in the outcome.
        """
        are_meant = self.rows
        for name, span in self.spans.items():
            are_meant = are_meant * self.columns.put_along(name, span.held.astype(np.float64))
        return np.broadcast_to(are_meant, self.columns.rows.shape)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of cells of each regressor's column."""
        return tuple(len(self.spans[name].low) for name in self.names)

    def add_up(self, table: Floats) -> Floats:
        """Return a table summed to the cells of the regressors, flat."""
        axes = tuple(i for i, n in enumerate(self.columns.names) if n not in self.names)
        return np.asarray(table.sum(axis=axes).reshape(-1))

    @cached_property
    def counts(self) -> _Counts:
        """The rows, and those with the outcome, by cell of the regressors."""
        return self.count_rows(self.columns.rows)

    def count_rows(self, table: Floats) -> _Counts:
        """Return the rows that count, and those with the outcome, each of shape (cells,).

        Args:
            table: Rows by all cells; the results are by the cells of the regressors.
        """
        rows = table * self.are_meant
        return self.add_up(rows), self.add_up(rows * self.true)

    @cached_property
    def design(self) -> Floats:
        """The design matrix by cell of the regressors, shape (cells, factors + 1).

        Its first column is 1, for the intercept. A number has the middle of its bin; the
        indicator of a listed value is 1 in its own cell and 0 in others.
        """
        factor_columns = [np.ones(self.shape)]
        for factor in self.factors:
            span = self.spans[factor.name]
            axis = self.names.index(factor.name)
            if factor.code is None:
                along = span.middles
            else:
                along = (np.arange(len(span.low)) == factor.code).astype(np.float64)
            shape = [-1 if i == axis else 1 for i in range(len(self.shape))]
            factor_columns.append(np.broadcast_to(along.reshape(shape), self.shape))
        return np.stack([factor.reshape(-1) for factor in factor_columns], axis=1)

    def score(self, slopes: Floats, counts: _Counts) -> tuple[Floats, Floats]:
        """Return the gradient of the log likelihood, and its information matrix.

        X'(y - n p) and X' diag(n p (1 - p)) X, with n the rows, y those with the outcome and
        p its fitted probability in each cell.

        Args:
            slopes: The coefficients, the intercept first.
            counts: The rows, and those with the outcome, by cell.
        """
        rows, true = counts
        chance = _chance(self.design @ slopes)
        weights = rows * chance * (1 - chance)
        score = self.design.T @ (true - rows * chance)
        return score, self.design.T @ (self.design * weights[:, None])

    def fit_counts(self, slopes: Floats, counts: _Counts) -> Floats | None:
        """Return the slopes of the largest likelihood, by Newton's method.

        Args:
            slopes: The coefficients to begin with, the intercept first.
            counts: The rows, and those with the outcome, by cell.

        Returns:
            None if the regressors separate the outcome or depend on each other, or if the
            steps do not converge.
        """
        for _ in range(NEWTON_STEPS):
            gradient, information = self.score(slopes, counts)
            step = solve_symmetric(information, gradient)
            if not np.isfinite(step).all() or self._is_steep(slopes, counts[0]):
                return None
            longest = float(np.abs(self.design @ step).max())
            # A shorter step if log odds would change by more; 1e-300 avoids a division by 0.
            slopes = slopes + step * min(1.0, _MAX_LOG_ODDS_STEP / max(longest, 1e-300))
            if longest < _LEAST_STEP:
                return slopes
        return None

    def _is_steep(self, slopes: Floats, rows: Floats) -> bool:
        """Return whether log odds are extreme in some cell with rows: slopes diverge."""
        return float(np.abs(self.design[rows > 0] @ slopes).max(initial=0.0)) > MAX_LOG_ODDS

    def weights(self, slopes: Floats) -> list[Floats]:
        """Return the weights of all sums over the cells that the interval needs.

        With k coefficients: k numbers of rows, first of all rows and then of each indicator;
        the k entries of the score (the gradient of the log likelihood); and the k (k + 1) / 2
        entries of the upper triangle of the information matrix, row by row.

        Args:
            slopes: Where the last two are taken, the intercept first.

        Returns:
            For each sum, an array in the shape of all cells.

        Raises:
            LimitError: The weights need too much memory.
        """
        size = len(slopes)
        check_weights(2 * size + size * (size + 1) // 2, self.columns.rows.size)
        design = self.design
        chance = _chance(self.design @ slopes)
        # A number column has no rows of its own, unlike the table and an indicator.
        is_counted = [True, *(factor.code is not None for factor in self.factors)]
        weights = [self._spread(design[:, j] * counts) for j, counts in enumerate(is_counted)]
        for j in range(size):
            mean = self._spread(design[:, j])
            weights.append(mean * self.true - self._spread(design[:, j] * chance))
        odds = chance * (1 - chance)
        return weights + [
            self._spread(design[:, i] * design[:, k] * odds)
            for i, k in combinations_with_replacement(range(size), 2)
        ]

    def _spread(self, cell_values: Floats) -> Floats:
        """Return values by cell of the regressors in the shape of all cells.

        They are 0 in cells whose rows do not count.
        """
        sizes = iter(self.shape)
        shape = tuple(next(sizes) if n in self.names else 1 for n in self.columns.names)
        return np.asarray(cell_values.reshape(shape) * self.are_meant)


def _chance(odds: Floats) -> Floats:
    """Return the probability of log odds, which are cut where exp would overflow."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def _fit_noisy(cells: _Cells, rng: np.random.Generator) -> Floats:
    """Return the slopes that fit the noisy counts, the intercept first.

    The fit is repeated with noise added once more; if that fails too often, slopes that fit
    the counts mean little.

    Raises:
        QuestionError: No slopes fit, or too many fits fail with noise drawn again.
    """
    slopes = cells.fit_counts(np.zeros(len(cells.factors) + 1), cells.counts)
    if slopes is None:
        refuse_question(SEPARATED)
    source = cells.columns.source
    failed = 0
    for _ in range(REFIT_DRAWS):
        noise = noise_again(source, rng).reshape(source.shape)
        failed += (
            cells.fit_counts(slopes, cells.count_rows(cells.columns.rows + noise)) is None
        )
        if failed > MAX_FAILED_SHARE * REFIT_DRAWS:
            refuse_question(SEPARATED)
    return slopes


def _simulate(cells: _Cells, level: float, rng: np.random.Generator) -> Numbers:
    """Return the coefficients, and their intervals by simulated noise.

    Draws the noise of the score (the gradient of the log likelihood) and of the information
    matrix again from their joint law. Each draw moves the coefficients by one Newton step.

    Args:
        cells: The regression on noisy counts.
        level: Probability that an interval contains the true value.
        rng: Draws the noise.

    Raises:
        QuestionError: A listed value may have no rows, or slopes are not determined.
    """
    size = len(cells.factors) + 1
    flat = cells.columns.rows.reshape(-1)
    # First refuse values of lists that may have no rows. The first sums are numbers of rows,
    # which do not depend on the slopes.
    start = cells.weights(np.zeros(size))[:size]
    sums = np.array([float(cell_weights.reshape(-1) @ flat) for cell_weights in start])
    tables = [cells.columns]
    counted = noise_covariance(start, tables * size, cells.columns.domain)
    check_levels(cells.factors, np.arange(size), sums, covariance=counted)
    slopes = _fit_noisy(cells, rng)
    weights = cells.weights(slopes)[size:]
    covariance = noise_covariance(weights, tables * len(weights), cells.columns.domain)
    if cells.sampled:
        covariance += sampling_covariance(weights, cells.columns)
    noise = noise_drawn(covariance, DRAWS, rng)
    _, information = cells.score(slopes, cells.counts)
    # The noise of the information, as symmetric matrices from their upper triangles.
    moved = np.zeros((DRAWS, size, size))
    upper = np.triu_indices(size)
    moved[:, upper[0], upper[1]] = moved[:, upper[1], upper[0]] = noise[:, size:]
    # The score is 0 at the fitted slopes, so that each drawn score is its noise.
    drawn_slopes = slopes + solve_symmetric(information + moved, noise[:, :size])
    return interval_from(slopes, drawn_slopes, level, why=SEPARATED)
