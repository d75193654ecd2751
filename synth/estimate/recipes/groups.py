"""*groups*, *dense* and *histogram*: histograms of groups of columns. PUBLIC.

What *groups* does::

    measure   a histogram of each of the steward's groups, and of every other column alone;
              a histogram of n cells gets a part of the budget in proportion to sqrt(n) in
              pure epsilon, n^(2/3) under rho (`Account.by_size`)
    rows      repair each histogram around its columns' sums (`estimate_group`);
              join them by a junction tree (`fit`), and draw rows from it;
              change cells until each column has the sums of the first histogram with it
    forecast  columns and pairs inside a group: the noise of the cells that they sum up;
              other pairs: the association of usual tables, missed as a whole

What *dense* and *histogram* do, where *auto* or a model follows them::

    measure   one histogram of all columns, with the whole rest of the budget
    rows      repair it, and draw rows from its cells

By name they are released alone, without a model (`synth.estimate.repair.histogram`).

Measured by `measure_groups` and `measure_whole` in `synth.private.methods.measurements`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from synth import limits
from synth.estimate.models.junction import Clique, cells
from synth.estimate.names import Repair
from synth.estimate.recipes.recipe import NoisyParts, Recipe
from synth.util import Floats

if TYPE_CHECKING:
    from synth.estimate.models.choosing import Fitted, Order
    from synth.estimate.models.evidence import Evidence, NoisyMarginals
    from synth.estimate.models.large_rows import Draw
    from synth.estimate.noisy.counts import NoisyMarginal
    from synth.estimate.recipes.usual_table import LikelyErrors, UsualTable
    from synth.estimate.repair.marginal import Estimate


class Groups(Recipe):
    """The method that measures the steward's groups of columns."""

    by_pairs = False
    is_joint = True
    takes_groups = True

    def expect(self, table: UsualTable) -> LikelyErrors:
        """Forecast the mean errors of columns and pairs, in total variation.

        Columns and pairs inside a group are sums of its histogram.

        Args:
            table: A usual table, with power-law columns and assumed associations.
        """
        from synth.estimate.recipes.usual_table import LikelyErrors

        cliques = with_others(table.shape, table.groups)
        column_error = float(np.mean(list(table.expect_inside(cliques, 1).values())))
        errors_inside = table.expect_inside(cliques, 2)
        # Pairs across groups are taken as independent: off by the usual association, and by
        # the errors of both columns.
        from synth.estimate.assumptions import ASSOCIATION

        error_outside = math.hypot(ASSOCIATION, 2 * column_error)
        pairs = math.comb(len(table.shape), 2)
        pairs_outside = pairs - len(errors_inside)
        summed = sum(errors_inside.values()) + pairs_outside * error_outside
        return LikelyErrors(column_error, summed / max(pairs, 1))

    def expect_pairs(self, table: UsualTable) -> int:
        """Return the number of pairs of columns that are together in some group."""
        return len({pair for group in table.groups for pair in combinations(group, 2)})

    def marginals(
        self, _shape: tuple[int, ...], _most_cells: int, groups: Sequence[Clique]
    ) -> Sequence[Clique]:
        """Return the column numbers of the steward's groups, the histograms to measure."""
        return groups

    def pick_joined(self, measured: NoisyMarginals) -> NoisyParts:
        """Return all measurements by their columns, to be joined."""
        return dict(measured)

    def estimates(
        self, evidence: Evidence, noisy: NoisyParts, _generator: np.random.Generator
    ) -> dict[Clique, Estimate]:
        """Return each histogram after repair, by its columns.

        Args:
            evidence: Everything measured; it has the number of rows and the rules.
            noisy: The noisy histograms by their columns.
        """
        return {
            clique: estimate_group(evidence, clique, marginal)
            for clique, marginal in noisy.items()
        }

    def draw(
        self,
        evidence: Evidence,
        noisy: NoisyParts,
        order: Order,
        *,
        generator: np.random.Generator,
    ) -> Fitted:
        """Return rows drawn from the joined histograms.

        Args:
            evidence: Everything measured; it gets the number of rows.
            noisy: The noisy histograms to join.
            order: How many rows, and where they are placed.
            generator: Source of randomness.
        """
        from synth.estimate.models.choosing import Fitted
        from synth.estimate.models.evidence import believed_total
        from synth.estimate.models.large_rows import place_rows

        evidence.total = believed_total(evidence.shape, evidence.measured)
        estimates = self.estimates(evidence, noisy, generator)
        table = place_rows(evidence, order.rows, generator, place=order.place)
        table.fill(range(len(evidence.shape)), self.source(evidence, noisy, estimates))
        return Fitted(
            strategy=self.name, drawn=table, estimates=estimates, total=evidence.total
        )

    def source(
        self, evidence: Evidence, noisy: NoisyParts, estimates: Mapping[Clique, Estimate]
    ) -> Draw:
        """Return what draws rows: the junction tree of all histograms.

        Args:
            evidence: Everything measured.
            noisy: The noisy histograms, whose noise weighs them.
            estimates: The same histograms after repair.
        """
        from synth.estimate.models.estimate import Measurement, fit

        marginals = []
        for clique, estimate in estimates.items():
            deviation = float(noisy[clique].mechanism.variance ** 0.5)
            marginals.append(Measurement(clique, estimate.values, deviation))
        return fit(evidence.shape, marginals, evidence.total, iterations=200).draw

    def exact_columns(
        self, _evidence: Evidence, _noisy: NoisyParts, estimates: Mapping[Clique, Estimate]
    ) -> dict[int, Floats]:
        """Return expected rows by cell, shape (cells,), by column number.

        They are sums of the first histogram that has the column.
        """
        columns: dict[int, Floats] = {}
        for clique, estimate in estimates.items():
            for axis, column in enumerate(clique):
                columns.setdefault(column, _sums_along(estimate.values, axis))
        return columns


class Histogram(Groups):
    """The method that measures all columns in one histogram."""

    by_model = False
    is_whole = True
    takes_groups = False
    widest = 1

    def name_with(self, size: int | None) -> str:
        """Return its title for a table of so many cells, with their number if all are listed.

        >>> DENSE.name_with(24_192)
        'Histogram of all 24,192 cells'
        """
        if size is None:
            return DENSE.title
        if size > limits.LISTED_CELLS:
            return SPARSE.title
        return f"Histogram of all {size:,} cells"

    def expect_pairs(self, table: UsualTable) -> int:
        """Return the number of all pairs of columns, as one histogram has them all."""
        return math.comb(len(table.shape), 2)

    def seconds(self, shape: Sequence[int], rows: int) -> float:
        """Forecast the seconds, with the repair of all cells.

        Args:
            shape: Number of cells of every column.
            rows: Number of rows.
        """
        size = cells(shape, range(len(shape)))
        # About four million cells are repaired in a second.
        return super().seconds(shape, rows) + min(size, limits.DENSE_CELLS) / 4e6

    def pick_joined(self, measured: NoisyMarginals) -> NoisyParts:
        """Return the last measurement: a column before it may have measured the rows."""
        return dict(measured[-1:])

    def estimates(
        self, evidence: Evidence, noisy: NoisyParts, generator: np.random.Generator
    ) -> dict[Clique, Estimate]:
        """Return the only histogram after its repair, by its columns.

        Args:
            evidence: Everything measured; it has the number of rows, rules and the repair.
            noisy: The noisy histogram of all columns, by their numbers.
            generator: Is not used.
        """
        ((clique, marginal),) = noisy.items()
        scale = marginal.mechanism.laplace_scale
        if evidence.histogram_repair == Repair.AUTO or scale is None or evidence.total <= 0:
            return super().estimates(evidence, noisy, generator)
        return {clique: _repair_whole(evidence, marginal, scale)}

    def source(
        self, _evidence: Evidence, _noisy: NoisyParts, estimates: Mapping[Clique, Estimate]
    ) -> Draw:
        """Return what draws rows: the repaired cells of the only histogram."""
        from synth.estimate.models.junction_rows import draw_from_table

        (estimate,) = estimates.values()
        return partial(draw_from_table, estimate.values)


GROUPS = Groups(
    name="groups",
    title="Groups of columns",
    effect="a histogram of each group that you name",
    spread="one-shot",
    is_offered=False,
)
DENSE = Histogram(
    name="dense",
    title="Histogram of all cells",
    effect="counts every combination of values; for few columns",
    needs_all=True,
)
SPARSE = Histogram(
    name="histogram",
    title="Histogram of the large counts",
    effect="of any size; lists only counts above a threshold",
    spread=DENSE.name,
    is_offered=False,
)


def with_others(shape: Sequence[int], groups: Sequence[Clique]) -> list[Clique]:
    """Return the groups of column numbers, and every column in no group as one of its own.

    Args:
        shape: Number of cells of every column.
        groups: Column numbers of each group.

    >>> with_others((2, 3, 4), [(0, 2)])
    [(0, 2), (1,)]
    """
    grouped = {column for group in groups for column in group}
    return [*groups, *((column,) for column in range(len(shape)) if column not in grouped)]


def estimate_group(evidence: Evidence, clique: Clique, noisy: NoisyMarginal) -> Estimate:
    """Return a group's histogram after repair, with variances, in the columns' shape.

    A single column is repaired with its neighbouring cells. Under Laplace noise several
    columns are pooled with their sums; otherwise repair is around independent columns.

    Args:
        evidence: Everything measured; it has the number of rows and the rules.
        clique: Numbers of the group's columns.
        noisy: The noisy histogram of the group.
    """
    from synth.estimate.repair.marginal import Estimate

    sizes = tuple(evidence.shape[column] for column in clique)
    if len(clique) == 1:
        from synth.estimate.repair.column import repair_column

        variance = noisy.mechanism.variance
        repaired = repair_column(noisy.values.astype(np.float64), variance, evidence.total)
        return Estimate(repaired, np.full(sizes, variance))
    noisy_counts = noisy.values.reshape(sizes)
    scale = noisy.mechanism.laplace_scale
    if evidence.total > 0 and scale is not None:
        from synth.estimate.repair.pooling import pool

        pooled = pool(noisy_counts, scale=float(scale), total=evidence.total)
        estimate = Estimate(pooled.weights, pooled.variances)
    else:
        estimate = _denoise_group(noisy_counts.astype(np.float64), noisy, evidence.total)
    return Estimate(evidence.rules.clear(clique, estimate.values), estimate.variance)


def _repair_whole(evidence: Evidence, noisy: NoisyMarginal, scale: Fraction) -> Estimate:
    """Return the histogram of all columns after the repair that the steward chose.

    Its rows are scaled to the total, as those of every model are. The variances are those of
    the noise.

    Args:
        evidence: Everything measured; it has the number of rows, rules and the repair.
        noisy: The noisy histogram.
        scale: The scale of its Laplace noise.
    """
    from synth.estimate.repair.histogram import REPAIRS
    from synth.estimate.repair.marginal import Estimate

    _, repaired = REPAIRS[evidence.histogram_repair].apply(
        noisy.as_counts(scale, round(evidence.total))
    )
    rows = np.maximum(repaired, 0.0).reshape(evidence.shape)
    rows *= evidence.total / (rows.sum() or 1.0)
    variances = np.full(rows.shape, float(noisy.mechanism.variance))
    clique = tuple(range(len(evidence.shape)))
    return Estimate(evidence.rules.clear(clique, rows), variances)


def _denoise_group(noisy_counts: Floats, noisy: NoisyMarginal, total: float) -> Estimate:
    """Return a group's histogram, repaired around its columns as if they were independent.

    Args:
        noisy_counts: The group's noisy counts, with an axis for each column.
        noisy: The same histogram, with its noise.
        total: Rows of the table, public or noisy.
    """
    from synth.estimate.repair.marginal import denoise
    from synth.estimate.repair.simplex import project_to_simplex

    guess: Floats = np.array(total)
    for axis in range(noisy_counts.ndim):
        column = project_to_simplex(_sums_along(noisy_counts, axis), total)
        guess = np.multiply.outer(guess, column / max(total, 1.0))
    return denoise(noisy_counts, guess, noisy.mechanism, total=total)


def _sums_along(table: Floats, axis: int) -> Floats:
    """Return the sums over all other axes, shape (cells of this axis,)."""
    other_axes = tuple(number for number in range(table.ndim) if number != axis)
    return np.asarray(table.sum(axis=other_axes))
