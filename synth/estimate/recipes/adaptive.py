"""*adaptive*: one-shot with two thirds of the budget, then pair after pair by worst fit.
PUBLIC.

After AIM, McKenna et al. 2022.
"""

from synth.estimate.recipes.pairs import PairsAtOnce


class Adaptive(PairsAtOnce):
    times = 1.5
    takes_guess = False


ADAPTIVE = Adaptive(
    name="adaptive",
    label="Pair after pair: spends some budget on the pairs that fit worst; slower",
    short="pair after pair",
    spread="one-shot",
)
