"""From what was measured to rows, as each strategy has it; nothing is spent. PUBLIC.

A strategy ends here once its budget is spent. What it released can be finished again: from the
same noisy counts, or from others.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from synth.estimate.models.choosing import Fitted, Order, group_estimate
from synth.estimate.models.estimate import Measurement, fit
from synth.estimate.models.evidence import Evidence, believed_total
from synth.estimate.models.exact_columns import exact_columns, match_columns
from synth.estimate.models.joining import join
from synth.estimate.models.junction import Clique
from synth.estimate.models.junction_rows import draw_from_table
from synth.estimate.models.large_rows import draw_large
from synth.estimate.models.names import Strategy
from synth.estimate.models.pairwise import Together
from synth.estimate.noisy.counts import NoisyMarginal

_Noisy = Mapping[Clique, NoisyMarginal]
"""The noisy histograms that a strategy joins: pairs, groups, or the whole; columns are known."""


def finish_rows(
    strategy: Strategy,
    evidence: Evidence,
    noisy: _Noisy,
    order: Order,
    generator: np.random.Generator,
) -> Fitted:
    """Rows of what a strategy measured.

    Args:
        strategy: Which strategy.
        evidence: What is known.
        noisy: The noisy histograms that are joined.
        order: How many rows, and what they favour.
        generator: Source of the drawing.
    """
    fitted = _FINISHED[strategy](evidence, noisy, order, generator)
    columns = exact_columns(evidence, fitted.strategy, noisy, fitted.estimates)
    match_columns(fitted.drawn, columns, generator)
    return fitted


def _alone(
    evidence: Evidence, _noisy: _Noisy, order: Order, generator: np.random.Generator
) -> Fitted:
    return join(evidence, Strategy.INDEPENDENT, {}, order, generator)


def _tree(
    evidence: Evidence, noisy: _Noisy, order: Order, generator: np.random.Generator
) -> Fitted:
    evidence.repair_columns()
    estimates = {p: evidence.repaired(counts, p, evidence.guess(p)) for p, counts in noisy.items()}
    return join(evidence, Strategy.TREE, estimates, order, generator)


def _pairwise(
    strategy: Strategy,
    evidence: Evidence,
    noisy: _Noisy,
    order: Order,
    generator: np.random.Generator,
) -> Fitted:
    if not noisy:
        return _alone(evidence, noisy, order, generator)
    together = Together(evidence, noisy, generator)
    drawn = together.rows(order.rows, generator, order.favour, order.place)
    return Fitted(strategy, drawn, together.estimates, evidence.total)


def _groups(
    evidence: Evidence, noisy: _Noisy, order: Order, generator: np.random.Generator
) -> Fitted:
    evidence.total = believed_total(evidence.shape, evidence.measured)
    estimates = {clique: group_estimate(evidence, clique, one) for clique, one in noisy.items()}
    marginals = [Measurement(c, e.values, _deviation(noisy[c])) for c, e in estimates.items()]
    model = fit(evidence.shape, marginals, evidence.total, iterations=200)
    drawn = draw_large(evidence, order.rows, model.draw, generator, order.place)
    return Fitted(Strategy.GROUPS, drawn, estimates, evidence.total)


def _whole(
    evidence: Evidence, noisy: _Noisy, order: Order, generator: np.random.Generator
) -> Fitted:
    evidence.total = believed_total(evidence.shape, evidence.measured)
    ((clique, one),) = noisy.items()
    estimate = group_estimate(evidence, clique, one)
    draw = partial(draw_from_table, estimate.values)
    drawn = draw_large(evidence, order.rows, draw, generator, order.place)
    return Fitted(Strategy.WHOLE, drawn, {clique: estimate}, evidence.total)


def _deviation(noisy: NoisyMarginal) -> float:
    return float(noisy.mechanism.variance**0.5)


_FINISHED: dict[Strategy, Callable[[Evidence, _Noisy, Order, np.random.Generator], Fitted]] = {
    Strategy.INDEPENDENT: _alone,
    Strategy.TREE: _tree,
    Strategy.ADAPTIVE: partial(_pairwise, Strategy.ADAPTIVE),
    Strategy.ONE_SHOT: partial(_pairwise, Strategy.ONE_SHOT),
    Strategy.GROUPS: _groups,
    Strategy.WHOLE: _whole,
}
"""How what each strategy measured becomes rows."""
