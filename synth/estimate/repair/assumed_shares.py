"""Shares of the cells of a usual table, whose columns have power-law shares. PUBLIC."""

import math
from functools import lru_cache

import numpy as np

from synth.estimate.assumptions import CONCENTRATED, usual_shares
from synth.util import Floats, Ints

# Width, in logs, of bins of equal shares.
ALIKE = 0.08
# With more cells than this, shares within a bin count as equal.
ALIKE_FROM = 64

# Width of bins for convolutions.
NARROW = ALIKE / 4
# With more cells than this, shares are convolved.
MULTIPLIED = 2**14


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
    if cells > MULTIPLIED and len(sizes) > 1:
        return _convolve_shares(sizes, evenness)
    shares = np.ones(1)
    for size in sizes:
        shares = np.outer(shares, usual_shares(size, evenness)).ravel()
    if cells <= ALIKE_FROM:
        return shares, np.ones(len(shares))
    bins = np.rint(np.log(shares) / ALIKE).astype(int)
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
    starts = np.arange(0, len(numbers), round(ALIKE / NARROW))
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
