"""How often intervals hold the truth: what the harnesses of questions and conclusions share.

An interval of 95 % may hold the truth more often, where noise comes in steps, but not less.
Whether it does is judged so that a right interval is called wrong once in a million times.
"""

from statistics import NormalDist

import numpy as np
from scipy import stats

from synth.noise import LEVEL
from synth.util import Floats

WRONG = 1e-6
"""Chance that a right interval is said to be below its level."""
WIDE = 0.975
"""An interval that holds the truth more often than this is wider than it has to be."""
NORMAL_REACH = -NormalDist().inv_cdf(WRONG)
"""So many standard errors a normal estimate is off with the chance `WRONG`, to one side."""


def hold_truth(low: Floats, high: Floats, truth: Floats, *, rounding: float = 1e-9) -> Floats:
    """Whether each interval holds its truth; ends may be rounded by a share of it."""
    slack = rounding * np.maximum(1, np.abs(truth))
    return (low - slack <= truth) & (truth <= high + slack)


def is_below_level(hits: int, runs: int) -> bool:
    """Whether so few hits refute the level, by a one-sided binomial test."""
    return bool(stats.binom.cdf(hits, runs, LEVEL) <= WRONG)


def is_wide(hits: int, runs: int) -> bool:
    """Whether so many hits refute `WIDE`, by the same test."""
    return bool(stats.binom.sf(hits - 1, runs, WIDE) < WRONG)


def describe_share(share: float, standard_error: float) -> str:
    """A note for a line of a table on a share of hits that is normal with this error."""
    if share + NORMAL_REACH * standard_error < LEVEL:
        return " TOO LOW"
    return " wide" if share - NORMAL_REACH * standard_error > WIDE else ""
