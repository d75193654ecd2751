"""Terms: what a row adds, and what does not fit."""

from typing import Any

import numpy as np
import pytest

from synth.errors import ArgumentError
from synth.questions.moves.terms import Term
from tests.questions.random_workloads import count_term, sum_term, table_term

HALVES = np.array([0, 0, 1, 1])


def change_term(**changes: Any) -> Term:
    """A term of four atoms in two classes, with some of its parts changed."""
    grid = np.array([0, 1])
    parts = {"axes": (0,), "classes": (HALVES,), "place": grid, "value": grid, "size": 2}
    return Term(**{**parts, **changes})


CLASSES = "classes of axis 0 must be numbers from 0 to 1, one an atom."


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"size": 0}, "size must be a whole number of at least 1, but it is 0."),
        ({"value": [0.5, 1]}, "value must be 64-bit integers, but they are float64."),
        ({"value": [2**63, 2**63]}, "value must be 64-bit integers, but they are uint64."),
        ({"value": [1, 2, 3]}, "value must have the shape of place, (2,), but it is (3,)."),
        ({"value": [0, 2**31]}, "value must be below 2,147,483,648 in size."),
        ({"axes": (1, 1)}, "axes must be different and not negative, but they are (1, 1)."),
        ({"axes": (-1,)}, "axes must be different and not negative, but they are (-1,)."),
        ({"axes": (0, 1)}, "a term of 2 axes has the classes of 1, and places of 1."),
        ({"classes": (np.array([0, 2]),)}, CLASSES),
        ({"classes": (HALVES[:0],)}, CLASSES),
        ({"place": [0, 2]}, "place must be from -1 to 1."),
        ({"place": [0, -2]}, "place must be from -1 to 1."),
    ],
)
def test_what_does_not_fit_is_refused(parts: dict[str, Any], sentence: str) -> None:
    """A term with a part that does not fit the others is refused in one sentence.

    `parts` replaces parts of a valid term: four atoms of one axis, in two classes, each class
    with a number of its own.
    """
    arrays = {name: np.array(parts[name]) for name in ("value", "place") if name in parts}

    with pytest.raises(ArgumentError) as caught:
        change_term(**parts | arrays)
    assert str(caught.value) == sentence


def test_a_term_is_a_copy_that_nobody_changes() -> None:
    """A term copies the arrays it is given, and its own cannot be written to."""
    places = np.array([0, 1])
    copied = change_term(place=places, value=-places)
    places[:] = 0
    assert copied.place.tolist() == [0, 1]

    for array in (copied.place, copied.value, *copied.classes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_counts_tables_and_sums_place_and_size_their_numbers() -> None:
    """Counts, tables and sums know at which of their numbers a class of rows adds.

    A place of -1 is nowhere, 0 the first number, and so on. `size` is how many numbers there
    are.
    """
    count = count_term((3,), (HALVES,), np.array([False, True]))
    assert count.place.tolist() == [-1, 0]
    assert count.value.tolist() == [1, 1]
    assert count.size == 1

    table = table_term((3, 1), (HALVES, np.array([0, 1, 2])))
    assert table.place.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert table.size == 6

    groups = np.array([[-1, 0], [-1, 1]])
    sums = sum_term((0, 1), (HALVES, HALVES), np.array([[5, -7], [6, 8]]), groups)
    assert sums.place.tolist() == groups.tolist()
    assert sums.size == 2

    # A sum to which nobody adds, and the number of all rows, are one number each.
    assert sum_term((0,), (HALVES,), np.array([0, 0]), np.array([-1, -1])).size == 1
    rows = count_term((), (), np.array(True))
    assert rows.place.shape == ()
    assert rows.size == 1
