"""Which tables of some columns are compared."""

import math
from itertools import combinations

import pytest

from synth import limits
from synth.util import tables


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("columns", [1, 2, 3, 30, 64, 90])
def test_compared_tables_are_evenly_spaced_combinations(columns: int, order: int) -> None:
    """They are all combinations in order, or every so many-th of them if these are many."""
    every = list(combinations(range(columns), order))
    spacing = max(1, math.ceil(len(every) / limits.COMPARED_TABLES))
    assert tables(columns, order) == every[::spacing]


def test_compared_tables_of_many_columns_need_no_list_of_all() -> None:
    """Of 5,000 columns there are 20 thousand million triples, which no memory holds."""
    triples = tables(5_000, 3)
    assert limits.COMPARED_TABLES / 2 <= len(triples) <= limits.COMPARED_TABLES
    assert triples[0] == (0, 1, 2)
    assert triples == sorted(set(triples))
    assert all(0 <= a < b < c < 5_000 for a, b, c in triples)
