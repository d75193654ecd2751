"""Rows that are furthest apart, against all pairs of rows."""

from itertools import combinations, product
from random import Random

import numpy as np

from synth.questions.moments.corners import Box
from synth.util import Ints


def added(rows: Ints, squared: tuple[int, ...], weight: int) -> Ints:
    """What each row adds to sums and products."""
    pairs = combinations(range(rows.shape[1]), 2)
    parts = [weight * rows, *(rows[:, [i]] * rows[:, [j]] for i, j in pairs)]
    return np.concatenate([*parts, *(rows[:, [j - 1]] ** 2 for j in squared)], axis=1)


def test_no_two_rows_are_further_apart_and_two_are_as_far() -> None:
    random, seen = Random(5), set()
    for _ in range(150):
        k, weight = random.randint(1, 3), random.randint(3, 6)
        most = tuple(random.randint(weight // 2, weight) for _ in range(k))
        steps = [np.arange(-m, m + 1, random.choice((1, m, 2 * m, 2))) for m in most]
        squared = tuple(sorted(random.sample(range(1, k + 1), random.randint(0, k))))
        rows = added(np.array(list(product(*steps))), squared, weight)
        apart = np.abs(rows[:, None] - rows[None])
        box = Box(most, squared, weight)
        assert box.distance(steps) == apart.sum(axis=2).max() <= box.bound()
        assert box.squared_distance() == (apart**2).sum(axis=2).max()
        assert box.norm(1) == np.abs(rows).sum(axis=1).max()
        assert box.norm(2) == (rows**2).sum(axis=1).max()
        seen.add(box.distance(steps) == box.bound())
    assert seen == {False, True}


def test_rows_of_uneven_lists_are_within_a_bound() -> None:
    """The two that are furthest apart need not hold the top of all ranges."""
    random = Random(7)
    for _ in range(300):
        k, weight = random.randint(1, 3), random.randint(3, 6)
        most = tuple(random.randint(weight // 2, weight) for _ in range(k))
        picked = [random.sample(range(-m, m + 1), random.randint(2, 3)) for m in most]
        steps = [np.array(sorted(one)) for one in picked]
        squared = tuple(sorted(random.sample(range(1, k + 1), random.randint(0, k))))
        rows = added(np.array(list(product(*steps))), squared, weight)
        apart = np.abs(rows[:, None] - rows[None]).sum(axis=2)
        box = Box(most, squared, weight)
        even = all(
            m in one and set(one) == set(-one) for one, m in zip(steps, most, strict=True)
        )
        assert box.distance(steps) == (apart.max() if even else None)
        assert apart.max() <= box.bound()


def test_where_too_many_rows_would_be_tried_there_is_a_bound() -> None:
    most = (8176, 7991, 8190, 8000, 8192, 8100, 8150, 7000, 6000)
    gaps = (112, 15982, 2, 16000, 1, 1, 2, 7000, 4)
    box = Box(most, tuple(range(2, 10)), 8192)
    steps = [np.arange(-m, m + 1, gap) for m, gap in zip(most, gaps, strict=True)]
    assert box.distance(steps) is None
    whole = [np.arange(-m, m + 1) for m in most]
    assert box.distance(whole) == box.bound()
