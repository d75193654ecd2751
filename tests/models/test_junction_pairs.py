"""Numbers of pairs and single pairs, as the list of all pairs has them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from synth.estimate import small_pairs
from synth.estimate.models.junction import (
    all_pairs,
    count_pairs_by_size,
    count_small_pairs,
    pick_pairs,
)

SHAPES = st.lists(st.sampled_from([1, 2, 3, 4, 6, 12, 1_000]), max_size=12).map(tuple)


@given(SHAPES, st.integers(0, 2_000))
def test_counted_pairs_are_as_many_as_listed_ones(
    shape: tuple[int, ...], most_cells: int
) -> None:
    """`count_small_pairs` is the length of `small_pairs`, whatever the limit of cells."""
    assert count_small_pairs(shape, most_cells) == len(small_pairs(shape, most_cells))


@given(SHAPES)
def test_picked_pairs_are_those_of_the_sorted_list(shape: tuple[int, ...]) -> None:
    """Each rank gives the pair at that place, by size and among equal sizes by columns."""
    pairs, sizes = all_pairs(shape)
    order = np.argsort(sizes, kind="stable")
    expected = [tuple(pair) for pair in pairs[order].tolist()]
    assert pick_pairs(shape, range(len(expected))) == expected
    assert sum(number for _, number in count_pairs_by_size(shape)) == len(expected)
