"""Rows of a junction tree of columns and repaired marginals. PUBLIC."""

import numpy as np

from synth.estimate.models.choosing import Fitted, Order
from synth.estimate.models.estimate import Measurement, fit
from synth.estimate.models.evidence import Evidence
from synth.estimate.models.junction import Clique
from synth.estimate.models.large_rows import draw_large
from synth.estimate.models.names import Strategy
from synth.estimate.repair.marginal import Estimate


def join(
    evidence: Evidence,
    strategy: Strategy,
    estimates: dict[Clique, Estimate],
    order: Order,
    generator: np.random.Generator,
) -> Fitted:
    """Rows of the junction tree of columns and repaired marginals."""
    marginals = [Measurement((a,), c, 1.0) for a, c in enumerate(evidence.columns)]
    marginals += [Measurement(clique, e.values, 1.0) for clique, e in estimates.items()]
    model = fit(evidence.shape, marginals, evidence.total, iterations=100)
    drawn = draw_large(evidence, order.rows, model.draw, generator, order.place)
    return Fitted(strategy, drawn, estimates, evidence.total)
