"""The discrete laws of the mechanisms, as certified enclosures of 2^k F.

All arithmetic is on Python integers. Bounds are in units of 2^-places, for a number of binary
places that each function names, and every operation rounds outwards."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, count
from typing import NamedTuple

from synth.noise.sampler import Thresholds


class Enclosure(NamedTuple):
    """Certified bounds of a real number, in units of 2^-places.

    Attributes:
        low: An integer that is at most the number.
        high: An integer that is at least the number.
    """

    low: int
    high: int


# Extra binary places, for lost leading digits and accumulated rounding.
GUARD = 64
# Largest scale that one table draws; above, digits are split off, as larger tables take
# longer to make than they save.
TABLE_SCALE = 8
BASE = 256


def count_digits(scale: Fraction) -> int:
    """Return how many digits in base 256 of noise of this scale are drawn separately.

    The rest of the number has such a small scale that one table draws it.

    >>> count_digits(Fraction(8)), count_digits(Fraction(9))
    (0, 1)
    """
    return next(digits for digits in count() if scale <= TABLE_SCALE * BASE**digits)


def exp_minus(x: Fraction, nbits: int) -> Enclosure:
    """Return integers (low, high) with low <= ``2^nbits exp(-x)`` <= high, for exact x >= 0.

    >>> low, high = exp_minus(Fraction(1), 30)
    >>> low <= 2**30 * 0.36787944117144233 <= high, high - low
    (True, 1)
    """
    # x is halved k times, an alternating Taylor series encloses the result, and k squarings
    # bring it back.
    if x > nbits:  # then 2^nbits exp(-x) is below 1
        return Enclosure(0, 1)
    # So many that x / 2^halvings < 1/8. The extra places are for the errors of the squarings.
    halvings = max(0, (x.numerator // x.denominator).bit_length() + 4)
    places = nbits + 2 * halvings + 16
    divisor = x.denominator << halvings
    scaled = x.numerator << places
    power = _series(Enclosure(scaled // divisor, divide_up(scaled, divisor)), places)
    for _ in range(halvings):
        power = _multiply(power, power, places)
    low, high = power
    return Enclosure(low >> (places - nbits), _shift_up(high, places - nbits))


def _series(x: Enclosure, places: int) -> Enclosure:
    """Return integers that enclose 2^places exp(-x), by the exponential's Taylor series.

    ``x`` is a pair of bounds, in units of 2^-places, of a number with 0 <= x < 1/8. The terms
    alternate in sign and fall, so leaving the rest out errs by less than one unit.
    """
    low = high = 0
    term = Enclosure(1 << places, 1 << places)  # x^order / order!
    order = 0
    while term.high > 1:
        if order % 2 == 0:
            low += term.low
            high += term.high
        else:
            low -= term.high
            high -= term.low
        order += 1
        product = _multiply(term, x, places)
        term = Enclosure(product.low // order, divide_up(product.high, order))
    return Enclosure(max(0, low - 1), high + 1)


def _shift_up(value: int, places: int) -> int:
    """Return value / 2^places, rounded up."""
    return -(-value >> places)


def divide_up(value: int, divisor: int) -> int:
    """Return value / divisor, rounded up; the divisor is above 0."""
    return -(-value // divisor)


def _multiply(a: Enclosure, b: Enclosure, places: int) -> Enclosure:
    """Return bounds of the product of two numbers from 0 up; all in units of 2^-places."""
    return Enclosure(a.low * b.low >> places, _shift_up(a.high * b.high, places))


def geometric(start: Enclosure, ratio: Enclosure, places: int) -> list[Enclosure]:
    """Return bounds of the geometric sequence start, start ratio, start ratio^2, ...

    Start, ratio and the terms are pairs of bounds, in units of 2^-places. The last term is
    the first one below 2^GUARD units: it does not count in the final result, which has GUARD
    places less.
    """
    terms = [start]
    while terms[-1].high >> GUARD:
        terms.append(_multiply(terms[-1], ratio, places))
    return terms


def cumulative(weights: list[Enclosure], nbits: int) -> list[Enclosure]:
    """Return bounds of ``2^nbits F``, F the cumulative probabilities of some weights.

    Probabilities are proportional to the weights, which are pairs of integer bounds. There is
    one pair of bounds for each weight but the last, where F = 1.
    """
    # With C the sum up to an item and R the sum after it, F = C / (C + R).
    sums = list(accumulate(weights, _add))
    total = sums[-1]
    return [_share(part, _rest(total, part), nbits) for part in sums[:-1]]


def _add(a: Enclosure, b: Enclosure) -> Enclosure:
    """Return bounds of a sum from bounds of both numbers."""
    return Enclosure(a.low + b.low, a.high + b.high)


def _rest(total: Enclosure, part: Enclosure) -> Enclosure:
    """Return bounds of the sum of the terms of ``total`` that ``part`` does not have.

    Both are sums of bounds of single terms. So the lower bounds are subtracted from each
    other, and the upper bounds likewise.
    """
    return Enclosure(total.low - part.low, total.high - part.high)


def _share(part: Enclosure, rest: Enclosure, nbits: int) -> Enclosure:
    """Return integers that enclose 2^nbits part / (part + rest).

    The quotient rises with the part and falls with the rest, so its lower bound takes the
    least part and the largest rest.
    """
    return Enclosure(
        (part.low << nbits) // (part.low + rest.high),
        divide_up(part.high << nbits, part.high + rest.low),
    )


@dataclass(frozen=True)
class TwoSided:
    """P(z) ~ exp(-rate |z|), or the law of z without its lowest digits.

    Attributes:
        rate: 1 / scale of the noise.
        digits: How many digits in base 256 are drawn separately.
        width: How many values a last digit has, below those; 1 if there is none.
    """

    # Write z = S H + d with S = width 256^digits and 0 <= d < S, and q = exp(-rate). H >= 0
    # with probability 1 / (1 + q). The non-negative one of H and -1 - H is geometric with
    # ratio Q = q^S. The digits of d (for H < 0, their complements to the largest digit) are
    # independent of H and of each other: see `Digit` and `Remainder`.

    rate: Fraction
    digits: int = 0
    width: int = 1

    def thresholds(self, nbits: int) -> Thresholds:
        """Return certified integer bounds of ``2^nbits F``, F the distribution function.

        F(-j) = q Q^(j-1) / (1 + q) for j >= 1, F(z) = 1 - Q^(z+1) / (1 + q) for z >= 0. Here
        q = exp(-rate), and Q = q^(width 256^digits).
        """
        places = nbits + GUARD
        unit = 1 << places
        q = exp_minus(self.rate, places)
        ratio = exp_minus(self.rate * self.width * BASE**self.digits, places)
        at_minus_one = Enclosure(  # q / (1 + q), which rises with q
            (q.low << places) // (unit + q.low),
            divide_up(q.high << places, unit + q.high),
        )
        below = geometric(at_minus_one, ratio, places)
        not_negative = Enclosure(  # 1 / (1 + q), which falls with q
            (unit << places) // (unit + q.high),
            divide_up(unit << places, unit + q.low),
        )
        above = geometric(not_negative, ratio, places)[1:]  # Q^(z+1) / (1 + q), from z = 0 on
        # F from the least number up: `_round` drops the guard places, and `_from_one` also
        # takes a term from 1.
        enclosed = [_round(term) for term in reversed(below)]
        enclosed += [_from_one(term, nbits) for term in above]
        return _thresholds(-len(below), enclosed, tail_below=True, tail_above=True)


@dataclass(frozen=True)
class OneSided:
    """P(z) ~ exp(-rate z) for z >= 0: the geometric law."""

    rate: Fraction

    def thresholds(self, nbits: int) -> Thresholds:
        """Return certified integer bounds of ``2^nbits F``, F(z) = 1 - exp(-rate (z + 1))."""
        places = nbits + GUARD
        one = Enclosure(1 << places, 1 << places)
        above = geometric(one, exp_minus(self.rate, places), places)[1:]  # 1 - F(z)
        enclosed = [_from_one(term, nbits) for term in above]
        return _thresholds(0, enclosed, tail_below=False, tail_above=True)


@dataclass(frozen=True)
class Digit:
    """P(d) ~ exp(-rate d) for 0 <= d < 256: a base-256 digit of a geometric number."""

    rate: Fraction

    def thresholds(self, nbits: int) -> Thresholds:
        """Return certified integer bounds of ``2^nbits F``, F the distribution function.

        F follows from the weights exp(-rate d) of the digits d = 0, ..., 255.
        """
        places = nbits + GUARD
        weights = [Enclosure(1 << places, 1 << places)]
        ratio = exp_minus(self.rate, places)
        for _ in range(BASE - 1):
            weights.append(_multiply(weights[-1], ratio, places))
        return _thresholds(0, cumulative(weights, nbits), tail_below=False, tail_above=False)


def _round(term: Enclosure) -> Enclosure:
    """Drop the last GUARD binary places of two bounds, rounding outwards."""
    return Enclosure(term.low >> GUARD, _shift_up(term.high, GUARD))


def _from_one(term: Enclosure, nbits: int) -> Enclosure:
    """Return bounds of 2^nbits (1 - p) from bounds of p in units of 2^-(nbits + GUARD)."""
    low, high = _round(term)
    return Enclosure((1 << nbits) - high, (1 << nbits) - low)


def _thresholds(
    first: int, enclosed: list[Enclosure], *, tail_below: bool, tail_above: bool
) -> Thresholds:
    """Return thresholds from bounds of ``2^nbits F``.

    The first bounds are about the number ``first``, and each next ones about the next number.
    The tails say whether the law goes on below and above these numbers.
    """
    low = [bounds.low for bounds in enclosed]
    high = [bounds.high for bounds in enclosed]
    return Thresholds(first, low, high, tail_below, tail_above)


@dataclass(frozen=True)
class Gaussian:
    """P(z) ~ exp(-z^2 / (2 sigma2)) on all integers, or on those from 0 up if ``half``."""

    sigma2: Fraction
    half: bool = False

    def thresholds(self, nbits: int) -> Thresholds:
        """Return certified integer bounds of ``2^nbits F``, F the distribution function.

        With T_j the sum of the weights from j up, F(-j) = T_j / (T_j + rest) and F(z) = 1 -
        F(-z-1). The rest are all other weights, also those below 0 unless the law is half.
        """
        # The weights of 0, 1, ..., and a bound of the sum of all that are left out.
        weights, beyond = gaussian_weights(self.sigma2, nbits + GUARD)
        weights_left_out = Enclosure(0, beyond)
        # Summed from the far end: what is left out, then with the last weight, and so on.
        sums = list(accumulate(reversed(weights), _add, initial=weights_left_out))
        tails = sums[:0:-1]  # T_0, T_1, ...
        total = tails[0] if self.half else _add(tails[0], tails[1])
        # T_j / (T_j + rest) for j = 0, 1, ..., which is F(-j).
        shares = [_share(tail, _rest(total, tail), nbits) for tail in tails]
        one = 1 << nbits
        above = [Enclosure(one - share.high, one - share.low) for share in shares[1:]]
        below = [] if self.half else shares[:0:-1]
        return _thresholds(
            -len(below), below + above, tail_below=not self.half, tail_above=True
        )


def gaussian_weights(sigma2: Fraction, places: int) -> tuple[list[Enclosure], int]:
    """Return bounds of the weights exp(-z^2 / (2 sigma2)) for z = 0, 1, ..., M.

    They are pairs of integers in units of 2^-places. M is the first z whose weight no longer
    counts. The second result is an upper bound of the sum of all weights beyond M, same
    units.
    """
    # w(z+1) = w(z) r(z) with r(z+1) = r(z) exp(-1/sigma2). The ratios fall, so the sum beyond
    # M is at most w(M) r(M) / (1 - r(M)).
    unit = 1 << places
    ratio = exp_minus(1 / (2 * sigma2), places)  # r(z)
    fall = exp_minus(1 / sigma2, places)
    weights = [Enclosure(unit, unit)]  # w(z)
    # A quarter of the guard places more than the result needs, for the tails.
    while weights[-1].high >> (GUARD - GUARD // 4):
        weights.append(_multiply(weights[-1], ratio, places))
        ratio = _multiply(ratio, fall, places)
    beyond = divide_up(weights[-1].high * ratio.high, unit - ratio.high)
    return weights, beyond


@dataclass(frozen=True)
class Weighted:
    """P(i) ~ counts[i] exp(-exponents[i]) for i = 0, 1, ...

    Exponents are rational, the least is 0. Counts are positive, by default 1.
    """

    exponents: tuple[Fraction, ...]
    counts: tuple[int, ...] = ()

    def thresholds(self, nbits: int) -> Thresholds:
        """Return certified integer bounds of ``2^nbits F``, F the distribution function.

        F follows from the weights counts[i] exp(-exponents[i]).
        """
        weights = [exp_minus(x, nbits + GUARD) for x in self.exponents]
        if self.counts:
            weights = [
                Enclosure(weight.low * count, weight.high * count)
                for weight, count in zip(weights, self.counts, strict=True)
            ]
        return _thresholds(0, cumulative(weights, nbits), tail_below=False, tail_above=False)


@dataclass(frozen=True)
class Tilted:
    """P(k) ~ counts[k] exp(-rate k) for k = 0, 1, ...; counts are positive."""

    rate: Fraction
    counts: tuple[int, ...]

    def thresholds(self, nbits: int) -> Thresholds:
        """Return certified integer bounds of ``2^nbits F``, F the distribution function.

        F follows from the weights counts[k] exp(-rate k).
        """
        places = nbits + GUARD
        powers = [exp_minus(self.rate * k, places) for k in range(len(self.counts))]
        weights = [
            Enclosure(count * low, count * high)
            for count, (low, high) in zip(self.counts, powers, strict=True)
        ]
        return _thresholds(0, cumulative(weights, nbits), tail_below=False, tail_above=False)


@dataclass(frozen=True)
class Coin:
    """0 with probability exp(-exponent), else 1."""

    exponent: Fraction

    def thresholds(self, nbits: int) -> Thresholds:
        """Return certified integer bounds of ``2^nbits F(0)``, with F(0) = exp(-exponent)."""
        return _thresholds(
            0, [exp_minus(self.exponent, nbits)], tail_below=False, tail_above=False
        )


@dataclass(frozen=True)
class RatioCoin:
    """1 with probability (1 - exp(-slow)) / (1 - exp(-fast)), for rates slow < fast, else
    0.
    """

    slow: Fraction
    fast: Fraction

    def thresholds(self, nbits: int) -> Thresholds:
        """Return certified integer bounds of ``2^nbits F(0)``.

        F(0) = (exp(-slow) - exp(-fast)) / (1 - exp(-fast)), the probability of 0.
        """
        places = nbits + GUARD
        unit = 1 << places
        slow = exp_minus(self.slow, places)
        fast = exp_minus(self.fast, places)
        # F(0) rises with exp(-slow) and falls with exp(-fast).
        chance_of_0 = Enclosure(
            (slow.low - fast.high << nbits) // (unit - fast.high),
            divide_up(slow.high - fast.low << nbits, unit - fast.low),
        )
        return _thresholds(0, [chance_of_0], tail_below=False, tail_above=False)


@dataclass(frozen=True)
class Radius:
    """P(r) ~ (2r + 1)^dimension exp(-rate r) for r >= 0."""

    rate: Fraction
    dimension: int

    def thresholds(self, nbits: int) -> Thresholds:
        """Return certified integer bounds of ``2^nbits F``, F the distribution function.

        F follows from the weights (2r + 1)^dimension exp(-rate r), up to a radius beyond
        which they sum to next to nothing.
        """
        # The ratios of the weights fall, so a geometric series bounds the tail.
        # Room for the counts (2r + 1)^dimension: 32 bits for each dimension.
        places = nbits + GUARD + 32 * self.dimension
        unit = 1 << places
        ratio = exp_minus(self.rate, places)
        weights = []
        power = Enclosure(unit, unit)  # exp(-rate r)
        least_sum = 0  # lower bound of the sum of the weights so far
        r = 0
        count = 1  # (2 r + 1)^dimension
        while True:
            weights.append(Enclosure(power.low * count, power.high * count))
            least_sum += weights[-1].low
            # Upper bound of the next weight over this one, in units of 2^-places.
            next_count = (2 * r + 3) ** self.dimension
            growth = ratio.high * next_count // count + 1
            if growth < unit:
                beyond = divide_up(weights[-1].high * growth, unit - growth)
                # All further weights are below 2^-(nbits + 8) of those so far.
                if beyond << (nbits + 8) < least_sum:
                    break
            power = _multiply(power, ratio, places)
            r += 1
            count = next_count
        enclosed = cumulative([*weights, Enclosure(0, beyond)], nbits)
        return _thresholds(0, enclosed, tail_below=False, tail_above=True)
