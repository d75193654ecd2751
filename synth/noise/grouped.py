"""Selection among very many candidates, in runs of equal score, without floats.

The laws are those of `synth.noise.exponential` on all candidates one by one; the work grows
with the number of runs only.

>>> scores, sizes = np.array([0, 0, 9_000]), np.array([10**6, 10**6, 1])
>>> exponential_grouped(scores, sizes, epsilon=Fraction(1), sensitivity=1)
2000000
>>> permute_and_flip_grouped(scores, sizes, epsilon=Fraction(1), sensitivity=1)
2000000
"""

from fractions import Fraction

import numpy as np

from synth.errors import ArgumentError
from synth.noise.coins import approximate, coin_words, fall_right
from synth.noise.exponential import gaps_below, weighted_choice
from synth.noise.mechanism import exact
from synth.noise.sampler import draw_below
from synth.util import Ints, Mask


def exponential_grouped(
    scores: Ints, sizes: Ints, *, epsilon: Fraction | int, sensitivity: Fraction | int
) -> int:
    """Choose a candidate with probability ~ exp(epsilon score / (2 sensitivity)).

    Successive candidates of equal score form a run. The result is the number of a candidate,
    from 0 to ``sizes.sum() - 1``.

    Args:
        scores: The score of each run, whole numbers, shape (runs,).
        sizes: Number of candidates of each run, at least one, same shape.
        epsilon: The epsilon that the choice costs.
        sensitivity: Most that one person moves any score.

    Raises:
        ArgumentError: There is no candidate, or a number is not an exact rational.
    """
    levels = ScoreLevels(scores, sizes, epsilon=epsilon, sensitivity=sensitivity)
    # First one of the different scores is drawn, then a uniform candidate of that score.
    level_sizes = np.zeros(len(levels.gaps), dtype=np.int64)
    np.add.at(level_sizes, levels.of, levels.sizes)
    chosen = levels.of == weighted_choice(levels.gaps, levels.rate, level_sizes.tolist())
    ends = np.cumsum(levels.sizes[chosen])  # counts the candidates of that score only
    place = draw_below(int(ends[-1]))
    run = int(np.searchsorted(ends, place, side="right"))
    # The number of each chosen run's first candidate, less the chosen candidates before it.
    first = np.cumsum(levels.sizes)[chosen] - ends
    return int(first[run]) + place


def permute_and_flip_grouped(
    scores: Ints, sizes: Ints, *, epsilon: Fraction | int, sensitivity: Fraction | int
) -> int:
    """Choose a candidate by permute-and-flip (McKenna, Sheldon 2020).

    Successive candidates of equal score form a run. The result is the number of a candidate,
    from 0 to ``sizes.sum() - 1``.

    Args:
        scores: The score of each run, whole numbers, shape (runs,).
        sizes: Number of candidates of each run, at least one, same shape.
        epsilon: The epsilon that the choice costs.
        sensitivity: Most that one person moves any score.
    """
    levels = ScoreLevels(scores, sizes, epsilon=epsilon, sensitivity=sensitivity)
    right = np.flatnonzero(levels.coins())  # never empty: the best candidate's coin is True
    return int(right[draw_below(len(right))])


class ScoreLevels:
    """Runs of candidates, grouped into levels of equal score.

    Args:
        scores: The score of each run of successive candidates, shape (runs,).
        sizes: How many candidates each run has, shape (runs,).
        epsilon: The epsilon of a choice among them.
        sensitivity: Most that one person moves any score.

    Attributes:
        sizes: How many candidates each run has, shape (runs,).
        of: The index of each run's level, shape (runs,). Levels ascend by score.
        gaps: How far each level's score is below the best, exact, shape (levels,).
        rate: Factor that turns gaps into exponents: epsilon / (2 sensitivity).

    Raises:
        ArgumentError: Sizes are not one whole number above 0 for each score, or another
            number is not exact.
    """

    def __init__(
        self,
        scores: Ints,
        sizes: Ints,
        *,
        epsilon: Fraction | int,
        sensitivity: Fraction | int,
    ) -> None:
        """Check the numbers, and group the runs by their scores; see the class."""
        self.sizes = np.asarray(sizes, dtype=np.int64)
        if self.sizes.shape != np.shape(scores) or (self.sizes < 1).any():
            raise ArgumentError("sizes must be one whole number above 0 for each score.")
        self.rate = exact(epsilon=epsilon) / (2 * exact(sensitivity=sensitivity))
        levels, self.of = np.unique(scores, return_inverse=True)
        self.gaps = gaps_below(levels.tolist())

    def coins(self) -> Mask:
        """Flip a coin for each candidate, True with probability exactly exp(-rate gap).

        The result has the shape (candidates,).
        """
        chances = np.repeat(approximate(self.gaps, self.rate)[self.of], self.sizes)
        ends = np.cumsum(self.sizes)

        def exponent(place: int) -> Fraction:
            """Return the exact exponent of the candidate at this place."""
            run = int(np.searchsorted(ends, place, side="right"))
            return Fraction(self.rate * self.gaps[self.of[run]])

        return fall_right(coin_words(len(chances)), chances, exponent)
