"""The number of roots has an interval that holds, by laws computed here."""

from fractions import Fraction

import numpy as np
import pytest

from synth.linked import reach_of_roots
from synth.noise import DiscreteLaplace
from tests.noisy.test_record import inside, laplace_shares


@pytest.mark.parametrize("scale", ["1/3", "2", "20"])
@pytest.mark.parametrize("cells", [1, 2, 12])
def test_the_interval_of_roots_is_the_smallest_that_holds(cells: int, scale: str) -> None:
    """Of one histogram, the half width is the least whole number that holds in 95 %.

    Normal noise of the same deviation would hold in 93.8 % for one cell.
    """
    one_cell = laplace_shares(float(Fraction(scale)))
    shares = one_cell
    for _ in range(cells - 1):
        shares = np.convolve(shares, one_cell)

    values = np.zeros(cells, dtype=np.int64)
    half_width = int(reach_of_roots([(values, DiscreteLaplace(Fraction(scale)))]))

    assert inside(shares, half_width) >= 0.95
    assert half_width == 0 or inside(shares, half_width - 1) < 0.95


def test_the_interval_of_two_histograms_holds_and_is_nearly_the_smallest() -> None:
    """The number from two histograms is a weighted mean, whose noise no normal law has.

    They have one and three cells with noise of scale 4 and 3. The interval holds with 95 %,
    and one that is a twentieth narrower does not.
    """
    one = DiscreteLaplace(Fraction(4))
    three = DiscreteLaplace(Fraction(3))
    half_width = reach_of_roots(
        [(np.zeros(1, dtype=np.int64), one), (np.zeros(3, dtype=np.int64), three)]
    )

    first = laplace_shares(4.0)
    cell = laplace_shares(3.0)
    second = np.convolve(np.convolve(cell, cell), cell)
    precisions = np.array([1 / one.variance, 1 / (3 * three.variance)])
    first_weight, second_weight = precisions / precisions.sum()
    noise = np.abs(
        first_weight * (np.arange(len(first)) - len(first) // 2)[:, None]
        + second_weight * (np.arange(len(second)) - len(second) // 2)
    )
    chances = np.outer(first, second)
    assert chances[noise <= half_width].sum() >= 0.95
    assert chances[noise <= 0.95 * half_width].sum() < 0.95
