"""Bounds for the size of a row's vector, and for the distance of two rows' vectors. PUBLIC.

>>> from synth.questions.moves.grid import part_of
>>> from synth.questions.moves.terms import Term
>>> part = part_of(
...     Term(
...         axes=(0,),
...         classes=(np.arange(3),),
...         place=np.zeros(3, int),
...         value=np.array([-3, 0, 5]),
...         size=1,
...     )
... )
>>> bound_largest_norm([part], 1), widest(part, 2)
(Extent(bound=5, least=5), 64)
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from synth.questions.moves.grid import (
    Grid,
    LeanTerm,
    add_up,
    components,
    effect_of,
    grid_of,
    weight,
)
from synth.questions.moves.relaxation import Potential, Relaxation

# Up to this many cells, terms that share columns are searched cell by cell.
MAX_SEARCHED_CELLS = 2**20
# Up to this many cells, terms on the same axes are combined.
FACTOR_CELLS = 4096
SEARCH_SWEEPS = 30


class Extent(NamedTuple):
    """A largest number: at most the bound, at least the found one; equal if exact."""

    bound: int
    least: int

    def __add__(self, other: "Extent") -> "Extent":  # type: ignore[override]
        """Return the extent of two sets of numbers that move independently."""
        return Extent(self.bound + other.bound, self.least + other.least)


def bound_largest_norm(
    parts: Iterable[LeanTerm], power: int, *, cells: int = MAX_SEARCHED_CELLS
) -> Extent:
    """Return bounds of the largest norm of what one row adds to a vector of numbers.

    Args:
        parts: The terms of the vector. A term says, for the cells of its axes, which of the
            numbers a row of the cell adds to, and how much.
        power: 1 for the L1 norm, 2 for the squared L2 norm.
        cells: Terms that share axes with more cells than this are only bounded.
    """
    # Groups of terms that share no axis move independently, so their maxima add up.
    extent = Extent(0, 0)
    for members in components([weight(part, power) for part in parts]):
        extent += _bound_largest_value(grid_of(members), cells)
    return extent


def _bound_largest_value(grid: Grid, cells: int) -> Extent:
    """Return an upper and a lower bound of the largest value that a cell has in all terms.

    A cell's value is the sum of its values in the terms (`grid.parts`). If there are few
    cells, all are tried, and the bounds are equal.

    Args:
        grid: Terms that share axes, with the cells of all these axes.
        cells: The most cells that are tried one by one.
    """
    if grid.cells <= cells:
        largest_value = int(add_up(grid, [part.value for part in grid.parts]).max())
        return Extent(largest_value, largest_value)
    upper_bound, best_cell = _sums(grid).search(SEARCH_SWEEPS)
    value_of_best = 0
    for part in grid.parts:
        _, value = effect_of(part, best_cell)
        value_of_best += int(value)
    return Extent(upper_bound, value_of_best)


def _sums(grid: Grid) -> Relaxation:
    """Return the value of a cell as a sum of tables, one for each axis or group of axes.

    Its maximum over the cells can then be bounded table by table.
    """
    variables = [np.zeros(size, dtype=np.int64) for size in grid.shape]
    factors = []
    for group in group_parts(grid.parts, FACTOR_CELLS):
        table = add_up(group, [part.value for part in group.parts])
        if len(group.axes) == 1:
            variables[group.axes[0]] += table[group.labels[0]]
        else:
            factors.append(Potential(group.axes, group.labels, table))
    return Relaxation(variables, factors)


def group_parts(parts: Sequence[LeanTerm], cells: int) -> list[Grid]:
    """Combine terms on the same axes, as long as their grid has at most ``cells`` cells.

    Returns the grid of each group. A term with more cells has a group of its own. A term says
    for each class of rows to which number a row adds, and how much.
    """
    # The groups on each set of axes, each as the terms of which its grid is made.
    groups_by_axes: dict[tuple[int, ...], list[list[LeanTerm]]] = {}
    for part in parts:
        groups = groups_by_axes.setdefault(part.axes, [])
        # A term joins the last group on its axes, unless that makes the group too large.
        if groups and grid_of([*groups[-1], part]).cells <= cells:
            groups[-1].append(part)
        else:
            groups.append([part])
    return [grid_of(terms) for groups in groups_by_axes.values() for terms in groups]


def widest(part: LeanTerm, power: int) -> int:
    """Return the largest distance of what two rows add to one term.

    ``power`` is 1 for the L1 distance, 2 for the squared L2 distance. A term says for each
    class of rows to which number a row adds, and how much.
    """
    # It is between two values at one place, or between the largest values of two places; a
    # row that adds nothing (place -1) has a place of its own, here 0.
    place = part.place.ravel() + 1
    value = part.value.ravel()
    below_all_values = -(2**62)
    largest = np.full(int(place.max()) + 1, below_all_values)
    largest_negated = np.full(int(place.max()) + 1, below_all_values)
    np.maximum.at(largest, place, value)
    np.maximum.at(largest_negated, place, -value)
    is_used = largest > below_all_values
    # Two values at one place: the range of its values.
    ranges = (largest + largest_negated)[is_used] ** power
    # Values at two places: the sum of the two greatest sizes.
    sizes = np.maximum(np.abs(largest), np.abs(largest_negated))[is_used] ** power
    if len(sizes) < 2:
        return int(ranges.max())
    return max(int(ranges.max()), int(np.sort(sizes)[-2:].sum()))
