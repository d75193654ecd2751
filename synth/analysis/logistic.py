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
    FAILING,
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

# Of iteratively reweighted least squares.
NEWTON_STEPS = 40
_LEAST_STEP = 1e-9
# Largest change of log odds in one step.
_LONGEST = 4.0
# Log odds beyond which regressors separate the outcome.
MAX_LOG_ODDS = 30.0
REFIT_DRAWS = 40
_Counts = tuple[Floats, Floats]
SEPARATED = (
    "no finite slopes fit its noisy counts: its regressors separate the outcome or depend on "
    "each other, or would with other noise"
)


def logistic(question: Question, view: ReleaseView, rng: np.random.Generator) -> Numbers:
    """Return intercept and slopes of log odds; see `synth.analysis.curved.conclude_curved`.

    Raises:
        QuestionError: Columns were not measured together, or the slopes are not determined.
    """
    assert question.outcome is not None
    used = used_in(question.where, *question.regressors, *columns_of(question.outcome))
    columns = joint_columns(used, replace(view, sampled=False))
    where = select_cells(question.where, view)
    outcome = select_cells(question.outcome, view)
    refuse_cuts(where)
    refuse_cuts(outcome)
    factors = factors_of(question.regressors, question.reference, view.domain, where=where)
    _refuse_wide(factors, view.domain)

    def cells_of(columns: JointColumns) -> _Cells:
        """Return the rows that count and those of the outcome, by cell of some columns."""
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
    near = cells_of(mended)
    value = near.fit_counts(np.zeros(len(factors) + 1), near.counts)
    return numbers if value is None else moved_nearer(numbers, value, view)


def _refuse_wide(factors: Sequence[DesignFactor], domain: Domain) -> None:
    """Refuse numbers whose bins hold several values.

    Nothing bounds the effect of positions within bins on the slopes.
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
    """Return 1 for the cells where the outcome's columns have a value, and 0 elsewhere."""
    mask = np.ones(())
    for name in columns_of(outcome):
        column_leaves = [leaf for leaf in leaves(outcome) if leaf.column == name]
        if not any(
            isinstance(leaf, Missing) or OTHER_LABEL in str(leaf) for leaf in column_leaves
        ):
            has_value = cell_numbers(columns.domain, name).held.astype(np.float64)
            mask = np.asarray(mask * columns.put_along(name, has_value))
    return mask


@dataclass(frozen=True, eq=False, kw_only=True)
class _Cells:
    # rows and true are 1 for selected cells, and for cells with the outcome, in the columns'
    # shape.
    columns: JointColumns
    factors: tuple[DesignFactor, ...]
    rows: Floats
    true: Floats
    sampled: bool

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(n for n in self.columns.names if n in {f.name for f in self.factors})

    @cached_property
    def spans(self) -> dict[str, CellNumbers]:
        return {name: cell_numbers(self.columns.domain, name) for name in self.names}

    @cached_property
    def are_meant(self) -> Floats:
        """The share of a row of each cell that counts: it meets the condition and has all
        numbers.
        """
        are_meant = self.rows
        for name, span in self.spans.items():
            are_meant = are_meant * self.columns.put_along(name, span.held.astype(np.float64))
        return np.broadcast_to(are_meant, self.columns.rows.shape)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(self.spans[name].low) for name in self.names)

    def add_up(self, table: Floats) -> Floats:
        axes = tuple(i for i, n in enumerate(self.columns.names) if n not in self.names)
        return np.asarray(table.sum(axis=axes).reshape(-1))

    @cached_property
    def counts(self) -> _Counts:
        return self.count_rows(self.columns.rows)

    def count_rows(self, table: Floats) -> _Counts:
        rows = table * self.are_meant
        return self.add_up(rows), self.add_up(rows * self.true)

    @cached_property
    def design(self) -> Floats:
        """The design matrix by cell: 1, then the value of each factor, shape (cells, factors
        + 1).

        A number has the middle of its bin; a level is 1 in its own cell and 0 in others.
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
        """Return the gradient of the log likelihood at some slopes, and its information
        matrix.

        X'(y - n p) and X' diag(n p (1 - p)) X, with n the rows, y those with the outcome and
        p its fitted probability in each cell.
        """
        rows, true = counts
        chance = _chance(self.design @ slopes)
        weights = rows * chance * (1 - chance)
        score = self.design.T @ (true - rows * chance)
        return score, self.design.T @ (self.design * weights[:, None])

    def fit_counts(self, slopes: Floats, counts: _Counts) -> Floats | None:
        """Return the slopes of the largest likelihood, by Newton's method; None if none is
        found.
        """
        for _ in range(NEWTON_STEPS):
            step = solve_symmetric(*reversed(self.score(slopes, counts)))
            if not np.isfinite(step).all() or self._is_steep(slopes, counts[0]):
                return None
            longest = float(np.abs(self.design @ step).max())
            slopes = slopes + step * min(1.0, _LONGEST / max(longest, 1e-300))
            if longest < _LEAST_STEP:
                return slopes
        return None

    def _is_steep(self, slopes: Floats, rows: Floats) -> bool:
        return float(np.abs(self.design[rows > 0] @ slopes).max(initial=0.0)) > MAX_LOG_ODDS

    def weights(self, slopes: Floats) -> list[Floats]:
        """Return the weights of all sums of cells that the interval needs, one array a sum.

        First the rows of each factor, then the score, then the information at these slopes.
        """
        size = len(slopes)
        check_weights(2 * size + size * (size + 1) // 2, self.columns.rows.size)
        design = self.design
        chance = _chance(self.design @ slopes)
        # Numbers have no rows of their own to count, unlike the table and levels.
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
        sizes = iter(self.shape)
        shape = tuple(next(sizes) if n in self.names else 1 for n in self.columns.names)
        return np.asarray(cell_values.reshape(shape) * self.are_meant)


def _chance(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def _fit_noisy(cells: _Cells, rng: np.random.Generator) -> Floats:
    """Return the slopes; refuse if too many fits fail with noise drawn again."""
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
        if failed > FAILING * REFIT_DRAWS:
            refuse_question(SEPARATED)
    return slopes


def _simulate(cells: _Cells, level: float, rng: np.random.Generator) -> Numbers:
    """Return the slopes, and their intervals by simulated noise.

    Draws the noise of the score and of the information again, and takes one Newton step of
    the slopes for each draw.
    """
    size = len(cells.factors) + 1
    flat = cells.columns.rows.reshape(-1)
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
    _, slope = cells.score(slopes, cells.counts)
    moved = np.zeros((DRAWS, size, size))
    upper = np.triu_indices(size)
    moved[:, upper[0], upper[1]] = moved[:, upper[1], upper[0]] = noise[:, size:]
    drawn_slopes = slopes + solve_symmetric(slope + moved, noise[:, :size])
    return interval_from(slopes, drawn_slopes, level, why=SEPARATED)
