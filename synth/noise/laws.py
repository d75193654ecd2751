"""The discrete laws behind the mechanisms, as certified enclosures of 2^k F.

All arithmetic is on Python integers: an interval is a pair (low, high) of fixed-point numbers
with ``bits`` binary places, and every operation rounds outwards.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from synth.noise.sampler import Thresholds

Interval = tuple[int, int]
GUARD = 64
"""Extra binary places, for lost leading digits and accumulated roundings."""
BASE = 256
"""Large numbers are drawn digit by digit in this base."""


def exp_minus(x: Fraction, nbits: int) -> Interval:
    """Enclose ``2^nbits exp(-x)`` for x >= 0.

    The argument is halved k times, an alternating Taylor series encloses the result, and k
    squarings bring it back.

    >>> low, high = exp_minus(Fraction(1), 30)
    >>> low <= 2**30 * 0.36787944117144233 <= high, high - low
    (True, 1)
    """
    if x > nbits:
        return 0, 1
    halvings = max(0, (x.numerator // x.denominator).bit_length() + 4)
    places = nbits + 2 * halvings + 16
    divisor = x.denominator << halvings
    low, high = _series(_ratio(x.numerator, divisor, places), places)
    for _ in range(halvings):
        low, high = low * low >> places, _shift_up(high * high, places)
    return low >> (places - nbits), _shift_up(high, places - nbits)


def _series(x: Interval, places: int) -> Interval:
    """Enclose exp(-x) for 0 <= x < 1/8: terms fall, so two partial sums enclose the limit."""
    low = high = 0
    term = (1 << places, 1 << places)
    order = 0
    while term[1] > 1:
        low, high = (
            (low + term[0], high + term[1]) if order % 2 == 0 else (low - term[1], high - term[0])
        )
        order += 1
        term = (
            (term[0] * x[0] >> places) // order,
            -(-_shift_up(term[1] * x[1], places) // order),
        )
    return max(0, low - 1), high + 1


def _ratio(numerator: int, denominator: int, places: int) -> Interval:
    scaled = numerator << places
    return scaled // denominator, -(-scaled // denominator)


def _shift_up(value: int, places: int) -> int:
    return -(-value >> places)


def geometric(start: Interval, ratio: Interval, places: int) -> list[Interval]:
    """Enclose start, start ratio, start ratio^2, ... to the first below one unit past GUARD."""
    terms = [start]
    while terms[-1][1] >> GUARD:
        low, high = terms[-1]
        terms.append((low * ratio[0] >> places, _shift_up(high * ratio[1], places)))
    return terms


def cumulative(weights: list[Interval], nbits: int) -> list[Interval]:
    """Enclose ``2^nbits F`` for probabilities proportional to the weights, but the last F = 1.

    With C the sum up to an item and R the sum behind it, F = C / (C + R) rises with C and
    falls with R.
    """
    low = list(accumulate(weight[0] for weight in weights))
    high = list(accumulate(weight[1] for weight in weights))
    return [
        ((lo << nbits) // (lo + high[-1] - hi), -(-(hi << nbits) // (hi + low[-1] - lo)))
        for lo, hi in zip(low[:-1], high[:-1], strict=True)
    ]


@dataclass(frozen=True)
class TwoSided:
    """P(z) ~ exp(-rate |z|), or what of z lies above its lowest ``digits`` base-256 digits.

    Write z = 256^digits H + d with 0 <= d < 256^digits, and q = exp(-rate). H is not negative
    with probability 1 / (1 + q); H or -1 - H, whichever is not negative, is geometric with
    ratio Q = q^(256^digits); the digits of d are independent of it, or their complements to
    255 if H < 0: see `Digit`.
    """

    rate: Fraction
    digits: int = 0

    def thresholds(self, nbits: int) -> Thresholds:
        """F(-j) = q Q^(j-1) / (1 + q) for j >= 1, F(z) = 1 - Q^(z+1) / (1 + q) for z >= 0."""
        places = nbits + GUARD
        one = 1 << places
        q = exp_minus(self.rate, places)
        ratio = exp_minus(self.rate * BASE**self.digits, places)
        start = (q[0] << places) // (one + q[0]), -(-(q[1] << places) // (one + q[1]))
        below = geometric(start, ratio, places)
        start = (one << places) // (one + q[1]), -(-(one << places) // (one + q[0]))
        above = geometric(start, ratio, places)[1:]
        enclosed = [_round(term) for term in reversed(below)]
        enclosed += [_from_one(term, nbits) for term in above]
        return _thresholds(-len(below), enclosed, tail_below=True, tail_above=True)


@dataclass(frozen=True)
class OneSided:
    """P(z) ~ exp(-rate z) for z >= 0: the geometric law."""

    rate: Fraction

    def thresholds(self, nbits: int) -> Thresholds:
        """F(z) = 1 - q^(z+1)."""
        places = nbits + GUARD
        ratio = exp_minus(self.rate, places)
        above = geometric((1 << places, 1 << places), ratio, places)[1:]
        enclosed = [_from_one(term, nbits) for term in above]
        return _thresholds(0, enclosed, tail_below=False, tail_above=True)


@dataclass(frozen=True)
class Digit:
    """P(d) ~ exp(-rate d) for 0 <= d < 256: a base-256 digit of a geometric number."""

    rate: Fraction

    def thresholds(self, nbits: int) -> Thresholds:
        """From the 256 weights."""
        places = nbits + GUARD
        weights = [(1 << places, 1 << places)]
        ratio = exp_minus(self.rate, places)
        for _ in range(BASE - 1):
            low, high = weights[-1]
            weights.append((low * ratio[0] >> places, _shift_up(high * ratio[1], places)))
        return _thresholds(0, cumulative(weights, nbits), tail_below=False, tail_above=False)


def _round(term: Interval) -> Interval:
    return term[0] >> GUARD, _shift_up(term[1], GUARD)


def _from_one(term: Interval, nbits: int) -> Interval:
    low, high = _round(term)
    return (1 << nbits) - high, (1 << nbits) - low


def _thresholds(
    first: int, enclosed: list[Interval], *, tail_below: bool, tail_above: bool
) -> Thresholds:
    low = [pair[0] for pair in enclosed]
    high = [pair[1] for pair in enclosed]
    return Thresholds(first, low, high, tail_below, tail_above)
