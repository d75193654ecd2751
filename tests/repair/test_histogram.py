"""Repairs: each against its definition, the projection against an independent optimum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.domain.domain import Domain, Integer
from synth.noisy.counts import NoisyCounts
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.repair.histogram import Repair, repair
from synth.repair.simplex import project_to_simplex


def noisy(values: list[int], rows: int | None) -> NoisyCounts:
    domain = Domain((Integer(name="x", minimum=1, maximum=len(values), bins=len(values)),))
    neighbors = Neighbors.ADD_REMOVE if rows is None else Neighbors.REPLACE_ONE
    return NoisyCounts(domain, np.array(values), 2, neighbors, Guarantee.pure(1), rows)  # type: ignore[arg-type]


VALUES = [10, -3, 0, 5, -1, 1]


@pytest.mark.parametrize(
    ("method", "rows", "cells", "weights", "total"),
    [
        (Repair.NONE, 14, [0, 1, 3, 4, 5], [10, -3, 5, -1, 1], 14),
        (Repair.NONE, None, [0, 1, 3, 4, 5], [10, -3, 5, -1, 1], 12),
        (Repair.CLAMP, 14, [0, 3, 5], [10, 5, 1], 14),
        (Repair.CLAMP, None, [0, 3, 5], [10, 5, 1], 16),
        (Repair.RESCALE, 8, [0, 3, 5], [5, 2.5, 0.5], 8),
        (Repair.RESCALE, None, [0, 3, 5], [7.5, 3.75, 0.75], 12),
        (Repair.SIMPLEX, 11, [0, 3], [8, 3], 11),
        (Repair.SIMPLEX, None, [0, 3], [8.5, 3.5], 12),
    ],
)
def test_each_repair(
    method: Repair, rows: int | None, cells: list[int], weights: list[float], total: int
) -> None:
    result = repair(noisy(VALUES, rows), method)
    assert result.cells.tolist() == cells
    np.testing.assert_allclose(result.weights, weights)
    assert result.total == total


@given(
    st.lists(st.integers(-50, 1000), min_size=1, max_size=40),
    st.integers(1, 2000),
)
def test_the_projection_satisfies_the_conditions_of_the_optimum(
    values: list[int], total: int
) -> None:
    """The projection is the point with w = max(v - t, 0) for one t and the right sum (KKT)."""
    weights = project_to_simplex(np.array(values), total)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(total)
    inside = weights > 0
    thresholds = (np.array(values) - weights)[inside]
    assert np.ptp(thresholds) < 1e-6
    assert (np.array(values)[~inside] <= thresholds[0] + 1e-6).all()


def test_nothing_to_share_gives_nothing() -> None:
    result = repair(noisy([-3, -2], None), Repair.SIMPLEX)
    assert (len(result.cells), result.total) == (0, 0)
