"""What is assumed about a usual table, and what counts as nearly all. PUBLIC.

It decides splits, forecasts, and what loud noise leaves of a column. Releases are private,
and their intervals hold, for every table."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from synth.util import Floats, Ints

# Power of its rank by which a cell of a column falls, the largest cell first. Columns of the
# shared tables have about the entropy of this law, whatever their size.
FALL_POWER = 1.65

# Columns of at most so many cells are about as uneven as `FALL_POWER` says. How uneven a list
# of `LONG_CELLS` cells or more is, such as one of diagnoses or of titles, nobody knows.
USUAL_CELLS = 100
LONG_CELLS = 600

# The evenness of a long list: 0 for the fall of usual columns, 1 for equal cells. Noise and
# repair move each cell by at most its rows, so they do most harm to equal cells.
CONCENTRATED = 0.0
EVEN = 1.0
# The evenness at which about half of made lists err more (`tests/bench/fit_lists.py`).
HALF_EVEN = 0.4

# Mean total variation of pairs from independence; .07 to .13 in the shared tables.
ASSOCIATION = 0.08

# Error of an estimated correlation, without noise.
USUAL_CORRELATION_ERROR = 0.05

# Deviation, between neighbouring cells in order, of the log of a class's share over the usual
# one.
NEIGHBOUR_LOG_DEVIATION = 1.0

# Neighbours, such as ages 41 and 42, are often about as frequent; most lists of categories
# have no such neighbours, and their counts hardly move. From so many cells on, the
# neighbouring cells of a single column help to repair it.
MIN_SMOOTHED_CELLS = 8
# The same for a column among others. With fewer cells, strong noise does not show whether
# neighbours are related. Without this bound a table of twenty short columns loses a fifth at
# epsilon .1.
MIN_LONG_CELLS = 64

# Part that counts as nearly all: a column follows from another that explains so much of it,
# and a step that leaves so much of an error is not worth its price.
NEARLY_ALL = 0.95

# Width, in logs, of bins of equal shares.
LOG_BIN_WIDTH = 0.08
# With more cells than this, shares within a bin count as equal.
ALIKE_FROM = 64

# Width of bins for convolutions.
NARROW = LOG_BIN_WIDTH / 4
# With more cells than this, shares are convolved.
MAX_MULTIPLIED_CELLS = 2**14


def neighbours_help(shape: Sequence[int]) -> bool:
    """Return whether repair should use neighbouring cells.

    That helps if some column is long, or if there is but one column and it is not tiny.

    Args:
        shape: Number of cells of each column.

    >>> (
    ...     neighbours_help((5, 8, 9)),
    ...     neighbours_help((5, 100)),
    ...     neighbours_help((1, 20)),
    ...     neighbours_help((3,)),
    ... )
    (False, True, True, False)
    """
    longest = max(shape)
    return longest >= MIN_LONG_CELLS or (longest >= MIN_SMOOTHED_CELLS and is_lone(shape))


def is_lone(shape: Sequence[int]) -> bool:
    """Return whether at most one column has several cells."""
    return sum(size > 1 for size in shape) <= 1


def is_long(size: int) -> bool:
    """Return whether a column of so many cells may be more even than usual columns."""
    return size > USUAL_CELLS


def fall_of(size: int, evenness: float) -> float:
    """Return the power of its rank by which a cell of a column falls.

    From `USUAL_CELLS` to `LONG_CELLS` it moves from the usual power to that of long lists.

    Args:
        size: The number of cells of the column.
        evenness: How even long lists are, from 0 to 1.

    >>> [fall_of(size, EVEN) for size in (100, 600)], fall_of(600, CONCENTRATED)
    ([1.65, 0.0], 1.65)
    """
    if not is_long(size):
        return FALL_POWER
    length = math.log(size / USUAL_CELLS) / math.log(LONG_CELLS / USUAL_CELLS)
    return FALL_POWER * (1 - evenness * min(1.0, length))


@lru_cache(maxsize=1024)
def usual_shares(size: int, evenness: float = CONCENTRATED) -> Floats:
    """Return the shares of rows in the cells of a usual column, shape (size,), largest first.

    They fall with a power of the rank (`fall_of`), and sum to 1.

    Args:
        size: The number of cells of the column.
        evenness: How even long lists are, from 0 to 1.
    """
    shares = np.arange(1.0, size + 1) ** -fall_of(size, evenness)
    return np.asarray(shares / shares.sum())


@lru_cache(maxsize=4096)
def assume_shares(
    sizes: tuple[int, ...], evenness: float = CONCENTRATED
) -> tuple[Floats, Floats]:
    """Return the shares of a usual table's cells, and the number of cells with each.

    Columns count as independent. In tables of more than `ALIKE_FROM` cells, shares within
    8 % of each other count as equal. Both arrays have shape (k,).

    Args:
        sizes: The numbers of cells of the table's columns.
        evenness: How even long lists are, from 0 to 1.
    """
    cells = math.prod(sizes)
    if cells > MAX_MULTIPLIED_CELLS and len(sizes) > 1:
        return _convolve_shares(sizes, evenness)
    shares = np.ones(1)
    for size in sizes:
        shares = np.outer(shares, usual_shares(size, evenness)).ravel()
    if cells <= ALIKE_FROM:
        return shares, np.ones(len(shares))
    bins = np.rint(np.log(shares) / LOG_BIN_WIDTH).astype(int)
    return _means(*_sum_bins(bins - bins.min(), shares))


def _convolve_shares(sizes: tuple[int, ...], evenness: float) -> tuple[Floats, Floats]:
    """Return shares of the cells of several columns, and the number of cells with each.

    Logs of shares of independent columns add up. So their laws are convolved, in narrow bins
    of the log; the result has wider ones. Both arrays have shape (k,).

    Args:
        sizes: The numbers of cells of the table's columns.
        evenness: How even long lists are, from 0 to 1.
    """
    numbers = np.ones(1)  # of cells by bin
    sums = np.ones(1)  # of their shares by bin
    for size in sizes:
        column_numbers, shares = _in_narrow_bins(size, evenness)
        numbers = np.convolve(numbers, column_numbers)
        sums = np.convolve(sums, shares)
    starts = np.arange(0, len(numbers), round(LOG_BIN_WIDTH / NARROW))
    return _means(np.add.reduceat(numbers, starts), np.add.reduceat(sums, starts))


@lru_cache(maxsize=1024)
def _in_narrow_bins(size: int, evenness: float) -> tuple[Floats, Floats]:
    """Return numbers of cells and summed shares of a usual column, by bin of the log share.

    The first bin has the largest shares; each bin is `NARROW` wide. ``evenness`` is that of
    long lists, from 0 to 1.
    """
    column = usual_shares(size, evenness)
    bins = np.rint(np.log(column) / NARROW).astype(int)
    return _sum_bins(bins.max() - bins, column)


def _sum_bins(bins: Ints, shares: Floats) -> tuple[Floats, Floats]:
    """Return the number of cells and their summed shares, by bin.

    Args:
        bins: Bin of each cell, from 0 up, shape (cells,).
        shares: Share of each cell, same shape.
    """
    numbers = np.bincount(bins).astype(np.float64)
    return numbers, np.bincount(bins, weights=shares).astype(np.float64)


def _means(numbers: Floats, sums: Floats) -> tuple[Floats, Floats]:
    """Return mean shares and numbers of cells, of the bins that have cells.

    Args:
        numbers: Number of cells by bin.
        sums: The summed shares of the cells in each bin.
    """
    filled = numbers > 0.5  # they are whole, but for rounding
    return sums[filled] / numbers[filled], numbers[filled]
