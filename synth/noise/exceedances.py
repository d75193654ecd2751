"""Draw the cells of a huge universe whose noise alone reaches a threshold, without visiting
each.

Exact at any size (Cormode, Procopiuc, Srivastava, Tran, ICDT 2012).

>>> from fractions import Fraction
>>> cells, values = draw_exceedances((10**9, 10**9), Fraction(1), 30)
>>> bool((values >= 30).all()), len(cells) == len(values)
(True, True)
"""
# The cells are empty and their noises Z independent; only cells with Z >= threshold are
# needed. Their number is binomial, the cells are a uniform subset of that size, and each
# value is the threshold plus a geometric number.

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from synth.noise import bits
from synth.noise.laws import GUARD, Enclosure, OneSided, cumulative, divide_up, exp_minus
from synth.noise.sampler import Thresholds, invert, sampler
from synth.util import Cells, distinct, is_in, pack, runs

# Expected exceedances of one binomial draw; its table has some hundred thresholds.
_EXPECTED_PER_DRAW = 200


def draw_exceedances(
    shape: Sequence[int], rate: Fraction, threshold: int
) -> tuple[Cells, npt.NDArray[np.int64]]:
    """Draw which cells of a universe have noise that reaches a threshold, and that noise.

    Args:
        shape: The public number of codes of each column; a cell has one code of each.
        rate: 1 / scale of the discrete Laplace noise, which each cell gets independently.
        threshold: The least noise that counts, at least 1.

    Returns:
        The numbers of these cells, ascending (see `number_cells`), and their noise, both of
        shape (k,).
    """
    universe_size = math.prod(shape)
    cells = subset(shape, _count(universe_size, rate, threshold))
    # The part of such noise above the threshold is geometric, as the law has no memory.
    values = sampler(OneSided(rate)).draw(len(cells)).astype(np.int64) + threshold
    return cells, values


def _count(size: int, rate: Fraction, threshold: int) -> int:
    """Draw how many of ``size`` noise values reach a threshold: a binomial number.

    It is the sum of independent binomial numbers of parts of the universe. The parts have
    equal sizes, so that one table of probabilities serves all but the last, smaller one.
    """
    # P(noise >= threshold), in floats: it only decides how large the parts are. It may be 0
    # by underflow.
    chance = math.exp(-float(rate * threshold)) / (1 + math.exp(-float(rate)))
    part_size = max(1, min(size, int(_EXPECTED_PER_DRAW / chance))) if chance else size
    whole_parts, last_part = divmod(size, part_size)
    part_counts = sampler(Exceeding(part_size, rate, threshold)).draw(whole_parts)
    last_count = invert(Exceeding(last_part, rate, threshold)) if last_part else 0
    return int(part_counts.sum()) + last_count


def subset(shape: Sequence[int], count: int) -> Cells:
    """Draw a uniform subset of ``count`` cells of a universe; return their numbers ascending.

    It is the first ``count`` distinct ones of uniform draws. ``shape`` is the number of codes
    of each column.
    """
    # The number of a cell is one integer for each run of columns, as a run has fewer than
    # 2^63 cells; `pack` combines them. So a uniform integer for each run is a uniform cell.
    sizes = [math.prod(run) for run in runs(shape)]
    cells = pack([np.empty(0, np.int64) for _ in sizes])
    while len(cells) < count:
        fresh = distinct(pack([uniform(size, count - len(cells)) for size in sizes]))
        cells = np.sort(np.concatenate((cells, fresh[~is_in(fresh, cells)])))
    return cells


def uniform(size: int, count: int) -> npt.NDArray[np.int64]:
    """Draw uniform integers from 0 to ``size`` - 1, shape (count,), by rejection.

    ``size`` is from 1 to 2^63.
    """
    values = np.empty(count, np.int64)
    # Of each 64-bit word, only the top bits are used: as many as size - 1 has.
    shift = np.uint64(64 - max(1, (size - 1).bit_length()))
    start = 0
    while start < count:
        words = np.frombuffer(bits.bits(8 * (count - start)), np.uint64) >> shift
        accepted = words[words < np.uint64(size)]
        values[start : start + len(accepted)] = accepted
        start += len(accepted)
    return values


@dataclass(frozen=True)
class Exceeding:
    """Law of how many of ``trials`` two-sided geometric values reach the threshold.

    It is binomial with p = q^threshold / (1 + q), q = exp(-rate).

    Attributes:
        trials: The number of values.
        rate: 1 / scale of the discrete Laplace noise.
        threshold: The least value that counts, at least 1.
    """

    # The weight of k + 1 over that of k is (trials - k) / (k + 1) times the odds q^threshold
    # / (1 + q - q^threshold). A geometric series bounds the weights left out, below the last
    # binary place.

    trials: int
    rate: Fraction
    threshold: int

    def thresholds(self, nbits: int) -> Thresholds:
        """Return certified integer bounds of ``2^nbits F``, F the distribution function."""
        # Binary places of the weights: some more than in the result, for rounding errors.
        places = nbits + GUARD + self.trials.bit_length()
        odds, precision = self._odds(places)
        weights, tail = self._weights(odds, precision, places)
        if tail is None:
            enclosed = cumulative(weights, nbits)
        else:
            enclosed = cumulative([*weights, Enclosure(0, tail)], nbits)
        low = [bounds.low for bounds in enclosed]
        high = [bounds.high for bounds in enclosed]
        return Thresholds(0, low, high, tail_below=False, tail_above=tail is not None)

    def _odds(self, places: int) -> tuple[Enclosure, int]:
        """Return bounds of the odds p / (1 - p) that a value reaches the threshold.

        With q = exp(-rate) and top = exp(-rate threshold), p = top / (1 + q), so the odds are
        top / (1 + q - top). The second result is the number of binary places, called
        precision: the bounds are integers in units of 2^-precision.
        """
        # The odds are about exp(-rate threshold), whose leading zeros take 1.5 bits a unit.
        precision = places + math.ceil(1.5 * float(self.rate * self.threshold))
        unit = 1 << precision
        q = exp_minus(self.rate, precision)
        top = exp_minus(self.rate * self.threshold, precision)
        # The odds rise with top and fall with q.
        odds = Enclosure(
            (top.low << precision) // (unit + q.high - top.low),
            divide_up(top.high << precision, unit + q.low - top.high),
        )
        return odds, precision

    def _weights(
        self, odds: Enclosure, precision: int, places: int
    ) -> tuple[list[Enclosure], int | None]:
        """Return bounds of the binomial weights C(n, k) odds^k for k = 0, 1, ..., n.

        Args:
            odds: Bounds of the odds, integers in units of 2^-precision.
            precision: The number of binary places of the odds.
            places: The number of binary places of the weights.

        Returns:
            Pairs of integers in units of 2^-places for k from 0 on; and a bound of the sum of
            the weights that are left out, None if none are.
        """
        weights = [Enclosure(1 << places, 1 << places)]
        least_sum = weights[0].low  # lower bound of the sum of the weights so far
        for k in range(self.trials):
            # The weight of k + 1 is that of k times odds (trials - k) / (k + 1).
            low, high = (weight * (self.trials - k) for weight in weights[-1])
            low = low * odds.low // (k + 1)
            high = divide_up(high * odds.high, k + 1)
            weights.append(Enclosure(low >> precision, divide_up(high, 1 << precision)))
            least_sum += weights[-1].low
            remaining_trials = self.trials - k - 1
            falling = (k + 2) << precision
            # The next weight is at most ratio / falling of this one, and this quotient falls.
            # Once it is below a half, the rest is at most twice the last weight.
            ratio = remaining_trials * odds.high
            # The second condition: the last weight is below 2^-(places - GUARD / 2) of all.
            if 2 * ratio < falling and weights[-1].high << (places - GUARD // 2) < least_sum:
                return weights, 2 * weights[-1].high + 1
        return weights, None
