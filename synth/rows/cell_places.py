"""The law of a value's place within its cell, and drawing by it. PUBLIC.

The places of a cell are 0, for its first value, to ``last``, for its last one. A place is the
number of successes in ``last`` trials of one chance, and the chance has a Beta law. So the
mean place is exactly ``last`` times the mean chance. Where both parameters of the Beta law
are 1, every place is exactly as likely as every other, the ends too: the integral of C(n, k)
p^k (1 - p)^(n - k) over all p is 1 / (n + 1), whatever k.

Trials spread places at least as far as coins of one fixed chance do. Where places are nearer
to one another, the chance times ``last`` is rounded at random instead, which keeps the mean
as well.

>>> law = find_place_laws(np.array([0.5]), np.array([4]))
>>> law.tolist()
[[1.0, 1.0, 0.0]]
>>> places = draw_places(law, np.array([4]), np.random.default_rng())
>>> bool(0 <= places[0] <= 4)
True
"""

import numpy as np

from synth.util import Floats, Ints, Mask

# Range of the variance of the chance, over its maximum at the same mean.
LEAST_SPREAD = 1e-3
MOST_SPREAD = 0.95
# Both parameters of the Beta law together, for places that may be uniform.
EVEN_TOTAL = 2.0
# What rounding at random adds to the variance of a place.
ROUNDING_VARIANCE = 1 / 6
# Beta laws need positive parameters; with this one every chance drawn is 0, or 1.
LEAST_PARAMETER = 1e-300
# Least variance of trials of one fixed chance that others are divided by.
LEAST_COIN = 1e-9


def find_place_laws(share: Floats, last: Ints, variance: Floats | None = None) -> Floats:
    """Return the law of a value's place within its cell, for each cell, shape (cells, 3).

    Places are numbered from 0 to ``last``. A place is drawn by a chance from a Beta law: it
    is the number of successes in ``last`` trials, or the chance times ``last``, rounded at
    random. A row of the result holds both parameters of the Beta law, and 1 for rounding or 0
    for trials.

    Args:
        share: The mean place over ``last``, from 0 to 1, shape (cells,).
        last: The last place, shape (cells,).
        variance: The variance of places, shape (cells,); by default from `even_variance`.
    """
    if variance is None:
        total = np.full(len(share), EVEN_TOTAL)
        is_rounded = np.zeros(len(share), dtype=np.bool_)
    else:
        total, is_rounded = _fit_spread(share, last, variance)
    alpha = np.maximum(total * share, LEAST_PARAMETER)
    beta = np.maximum(total * (1 - share), LEAST_PARAMETER)
    return np.stack([alpha, beta, is_rounded.astype(np.float64)], axis=1)


def even_variance(share: Floats, last: Ints) -> Floats:
    """Return the exact variance of places under the law that needs no measured variance.

    With the mean in the middle, it is that of uniform places.

    Args:
        share: The mean place over ``last``, from 0 to 1, shape (cells,).
        last: The last place of each cell, same shape.

    >>> even_variance(np.array([0.5]), np.array([4])).tolist()  # of 0, 1, 2, 3 and 4
    [2.0]
    """
    return np.asarray(share * (1 - share) * last * (last + EVEN_TOTAL) / (1 + EVEN_TOTAL))


def _fit_spread(share: Floats, last: Ints, variance: Floats) -> tuple[Floats, Mask]:
    """Return the sum of both parameters in each cell, and whether its places are rounded.

    With a chance of variance s p (1 - p), n trials have the variance
    n p (1 - p) (1 + (n - 1) s). The sum of the Beta law's parameters is then 1 / s - 1.

    Args:
        share: The mean place over ``last``, which is p, shape (cells,).
        last: The last place of each cell, which is n, same shape.
        variance: The wanted variance of places, same shape.
    """
    coin = np.maximum(share * (1 - share) * last, LEAST_COIN)  # n p (1 - p)
    of_trials = (variance / coin - 1) / np.maximum(last - 1.0, 1.0)
    is_rounded = of_trials < LEAST_SPREAD
    of_rounding = (variance - ROUNDING_VARIANCE) / (coin * np.maximum(last, 1))
    # s, by either way to draw places.
    variance_share = np.where(is_rounded, of_rounding, of_trials)
    return 1 / np.clip(variance_share, LEAST_SPREAD, MOST_SPREAD) - 1, is_rounded


def draw_places(law: Floats, last: Ints, rng: np.random.Generator) -> Ints:
    """Draw a place for each row, from 0 to ``last``.

    Args:
        law: The law of each row's cell, shape (rows, 3), as of `find_place_laws`.
        last: The last place of each row's cell, shape (rows,).
        rng: Source of randomness.
    """
    chance = rng.beta(law[:, 0], law[:, 1])
    places = rng.binomial(last, chance)
    rows = np.flatnonzero(law[:, 2])
    if len(rows):
        # Rounded down or up, with the chance of the part after the point.
        places[rows] = np.floor(chance[rows] * last[rows] + rng.random(len(rows)))
    # Very wide cells have rounding errors.
    return np.clip(places, 0, last)
