"""Bounds of variances, covariances, correlations and regressions hold for rows within
them.
"""

from typing import Any

import numpy as np
import pytest

from synth.questions.kinds.registry import KINDS
from synth.util import Floats

NAMES = ("variance", "covariance", "correlation")
ROUNDS = 200
# Numbers of floats agree to this; the bounds themselves are exact.
SLACK = 1e-9


def sums_of_products(*columns: Floats) -> Floats:
    """The sums of products of a column of ones and these columns, shape (k + 1, k + 1)."""
    rows = np.stack([np.ones_like(columns[0]), *columns])
    return np.asarray(rows @ rows.T)


def columns_of(name: str) -> int:
    """How many columns the kind of question takes, at the least."""
    return KINDS[name].columns[0]


def check_inside(value: Floats, ends: tuple[Floats, Floats], *, sharp: list[float]) -> None:
    """Assert that values are within their bounds, and note how near the nearer bound is."""
    low, high = ends
    has_bounds = ~np.isnan(value) & ~np.isnan(low) & ~np.isnan(high)
    assert (low[has_bounds] <= value[has_bounds] + SLACK).all()
    assert (value[has_bounds] <= high[has_bounds] + SLACK).all()

    # The distance to the nearer bound, as a part of the width.
    width = (high - low)[has_bounds]
    sharp += (np.minimum(value - low, high - value)[has_bounds] / width[width > 0]).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_rows_anywhere_in_their_bins_give_a_number_within_the_bounds(name: str) -> None:
    """`of_bins` bounds a variance, covariance or correlation of values anywhere in their
    bins.

    The bounds follow from the sums of products of the bins' middles and of their half widths.
    They are of use: in some round the nearer bound is within 30 % of the width.
    """
    kind: Any = KINDS[name]
    generator = np.random.default_rng()
    sharp: list[float] = []
    for _ in range(ROUNDS):
        rows = int(generator.integers(2, 12))
        middles = generator.normal(0, 1, (columns_of(name), rows))
        # The last column may depend on the first one.
        middles[-1] += generator.choice([-2, 0, 2]) * middles[0]
        halves = generator.uniform(0, 0.5, middles.shape)
        halves *= generator.choice([0.01, 1], (len(middles), 1))
        # Values are at the ends of their bins, where the number is nearest to the bounds.
        places = generator.choice([-1.0, 1.0], middles.shape)
        values = middles + halves * places

        squared_halves = sums_of_products(*halves)
        ends = kind.of_bins(sums_of_products(*middles), squared_halves)
        check_inside(kind.of_products(sums_of_products(*values)), ends, sharp=sharp)

    # Rounds without bounds are not noted, such as a correlation of columns that may be
    # constant.
    assert len(sharp) > ROUNDS / 2
    assert min(sharp) < 0.3, "the bounds are of use"


@pytest.mark.parametrize("name", NAMES)
def test_products_that_are_off_give_a_number_within_the_bounds(name: str) -> None:
    """`within` bounds a variance, covariance or correlation whose sums of products are off.

    Each product is moved by as much as it may be off, up or down by chance. In some round the
    nearer bound is within 30 % of the width.
    """
    kind: Any = KINDS[name]
    generator = np.random.default_rng()
    sharp: list[float] = []
    for _ in range(ROUNDS):
        rows = int(generator.integers(5, 40))
        values = generator.normal(0, 1, (columns_of(name), rows))
        values[-1] += generator.choice([-2, 0, 2]) * values[0]

        right = sums_of_products(*values)
        off = np.abs(generator.normal(0, 0.02, right.shape)) * rows
        off = np.maximum(off, off.T)
        off[0, 0] = 0.0  # the number of rows is exact
        signs = np.triu(generator.choice([-1.0, 1.0], right.shape))
        # The signs are those of a symmetric matrix.
        moved = right + off * (signs + np.triu(signs, 1).T)
        check_inside(kind.of_products(right), kind.within(moved, off), sharp=sharp)

    # Rounds without bounds are not noted, such as a correlation of columns that may be
    # constant.
    assert len(sharp) > ROUNDS / 4
    assert min(sharp) < 0.3, "the bounds are of use"
