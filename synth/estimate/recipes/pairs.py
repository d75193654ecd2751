"""*one-shot* and *adaptive*: the pairs of columns that are worth their budget. PUBLIC.

What *one-shot* does::

    measure   columns, with a first share of the budget;
              the distance of every pair from independence;
              all pairs whose distance is larger than their noise would be, and the columns
              once more: shares of least expected error (`split_again`)
    rows      fit latent classes to columns and pairs;
              repair each pair around the classes (`Together.estimates`);
              draw rows from the classes, and settle them on columns and pairs by moving
              few of them (`Together.rows`);
              change cells until each column has its repaired counts
    forecast  the least expected error of such shares on a usual table

What *adaptive* does::

    measure   as one-shot, with two thirds of the budget;
              then, up to 12 times: estimate all pairs, choose the pair whose estimate fits
              worst, and measure it
    rows      as one-shot
    forecast  that of one-shot

Measured by `measure_pairs_at_once` and `measure_adaptively` in
`synth.private.methods.measurements`.

Source of *adaptive*: McKenna, Mullins, Sheldon and Miklau (2022), *AIM*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from synth.estimate.models.junction import Clique
from synth.estimate.recipes.columns import COLUMNS
from synth.estimate.recipes.recipe import NoisyParts, Recipe

if TYPE_CHECKING:
    from synth.estimate.models.choosing import Fitted, Order
    from synth.estimate.models.evidence import Evidence
    from synth.estimate.repair.marginal import Estimate


class PairsAtOnce(Recipe):
    """All worthwhile pairs, estimated together.

    Attributes:
        times: How many times as long settling takes as for *one-shot*.
    """

    settles = True
    takes_guess = True
    times: ClassVar[float] = 1.0

    def seconds(self, shape: Sequence[int], rows: int) -> float:
        """Forecast the seconds, most of which settling rows on pairs takes.

        Args:
            shape: Number of cells of every column.
            rows: Number of rows.
        """
        # 1.5 seconds in any case. Then every row is weighed in every cell of each column, by
        # its pairs with all other columns: 2e-8 seconds for each.
        settling_seconds = 1.5 + 2e-8 * rows * sum(shape) * (len(shape) - 1)
        return super().seconds(shape, rows) + self.times * settling_seconds

    def estimates(
        self, evidence: Evidence, noisy: NoisyParts, generator: np.random.Generator
    ) -> dict[Clique, Estimate]:
        """Return expected rows of all pairs with variances, estimated around latent classes.

        Args:
            evidence: Everything measured; its columns are repaired.
            noisy: The noisy pairs by their columns.
            generator: Source of randomness for the fit of the classes.
        """
        from synth.estimate.models.pairwise import Together

        return Together(evidence, noisy, generator).estimates

    def draw(
        self,
        evidence: Evidence,
        noisy: NoisyParts,
        order: Order,
        *,
        generator: np.random.Generator,
    ) -> Fitted:
        """Return rows drawn from latent classes and settled on pairs.

        Args:
            evidence: Everything measured; its columns are repaired.
            noisy: The noisy pairs.
            order: How many rows, what they favour, and where they are placed.
            generator: Source of randomness.
        """
        from synth.estimate.models.choosing import Fitted
        from synth.estimate.models.pairwise import Together

        together = Together(evidence, noisy, generator)
        table = together.rows(order.rows, generator, favour=order.favour, place=order.place)
        return Fitted(
            strategy=self.name,
            drawn=table,
            estimates=together.estimates,
            total=evidence.total,
        )

    def finish(
        self,
        evidence: Evidence,
        noisy: NoisyParts,
        order: Order,
        *,
        generator: np.random.Generator,
    ) -> Fitted:
        """Turn measurements into rows; see `Recipe.finish`.

        If no pair was worth measuring, rows follow from columns alone.
        """
        if not noisy:
            return COLUMNS.finish(evidence, noisy, order, generator=generator)
        return super().finish(evidence, noisy, order, generator=generator)


class Adaptive(PairsAtOnce):
    """Pairs at once, then pair after pair by worst fit."""

    times = 1.5
    takes_guess = False


ONE_SHOT = PairsAtOnce(
    name="one-shot",
    title="Pairs of columns",
    effect="measures those that are worth their cost; for many columns",
)
ADAPTIVE = Adaptive(
    name="adaptive",
    title="Pairs of columns, one by one",
    effect="spends some budget on the pairs that fit worst; slower",
    spread="one-shot",
)
