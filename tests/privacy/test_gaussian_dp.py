"""Gaussian DP against an independent computation in many digits."""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest

from synth.errors import ArgumentError
from synth.privacy import (
    OF_RANGE,
    Guarantee,
    covers,
    gaussian_dp,
    in_rho,
    in_unit_of,
    to_rho,
    zcdp_rho,
)
from synth.privacy.gaussian_dp import (
    LARGE,
    MAX_CHECKED_VARIANCE,
    SMALL,
    gaussian_rho,
    noise_margin,
)

NANO = Fraction(1, 10**9)


def exact(number: Fraction) -> mpmath.mpf:
    """The fraction in the current number of digits."""
    return mpmath.mpf(number.numerator) / number.denominator


def delta_of(rho: Fraction, epsilon: Fraction) -> mpmath.mpf:
    """The least delta of a Gaussian mechanism of this rho at this epsilon, in 90 digits."""
    with mpmath.workdps(90):
        mu, e = mpmath.sqrt(2 * exact(rho)), exact(epsilon)
        near, far = mpmath.ncdf(mu / 2 - e / mu), mpmath.ncdf(-mu / 2 - e / mu)
        return near - mpmath.e**e * far


def steepest(sigma2: Fraction, largest_step: int) -> mpmath.mpf:
    """The largest step of the quantiles, as `gaussian_dp.steepest_step`, by other means."""
    with mpmath.workdps(330):  # for tails of 10^-297
        twice_sigma2 = 2 * exact(sigma2)
        reach = largest_step + math.isqrt(int(300 * sigma2)) + 20
        weights = [mpmath.exp(-k * k / twice_sigma2) for k in range(reach)]
        total, below = 2 * mpmath.fsum(weights) - 1, mpmath.mpf(0)
        tails = []
        for weight in reversed(weights[1:]):
            below += weight
            tails.append(below / total)
        upper_tails = tails[: -largest_step - 1 : -1]
        quantiles = [mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * tail) for tail in upper_tails]
        return max([2 * quantiles[0]] + [high - low for low, high in pairwise(quantiles)])


EPSILONS = [Fraction(1, 10**4), Fraction(1, 10), Fraction(1), Fraction(100)]
DELTAS = [Fraction(1, 10**30), NANO, Fraction(1, 10**5), Fraction(1, 2)]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
def test_the_total_is_the_largest_but_a_spare(epsilon: Fraction, delta: Fraction) -> None:
    """The rho that an (epsilon, delta) buys uses at least 0.99899 of its delta, and at most
    0.999.

    A thousandth is spared by design. The rho exceeds that of zCDP. A tenth more of it would
    need more than the whole delta.
    """
    rho = gaussian_rho(epsilon, delta)
    share = delta_of(rho, epsilon) / exact(delta)

    assert 0.99899 < share < 0.9990001
    assert rho > zcdp_rho(epsilon, delta)
    assert delta_of(rho * Fraction(11, 10), epsilon) > exact(delta)


def test_the_total_is_the_same_number_everywhere() -> None:
    """Rounded down to a multiple of 2^-64, so that no machine's floats decide it."""
    assert gaussian_rho(Fraction(1), NANO) == Fraction(305411897577495029, 2**64)


def test_what_is_not_proved_is_left_to_zcdp() -> None:
    """Outside the range of the proof an (epsilon, delta) buys the rho of zCDP.

    That is a delta below 10^-30 or above 1/2, or an epsilon above 100. A pure epsilon and
    both kinds of rho stay as they are.
    """
    for epsilon, delta in ((1, Fraction(1, 10**31)), (1, Fraction(51, 100)), (101, NANO)):
        claim = Guarantee.approximate(epsilon, delta)
        assert gaussian_rho(Fraction(epsilon), delta) is None
        assert to_rho(claim) == Guarantee.zcdp(zcdp_rho(Fraction(epsilon), delta))

    for guarantee in (Guarantee.pure(1), Guarantee.zcdp(1), Guarantee.gaussian(1)):
        assert to_rho(guarantee) == guarantee


VARIANCES = [Fraction("0.0955"), *(Fraction(n, 16) for n in (2, 5, 16))]


@pytest.mark.slow
@pytest.mark.parametrize("sigma2", VARIANCES, ids=float)
def test_the_margin_of_discrete_noise_is_enough_and_hardly_more(sigma2: Fraction) -> None:
    """The margin of variance for discrete noise is enough, and hardly more than needed.

    The steepest step of the quantiles is computed in many digits. Its inverse square is the
    variance of an equally good Gaussian. A margin of 0, of 1/12 at the worst variance, or a
    sigma 10 % off would be seen.
    """
    largest_step = math.floor(37 * math.sqrt(sigma2))
    step = steepest(sigma2, largest_step)
    assert abs(gaussian_dp.steepest_step(float(sigma2)) - step) < 1e-11 * step

    variance_of_equal = 1 / step**2
    assert noise_margin(sigma2) == SMALL
    assert variance_of_equal >= exact(sigma2 - SMALL)

    # A margin of 0 is refused, and so is one of another sigma, unless that is tiny.
    assert variance_of_equal < exact(sigma2)
    if sigma2 >= Fraction(3, 10):
        larger_variance = sigma2 * Fraction(11, 10) ** 2
        assert variance_of_equal < exact(larger_variance - SMALL)


def test_the_margin_holds_at_very_many_variances() -> None:
    """At each of 360 variances the needed margin is below the one that is used, 1/11.

    Each variance is 3 % above the last. The worst needs 0.0895; for large ones the need
    approaches 1/12, the variance that rounding adds.
    """
    variances = [Fraction(959, 10_000) * Fraction(103, 100) ** i for i in range(360)]
    assert variances[-1] < MAX_CHECKED_VARIANCE

    margins = [
        float(sigma2) - gaussian_dp.steepest_step(float(sigma2)) ** -2 for sigma2 in variances
    ]

    assert 0.0895 < max(margins) < SMALL
    assert max(margins[150:]) == pytest.approx(1 / 12, abs=4e-4)


@pytest.mark.parametrize(
    "sigma2", [Fraction(MAX_CHECKED_VARIANCE + 1), Fraction(10_000)], ids=str
)
def test_the_margin_that_is_proved_holds_by_far(sigma2: Fraction) -> None:
    assert noise_margin(sigma2) == LARGE
    assert gaussian_dp.steepest_step(float(sigma2)) < float(sigma2 - 1) ** -0.5


@pytest.mark.parametrize("margin", [Fraction(0), Fraction(1, 13)], ids=str)
def test_a_margin_that_is_too_small_is_refused(
    margin: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the margin in the code was smaller, the check of a variance would refuse it.

    The check is stored by variance, so its plain function (`__wrapped__`) is called.
    """
    monkeypatch.setattr(gaussian_dp, "SMALL", margin)

    for sigma2 in (Fraction(31, 100), Fraction(2), Fraction(4001)):
        with pytest.raises(ArgumentError, match=r"sigma2 = [0-9.]+ is not accounted for"):
            noise_margin.__wrapped__(sigma2)


def test_less_noise_than_the_margin_is_refused() -> None:
    """The margin is 1/11, more than a variance of 1/20."""
    with pytest.raises(ArgumentError, match=r"sigma2 = 0\.05 is not accounted for"):
        gaussian_dp.noise_price(Fraction(1, 20), 1)


@pytest.mark.parametrize(
    "rho", [Fraction(90), Fraction(1, 3), Fraction(1, 8192), Fraction(1, 8191)]
)
@pytest.mark.parametrize("sensitivity2", [1, 2, 36, 16384])
def test_noise_costs_what_it_was_bought_for(rho: Fraction, sensitivity2: int) -> None:
    sigma2 = gaussian_dp.find_sigma2(rho, sensitivity2)
    assert gaussian_dp.noise_price(sigma2, sensitivity2) == Guarantee.gaussian(rho)


def test_losses_of_a_range_cost_what_is_said() -> None:
    """An outcome whose log odds move within a range w costs at most OF_RANGE w^2 as a rho.

    The true cost is found by exact quantiles, for odds at every place. Up to a width of 1 it
    is at least 0.9 of that. An epsilon has a range of twice itself: (2/7)^2 = 4/49.
    """
    for width in (0.01, 0.3, 1.0, 4.0):
        logits = [(i / 20 - 1) * width for i in range(21)]
        rho = max(_quantile(logit + width) - _quantile(logit) for logit in logits) ** 2 / 2
        assert rho <= float(OF_RANGE) * width * width
        assert rho > 0.9 * float(OF_RANGE) * width * width or width > 1

    pure = Guarantee.pure(Fraction(1, 7))
    assert in_rho(pure, gaussian=True) == 4 * OF_RANGE / 49 > in_rho(pure)


def _quantile(logit: float) -> float:
    share = 1 / (1 + mpmath.exp(-logit))
    return float(mpmath.sqrt(2) * mpmath.erfinv(2 * share - 1))


def test_sums_keep_what_they_are() -> None:
    """Gaussian and pure costs add up to Gaussian ones; a rho of zCDP among them makes it a
    rho.

    An epsilon of 2 has a range of 4, so it costs 4^2 = 16 times OF_RANGE beside a Gaussian
    cost.
    """
    gaussian, pure, rho = Guarantee.gaussian(1), Guarantee.pure(2), Guarantee.zcdp(1)

    assert gaussian + gaussian == Guarantee.gaussian(2)
    assert pure + gaussian == gaussian + pure == Guarantee.gaussian(1 + 16 * OF_RANGE)
    assert gaussian + rho == rho + gaussian == Guarantee.zcdp(2)
    assert gaussian.scale(Fraction(1, 4)) == Guarantee.gaussian(Fraction(1, 4))


def test_a_rho_of_zcdp_is_no_gaussian_one() -> None:
    """A rho of zCDP is a weaker guarantee than the same rho of Gaussian DP.

    An (epsilon, delta) covers the largest rho of Gaussian DP, to its last bit, but not the
    same rho of zCDP. Beside a spend in zCDP, an (epsilon, delta) is counted as the smaller
    rho of zCDP.
    """
    claim = Guarantee.approximate(1, NANO)
    rho = to_rho(claim).rho

    assert covers(claim, Guarantee.gaussian(rho))
    assert not covers(claim, Guarantee.zcdp(rho))
    assert not covers(claim, Guarantee.gaussian(rho + Fraction(1, 2**64)))
    assert covers(Guarantee.zcdp(rho), Guarantee.gaussian(rho))
    assert not covers(Guarantee.gaussian(rho), Guarantee.zcdp(rho))

    assert in_unit_of(Guarantee.zcdp(1), claim).is_zcdp
