"""How well rows support a relation that all of them obey. PRIVATE.

A relation is proposed if enough rows could have broken it, and if columns that have nothing
to do with each other would hardly obey it by accident.
"""

import math

import numpy as np

from synth.util import Floats, Ints, log_factorials

# Least number of rows that could have broken a relation.
MIN_TESTED_ROWS = 100
# Largest chance, as a logarithm, that independent columns obey a relation by accident.
MAX_LOG_CHANCE = math.log(1e-12)


def is_supported(tested_rows: int, log_chance: float) -> bool:
    """Return whether a relation that all rows obey says something.

    Args:
        tested_rows: The rows that could have broken it.
        log_chance: The logarithm of the chance that independent columns obey it.

    >>> is_supported(tested_rows=2000, log_chance=-40), is_supported(99, -40)
    (True, False)
    """
    return tested_rows >= MIN_TESTED_ROWS and log_chance <= MAX_LOG_CHANCE


def share_out_of_order(first: Floats, second: Floats) -> float:
    """Return the chance that a value of one column exceeds a random value of another.

    Args:
        first: Values of the column that is at most the other, shape (rows,).
        second: Values of the other, same shape.
    """
    smaller_values = np.searchsorted(np.sort(second), first, "left")
    return float(smaller_values.sum()) / (len(first) * len(second))


def log_chance_decided(counts: Ints) -> float:
    """Return the logarithm of the chance that each value of a column has one of another.

    Args:
        counts: The rows of each pair of values, one of each line's counts is not 0; shape
            (values of the first column, values of the other).
    """
    shares = counts.sum(axis=0) / counts.sum()
    logs = np.log(shares[shares > 0])
    rows = counts.sum(axis=1)
    # Of independent columns, all rows of a value have value b with chance shares[b] ^ rows.
    powers = np.outer(rows[rows > 0], logs)
    return float(np.logaddexp.reduce(powers, axis=1).sum())


def log_chance_contiguous(sizes: Ints) -> float:
    """Return the logarithm of the chance that shuffled values form one run for each label.

    Args:
        sizes: The number of different values with each label, shape (labels,).
    """
    runs = log_factorials(sizes.astype(np.float64)).sum()
    orders = log_factorials(np.array([float(len(sizes)), float(sizes.sum())]))
    return float(orders[0] + runs - orders[1])
