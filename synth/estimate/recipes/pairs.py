"""*one-shot*: columns, distances of all pairs from independence, then pairs of least error.
PUBLIC.

Latent classes and settled rows join them.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from synth.estimate.models.choosing import Fitted, Order
from synth.estimate.models.evidence import Evidence
from synth.estimate.models.junction import Clique
from synth.estimate.models.pairwise import Together
from synth.estimate.recipes.columns import COLUMNS
from synth.estimate.recipes.recipe import NoisyParts, Recipe
from synth.estimate.repair.marginal import Estimate


class PairsAtOnce(Recipe):
    """All worthwhile pairs, estimated together.

    Attributes:
        times: Duration, in times of pairs at once.
    """

    settles = True
    takes_guess = True
    times: ClassVar[float] = 1.0

    def seconds(self, shape: Sequence[int], rows: int) -> float:
        """Forecast the seconds, most for weighing every value of a row."""
        settled = 1.5 + 2e-8 * rows * sum(shape) * (len(shape) - 1)
        return super().seconds(shape, rows) + self.times * settled

    def estimates(
        self, evidence: Evidence, noisy: NoisyParts, generator: np.random.Generator
    ) -> dict[Clique, Estimate]:
        """Estimate all pairs around latent classes."""
        return Together(evidence, noisy, generator).estimates

    def draw(
        self,
        evidence: Evidence,
        noisy: NoisyParts,
        order: Order,
        generator: np.random.Generator,
    ) -> Fitted:
        """Draw rows from latent classes, and settle them on pairs."""
        together = Together(evidence, noisy, generator)
        drawn = together.rows(order.rows, generator, order.favour, order.place)
        return Fitted(
            strategy=self.name,
            drawn=drawn,
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
        """Turn measurements into rows; only columns without a worthwhile pair."""
        if not noisy:
            return COLUMNS.finish(evidence, noisy, order, generator=generator)
        return super().finish(evidence, noisy, order, generator=generator)


ONE_SHOT = PairsAtOnce(
    name="one-shot",
    label="Pairs at once: the pairs of columns worth measuring, for many columns",
    short="pairs at once",
)
