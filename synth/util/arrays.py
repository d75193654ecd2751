"""Types of arrays, numbers of cells, and sums by cell. PUBLIC.

A cell is the mixed-radix number of its columns' codes; the first column is the slowest.

>>> shape = (2, 3)
>>> number_cells([np.array([1, 0]), np.array([2, 1])], shape)
array([5, 1])
>>> [codes.tolist() for codes in split_cells(np.array([5, 1]), shape)]
[[1, 0], [2, 1]]
>>> runs((10**12, 10**12, 10**5))
((1000000000000,), (1000000000000, 100000))
>>> sum_by_cell([np.array([0, 1, 1]), np.array([2, 0, 0])], shape).tolist()
[[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
"""
# A universe may exceed 64-bit integers: then its columns are cut into runs, and a cell is a
# record of several numbers. Both kinds compare, sort and index in the same way, so no other
# code needs to distinguish them.

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
# Codes of rows: of one column, shape (rows,), or of all, shape (rows, columns).
Codes = NDArray[np.int32]
# Codes of many rows in the smallest type that holds them: see `small_type`.
SmallCodes = NDArray[np.integer[Any]]
Mask = NDArray[np.bool_]
# Numbers of cells, shape (cells,): 64-bit integers, or records of them in larger universes.
Cells = NDArray[Any]
Shape = Sequence[int]

# Largest table that is quick to count: two bytes number its cells, and it fits the cache.
COUNTED_CELLS = 2**16
# Universes with fewer cells are numbered by one integer.
MAX_NUMBERED_CELLS = 2**63


def small_type(shape: Shape) -> np.dtype[Any]:
    """Return the smallest unsigned type that holds the codes of these columns.

    ``shape`` is the number of codes of each column; they are 0, 1, ...

    >>> small_type((2, 256)).name, small_type((257,)).name
    ('uint8', 'uint16')
    """
    return np.min_scalar_type(max(shape, default=1) - 1)


def runs(shape: Shape) -> tuple[tuple[int, ...], ...]:
    """Cut the columns into runs of successive columns with fewer than 2^63 cells each.

    ``shape`` holds the number of codes of each column. The result holds the same numbers,
    one tuple a run. The cells of a run can then be numbered by 64-bit integers.
    """
    column_runs: list[list[int]] = [[]]
    for size in shape:
        if math.prod(column_runs[-1]) * size >= MAX_NUMBERED_CELLS:
            column_runs.append([])
        column_runs[-1].append(size)
    return tuple(tuple(run) for run in column_runs)


def pack(words: Sequence[Ints]) -> Cells:
    """Combine the numbers of cells within each run into numbers of cells of all columns.

    A run is a group of successive columns with fewer than 2^63 cells: see `runs`. ``words``
    holds one array of shape (cells,) for each run. Of one run, the array itself is returned;
    of several, an array of records with one field for each run.
    """
    if len(words) == 1:
        return words[0]
    cells = np.empty(len(words[0]), dtype=[(f"w{i}", np.int64) for i in range(len(words))])
    for i, word in enumerate(words):
        cells[f"w{i}"] = word
    return cells


def unpack(cells: Cells) -> list[Ints]:
    """Return the arrays that `pack` combined: one of shape (cells,) for each run."""
    names = cells.dtype.names
    return [cells] if names is None else [cells[name] for name in names]


def number_cells(codes: Sequence[NDArray[Any]], shape: Shape) -> Cells:
    """Return the number of each row's cell, shape (rows,).

    Args:
        codes: The rows' codes, one array of shape (rows,) for each column.
        shape: The number of codes of each column.

    The number is mixed-radix, and the first column is the slowest. Universes of 2^63 cells
    or more give records of several integers, one for each run of columns: see `runs`.
    """
    words = []
    remaining_codes = iter(codes)
    for run in runs(shape):
        word = np.zeros(len(codes[0]), dtype=np.int64)
        for size in run:
            word *= size
            word += next(remaining_codes)
        words.append(word)
    return pack(words)


def split_cells(cells: Cells, shape: Shape) -> list[Codes]:
    """Return the codes of cells by their numbers: the inverse of `number_cells`.

    ``cells`` has the shape (cells,), ``shape`` is the number of codes of each column. The
    result is one array of shape (cells,) for each column.
    """
    codes: list[Codes] = []
    # The last column is the fastest, so it is the remainder of the first division.
    for run, word in zip(reversed(runs(shape)), reversed(unpack(cells)), strict=True):
        for size in reversed(run):
            quotient = word // size
            codes.append((word - quotient * size).astype(np.int32))
            word = quotient
    return codes[::-1]


def ascending(cells: Cells) -> NDArray[np.intp]:
    """Return the indices that sort cell numbers in ascending order, shape (cells,).

    Cell numbers may be records of several integers, which NumPy itself sorts slowly.

    >>> ascending(pack([np.array([1, 0, 1]), np.array([0, 9, -1])])).tolist()
    [1, 2, 0]
    """
    words = unpack(cells)
    # `lexsort` sorts by its last key first, and the first word is the most significant.
    return np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])


def is_in(cells: Cells, ordered: Cells) -> Mask:
    """Return which cells are in an ascending array of cells, as a mask of shape (cells,)."""
    if not len(ordered):
        return np.zeros(len(cells), dtype=np.bool_)
    place = np.minimum(np.searchsorted(ordered, cells), len(ordered) - 1)
    mask: Mask = ordered[place] == cells
    return mask


def distinct(cells: Cells) -> Cells:
    """Return the distinct cell numbers in ascending order; ``cells`` may be in any order."""
    # Only numbers that are records of several integers have names of fields.
    cells = np.sort(cells) if cells.dtype.names is None else cells[ascending(cells)]
    if not len(cells):
        return cells
    return cells[np.concatenate(([True], cells[1:] != cells[:-1]))]


def _small_numbers(codes: Sequence[NDArray[Any]], shape: Shape) -> NDArray[Any]:
    """Return the number of each row's cell in two bytes, shape (rows,): faster to count.

    ``codes`` holds one array of shape (rows,) for each column, ``shape`` the number of codes
    of each column. All columns together have at most 2^16 cells.
    """
    number = np.zeros(len(codes[0]), dtype=np.uint16)
    for column, size in zip(codes, shape, strict=True):
        # A size of 2^16 does not fit two bytes. It may be taken as 0, because all other
        # columns then have one code, so that the number is 0 before this column.
        number *= np.uint16(size % COUNTED_CELLS)
        # The codes may be of a wider type; their values fit.
        np.add(number, column, out=number, casting="unsafe")
    return number


def sum_by_cell(
    codes: Sequence[NDArray[Any]], shape: Sequence[int], weights: NDArray[Any] | None = None
) -> Floats:
    """Count the rows in each cell of some columns, or sum the rows' weights by cell.

    Args:
        codes: The rows' codes, one array of shape (rows,) for each column.
        shape: The number of codes of each column. The result has this shape.
        weights: A weight for each row, shape (rows,); None to count rows.
    """
    cells = math.prod(shape)
    is_small = cells <= COUNTED_CELLS and all(column.dtype.kind == "u" for column in codes)
    numbers = _small_numbers(codes, shape) if is_small else number_cells(codes, shape)
    counts = np.bincount(numbers, weights, minlength=cells)
    return np.asarray(counts.reshape(tuple(shape)), dtype=np.float64)


class Blocks:
    """Columns in disjoint groups (blocks), so that few tables cover all pairs of columns.

    The table of all columns of two blocks contains each pair of these columns. A block has
    at most sqrt(`max_cells`) cells, unless it is a single column with more. So a table of two
    blocks usually has at most `max_cells` cells.

    >>> blocks = Blocks((2, 3, 4, 5), 40)
    >>> blocks.number, blocks.columns_with((0, 3)), blocks.columns_with((1, 2))
    (3, (0, 1, 3), (0, 1, 2))
    """

    def __init__(self, shape: Shape, max_cells: int) -> None:
        """Cut columns into blocks.

        ``shape`` is the number of codes of each column, ``max_cells`` the most cells that the
        table of two blocks may have.
        """
        self.shape = shape
        self._max_cells = max_cells
        # With at most the root of them in each block, two blocks have no more than that.
        self._blocks = _blocks(shape, math.isqrt(max(1, max_cells)))
        self.number = len(self._blocks)
        self._place: dict[int, int] = {}  # the block of each column
        for place, block in enumerate(self._blocks):
            self._place |= dict.fromkeys(block, place)

    def columns_with(self, group: Sequence[int]) -> tuple[int, ...]:
        """Return the columns, ascending, of all blocks that hold a column of the group.

        A group inside one block gets the next block too, so that it shares the table of a
        pair of blocks. If the table of these columns has more than the most cells allowed,
        the group alone is returned.
        """
        places = {self._place[column] for column in group}
        if len(places) == 1:
            places |= {(place + 1) % self.number for place in places}
        columns: list[int] = []
        for place in places:
            columns += self._blocks[place]
        cells = math.prod(self.shape[column] for column in columns)
        return tuple(sorted(columns)) if cells <= self._max_cells else tuple(group)


def _blocks(shape: Shape, max_cells: int) -> list[list[int]]:
    """Group columns into blocks whose tables have at most ``max_cells`` cells.

    ``shape`` holds the number of codes of each column. The largest columns come first, and
    each goes into the first block that has room (first-fit decreasing). A column with more
    cells than that is a block of its own. The result lists the columns of each block.
    """
    blocks: list[list[int]] = []
    sizes: list[int] = []  # the cells of each block
    for column in sorted(range(len(shape)), key=lambda column: -shape[column]):
        for number, size in enumerate(sizes):
            if size * shape[column] <= max_cells:
                blocks[number].append(column)
                sizes[number] *= shape[column]
                break
        else:
            blocks.append([column])
            sizes.append(shape[column])
    return blocks


def sums_by_cell(
    codes: Sequence[NDArray[Any]], shape: Shape, groups: Iterable[tuple[int, ...]]
) -> dict[tuple[int, ...], Floats]:
    """Count the rows by cell for many groups of columns, with few passes over the rows.

    Args:
        codes: The rows' codes, one array of shape (rows,) for each column.
        shape: The number of codes of each column.
        groups: Groups of column indices; the indices of a group ascend.

    Returns:
        The counts of each group, in the shape of its columns, in the order of the groups.

    >>> codes = [np.array([1, 0]), np.array([2, 1])]
    >>> sums = sums_by_cell(codes, (2, 3), [(0,), (0, 1)])
    >>> {group: group_sums.tolist() for group, group_sums in sums.items()}
    {(0,): [1.0, 1.0], (0, 1): [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]}
    """
    group_list = list(groups)
    sums: dict[tuple[int, ...], Floats] = {}
    # Rows are counted into few larger tables, from which the groups' tables are summed. A
    # table with more cells than rows would take longer to sum than to count.
    blocks = Blocks(shape, min(COUNTED_CELLS, len(codes[0])))
    for table, inner_groups in _by_common_table(group_list, blocks).items():
        counts = sum_by_cell(
            [codes[column] for column in table], [shape[column] for column in table]
        )
        for group in inner_groups:
            sums[group] = sums_inside(counts, table, group)
    return {group: sums[group] for group in group_list}


def _by_common_table(
    groups: Iterable[tuple[int, ...]], blocks: Blocks
) -> dict[tuple[int, ...], list[tuple[int, ...]]]:
    """Return which tables to count, and which groups of columns each one contains.

    The result maps the columns of a table to the groups whose counts are summed from it. Each
    group is in exactly one of these lists. ``blocks`` says which columns to count together
    with a group, so that few tables serve many groups.
    """
    groups_by_table: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    table_with_column: dict[int, tuple[int, ...]] = {}
    for group in sorted(groups, key=len, reverse=True):  # so that single columns come last
        # A column alone is summed from any table that is counted anyway.
        table = table_with_column.get(group[0]) if len(group) == 1 else None
        table = table or blocks.columns_with(group)
        groups_by_table.setdefault(table, []).append(group)
        table_with_column |= dict.fromkeys(table, table)
    return groups_by_table


def sums_inside(
    counts: NDArray[Any], columns: Sequence[int], group: Sequence[int]
) -> NDArray[Any]:
    """Sum a table of counts over the columns outside a group, in the group's shape.

    ``columns`` are the columns of the table's axes, in that order. The group's columns are
    among them, in the same order.
    """
    outside = tuple(place for place, column in enumerate(columns) if column not in group)
    return counts.sum(axis=outside) if outside else counts


def sum_other_axes(cells: NDArray[Any], a: int, b: int | None = None) -> Floats:
    """Return sums by the cells of one column, shape (cells,), or of a pair, shape (a, b).

    Args:
        cells: What is summed, with an axis for each column.
        a: Axis of the column.
        b: Axis of the second column, after ``a``; None for a single column.
    """
    if b is None:
        shape = (math.prod(cells.shape[:a]), cells.shape[a], -1)
        return np.asarray(cells.reshape(shape).sum(axis=(0, 2)), dtype=np.float64)
    return np.asarray(split_axes(cells, a, b).sum(axis=(0, 2, 4)), dtype=np.float64)


def split_axes(cells: NDArray[Any], a: int, b: int) -> NDArray[Any]:
    """Return a view of an array with five axes: before a, a, between, b, after b.

    All axes before, between and after are merged into one each.

    Args:
        cells: An array that is contiguous, so that a view is possible.
        a: An axis.
        b: A later axis.
    """
    before = math.prod(cells.shape[:a])
    between = math.prod(cells.shape[a + 1 : b])
    after = math.prod(cells.shape[b + 1 :])
    return cells.reshape(before, cells.shape[a], between, cells.shape[b], after)


def softmax(logs: Floats) -> Floats:
    """Return shares that sum to 1 in each row of a matrix, from their logarithms.

    A constant added to all logarithms of a row changes nothing. The result has the same
    shape (rows, columns).

    >>> softmax(np.log([[1.0, 3.0], [2.0, 2.0]])).round(2).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    # Less the largest logarithm of the row, so that no power overflows.
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def normal(table: Floats) -> Floats:
    """Return the shares of a table of rows, same shape; equal shares if it has no rows."""
    total = float(table.sum())
    return np.asarray(table / total) if total > 0 else np.full(table.shape, 1 / table.size)


def bisect(
    too_low: Callable[[float], bool],
    low: float,
    high: float,
    *,
    steps: int,
    middle: Callable[[float, float], float] | None = None,
) -> tuple[float, float]:
    """Enclose the point below which numbers are too low, by bisection.

    Args:
        too_low: Says whether a number is below the point.
        low: A number below the point.
        high: A number above the point.
        steps: Number of halvings.
        middle: Returns where to cut an interval from its two ends; by default their
            arithmetic mean.

    Returns:
        The lower and the upper end of the last interval.

    >>> bisect(lambda x: x * x < 2, 0.0, 2.0, steps=3)
    (1.25, 1.5)
    """
    for _ in range(steps):
        cut = middle(low, high) if middle else (low + high) / 2
        if too_low(cut):
            low = cut
        else:
            high = cut
    return low, high


def geometric_mean(low: float, high: float) -> float:
    """Return the geometric mean of two numbers."""
    return math.sqrt(low * high)


def maximize_mixture(
    likelihood: Floats,
    weights: Floats,
    shares: Floats,
    *,
    rounds: int,
    adjust: Callable[[int, Floats], Floats] | None = None,
) -> Floats:
    """Fit the shares of a mixture's components by expectation-maximisation.

    Source: Dempster, Laird, Rubin 1977.

    Args:
        likelihood: The likelihood of each observation under each component, shape
            (observations, components).
        weights: The weights of the observations, shape (observations,), of sum 1.
        shares: The start, shape (components,), of sum 1. It is overwritten.
        rounds: Number of rounds.
        adjust: Returns changed shares after a round. Its arguments are the round's number,
            from 1 up, and the shares.

    Returns:
        The shares after the last round, shape (components,).
    """
    for step in range(1, rounds + 1):
        # Each observation's weight is divided among the components by their posterior
        # probabilities, and a component's new share is the sum of what it gets.
        shares *= (weights / (likelihood @ shares)) @ likelihood
        if adjust is not None:
            shares = adjust(step, shares)
    return shares


def log_factorials(counts: Floats) -> Floats:
    """Return ln c! of each count, shape of the counts."""
    return np.array([math.lgamma(count + 1) for count in counts])
