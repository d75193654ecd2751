"""Fitted sums: estimates by least squares, and errors near what is best."""

import math

import numpy as np
import pytest

from synth.questions.strategies.fitted import fit_sums, sums_for
from synth.questions.strategies.hierarchy import Hierarchy

CELLS = np.arange(64)
RANGES = np.array([(a <= CELLS) & (CELLS <= b) for a in CELLS for b in CELLS[a:]], np.int64)
"""All ranges of 64 cells, shape (ranges, cells)."""


@pytest.mark.parametrize("squared", [False, True])
def test_estimates_are_those_of_least_squares(squared: bool) -> None:
    """Fitted sums estimate cells by least squares, as NumPy does from the same noisy numbers.

    RANGES are all ranges of 64 cells, of which each row is 1 inside and 0 outside. `squared`
    is whether sums are fitted for Gaussian noise.
    """
    fitted = fit_sums(RANGES, 6, squared=squared)

    measured = [fitted.measure(cell) for cell in np.eye(64, dtype=np.int64)]
    a = np.array(measured).T.astype(float)
    noisy = np.random.default_rng(1).normal(size=fitted.size)

    assert np.allclose(fitted.consistent(noisy), np.linalg.lstsq(a, noisy, rcond=None)[0])
    assert np.allclose(fitted.weights(RANGES[:50]), RANGES[:50] @ np.linalg.pinv(a))


@pytest.mark.parametrize("squared", [False, True])
def test_ranges_err_less_than_by_trees_and_about_as_little_as_can_be(squared: bool) -> None:
    """All ranges of 64 cells have a smaller mean error by fitted sums than by any tree.

    For Gaussian noise (squared) it is within 5 % of the singular value bound, which no
    strategy can beat.
    """
    sums = sums_for(*RANGES.shape, squared=squared)
    assert sums is not None
    fitted = fit_sums(RANGES, sums, squared=squared)

    # The noise's variance grows with the squared L1 norm of moves, or with the squared L2.
    norm, power = (1, 1) if squared else (0, 2)
    mean_weight = (fitted.weights(RANGES) ** 2).sum(axis=1).mean()
    error = mean_weight * fitted.moves.alone[norm] ** power

    for branching in (2, 4, 8):
        tree = Hierarchy(cells=64, branching=branching, root=False)
        assert error < tree.variances(RANGES).mean() * tree.moves.alone[norm] ** power

    if squared:  # no strategy is below the singular value bound
        values = np.linalg.svd(RANGES.T @ RANGES, compute_uv=False)
        bound = np.sqrt(values).sum() / math.sqrt(64 * len(RANGES))
        assert bound <= math.sqrt(error) <= 1.05 * bound


def test_a_fit_is_always_the_same() -> None:
    """Two fits for the same ranges have the same steps for cells (own) and further sums
    (rows).
    """
    first, second = (fit_sums(RANGES, 6, squared=True) for _ in range(2))
    assert np.array_equal(first.rows, second.rows)
    assert np.array_equal(first.own, second.own)
