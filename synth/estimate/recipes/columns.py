"""*independent*: columns only. PUBLIC."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from synth.estimate.assumptions import ASSOCIATION
from synth.estimate.models.junction import Clique
from synth.estimate.recipes.recipe import Recipe
from synth.estimate.recipes.usual_table import LikelyErrors, UsualTable


class Columns(Recipe):
    by_pairs = False
    widest = 1

    def marginals(
        self, _shape: tuple[int, ...], _most_cells: int, _groups: Sequence[Clique]
    ) -> Sequence[Clique]:
        return ()

    def expect(self, table: UsualTable) -> LikelyErrors:
        """Forecast the errors: a pair misses its whole association."""
        alone = table.columns(Fraction(1))
        if not table.count:
            return LikelyErrors(alone, 0.0)
        by_chance = float(np.mean(table.by_chance))
        return LikelyErrors(alone, min(1.0, math.hypot(ASSOCIATION, by_chance, 2 * alone)))


COLUMNS = Columns(
    name="independent",
    label="Columns alone: no links between them, for very little budget",
    short="columns alone",
)
