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
from synth.noise.coins import approximate_exponentials, coin_words, flip_exponential_coins
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
    np.add.at(level_sizes, levels.level_of_run, levels.sizes)
    level = weighted_choice(levels.gaps, levels.rate, level_sizes.tolist())
    is_of_level = levels.level_of_run == level
    # Candidates of the level are numbered from 0 up, and one of these numbers is drawn.
    ends_in_level = np.cumsum(levels.sizes[is_of_level])  # for each run of the level
    place = draw_below(int(ends_in_level[-1]))
    run = int(np.searchsorted(ends_in_level, place, side="right"))
    # How many candidates of other levels are before each run of the level.
    others_before = np.cumsum(levels.sizes)[is_of_level] - ends_in_level
    return int(others_before[run]) + place


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
    # Never empty, as the coin of the best candidate is True.
    taken = np.flatnonzero(levels.flip_coins())
    return int(taken[draw_below(len(taken))])


class ScoreLevels:
    """Runs of candidates, grouped into levels of equal score.

    Args:
        scores: The score of each run of successive candidates, shape (runs,).
        sizes: How many candidates each run has, shape (runs,).
        epsilon: The epsilon of a choice among them.
        sensitivity: Most that one person moves any score.

    Attributes:
        sizes: How many candidates each run has, shape (runs,).
        level_of_run: The index of each run's level, shape (runs,). Levels ascend by score.
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
        level_scores, self.level_of_run = np.unique(scores, return_inverse=True)
        self.gaps = gaps_below(level_scores.tolist())

    def flip_coins(self) -> Mask:
        """Flip a coin for each candidate, True with probability exactly exp(-rate gap).

        The result has the shape (candidates,).
        """
        level_chances = approximate_exponentials(self.gaps, self.rate)
        chances = np.repeat(level_chances[self.level_of_run], self.sizes)
        ends = np.cumsum(self.sizes)  # for each run, the candidates up to its last one

        def exponent(place: int) -> Fraction:
            """Return the exact exponent of the candidate at this place."""
            run = int(np.searchsorted(ends, place, side="right"))
            return Fraction(self.rate * self.gaps[self.level_of_run[run]])

        return flip_exponential_coins(coin_words(len(chances)), chances, exponent)
