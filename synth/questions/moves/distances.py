"""The largest distance of two rows' vectors among terms that share axes. PUBLIC.

>>> from synth.questions.moves.grid import part_of
>>> from synth.questions.moves.terms import Term
>>> thirds, here = np.arange(3), np.eye(3, dtype=int)
>>> ones = np.ones(3, int)
>>> terms = [
...     Term(axes=(0,), classes=(thirds,), place=here[third] - 1, value=ones, size=1)
...     for third in range(3)
... ]
>>> farthest([part_of(term) for term in terms], 1)
Extent(bound=2, least=2)
"""

import math
from collections.abc import Sequence

import numpy as np

from synth.questions.moves.extents import (
    MAX_SEARCHED_CELLS,
    Extent,
    bound_largest_norm,
    group_parts,
    widest,
)
from synth.questions.moves.grid import (
    Grid,
    LeanTerm,
    add_up,
    differences,
    distances_from,
    grid_of,
    measure_distance,
    spread,
    sum_tables,
)
from synth.questions.moves.patterns import (
    MAX_SEARCH_STEPS,
    all_counts,
    farthest_pair,
    hypercube,
)
from synth.questions.moves.relaxation import Potential, Relaxation
from synth.util import Ints

# Most pairs of classes that are listed, of all axes of all terms.
MAX_CLASS_PAIRS = 2**23


# Up to this many cells, terms on the same axes are combined.
PAIRED_CELLS = 64


# A term with more cells is bounded alone.
MOST_PAIRED = 512


# Rounds of the relaxation, most of the time of a wide workload.
RELAXATION_SWEEPS = 10


def farthest(
    parts: Sequence[LeanTerm],
    power: int,
    *,
    cells: int = MAX_SEARCHED_CELLS,
    work: int = MAX_SEARCH_STEPS,
) -> Extent:
    """Return bounds of the largest distance of what two rows add to all terms.

    Args:
        parts: Terms that share axes: each says to which number a row of a cell adds how much.
        power: 1 for the L1 distance, 2 for the squared L2 distance.
        cells: With more cells, the distance is only bounded.
        work: With more steps, not all pairs of cells are tried.
    """
    if len(parts) == 1:
        exact = widest(parts[0], power)
        return Extent(exact, exact)
    grid = grid_of(parts)
    extent = Extent(_simple_bound(grid, power, cells), 0)
    # Few cells are searched, and few counts solved exactly. The relaxation at the end narrows
    # what is still open.
    if grid.cells <= cells:
        extent = _tighten_bounds(extent, Extent(extent.bound, _best_by_turns(grid, power)))
        if extent.bound > extent.least and all_counts(grid.parts):
            exact = hypercube(grid)
            extent = _tighten_bounds(extent, Extent(exact, exact))
    elif not _has_pairs(grid):
        # Too many cells for a search, and too many pairs for the relaxation. Any two cells
        # give a lower bound; here the first and the last one.
        corners = [0] * len(grid.shape), [size - 1 for size in grid.shape]
        extent = _tighten_bounds(
            extent, Extent(extent.bound, measure_distance(grid, *corners, power=power))
        )
    if extent.bound > extent.least:
        extent = _relax(grid, power, extent, cells=cells, work=work)
    return extent


def _tighten_bounds(first: Extent, second: Extent) -> Extent:
    """Return the tighter of both upper bounds, with the better of both lower bounds."""
    return Extent(min(first.bound, second.bound), max(first.least, second.least))


def _simple_bound(grid: Grid, power: int, cells: int) -> int:
    """Return an upper bound of the distance of what rows of two cells add.

    It is the sum of the largest distances by term, or twice the largest vector of a row; four
    times for squares with signs. Too large a grid has the first only, because the relaxation
    that follows is at least as good as the second. A term says for each class of rows to
    which number a row adds, and how much.

    Args:
        grid: The terms over the joint classes of their axes.
        power: 1 for the L1 distance, 2 for the squared L2 distance.
        cells: The most cells that are searched one by one.
    """
    term_by_term = sum(widest(part, power) for part in grid.parts)
    if grid.cells > cells and _has_pairs(grid):
        return term_by_term
    # By the triangle inequality a distance is at most the sum of two lengths. Its square is
    # at most four times the larger square, or the sum of both if no number is negative.
    signed = any(part.value.min() < 0 for part in grid.parts)
    return min(
        term_by_term,
        (2**power if signed else 2)
        * bound_largest_norm(grid.parts, power, cells=cells).bound,
    )


def _has_pairs(grid: Grid) -> bool:
    """Return whether the pairs of classes, on all axes of all terms, may be listed."""
    pairs = sum(grid.shape[axis] ** 2 for part in grid.parts for axis in part.axes)
    return pairs <= MAX_CLASS_PAIRS


def _best_by_turns(grid: Grid, power: int) -> int:
    """Return the distance of two cells that are farthest from each other.

    It is a lower bound of the largest distance. It goes from a cell to the one farthest from
    it, until that gains nothing. ``power`` is 1 for L1, 2 for squared L2 distances.
    """
    # It begins at the cell with the longest vector.
    sizes = add_up(grid, [np.abs(part.value) ** power for part in grid.parts])
    best = -1
    cell = int(sizes.argmax())
    while True:
        away = distances_from(
            grid, [int(n) for n in np.unravel_index(cell, grid.shape)], power
        )
        cell = int(away.argmax())
        if away.flat[cell] <= best:
            return best
        best = int(away.flat[cell])


def _relax(grid: Grid, power: int, extent: Extent, *, cells: int, work: int) -> Extent:
    """Narrow the bounds of the largest distance by a relaxation over pairs of cells.

    A term says for each class of rows to which number a row adds, and how much.

    Args:
        grid: The terms over the joint classes of their axes.
        power: 1 for the L1 distance, 2 for the squared L2 distance.
        extent: The bounds so far.
        cells: The most cells that are searched one by one.
        work: The most steps of the search among the cells that remain.
    """
    has_few_cells = grid.cells <= cells
    upper_bounds = None
    if _has_pairs(grid):
        relaxation, unpaired = _pairs(grid, power)
        bound, states = relaxation.search(RELAXATION_SWEEPS)
        # `unpaired` bounds the terms that are too large for tables. The two cells that were
        # found give the lower bound. A state of an axis is the pair of the classes of both
        # rows on it.
        pairs = [divmod(state, size) for state, size in zip(states, grid.shape, strict=True)]
        first_cell = [first for first, _ in pairs]
        second_cell = [second for _, second in pairs]
        extent = _tighten_bounds(
            extent,
            Extent(
                bound + unpaired, measure_distance(grid, first_cell, second_cell, power=power)
            ),
        )
        if has_few_cells and extent.bound > extent.least:
            upper_bounds = _ceiling(grid, relaxation) + unpaired
    if not has_few_cells or extent.bound == extent.least:
        return extent
    candidates = (
        np.arange(grid.cells)
        if upper_bounds is None
        else np.flatnonzero(upper_bounds.ravel() > extent.least)
    )
    return farthest_pair(grid, candidates, power, found=extent, work=work)


def _pairs(grid: Grid, power: int) -> tuple[Relaxation, int]:
    """Return the distance of two cells as a sum of functions of their pairs of classes.

    The functions are tables: one for each axis, and factors over several axes, whose states
    are pairs of classes of both rows. Groups of terms that are too large for tables
    contribute their largest distance, whose sum is returned as well. A term says for each
    class of rows to which number a row adds, and how much.

    Args:
        grid: The terms over the joint classes of their axes.
        power: 1 for L1 distances, 2 for squared L2 distances.
    """
    # A table for each axis, over the pairs of classes of both rows.
    variables = [np.zeros(size**2, dtype=np.int64) for size in grid.shape]
    factors = []
    unpaired = 0
    for group in group_parts(grid.parts, PAIRED_CELLS):
        if group.cells > MOST_PAIRED and len(group.axes) > 1:
            unpaired += sum(widest(term, power) for term in group.parts)
            continue
        table = _pair_table(group, power)
        # By axis, the number of the pair of classes of every pair of states.
        classes = [
            (labels[:, None] * size + labels[None]).ravel()
            for labels, size in zip(group.labels, group.shape, strict=True)
        ]
        if len(group.axes) == 1:
            variables[group.axes[0]] += table[classes[0]]
        else:
            factors.append(Potential(group.axes, tuple(classes), table))
    return Relaxation(variables, factors), unpaired


def _pair_table(group: Grid, power: int) -> Ints:
    """Return the distances of all pairs of a group's cells, by pairs of classes.

    The shape is (m^2, ...) for axes of m classes: along each axis, the first row's class
    times m plus the second row's. A term says for each class of rows to which number a row
    adds, and how much.

    Args:
        group: A few terms over the joint classes of their axes.
        power: 1 for L1 distances, 2 for squared L2 distances.
    """
    distances = np.zeros((group.cells, group.cells), dtype=np.int64)
    for term in group.parts:
        # The number to which a row of each cell adds, and how much.
        place = spread(group, term, term.place)
        value = spread(group, term, term.value)
        distances += differences(
            (place[:, None], value[:, None]), (place[None], value[None]), power
        )
    dimensions = len(group.shape)
    order = [axis for number in range(dimensions) for axis in (number, dimensions + number)]
    # From all axes of the first cell and then of the second to both cells axis by axis.
    by_axis: Ints = distances.reshape(2 * group.shape).transpose(order)
    table: Ints = by_axis.reshape([size**2 for size in group.shape])
    return table


def _ceiling(grid: Grid, relaxation: Relaxation) -> Ints:
    """Return, for each cell, an upper bound of its distance from any other cell.

    The distance of two rows is a sum of tables, each over the classes of both rows on some
    axes. Each table is maximised over the second row, and the maxima are added up. The shape
    is that of the grid.

    Args:
        grid: The terms over the joint classes of their axes.
        relaxation: The distance as a sum of tables over pairs of classes.
    """
    # For each table its axes, its class for every class of the grid, and the maxima by class.
    tables: list[tuple[tuple[int, ...], list[Ints], Ints]] = []
    # The tables of single axes, after amounts have moved between tables.
    for axis, (amounts, size) in enumerate(zip(relaxation.held, grid.shape, strict=True)):
        largest = amounts.reshape(size, size).max(axis=1)
        tables.append(((axis,), [np.arange(size)], largest))
    # The tables of several axes (factors), of which what they owe to others is left out.
    for factor in relaxation.factors:
        # A factor has m^2 pairs of m classes along each axis.
        sizes = [math.isqrt(count) for count in factor.table.shape]
        shape_of_pairs = [n for size in sizes for n in (size, size)]
        amounts = factor.rest(relaxation.scale).reshape(shape_of_pairs)
        # A class k paired with itself has the number k * size + k.
        classes = [
            classes_of_pairs.reshape(2 * (grid.shape[axis],)).diagonal() // (size + 1)
            for axis, classes_of_pairs, size in zip(
                factor.variables, factor.classes, sizes, strict=True
            )
        ]
        second_row_axes = tuple(range(1, 2 * len(sizes), 2))
        tables.append((factor.variables, classes, amounts.max(axis=second_row_axes)))
    bounds: Ints = sum_tables(grid.shape, tables) // relaxation.scale
    return bounds
