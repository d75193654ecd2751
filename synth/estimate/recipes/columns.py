"""*independent*: every column alone, without links between columns. PUBLIC.

What the method does::

    measure   every column, with the whole rest of the budget:
              a column of n cells gets a part in proportion to sqrt(n) in pure epsilon,
              n^(2/3) under rho (`Account.by_size`)
    rows      repair the columns to one total;
              draw each column by itself (`fit` of columns alone);
              change cells until each column has its repaired counts
    forecast  columns: noise of the whole budget on usual columns;
              pairs: the association of usual tables, missed as a whole

Measured by `synth.private.methods.measurements.measure_columns_alone`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from synth.estimate.models.junction import Clique
from synth.estimate.recipes.recipe import Recipe

if TYPE_CHECKING:
    from synth.estimate.recipes.usual_table import LikelyErrors, UsualTable


class Columns(Recipe):
    """The method that measures nothing but columns."""

    by_pairs = False
    widest = 1

    def marginals(
        self, _shape: tuple[int, ...], _most_cells: int, _groups: Sequence[Clique]
    ) -> Sequence[Clique]:
        """Return no histogram of several columns, as this method measures none."""
        return ()

    def expect_pairs(self, _table: UsualTable) -> int:
        """Return 0, as this method measures no pair."""
        return 0

    def expect(self, table: UsualTable) -> LikelyErrors:
        """Forecast the mean errors of columns and pairs, in total variation.

        A pair misses its association and its deviation by chance. Its columns err too.

        Args:
            table: A usual table, with power-law columns and assumed associations.
        """
        from synth.estimate.assumptions import ASSOCIATION
        from synth.estimate.recipes.usual_table import LikelyErrors

        column_error = table.columns(Fraction(1))
        if not table.count:  # the table has no pairs
            return LikelyErrors(column_error, 0.0)
        by_chance = float(np.mean(table.by_chance))
        pair_error = math.hypot(ASSOCIATION, by_chance, 2 * column_error)
        return LikelyErrors(column_error, min(1.0, pair_error))


COLUMNS = Columns(
    name="independent",
    title="Columns only",
    effect="no relations between them, for very little budget",
)
