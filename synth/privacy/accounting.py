"""Accounting: Gaussian noise and compositions in epsilon, delta and rho.

Spends are converted between zCDP and (epsilon, delta) by `zcdp_rho` only, in exact rationals.
The other functions use floats, for calibration and display.

>>> rho = zcdp_rho(Fraction(1), Fraction(1, 10**6))
>>> round(zcdp_epsilon(rho, 1e-6), 6)
1.0
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from synth.errors import ArgumentError
from synth.util import bisect, check


def gaussian_delta(epsilon: float, sigma: float, *, sensitivity: float = 1.0) -> float:
    """Return the least delta at ``epsilon`` of the continuous Gaussian mechanism.

    It is Phi(m/2 - epsilon/m) - e^epsilon Phi(-m/2 - epsilon/m), with m = sensitivity /
    sigma. Source: Balle, Wang 2018, Theorem 8.

    Args:
        epsilon: The epsilon.
        sigma: The standard deviation of the noise.
        sensitivity: The largest distance of the answers of neighbours, in the L2 norm.

    >>> round(gaussian_delta(1, 3.7306), 7)
    1e-05
    """
    check.positive(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity)
    m = float(sensitivity) / float(sigma)
    near = _phi(m / 2 - epsilon / m)
    # By logarithms, as e^epsilon may overflow where the other factor is next to nothing.
    log_far = _log_phi(-m / 2 - epsilon / m)
    return max(0.0, near - math.exp(epsilon + log_far))


def analytic_sigma(epsilon: float, delta: float, *, sensitivity: float = 1.0) -> float:
    """Return the least sigma of continuous Gaussian noise that gives (epsilon, delta).

    ``sensitivity`` is the largest distance of the answers of neighbours, in the L2 norm.
    Source: Balle, Wang 2018. The result is rounded up a little, for errors of floats.

    >>> round(analytic_sigma(1, 1e-5), 4)
    3.7306
    """
    _check_delta(delta)
    check.positive(epsilon=epsilon, sensitivity=sensitivity)
    low, high = 1e-6, 1.0  # the search is for a sensitivity of 1
    # Doubled until there is enough noise; then bisected.
    while gaussian_delta(epsilon, high) > delta:
        high *= 2
    _, high = bisect(
        lambda sigma: gaussian_delta(epsilon, sigma) > delta, low, high, steps=80
    )
    return high * (1 + 1e-9) * float(sensitivity)


def zcdp_epsilon(rho: Fraction | float, delta: float) -> float:
    """Return an epsilon such that every rho-zCDP mechanism is (epsilon, delta)-DP.

    It is computed in floats and rounded up a little. Source: Canonne, Kamath, Steinke 2020,
    Corollary 13.

    >>> round(zcdp_epsilon(0.03056, 1e-5), 3)
    1.0
    """
    # The least over a > 1 of a rho + (a ln(1 - 1/a) - ln(a - 1) - ln(delta)) / (a - 1). Every
    # a gives a valid epsilon, so the search can't err on the unsafe side.
    _check_delta(delta)
    check.positive(rho=rho)
    r = float(rho)
    log_delta = math.log(delta)

    def epsilon(a: float) -> float:
        """Return the epsilon by the Renyi divergence of order a."""
        return a * r + (a * math.log1p(-1 / a) - math.log(a - 1) - log_delta) / (a - 1)

    return max(0.0, _find_least_value(epsilon) * (1 + 1e-9))


@lru_cache
def zcdp_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a rho such that rho-zCDP certainly implies (epsilon, delta)-DP.

    It is the largest such rho of the theorem, to many digits: a multiple of 2^-64, rounded
    down. Source: Canonne, Kamath, Steinke 2020, Corollary 13.
    """
    # Corollary 13 holds at every order a = 1 + x. Solved for rho it is rho (1 + x) = epsilon
    # + ln(delta) / x + (1 + 1 / x) ln(1 + x) - ln x. The search finds a good order, at which
    # every step rounds down. Without floats the result is the same on every machine.
    _check_delta(delta)
    check.positive(epsilon=epsilon)
    with localcontext(prec=24):
        # The plus rounds to these 24 digits.
        best_x = +_find_peak(lambda x: _rho_at(x, epsilon, delta))
    with localcontext(prec=60, rounding=ROUND_FLOOR):
        certain_rho = Fraction(_rho_at(best_x, epsilon, delta))
    return Fraction(math.floor(certain_rho * 2**64), 2**64)


def _rho_at(x: Decimal, epsilon: Fraction, delta: Fraction) -> Decimal:
    """Return the rho that gives (epsilon, delta) by the Renyi divergence of order 1 + x.

    It is Corollary 13 of Canonne, Kamath, Steinke 2020, solved for rho: (epsilon + ln(delta)
    / x + (1 + 1 / x) ln(1 + x) - ln x) / (1 + x). If the context rounds down, it is a lower
    bound.
    """
    # `Decimal.ln` is correct to the last digit in every context, so that the next number down
    # (or up) is a bound.
    # Of the terms with a logarithm, those that add to rho are rounded down, and the one that
    # is taken away is rounded up.
    decimal_epsilon = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
    decimal_delta = Decimal(delta.numerator) / Decimal(delta.denominator)
    added = decimal_delta.ln().next_minus() / x + (1 + 1 / x) * (1 + x).ln().next_minus()
    taken_away = x.ln().next_plus()
    return (decimal_epsilon + added - taken_away) / (1 + x)


def _find_peak(function: Callable[[Decimal], Decimal]) -> Decimal:
    """Return the number above 0 at which a function with one peak is largest.

    Golden-section search on the logarithm, from e^-12 to e^25. The ends are far beyond the
    best Renyi orders of all guarantees that Synth offers.
    """
    low = Decimal(-12)
    high = Decimal(25)
    share = Decimal("0.382")  # 1 less the golden ratio 0.618
    for _ in range(60):
        lower_third = low + share * (high - low)
        upper_third = high - share * (high - low)
        if function(lower_third.exp()) > function(upper_third.exp()):
            high = upper_third
        else:
            low = lower_third
    return ((low + high) / 2).exp()


def pure_rho(epsilon: float) -> float:
    """Return the least rho such that every epsilon-DP mechanism is rho-zCDP.

    It is epsilon tanh(epsilon/2), below the epsilon^2 / 2 of Bun and Steinke. Randomised
    response reaches it at order 1. Source: Harrison, Manurangsi 2024.
    """
    check.positive(epsilon=epsilon)
    return float(epsilon) * math.tanh(float(epsilon) / 2)


@dataclass(frozen=True)
class Composition:
    """Total epsilon of k mechanisms of the same epsilon, by three theorems.

    Attributes:
        basic: The sum; delta 0.
        advanced: Dwork, Rothblum, Vadhan 2010, at the given delta.
        zcdp: A rho of k epsilon^2 / 2, converted to epsilon at the given delta.
    """

    basic: float
    advanced: float
    zcdp: float


def compose(epsilon: Fraction | float, k: int, *, delta: float) -> Composition:
    """Return the total epsilon of k epsilon-DP mechanisms, by three theorems.

    They are basic composition, the advanced one of Dwork, Rothblum, Vadhan 2010, and that of
    zCDP, where each mechanism has a rho of epsilon^2 / 2. ``delta`` is the total delta at
    which the second and the third theorem hold.

    >>> total = compose(0.1, 1000, delta=1e-6)
    >>> [round(x, 1) for x in (total.basic, total.advanced, total.zcdp)]
    [100.0, 27.1, 20.6]
    """
    _check_delta(delta)
    check.positive(epsilon=epsilon)
    check.check_whole(1, k=k)
    e = float(epsilon)
    advanced = e * math.sqrt(2 * k * math.log(1 / delta)) + k * e * math.expm1(e)
    return Composition(k * e, advanced, zcdp_epsilon(k * e * e / 2, delta))


def compose_unequal(epsilons: Sequence[Fraction | float], *, delta: float) -> Composition:
    """Return the total epsilon of pure mechanisms whose epsilons were fixed in advance.

    The three theorems are those of `compose`, and ``delta`` is the total delta at which the
    second and the third one hold. By Azuma's inequality the sum of losses exceeds

        sqrt(2 ln(1/delta) sum epsilon^2) + sum epsilon (e^epsilon - 1)

    with probability at most delta: for equal epsilons, the bound of Dwork, Rothblum, Vadhan
    2010.

    >>> total = compose_unequal([0.1] * 999 + [1.0], delta=1e-6)
    >>> [round(x, 1) for x in (total.basic, total.advanced, total.zcdp)]
    [100.9, 29.7, 21.8]
    """
    # The loss of each lies within its epsilon and has a mean of at most epsilon (e^epsilon -
    # 1).
    _check_delta(delta)
    for epsilon in epsilons:
        check.positive(epsilon=epsilon)
    e = [float(epsilon) for epsilon in epsilons]
    squares = math.fsum(x * x for x in e)
    drift = math.fsum(x * math.expm1(x) for x in e)
    advanced = math.sqrt(2 * math.log(1 / delta) * squares) + drift
    return Composition(math.fsum(e), advanced, zcdp_epsilon(squares / 2, delta))


def _check_delta(delta: Fraction | float) -> None:
    """Raise ArgumentError unless delta is above 0 and below 1."""
    check.positive(delta=delta)
    if delta >= 1:
        raise ArgumentError(f"delta must be below 1, but it is {delta}.")


def _phi(x: float) -> float:
    """Return the distribution function of the standard normal law."""
    return math.erfc(-x / math.sqrt(2)) / 2


def _log_phi(x: float) -> float:
    """Return log Phi(x), the logarithm of the normal distribution function.

    For x below -30, where Phi would soon be 0 in floats, it comes from the close bound
    Phi(x) < density(x) / |x|.
    """
    if x > -30:
        return math.log(_phi(x))
    return -x * x / 2 - math.log(-x * math.sqrt(2 * math.pi))


def _find_least_value(function: Callable[[float], float]) -> float:
    """Return the least value of a function of a Renyi order a > 1, which has one minimum.

    Golden-section search on ln(a - 1), from -12 to 25, far beyond the best orders.
    """
    low, high = -12.0, 25.0
    for _ in range(90):  # each step leaves 0.618 of the interval
        lower_third = low + 0.382 * (high - low)
        upper_third = high - 0.382 * (high - low)
        if function(1 + math.exp(lower_third)) < function(1 + math.exp(upper_third)):
            high = upper_third
        else:
            low = lower_third
    return function(1 + math.exp((low + high) / 2))
