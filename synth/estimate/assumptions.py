"""What is assumed about a usual table, and what counts as nearly all. PUBLIC.

It decides splits, forecasts, and what loud noise leaves of a column. Releases are private,
and their intervals hold, for every table."""

from functools import lru_cache

import numpy as np

from synth.util import Floats

# Power of its rank by which a cell of a column falls, the largest cell first. Columns of the
# shared tables have about the entropy of this law, whatever their size.
FALL = 1.65

# Mean total variation of pairs from independence; .07 to .13 in the shared tables.
ASSOCIATION = 0.08

# Error of an estimated correlation, without noise.
USUAL_CORRELATION_ERROR = 0.05

# Deviation, between neighbouring cells in order, of the log of a class's share over the usual
# one.
NEIGHBOUR_LOG_DEVIATION = 1.0

# Part that counts as nearly all: a column follows from another that explains so much of it,
# and a step that leaves so much of an error is not worth its price.
NEARLY_ALL = 0.95


@lru_cache(maxsize=1024)
def usual_shares(size: int) -> Floats:
    """Return the shares of rows in the cells of a usual column, shape (size,), largest first.

    They fall with the power `FALL` of the rank, and sum to 1.
    """
    shares = np.arange(1.0, size + 1) ** -FALL
    return np.asarray(shares / shares.sum())
