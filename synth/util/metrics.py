"""Distances between tables and their summaries: the public arithmetic of comparisons. PUBLIC.

A distance is total variation: half the L1 distance, the share of rows that you would have to
change.

>>> errors = Errors({("age",): 0.1, ("sex",): 0.3})
>>> errors.mean, errors.worst_first[0]
(0.2, (('sex',), 0.3))
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from synth import limits
from synth.util.check import Document

Names = tuple[str, ...]


@dataclass(frozen=True)
class Errors:
    """Total variation of every table of some order: 0 (same) to 1 (disjoint).

    Attributes:
        by_table: The distance by the names of the table's columns.
    """

    by_table: dict[Names, float]

    @property
    def mean(self) -> float:
        """Mean distance; 0 if there is no table of this order."""
        return float(np.mean(list(self.by_table.values()))) if self.by_table else 0.0

    @property
    def max(self) -> float:
        """Largest distance; 0 if there is no table of this order."""
        return max(self.by_table.values(), default=0.0)

    @property
    def worst_first(self) -> list[tuple[Names, float]]:
        """The tables with their distances, the largest first."""
        return sorted(self.by_table.items(), key=lambda item: -item[1])


class Ends(Protocol):
    """Distances of the tables of one order, summarised."""

    @property
    def mean(self) -> float:
        """Mean distance."""

    @property
    def max(self) -> float:
        """Largest distance."""


class Scored(Protocol):
    """A comparison of two tables, summarised."""

    @property
    def one_way(self) -> Ends:
        """Distances of single columns."""

    @property
    def two_way(self) -> Ends:
        """Distances of pairs of columns."""

    @property
    def three_way(self) -> Ends:
        """Distances of triples of columns."""

    @property
    def floor(self) -> Sequence[Ends]:
        """Distances of two samples of the real table, by order."""

    @property
    def subsample_percent(self) -> float:
        """The share of real rows whose sample would be as close."""


def k_marginal(two_way: Ends) -> float:
    """Return 1000 (1 - mean two-way distance), NIST's k-marginal score; 1000 is perfect."""
    return 1000 * (1 - two_way.mean)


def summarize(scored: Scored) -> Document:
    """Return the summary of a comparison of two tables as a JSON object.

    For one, two and three columns it has the mean and the largest total variation of their
    tables. ``floor`` is the same between two samples of the real table. "subsample_percent"
    is the share of real rows whose sample would be as close as the other table.
    """
    return {
        **_summarize_orders(scored.one_way, scored.two_way, scored.three_way),
        "floor": _summarize_orders(*scored.floor),
        "subsample_percent": scored.subsample_percent,
    }


def _summarize_orders(one_way: Ends, two_way: Ends, three_way: Ends) -> Document:
    """Return the mean and largest distances of tables of one, two and three columns.

    "k_marginal" is NIST's score of the pairs: 1000 if they are equal.
    """
    return {
        "one_way": {"mean": one_way.mean, "max": one_way.max},
        "two_way": {"mean": two_way.mean, "max": two_way.max},
        "three_way": {"mean": three_way.mean, "max": three_way.max},
        "k_marginal": k_marginal(two_way),
    }


def tables(columns: int, order: int) -> list[tuple[int, ...]]:
    """Return which tables to compare, each as the ascending indices of its columns.

    Args:
        columns: The number of columns.
        order: The number of columns of each table.

    These are all tables of that order, or evenly spaced ones if there are more than
    `limits.COMPARED_TABLES`.

    >>> tables(3, 2)
    [(0, 1), (0, 2), (1, 2)]
    """
    count = math.comb(columns, order)
    spacing = math.ceil(Fraction(count, limits.COMPARED_TABLES)) or 1
    return [_combination(columns, order, rank) for rank in range(0, count, spacing)]


def _combination(columns: int, order: int, rank: int) -> tuple[int, ...]:
    """Return the combination of columns that has a rank in their lexicographic order.

    It takes the same time for each rank, so that a wide table needs no list of all
    combinations.

    Args:
        columns: The number of columns.
        order: The number of columns of a combination.
        rank: How many combinations are before it.

    >>> [_combination(4, 2, rank) for rank in (0, 2, 3)]
    [(0, 1), (0, 3), (1, 2)]
    """
    chosen: list[int] = []
    # Combinations from here on; those whose next column is c or a later one are comb(columns
    # - c, places), as they choose all their columns from c on.
    remaining = math.comb(columns, order) - rank
    for places in range(order, 0, -1):
        first = chosen[-1] + 1 if chosen else 0
        later_columns = bisect_left(
            range(columns - first), remaining, key=lambda width: math.comb(width, places)
        )
        column = columns - later_columns
        chosen.append(column)
        remaining -= math.comb(later_columns - 1, places)
    return tuple(chosen)
