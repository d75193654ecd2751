"""The radius of K-norm noise as a sum: its identity, its law, and that it is what is
drawn.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.noise.laws import Radius, Tilted
from synth.noise.radius import MAX_TABLE_PRODUCT, eulerian, geometric_numbers, radius_numbers
from synth.noise.sampler import sampler

ALPHA = 1e-6
SAMPLE_SIZE = 60_000


@pytest.mark.parametrize("dimension", [1, 2, 3, 5, 8, 31])
def test_powers_are_sums_of_binomials(dimension: int) -> None:
    """(2 r + 1)^d is the sum of b_k C(r - k + d, d) over k, with the Eulerian numbers b_k.

    That identity splits a radius into simple numbers. The b_k are positive and add up to 2^d
    d!.
    """
    eulerian_numbers = eulerian(dimension)
    assert len(eulerian_numbers) == dimension + 1
    assert min(eulerian_numbers) > 0
    assert sum(eulerian_numbers) == 2**dimension * math.factorial(dimension)

    for radius in range(60):
        terms = (
            b * math.comb(radius - k + dimension, dimension)
            for k, b in enumerate(eulerian_numbers)
            if k <= radius
        )
        assert sum(terms) == (2 * radius + 1) ** dimension


@pytest.mark.parametrize("dimension", [1, 4])
def test_the_sum_has_the_exact_law_of_the_radius(dimension: int) -> None:
    """An offset plus d + 1 geometric numbers has the law of the radius, (2 r + 1)^d q^r.

    Both are computed in decimals, by convolution, and are equal to fifty digits. q is
    e^(-1/2).
    """
    with localcontext(prec=60):
        q, reach = (Decimal(-1) / 2).exp(), 40
        counts = eulerian(dimension)
        total = sum(b * q**k for k, b in enumerate(counts))

        # One number of the tilted law, then one geometric number for each dimension and one.
        law = [b * q**k / total for k, b in enumerate(counts)] + [Decimal(0)] * reach
        for _ in range(dimension + 1):
            law = [
                sum(law[j] * (1 - q) * q ** (i - j) for j in range(i + 1))
                for i in range(reach)
            ]

        weights = [(2 * r + 1) ** dimension * q**r for r in range(2_000)]
        for r in range(reach):
            assert abs(law[r] - weights[r] / sum(weights)) < Decimal(10) ** -50


def test_thresholds_of_offsets_enclose_their_law() -> None:
    """The cumulative chances of offsets enclose those of the weights b_k q^k in 120
    digits.
    """
    thresholds = Tilted(Fraction(1, 700), eulerian(5)).thresholds(64)
    with localcontext(prec=120):
        q = (Decimal(-1) / 700).exp()
        weights = [b * q**k for k, b in enumerate(eulerian(5))]
        for i, (low, high) in enumerate(zip(thresholds.low, thresholds.high, strict=True)):
            assert low <= sum(weights[: i + 1]) / sum(weights) * 2**64 <= high
            assert high - low <= 2


@pytest.mark.slow
@pytest.mark.parametrize(("dimension", "scale"), [(3, 4_096), (31, 300), (7, 2_000)])
def test_sums_are_drawn_as_the_table_is(dimension: int, scale: int) -> None:
    """Radii drawn as sums have the same law as those drawn by a table of all radii.

    Two samples are compared, and a scale that is 10 % off is seen. Dimension and scale are so
    large that sums are used.
    """
    assert dimension * scale > MAX_TABLE_PRODUCT

    rate = Fraction(1, scale)
    radii = radius_numbers(rate, dimension, SAMPLE_SIZE)
    radii_by_table = sampler(Radius(rate, dimension)).draw(SAMPLE_SIZE)

    assert stats.ks_2samp(radii, radii_by_table).pvalue > ALPHA

    wrong_radii = radius_numbers(rate * Fraction(10, 11), dimension, SAMPLE_SIZE)
    assert stats.ks_2samp(wrong_radii, radii_by_table).pvalue < ALPHA


@pytest.mark.parametrize("scale", [3, 500, 70_000])
def test_geometric_numbers_have_the_geometric_law(scale: int) -> None:
    """Geometric numbers have F(z) = 1 - e^(-(z + 1) / scale), tested at sixteen places.

    The level of each binomial test is ALPHA over the number of places.
    """
    numbers = geometric_numbers(Fraction(1, scale), SAMPLE_SIZE)
    places = np.unique(np.geomspace(1, 6 * scale, 16).astype(int)) - 1
    chance = 1 - np.exp(-(places + 1) / scale)

    counts_up_to = (numbers[:, None] <= places).sum(axis=0)
    pvalues = [
        stats.binomtest(int(k), SAMPLE_SIZE, p).pvalue
        for k, p in zip(counts_up_to, chance, strict=True)
    ]

    assert min(pvalues) > ALPHA / len(places)
