"""Addresses of cells: every universe, whatever its size, numbers its cells one to one."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.util import (
    Blocks,
    ascending,
    distinct,
    is_in,
    number_cells,
    pack,
    runs,
    split_cells,
    sum_by_cell,
    sums_by_cell,
)
from synth.util.arrays import unpack

shapes = st.lists(st.integers(1, 10**5), min_size=1, max_size=30).map(tuple)


@given(shape=shapes, data=st.data())
def test_codes_come_back_in_any_universe(shape: tuple[int, ...], data: st.DataObject) -> None:
    """Codes of rows come back from the numbers of their cells, whatever the shape of the
    universe.

    Below 2^63 cells a number is one integer, and else a record of several, which has names.
    """
    rows = data.draw(st.integers(0, 5))
    codes = [
        np.array(
            data.draw(st.lists(st.integers(0, s - 1), min_size=rows, max_size=rows)), int
        )
        for s in shape
    ]
    cells = number_cells(codes, shape)
    assert (cells.dtype.names is None) == (math.prod(shape) < 2**63)
    for before, after in zip(codes, split_cells(cells, shape), strict=True):
        assert before.tolist() == after.tolist()


@given(shapes)
def test_runs_are_as_few_as_they_can_be_and_fit_in_a_word(shape: tuple[int, ...]) -> None:
    """Columns are cut into runs of fewer than 2^63 cells, each as long as possible.

    So the first column of a run would not fit in the run before it.
    """
    runs_of_shape = runs(shape)
    assert tuple(size for run in runs_of_shape for size in run) == shape
    assert all(math.prod(run) < 2**63 for run in runs_of_shape)
    for run, next_one in pairwise(runs_of_shape):
        assert math.prod(run) * next_one[0] >= 2**63


def test_the_order_of_cells_is_that_of_their_numbers() -> None:
    """Cells of several words are sorted, made distinct and found as those of one word.

    A word is an integer of 64 bits; the number of a cell of a large universe needs several.
    Here the two words are the hundreds of a cell's number and the rest.
    """
    codes = [np.random.default_rng().integers(0, 9, 500) for _ in range(4)]
    one_word = number_cells(codes, (9,) * 4)
    two_words = pack([one_word // 100, one_word % 100])
    order = np.argsort(one_word, kind="stable").tolist()
    assert np.argsort(two_words, kind="stable").tolist() == order
    assert ascending(two_words).tolist() == order
    assert (np.diff(one_word[ascending(one_word)]) >= 0).all()

    hundreds, remainders = unpack(distinct(two_words))
    assert hundreds.tolist() == (distinct(one_word) // 100).tolist()
    assert remainders.tolist() == (distinct(one_word) % 100).tolist()

    is_among_the_first = np.isin(one_word, one_word[:250]).tolist()
    assert is_in(two_words, distinct(two_words[:250])).tolist() == is_among_the_first
    assert is_in(two_words, two_words[:0]).tolist() == [False] * 500


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int32])
@pytest.mark.parametrize("rows", [0, 1, 300, 100_000])
def test_many_groups_are_counted_at_once_as_one_by_one(rows: int, kind: type) -> None:
    """Counting many groups of columns at once gives the same tables as counting each by
    itself.

    The groups are all single columns, all pairs and two triples.
    """
    rng, shape = np.random.default_rng(4), (5, 200, 1, 16, 17, 2, 240)
    codes = [rng.integers(0, size, rows).astype(kind) for size in shape]
    columns = range(len(shape))
    groups = [
        *((column,) for column in columns),
        *combinations(columns, 2),
        (0, 2, 5),
        (1, 3, 6),
    ]
    counts_by_group = sums_by_cell(codes, shape, groups)
    assert list(counts_by_group) == groups
    for group, counts in counts_by_group.items():
        expected = np.zeros([shape[column] for column in group])
        np.add.at(expected, tuple(codes[column] for column in group), 1)
        assert counts.shape == expected.shape
        assert (counts == expected).all()


def test_the_largest_table_of_two_bytes_is_counted_to_its_last_cell() -> None:
    """Tables of 2^16 cells, whose numbers fit in two bytes, are counted to their last cell.

    Two of three rows are in the cell asked for. The third table has slightly more cells, so
    its numbers need more bytes.
    """
    high = np.array([255, 255, 0], dtype=np.uint8)
    assert sum_by_cell([high, high], (256, 256))[255, 255] == 2
    assert sum_by_cell([high.astype(np.uint16) + np.uint16(65_280)], (65_536,))[65_535] == 2
    assert sum_by_cell([high, high], (256, 257))[255, 255] == 2


def test_blocks_are_few_and_hold_what_they_may() -> None:
    """Ten columns are cut into five blocks, any two of which have at most 2^16 cells
    together.

    A block has at most sqrt(2^16) = 256 cells, so each pair of columns is in a table of two
    blocks. Two columns of 300 have more than 2^16 cells, and are counted by themselves.
    """
    shape = (2, 5, 12, 9, 4, 20, 6, 20, 20, 40)
    blocks = Blocks(shape, 2**16)
    assert blocks.number == 5
    column_sets = {blocks.columns_with(pair) for pair in combinations(range(len(shape)), 2)}
    # Ten tables, one for each two blocks, hold all 45 pairs of columns.
    assert len(column_sets) == math.comb(blocks.number, 2)
    for column_set in column_sets:
        assert math.prod(shape[column] for column in column_set) <= 2**16

    assert Blocks((300, 300), 2**16).columns_with((0, 1)) == (0, 1)
    assert Blocks((), 2**16).number == 0
