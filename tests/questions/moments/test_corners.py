"""Rows that are furthest apart, against all pairs of rows."""

from itertools import combinations, product
from random import Random

import numpy as np

from synth.questions.moments.corners import Box
from synth.util import Ints


def addends(rows: Ints, squared: tuple[int, ...], weight: int) -> Ints:
    """What each row adds to sums and products."""
    pairs = combinations(range(rows.shape[1]), 2)
    parts = [
        weight * rows,
        *(rows[:, [first]] * rows[:, [second]] for first, second in pairs),
    ]
    return np.concatenate(
        [*parts, *(rows[:, [second - 1]] ** 2 for second in squared)], axis=1
    )


def test_no_two_rows_are_further_apart_and_two_are_as_far() -> None:
    """Distances and norms of `Box` are the largest of all rows, and of all pairs of rows.

    150 random boxes of 1 to 3 columns are searched in full, with symmetric lists of steps.
    Some of them reach the bound for any whole steps, and others do not.
    """
    random = Random(5)
    is_bound_reached = set()
    for _ in range(150):
        k, weight = random.randint(1, 3), random.randint(3, 6)
        largest_steps = tuple(random.randint(weight // 2, weight) for _ in range(k))
        steps = [
            np.arange(-largest, largest + 1, random.choice((1, largest, 2 * largest, 2)))
            for largest in largest_steps
        ]
        squared = tuple(sorted(random.sample(range(1, k + 1), random.randint(0, k))))

        rows = addends(np.array(list(product(*steps))), squared, weight)
        gaps = np.abs(rows[:, None] - rows[None])

        box = Box(largest_steps, squared, weight)
        assert box.distance(steps) == gaps.sum(axis=2).max() <= box.bound()
        assert box.squared_distance() == (gaps**2).sum(axis=2).max()
        assert box.norm(1) == np.abs(rows).sum(axis=1).max()
        assert box.norm(2) == (rows**2).sum(axis=1).max()
        is_bound_reached.add(box.distance(steps) == box.bound())

    assert is_bound_reached == {False, True}


def test_rows_of_uneven_lists_are_within_a_bound() -> None:
    """No two rows are further apart than the bound, also if lists of steps are not symmetric.

    The exact distance is computed for symmetric lists only, and is None for all others. There
    the two rows that are furthest apart need not be at the top of all ranges.
    """
    random = Random(7)
    for _ in range(300):
        k, weight = random.randint(1, 3), random.randint(3, 6)
        largest_steps = tuple(random.randint(weight // 2, weight) for _ in range(k))
        picked = [
            random.sample(range(-largest, largest + 1), random.randint(2, 3))
            for largest in largest_steps
        ]
        steps = [np.array(sorted(steps_of_column)) for steps_of_column in picked]
        squared = tuple(sorted(random.sample(range(1, k + 1), random.randint(0, k))))

        rows = addends(np.array(list(product(*steps))), squared, weight)
        distances = np.abs(rows[:, None] - rows[None]).sum(axis=2)

        box = Box(largest_steps, squared, weight)
        are_even = all(map(is_symmetric, steps, largest_steps))
        assert box.distance(steps) == (distances.max() if are_even else None)
        assert distances.max() <= box.bound()


def is_symmetric(steps: Ints, largest: int) -> bool:
    """Whether a list of steps reaches to its end, and holds minus each of its numbers."""
    return largest in steps and set(steps) == set(-steps)


def test_where_too_many_rows_would_be_tried_there_is_a_bound() -> None:
    """With nine columns of uneven gaps the distance is None, as too many rows would be tried.

    If all whole steps are possible there is a closed form, which is the bound.
    """
    largest_steps = (8176, 7991, 8190, 8000, 8192, 8100, 8150, 7000, 6000)
    gaps = (112, 15982, 2, 16000, 1, 1, 2, 7000, 4)

    box = Box(largest_steps, tuple(range(2, 10)), 8192)
    steps = [
        np.arange(-largest, largest + 1, gap)
        for largest, gap in zip(largest_steps, gaps, strict=True)
    ]
    assert box.distance(steps) is None

    all_steps = [np.arange(-largest, largest + 1) for largest in largest_steps]
    assert box.distance(all_steps) == box.bound()
