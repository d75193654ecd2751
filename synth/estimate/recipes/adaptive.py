"""*adaptive*: one-shot with two thirds of the budget; then pair after pair, always the one with the
worst fit (after AIM, McKenna et al. 2022). PUBLIC.
"""

from synth.estimate.recipes.pairs import PairsAtOnce


class Adaptive(PairsAtOnce):
    """Pairs at once, then pair after pair; rows are drawn in the same way."""

    times = 1.5
    takes_guess = False


ADAPTIVE = Adaptive(
    "adaptive",
    "Pair after pair: some of the budget goes where the fit is worst; slower",
    "pair after pair",
    spread="one-shot",
)
