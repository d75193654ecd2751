"""Addresses of cells: every universe, whatever its size, numbers its cells one to one."""

import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from synth.arrays import ascending, distinct, is_in, number_cells, pack, runs, split_cells, unpack

shapes = st.lists(st.integers(1, 10**5), min_size=1, max_size=30).map(tuple)


@given(shape=shapes, data=st.data())
def test_codes_come_back_in_any_universe(shape: tuple[int, ...], data: st.DataObject) -> None:
    rows = data.draw(st.integers(0, 5))
    codes = [
        np.array(data.draw(st.lists(st.integers(0, s - 1), min_size=rows, max_size=rows)), int)
        for s in shape
    ]
    cells = number_cells(codes, shape)
    assert (cells.dtype.names is None) == (math.prod(shape) < 2**63)
    for before, after in zip(codes, split_cells(cells, shape), strict=True):
        assert before.tolist() == after.tolist()


@given(shapes)
def test_runs_are_as_few_as_they_can_be_and_fit_in_a_word(shape: tuple[int, ...]) -> None:
    found = runs(shape)
    assert tuple(size for run in found for size in run) == shape
    assert all(math.prod(run) < 2**63 for run in found)
    for one, next_one in pairwise(found):
        assert math.prod(one) * next_one[0] >= 2**63


def test_the_order_of_cells_is_that_of_their_numbers() -> None:
    codes = [np.random.default_rng().integers(0, 9, 500) for _ in range(4)]
    small = number_cells(codes, (9,) * 4)
    large = pack([small // 100, small % 100])
    assert np.argsort(large, kind="stable").tolist() == np.argsort(small, kind="stable").tolist()
    assert ascending(large).tolist() == np.argsort(small, kind="stable").tolist()
    assert (np.diff(small[ascending(small)]) >= 0).all()
    assert [w.tolist() for w in unpack(distinct(large))] == [
        (distinct(small) // 100).tolist(),
        (distinct(small) % 100).tolist(),
    ]
    assert is_in(large, distinct(large[:250])).tolist() == np.isin(small, small[:250]).tolist()
    assert is_in(large, large[:0]).tolist() == [False] * 500
