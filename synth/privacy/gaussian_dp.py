"""Gaussian differential privacy: the cost of discrete Gaussian noise, and sums of costs.

A mechanism is mu-GDP if distinguishing neighbours is at least as hard as distinguishing N(0,
1) from N(mu, 1) (Dong, Roth, Su 2022, Definition 2.1). Squares of mu add up, also if noise is
chosen in view of earlier answers. Costs are written as rho = mu^2 / 2, since mu-GDP implies
(mu^2 / 2)-zCDP. Proofs: docs/proofs/gaussian-dp.md.

>>> round(float(to_rho(Guarantee.approximate(1, Fraction(1, 10**9))).rho), 6)
0.016556
>>> noise_margin(Fraction(4))
Fraction(1, 11)
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from statistics import NormalDist

from synth import limits
from synth.errors import ArgumentError
from synth.privacy.accounting import zcdp_rho
from synth.privacy.guarantee import Guarantee
from synth.util import check

# Range of deltas with this accounting; other deltas use zCDP.
LEAST_DELTA = Fraction(1, 10**30)
LARGEST_DELTA = Fraction(1, 2)
# Share of delta that pays for the difference from a Gaussian; 10^-6 of it would do.
SPARE = Fraction(1, 1000)
# Largest variance at which the margin of discrete noise is checked number by number.
MAX_CHECKED_VARIANCE = 4096
# Excess of the variance of discrete noise over that of an equally good Gaussian, up to
# `MAX_CHECKED_VARIANCE`. It is about 1/12, the variance that rounding adds.
SMALL = Fraction(1, 11)
# The same excess above `MAX_CHECKED_VARIANCE`, where no check number by number is needed.
LARGE = Fraction(4)
# Standard deviations up to which the margin is checked.
_CHECKED_DEVIATIONS = 37
# Standard deviations up to which tails are summed; the rest is 1 part in 10^22 of them.
_SUMMED_DEVIATIONS = 38.4
# Margin of the check for floats, which are exact to 10^-12 there.
_FLOAT_MARGIN = 1e-10
_DECIMAL_DIGITS = 120
# Bound for the error of `_delta`: 1000 roundings to 10^-119 of numbers below e^101.
_CERTAIN = Decimal("1e-60")


def to_rho(charged: Guarantee) -> Guarantee:
    """Return the largest rho that a charged (epsilon, delta) pays for.

    It is mu^2 / 2 of Gaussian DP, or a rho of zCDP where that is larger or where Gaussian DP
    is not proved, as for extreme deltas. A rho or a pure epsilon is returned unchanged.
    """
    if charged.epsilon is None or not charged.delta:
        return charged
    half_mu_squared = gaussian_rho(charged.epsilon, charged.delta)
    rho = zcdp_rho(charged.epsilon, charged.delta)
    if half_mu_squared is None or half_mu_squared < rho:
        return Guarantee.zcdp(rho)
    return Guarantee.gaussian(half_mu_squared)


@lru_cache
def gaussian_rho(epsilon: Fraction, delta: Fraction) -> Fraction | None:
    """Return the largest mu^2 / 2 such that mu-Gaussian DP surely implies (epsilon, delta).

    A thousandth of delta is spared, as discrete noise is not quite Gaussian. None if epsilon
    or delta is outside the range of the proof.

    Raises:
        ArgumentError: Epsilon or delta is not above 0.

    >>> round(float(gaussian_rho(Fraction(1), Fraction(1, 10**9))), 6)
    0.016556
    """
    # mu-GDP is (epsilon, delta)-DP if and only if delta >= Phi(mu/2 - epsilon/mu) - e^epsilon
    # Phi(-mu/2 - epsilon/mu) (Dong, Roth, Su 2022, Corollary 2.13), which grows with mu.
    # Newton's method rounds down, without floats, so the result is the same on every machine.
    check.positive(epsilon=epsilon, delta=delta)
    if not LEAST_DELTA <= delta <= LARGEST_DELTA or epsilon > limits.EPSILON_MAX:
        return None
    with localcontext(prec=_DECIMAL_DIGITS):
        aim = _decimal(delta * (1 - SPARE))
        e = _decimal(epsilon)
        # mu^2 / 2 in units of 2^-64, so that mu^2 is in units of 2^-63. Newton's method may
        # end a little above, so go down until it fits.
        steps = math.floor(_find_mu(e, aim, zcdp_rho(epsilon, delta)) ** 2 / 2 * 2**64)
        while _delta(_decimal(Fraction(steps, 2**63)).sqrt(), e) + _CERTAIN > aim:
            steps -= 1
    return Fraction(steps, 2**64)


@lru_cache(maxsize=4096)
def noise_margin(sigma2: Fraction) -> Fraction:
    """Return by how much the variance of discrete noise exceeds that of an equal Gaussian.

    Discrete Gaussian noise with the parameter ``sigma2`` surely protects as well as
    continuous Gaussian noise whose variance is smaller by the result.

    Raises:
        ArgumentError: The noise does not protect as well as a Gaussian of known variance.

    >>> noise_margin(Fraction(1)), noise_margin(Fraction(5000))
    (Fraction(1, 11), Fraction(4, 1))
    """
    if sigma2 > MAX_CHECKED_VARIANCE:
        return LARGE
    # A Gaussian has steps of 1 / sigma between its normal quantiles. Discrete noise with no
    # larger step protects as well. `_FLOAT_MARGIN` is for errors of floats.
    if (
        sigma2 <= SMALL
        or steepest_step(float(sigma2)) > float(sigma2 - SMALL) ** -0.5 - _FLOAT_MARGIN
    ):
        raise ArgumentError(
            f"Discrete Gaussian noise with sigma2 = {float(sigma2):g} is not accounted for."
        )
    return SMALL


def find_sigma2(rho: Fraction, sensitivity2: Fraction | int) -> Fraction:
    """Return the sigma2 of discrete Gaussian noise that costs exactly this rho = mu^2 / 2.

    Continuous noise of variance sensitivity2 / (2 rho) would do. Noise on integers needs a
    little more, for which two margins are proved: a small one up to the variance
    `MAX_CHECKED_VARIANCE`, where it was checked number by number, and a larger one above.

    Args:
        rho: The cost.
        sensitivity2: The squared L2 sensitivity of the values.

    >>> find_sigma2(Fraction(1, 8), 2)
    Fraction(89, 11)
    """
    continuous_variance = Fraction(sensitivity2) / (2 * rho)
    margin = SMALL if continuous_variance + SMALL <= MAX_CHECKED_VARIANCE else LARGE
    return continuous_variance + margin


def noise_price(sigma2: Fraction, sensitivity2: Fraction | int) -> Guarantee:
    """Return the cost of discrete Gaussian noise in Gaussian DP: inverts `find_sigma2`.

    ``sigma2`` is the parameter of the noise, ``sensitivity2`` the squared L2 sensitivity of
    the values.

    >>> str(noise_price(Fraction(89, 11), 2))
    'mu^2 = 1/4 (Gaussian DP)'
    """
    return Guarantee.gaussian(Fraction(sensitivity2) / (2 * (sigma2 - noise_margin(sigma2))))


def steepest_step(sigma2: float) -> float:
    """Return the largest step between the normal quantiles of two successive integers.

    The quantile of an integer k is that normal number whose tail has the probability P(noise
    >= k), for discrete Gaussian noise of this sigma2. The smaller the steps, the better the
    noise protects. Sums and steps go up to `_SUMMED_DEVIATIONS` and `_CHECKED_DEVIATIONS`
    standard deviations, beyond which the former weigh nothing and the latter need no check.
    """
    # With T(k) = P(noise >= k) the quantiles are -Phi^-1(T(k)), which is odd about 1/2.
    sigma = math.sqrt(sigma2)
    normal = NormalDist()
    weights = [
        math.exp(-k * k / (2 * sigma2))
        for k in range(math.ceil(_SUMMED_DEVIATIONS * sigma), 0, -1)
    ]
    tails = list(accumulate(weights))[::-1]  # sums of the weights from 1 up, from 2 up, ...
    total = 1 + 2 * tails[0]
    quantiles = [
        -normal.inv_cdf(tail / total)
        for tail in tails[: math.floor(_CHECKED_DEVIATIONS * sigma)]
    ]
    # The first step is from the quantile of 0 to that of 1, which differ in their sign only.
    first_step = 2 * quantiles[0]
    further_steps = [high - low for low, high in pairwise(quantiles)]
    return max([first_step, *further_steps])


def _decimal(number: Fraction) -> Decimal:
    """Return a number to the digits of the current decimal context."""
    return Decimal(number.numerator) / Decimal(number.denominator)


def _find_mu(epsilon: Decimal, aim: Decimal, rho: Fraction) -> Decimal:
    """Return the mu of Gaussian DP whose delta at this epsilon is the aim.

    By Newton's method on the logarithm of delta. The derivative of delta by mu is the normal
    density at epsilon/mu - mu/2. It starts at the mu of a rho of zCDP, which is below.
    """
    mu = (2 * _decimal(rho)).sqrt()
    for _ in range(40):  # a step about doubles the number of right digits
        delta = _delta(mu, epsilon)
        step = (aim / delta).ln() * delta / _density(epsilon / mu - mu / 2)
        mu += step
        if step < mu * Decimal("1e-12"):  # the error left is about the square of this step
            break
    return mu


def _delta(mu: Decimal, epsilon: Decimal) -> Decimal:
    """Return the delta of mu-Gaussian DP at epsilon: Phi(-x) - e^epsilon Phi(-y).

    With x = epsilon/mu - mu/2 and y = x + mu, e^epsilon times the density at y is the density
    at x. And Phi(x) = 1/2 + density(x) S(x), with the series S of `_series`. So it is
    density(x) (S(y) - S(x)) - (e^epsilon - 1) / 2.
    """
    near = epsilon / mu - mu / 2
    far = epsilon / mu + mu / 2
    return _density(near) * (_series(far) - _series(near)) - (epsilon.exp() - 1) / 2


def _density(x: Decimal) -> Decimal:
    """Return the density of the standard normal law at x."""
    return (-x * x / 2).exp() / _root_of_two_pi()


@lru_cache
def _root_of_two_pi() -> Decimal:
    """Return the square root of 2 pi, to all digits of the calculation.

    Phi(x) = 1/2 + density(x) S(x), with the series S of `_series`. At 25, Phi is 1 up to
    10^-137, so the density must be 1 / (2 S).
    """
    with localcontext(prec=_DECIMAL_DIGITS + 10):
        x = Decimal(25)
        return 2 * (-x * x / 2).exp() * _series(x)


def _series(x: Decimal) -> Decimal:
    """Return S(x) = x + x^3/3 + x^5/15 + ..., for which Phi(x) = 1/2 + density(x) S(x).

    Phi is the normal distribution function. All terms have one sign. Once each term is less
    than half of the one before, the rest is less than the last one.
    """
    total = Decimal(0)
    term = x
    k = 1
    square = x * x
    while abs(term) > abs(total).scaleb(-_DECIMAL_DIGITS - 10) or 2 * square > k:
        total += term
        k += 2
        term = term * square / k
    return total
