"""The assumed tables: their law, and what stands for it in tables of many cells."""

import math
from functools import reduce

import numpy as np
import pytest

from synth.estimate.repair import assumed_table
from synth.estimate.repair.assumed_table import assume_shares


@pytest.mark.parametrize("sizes", [(120, 140), (100, 1_000), (5, 6_000), (50, 60, 70)])
def test_many_cells_have_the_error_of_the_full_table(sizes: tuple[int, ...]) -> None:
    """Tables of many cells are assumed by few classes of equal shares, with the error of all
    cells.

    The expected error at any noise is within a thousandth of that of all products of shares.
    Fewer than 250 classes stand for all cells.
    """
    assert math.prod(sizes) > assumed_table.MULTIPLIED

    shares, alike = assume_shares(sizes)
    assert alike.sum() == pytest.approx(math.prod(sizes))
    assert len(shares) < 250

    full = reduce(np.multiply.outer, map(assumed_table.usual_shares, sizes)).ravel()
    for noise in np.geomspace(0.1, 1e4, 12):
        off = np.minimum(noise, 20_000 * shares) @ alike
        assert off == pytest.approx(np.minimum(noise, 20_000 * full).sum(), rel=1e-3)
