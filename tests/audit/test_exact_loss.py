"""Layer 1: the privacy loss implied by the sampler's own integers. Nothing is sampled."""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest

from synth.noise import DiscreteGaussian, DiscreteLaplace, Norm, exp_minus
from synth.noise.laws import BASE, Digit, Radius, TwoSided, Weighted, count_digits
from synth.noise.remainders import remainder_width
from synth.privacy import PrivacyLoss, zcdp_rho
from tests.audit.exact import decimal, exponents
from tests.audit.layers import NBITS, SLACK, largest_loss, masses

EPSILONS = [Fraction(1, 20), Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(10)]


def exponential_masses(scores: tuple[Fraction, ...], rate: Fraction) -> list[Decimal]:
    """Probabilities implied by the integers of the law."""
    thresholds = Weighted(exponents(scores, rate=rate)).thresholds(NBITS)
    ends = [0, *thresholds.low, 1 << NBITS]
    return [Decimal(b - a) for a, b in pairwise(ends)]


def permute_and_flip_masses(scores: tuple[Fraction, ...], rate: Fraction) -> list[Decimal]:
    """Over all orders, with the integers of the coins."""
    unit = Decimal(2) ** NBITS
    heads = [exp_minus(x, NBITS)[0] / unit for x in exponents(scores, rate=rate)]
    law = [Decimal(0)] * len(scores)
    for order in permutations(range(len(scores))):
        alive = Decimal(1)
        for candidate in order:
            law[candidate] += alive * heads[candidate]
            alive *= 1 - heads[candidate]
    return law


def selection_loss(
    law: Callable[..., list[Decimal]],
    epsilon: Fraction,
    sensitivity: Fraction,
    *,
    monotone: bool = False,
    factor: int = 2,
) -> Decimal:
    """Largest loss over pairs of neighbouring scores; ``factor`` is what a mutant may
    drop.
    """
    rate = epsilon / ((1 if monotone else factor) * sensitivity)
    grid = [
        tuple(sensitivity * s for s in scores) for scores in product(range(-1, 2), repeat=3)
    ]
    laws = {scores: law(scores, rate) for scores in grid}
    worst = Decimal(0)
    for before, after in product(grid, repeat=2):
        # All pairs of scores that neighbours can have; monotone ones rise together.
        moves = [(a - b) / sensitivity for a, b in zip(before, after, strict=True)]
        if max(moves) <= 1 and min(moves) >= (0 if monotone else -1):
            ratios = [
                abs((a / b).ln()) for a, b in zip(laws[before], laws[after], strict=True)
            ]
            worst = max(worst, *ratios)
    return worst


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("sensitivity", [1, 2])
def test_laplace_loss_is_epsilon(epsilon: Fraction, sensitivity: int) -> None:
    """The privacy loss of Laplace noise is epsilon, computed from the sampler's own integers.

    One person moves counts by ``sensitivity`` in all, so the loss of one step counts that
    often. SLACK is 1e-50, an allowance for rounding.
    """
    mechanism = DiscreteLaplace.for_epsilon(epsilon, sensitivity=sensitivity)
    top = masses(TwoSided(1 / mechanism.scale).thresholds(NBITS))

    with localcontext(prec=110):
        loss = largest_loss(top, 1) * sensitivity
        promised = Decimal(epsilon.numerator) / epsilon.denominator
        assert loss <= promised + SLACK
        assert loss >= promised - SLACK


@pytest.mark.parametrize(
    "scale", [Fraction(300), Fraction(10**5, 3), Fraction(10**9), Fraction(10**14)], ids=str
)
def test_digits_compose_to_the_same_loss(scale: Fraction) -> None:
    """Large Laplace noise, drawn digit by digit, has the promised loss.

    A step to the next integer changes the last digit, or carries into the ones above. So each
    step costs 1 / scale, whichever digits it changes. The last digit of the largest scales is
    a `Remainder`, each step of which costs 1 / scale by its definition.
    """
    rate = 1 / scale
    width = remainder_width(scale)
    digits = count_digits(scale / width)
    assert digits >= 1
    rates = [rate * width * BASE**place for place in range(digits)]
    parts = [masses(Digit(digit_rate).thresholds(NBITS)) for digit_rate in rates]
    ends = [_ends(digit_rate) for digit_rate in rates]

    with localcontext(prec=110):
        promised = Decimal(rate.numerator) / rate.denominator
        carry = promised * (width - 1)
        for place in range(digits):
            step = largest_loss(parts[place], 1)
            assert abs(step - promised * width * BASE**place) <= SLACK * 10**9
            assert step + carry <= promised * width * BASE ** (place + 1)
            carry += ends[place]

        top = largest_loss(masses(TwoSided(rate, digits, width).thresholds(NBITS)), 1)
        assert abs(top - promised * width * BASE**digits) <= SLACK * 10**9
        assert abs(top - carry - promised) <= SLACK * 10**9


def _ends(rate: Fraction) -> Decimal:
    """ln P(0) / P(255) of a digit."""
    thresholds = Digit(rate).thresholds(NBITS)
    with localcontext(prec=110):
        last = (1 << NBITS) - thresholds.low[-1]
        return (Decimal(thresholds.low[0]) / last).ln()


@pytest.mark.parametrize("dimension", [1, 3, 6])
@pytest.mark.parametrize("scale", [Fraction(1), Fraction(30)], ids=str)
def test_k_norm_loss_is_the_rate_times_the_gauge(dimension: int, scale: Fraction) -> None:
    """The chance of a point under K-norm noise falls by exp(-1/scale) as its norm grows by
    one. The radius R is drawn with P(R), and then one of (2R + 1)^d points of a cube. So P(R)
    / (2R + 1)^d has to fall at that rate.
    """
    inner = masses(Radius(1 / scale, dimension).thresholds(NBITS))
    with localcontext(prec=110):
        for r in list(inner)[:-1:7]:
            ratio = Decimal(inner[r][1]) * (2 * r + 3) ** dimension
            ratio /= Decimal(inner[r + 1][0]) * (2 * r + 1) ** dimension
            assert abs(ratio.ln() - 1 / decimal(scale)) <= SLACK


@pytest.mark.parametrize("norm", list(Norm))
def test_the_gauge_is_sub_additive(norm: Norm) -> None:
    """The norms, rounded up to whole numbers, keep the triangle inequality.

    So a move of norm D changes the norm of any point by at most D, and the loss is at most D
    / scale. All pairs of points up to 6 from 0 are tried.
    """

    def gauge(x: int, y: int) -> int:
        if norm is Norm.L1:
            return abs(x) + abs(y)
        return max(abs(x), abs(y)) if norm is Norm.MAX else _root_up(x * x + y * y)

    box = list(product(range(-6, 7), repeat=2))
    for a, b in product(box, repeat=2):
        assert gauge(a[0] + b[0], a[1] + b[1]) <= gauge(*a) + gauge(*b)


def _root_up(square: int) -> int:
    return math.isqrt(square - 1) + 1 if square else 0


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("sensitivity", [Fraction(1), Fraction(5, 2)], ids=str)
@pytest.mark.parametrize("law", [exponential_masses, permute_and_flip_masses])
def test_selection_loss_is_at_most_epsilon(
    epsilon: Fraction, sensitivity: Fraction, law: Callable[..., list[Decimal]]
) -> None:
    """A private choice loses at most epsilon, computed from the integers of its law.

    All pairs of scores of three candidates that differ by at most the sensitivity are
    compared.
    """
    with localcontext(prec=110):
        assert selection_loss(law, epsilon, sensitivity) <= decimal(epsilon) + SLACK


@pytest.mark.parametrize("law", [exponential_masses, permute_and_flip_masses])
def test_monotone_selection_loss_is_at_most_epsilon(
    law: Callable[..., list[Decimal]],
) -> None:
    """If all scores move in the same direction, a private choice loses at most epsilon
    without the factor 2 in its rate.
    """
    with localcontext(prec=110):
        assert selection_loss(law, Fraction(1), Fraction(1), monotone=True) <= 1 + SLACK


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 2), Fraction(3)], ids=str)
@pytest.mark.parametrize("delta", [Fraction(1, 10**3), Fraction(1, 10**9)], ids=str)
@pytest.mark.parametrize("sensitivity", [1, 2, 9])
def test_gaussian_delta_is_at_most_delta(
    epsilon: Fraction, delta: Fraction, sensitivity: int
) -> None:
    """Discrete Gaussian noise has at most the promised delta at its epsilon, and at least
    nine tenths of it. Delta is computed exactly, as a sum over the discrete law in 60 digits.
    The law is symmetric, so one direction is enough.
    """
    mechanism = DiscreteGaussian.for_delta(epsilon, delta, sensitivity=sensitivity)
    true = gaussian_delta(mechanism.sigma2, sensitivity, epsilon)
    assert true <= delta
    assert float(true) == pytest.approx(
        mechanism.delta(float(epsilon), sensitivity=sensitivity), rel=1e-6
    )

    assert true > Fraction(9, 10) * delta


def gaussian_delta(sigma2: Fraction, shift: int, epsilon: Fraction) -> Fraction:
    with localcontext(prec=60):
        two, step = 2 * decimal(sigma2), decimal(epsilon).exp()
        reach = 16 * (math.isqrt(int(sigma2)) + 1) + shift
        ratio, fall, half = (-1 / two).exp(), (-2 / two).exp(), [Decimal(1)]
        for _ in range(reach):  # w(z + 1) / w(z) falls by exp(-1 / sigma2) with each step
            half.append(half[-1] * ratio)
            ratio *= fall
        weights = {z: half[abs(z)] for z in range(-reach, reach + 1)}
        over = (weights[z] - step * weights[z + shift] for z in range(-reach, reach - shift))
        return Fraction(sum(gain for gain in over if gain > 0) / sum(weights.values()))


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(10)])
@pytest.mark.parametrize("delta", [Fraction(1, 10**9), Fraction(1, 10**4)])
def test_rho_holds_epsilon_and_delta_in_integers(epsilon: Fraction, delta: Fraction) -> None:
    """The rho that is computed for an epsilon and a delta is right to one part in 10,000.

    Rho is enough if the bound of zCDP is below delta at some order p / q. Its q-th power is
    computed in integers, by the sampler's own certified exponentials.
    """
    rho, q = zcdp_rho(epsilon, delta), 64

    def log_delta(a: float) -> float:
        r, e = float(rho), float(epsilon)
        return (a - 1) * (a * r - e) + a * math.log1p(-1 / a) - math.log(a - 1)

    # The order at which the bound is smallest.
    order = min(
        (Fraction(p, q) for p in range(q + 1, 500 * q)), key=lambda a: log_delta(float(a))
    )

    def holds(rho: Fraction) -> bool:
        top = exp_minus(q * (order - 1) * (epsilon - order * rho), 8_000)[1]
        power = ((order - 1) / order) ** int(order * q) / (order - 1) ** q
        return top * power <= delta**q * 2**8_000

    assert holds(rho * (1 - Fraction(1, 10**4)))
    assert not holds(rho * (1 + Fraction(1, 10**4)))


def test_rho_is_the_same_number_everywhere() -> None:
    """No float is in it, and no library's logarithm."""
    assert zcdp_rho(Fraction(1), Fraction(1, 10**9)) == Fraction(276204162905580463, 2**64)


def test_gaussian_noise_on_two_cells_at_once_keeps_its_delta() -> None:
    """Gaussian noise on a histogram keeps its delta if one row is replaced.

    Replacing moves two cells by one each, so the squared sensitivity is 2. The exact delta of
    both cells together is computed by convolution of their laws.
    """
    epsilon, delta = 1.0, 1e-6
    mechanism = DiscreteGaussian.for_rho(
        zcdp_rho(Fraction(1), Fraction(1, 10**6)), sensitivity2=2
    )

    z = np.arange(-400, 401)
    law = np.exp(-(z**2) / (2 * float(mechanism.sigma2)))
    law /= law.sum()
    both = np.convolve(law, law)

    loss = (1 - np.arange(-800, 801)) / float(mechanism.sigma2)
    exact = PrivacyLoss(loss[::-1], both[::-1]).delta(epsilon)
    assert delta / 5 < exact <= delta
