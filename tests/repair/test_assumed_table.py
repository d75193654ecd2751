"""The assumed tables: their law, and what stands for it in tables of many cells."""

import math
from functools import reduce

import numpy as np
import pytest

from synth.estimate import assumptions
from synth.estimate.assumptions import CONCENTRATED, EVEN, HALF_EVEN, assume_shares
from synth.estimate.repair.assumed_table import typical


@pytest.mark.parametrize("evenness", [CONCENTRATED, HALF_EVEN, EVEN])
@pytest.mark.parametrize("sizes", [(120, 140), (100, 1_000), (5, 6_000), (50, 60, 70)])
def test_many_cells_have_the_error_of_the_full_table(
    sizes: tuple[int, ...], evenness: float
) -> None:
    """Tables of many cells are assumed by few classes of equal shares, with the error of all
    cells.

    The expected error at any noise is within a thousandth of that of all products of shares.
    Fewer than 250 classes stand for all cells.
    """
    assert math.prod(sizes) > assumptions.MAX_MULTIPLIED_CELLS

    shares, alike = assume_shares(sizes, evenness)
    assert alike.sum() == pytest.approx(math.prod(sizes))
    assert len(shares) < 250

    columns = [assumptions.usual_shares(size, evenness) for size in sizes]
    full = reduce(np.multiply.outer, columns).ravel()
    for noise in np.geomspace(0.1, 1e4, 12):
        off = np.minimum(noise, 20_000 * shares) @ alike
        assert off == pytest.approx(np.minimum(noise, 20_000 * full).sum(), rel=1e-3)


@pytest.mark.parametrize("shape", [(2_600,), (2_600, 2), (600, 5, 9)])
def test_the_error_of_a_long_list_grows_with_its_evenness(shape: tuple[int, ...]) -> None:
    """A list whose cells are equal errs more than one that falls as usual columns do.

    Of usual columns alone the evenness changes nothing.
    """
    errors = [
        typical(shape, 20_000, 2.0, evenness=evenness).error(shape[:2])
        for evenness in (CONCENTRATED, HALF_EVEN, EVEN)
    ]
    assert errors == sorted(errors)
    assert errors[-1] > 1.5 * errors[0]

    usual = [typical((90, 5), 20_000, 2.0, evenness=e).error((90,)) for e in (0.0, 1.0)]
    assert usual[0] == usual[1]
