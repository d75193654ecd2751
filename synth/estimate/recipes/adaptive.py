"""*adaptive*: one-shot with two thirds of the budget; then pair after pair, always the pair whose
present fit is worst (after AIM, McKenna et al. 2022). PUBLIC.
"""

from synth.estimate.models.names import Method
from synth.estimate.recipes.pairs import PairsAtOnce


class Adaptive(PairsAtOnce):
    """Pairs at once, then pair after pair; rows come of them in the same way."""

    times = 1.5


ADAPTIVE = Adaptive(
    Method.ADAPTIVE,
    "Pair after pair: some of the budget goes where the fit is worst; slower",
    "pair after pair",
    spread=Method.ONE_SHOT,
)
