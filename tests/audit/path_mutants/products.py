"""Slips in sums of squares and products: how far neighbours are apart."""

from itertools import product
from typing import Any

from synth.questions.moments import corners, sensitivity
from synth.questions.moments.corners import Box
from tests.audit.path_mutants.told import edit, put


def ends_alone(_right: Any, box: Box, _: Any) -> int:
    """Of two rows that are furthest apart both are thought to be at ends of all ranges."""
    corners = product(*((-largest, largest) for largest in box.most))
    return max(box._measure_distance(dict(enumerate(corner, 1))) for corner in corners)


OF_PRODUCTS = {
    "two rows at ends alone": put(Box, "distance", ends_alone),
    "uneven lists of steps searched as if they were even": put(
        corners, "_is_even", lambda *_: True
    ),
    "a damaged line forgotten beside products": edit(
        sensitivity, "_norms", "max(l1, far)", "far"
    ),
    "rows of two groups thought to share their sums": edit(
        sensitivity, "_norms", "min(groups, 2)", "1"
    ),
    "a person's products counted as one row's": edit(
        sensitivity, "_times", "norms[1] * rows**2", "norms[1] * rows"
    ),
    "sums forgotten beside squares": edit(
        Box, "squared_distance", "self.weight**2 + sum", "sum"
    ),
}
