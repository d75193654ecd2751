"""The discrete laws of the mechanisms, as certified enclosures of 2^k F.

All arithmetic is on Python integers. An enclosure is a pair (low, high) of fixed-point
numbers with ``bits`` binary places; every operation rounds outwards."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, count

from synth.noise.sampler import Thresholds

Enclosure = tuple[int, int]
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
        return 0, 1
    # So many that x / 2^halvings < 1/8. The extra places are for the errors of the squarings.
    halvings = max(0, (x.numerator // x.denominator).bit_length() + 4)
    places = nbits + 2 * halvings + 16
    divisor = x.denominator << halvings
    scaled = x.numerator << places
    low, high = _series((scaled // divisor, -(-scaled // divisor)), places)
    for _ in range(halvings):
        low, high = low * low >> places, _shift_up(high * high, places)
    return low >> (places - nbits), _shift_up(high, places - nbits)


def _series(x: Enclosure, places: int) -> Enclosure:
    """Return integers that enclose 2^places exp(-x), by the exponential's Taylor series.

    ``x`` is a pair of bounds, in units of 2^-places, of a number with 0 <= x < 1/8. The terms
    alternate in sign and fall, so leaving the rest out errs by less than one unit.
    """
    low = high = 0
    term = (1 << places, 1 << places)
    order = 0
    while term[1] > 1:
        low, high = (
            (low + term[0], high + term[1])
            if order % 2 == 0
            else (low - term[1], high - term[0])
        )
        order += 1
        term = (
            (term[0] * x[0] >> places) // order,
            -(-_shift_up(term[1] * x[1], places) // order),
        )
    return max(0, low - 1), high + 1


def _shift_up(value: int, places: int) -> int:
    """Return value / 2^places, rounded up."""
    return -(-value >> places)


def geometric(start: Enclosure, ratio: Enclosure, places: int) -> list[Enclosure]:
    """Return bounds of the geometric sequence start, start ratio, start ratio^2, ...

    Start, ratio and the terms are pairs of bounds, in units of 2^-places. The last term is
    the first one below 2^GUARD units: it does not count in the final result, which has GUARD
    places less.
    """
    terms = [start]
    while terms[-1][1] >> GUARD:
        low, high = terms[-1]
        terms.append((low * ratio[0] >> places, _shift_up(high * ratio[1], places)))
    return terms


def cumulative(weights: list[Enclosure], nbits: int) -> list[Enclosure]:
    """Return bounds of ``2^nbits F``, F the cumulative probabilities of some weights.

    Probabilities are proportional to the weights, which are pairs of integer bounds. There is
    one pair of bounds for each weight but the last, where F = 1.
    """
    # With C the sum up to an item and R the sum after it, F = C / (C + R).
    sums = list(accumulate(weights, _add))
    low, high = sums[-1]
    return [_share(part, (low - part[0], high - part[1]), nbits) for part in sums[:-1]]


def _add(a: Enclosure, b: Enclosure) -> Enclosure:
    return a[0] + b[0], a[1] + b[1]


def _share(part: Enclosure, sum_after: Enclosure, nbits: int) -> Enclosure:
    """Return integers that enclose 2^nbits part / (part + sum_after).

    Both arguments are pairs of bounds. The quotient rises with the first and falls with the
    second, so its lower bound takes the least part and the largest rest.
    """
    return (part[0] << nbits) // (part[0] + sum_after[1]), -(
        -(part[1] << nbits) // (part[1] + sum_after[0])
    )


@dataclass(frozen=True)
class TwoSided:
    """P(z) ~ exp(-rate |z|), or the law of z without its lowest base-256 digits.

    Attributes:
        rate: 1 / scale of the noise.
        digits: How many digits are drawn separately.
    """

    # Write z = 256^digits H + d with 0 <= d < 256^digits, and q = exp(-rate). H >= 0 with
    # probability 1 / (1 + q). The non-negative one of H and -1 - H is geometric with ratio Q
    # = q^(256^digits). The digits of d (for H < 0, their complements to 255) are independent
    # of H: see `Digit`.

    rate: Fraction
    digits: int = 0

    def thresholds(self, nbits: int) -> Thresholds:
        """Return certified integer bounds of ``2^nbits F``, F the distribution function.

        F(-j) = q Q^(j-1) / (1 + q) for j >= 1, F(z) = 1 - Q^(z+1) / (1 + q) for z >= 0. Here
        q = exp(-rate), and Q = q^(256^digits).
        """
        places = nbits + GUARD
        unit = 1 << places
        q = exp_minus(self.rate, places)
        ratio = exp_minus(self.rate * BASE**self.digits, places)
        start = (q[0] << places) // (unit + q[0]), -(-(q[1] << places) // (unit + q[1]))
        below = geometric(start, ratio, places)
        start = (unit << places) // (unit + q[1]), -(-(unit << places) // (unit + q[0]))
        above = geometric(start, ratio, places)[1:]  # Q^(z+1) / (1 + q), from z = 0 on
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
        start = (1 << places, 1 << places)
        above = geometric(start, exp_minus(self.rate, places), places)[1:]  # 1 - F(z)
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
        weights = [(1 << places, 1 << places)]
        ratio = exp_minus(self.rate, places)
        for _ in range(BASE - 1):
            low, high = weights[-1]
            weights.append((low * ratio[0] >> places, _shift_up(high * ratio[1], places)))
        return _thresholds(0, cumulative(weights, nbits), tail_below=False, tail_above=False)


def _round(term: Enclosure) -> Enclosure:
    """Drop the last GUARD binary places of two bounds, rounding outwards."""
    return term[0] >> GUARD, _shift_up(term[1], GUARD)


def _from_one(term: Enclosure, nbits: int) -> Enclosure:
    """Return bounds of 2^nbits (1 - p) from bounds of p in units of 2^-(nbits + GUARD)."""
    low, high = _round(term)
    return (1 << nbits) - high, (1 << nbits) - low


def _thresholds(
    first: int, enclosed: list[Enclosure], *, tail_below: bool, tail_above: bool
) -> Thresholds:
    """Return thresholds from pairs of lower and upper bounds of ``2^nbits F``.

    The first pair is about the number ``first``, and each next one about the next number. The
    tails say whether the law goes on below and above these numbers.
    """
    low = [pair[0] for pair in enclosed]
    return Thresholds(first, low, [pair[1] for pair in enclosed], tail_below, tail_above)


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
        weights, beyond = gaussian_weights(self.sigma2, nbits + GUARD)
        # T_0, T_1, ..., summed from the far end, where the weights left out come first.
        tails = list(accumulate(reversed(weights), _add, initial=(0, beyond)))[:0:-1]
        total = tails[0] if self.half else _add(tails[0], tails[1])
        shares = [
            _share(tail, (total[0] - tail[0], total[1] - tail[1]), nbits) for tail in tails
        ]
        # `shares` holds T_j / (T_j + rest) for j = 0, 1, ..., which is F(-j).
        above = [((1 << nbits) - high, (1 << nbits) - low) for low, high in shares[1:]]
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
    ratio = exp_minus(1 / (2 * sigma2), places)
    fall = exp_minus(1 / sigma2, places)
    weights = [(unit, unit)]
    # A quarter of the guard places more than the result needs, for the tails.
    while weights[-1][1] >> (GUARD - GUARD // 4):
        low, high = weights[-1]
        weights.append((low * ratio[0] >> places, _shift_up(high * ratio[1], places)))
        ratio = ratio[0] * fall[0] >> places, _shift_up(ratio[1] * fall[1], places)
    return weights, -(-weights[-1][1] * ratio[1] // (unit - ratio[1]))


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
            pairs = zip(weights, self.counts, strict=True)
            weights = [(low * count, high * count) for (low, high), count in pairs]
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
            (count * low, count * high)
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
        c = exp_minus(self.slow, places)
        d = exp_minus(self.fast, places)
        high = -(-(c[1] - d[0] << nbits) // (unit - d[0]))
        enclosed = [((c[0] - d[1] << nbits) // (unit - d[1]), high)]
        return _thresholds(0, enclosed, tail_below=False, tail_above=False)


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
        power = (unit, unit)  # exp(-rate r)
        sums = 0
        r = 0
        while True:
            count = (2 * r + 1) ** self.dimension
            weights.append((power[0] * count, power[1] * count))
            sums += weights[-1][0]
            # Bound of the next weight over this one, in units of 2^-places.
            growth = (
                ratio[1] * (2 * r + 3) ** self.dimension // (2 * r + 1) ** self.dimension + 1
            )
            if growth < unit:
                beyond = -(-weights[-1][1] * growth // (unit - growth))
                # All further weights are below 2^-(nbits + 8) of those so far.
                if beyond << (nbits + 8) < sums:
                    break
            power = power[0] * ratio[0] >> places, _shift_up(power[1] * ratio[1], places)
            r += 1
        enclosed = cumulative([*weights, (0, beyond)], nbits)
        return _thresholds(0, enclosed, tail_below=False, tail_above=True)
