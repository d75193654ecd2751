"""Correlations of narrow columns, and bounds of covariances of columns unlike each other."""

import numpy as np
import pytest

from synth.questions.kinds.moments import CORRELATION, COVARIANCE
from synth.util import Floats
from tests.questions.kinds.test_moment_bounds import sums_of_products


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_correlation_does_not_depend_on_the_unit(scale: float) -> None:
    """A correlation is that of NumPy, whichever unit one of the columns is measured in.

    The products are those of a column of ones and both columns.
    """
    random = np.random.default_rng(4)
    first = random.normal(size=30)
    second = first + random.normal(size=30)

    products = sums_of_products(scale * first, second)
    assert CORRELATION.of_products is not None

    correlation = CORRELATION.of_products(products)
    assert correlation == pytest.approx([np.corrcoef(first, second)[0, 1]])


@pytest.mark.parametrize("wide_first", [True, False])
def test_a_covariance_may_move_by_one_column_times_the_bins_of_the_other(
    *, wide_first: bool
) -> None:
    """The bounds of a covariance are reached where one column varies only within its bins.

    The wide column is -3 and 3, exactly. The narrow one has middles 0 and half widths 1. If
    its values follow the wide column they are -1 and 1, and the covariance is (3 + 3) / 2 =
    3; at the other ends it is -3.
    """
    wide, narrow = np.array([-3.0, 3.0]), np.zeros(2)
    none, half = np.zeros(2), np.ones(2)
    places = np.array([-1.0, 1.0])

    def ordered(of_wide: Floats, of_narrow: Floats) -> tuple[Floats, Floats]:
        return (of_wide, of_narrow) if wide_first else (of_narrow, of_wide)

    middles = sums_of_products(*ordered(wide, narrow))
    halves = sums_of_products(*ordered(none, half))

    true = float(np.cov(wide, narrow + half * places, bias=True)[0, 1])
    assert COVARIANCE.of_bins is not None
    low, high = COVARIANCE.of_bins(middles, halves)

    assert true == 3
    assert high == pytest.approx([true])
    assert low == pytest.approx([-true])
