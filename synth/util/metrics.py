"""Distances between tables and their summaries: the public arithmetic of comparisons. PUBLIC.

A distance is total variation: half the L1 distance, the share of rows that you would have to
change.

>>> errors = Errors({("age",): 0.1, ("sex",): 0.3})
>>> errors.mean, errors.worst_first[0]
(0.2, (('sex',), 0.3))
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np

from synth import limits
from synth.util.check import Document

Names = tuple[str, ...]


@dataclass(frozen=True)
class Errors:
    """Total variation of every table of some order, by the names of its columns: 0 (same) to
    1 (disjoint)."""

    by_table: dict[Names, float]

    @property
    def mean(self) -> float:
        """Mean distance; 0 if there is no table of this order."""
        return float(np.mean(list(self.by_table.values()))) if self.by_table else 0.0

    @property
    def max(self) -> float:
        return max(self.by_table.values(), default=0.0)

    @property
    def worst_first(self) -> list[tuple[Names, float]]:
        return sorted(self.by_table.items(), key=lambda item: -item[1])


class Ends(Protocol):
    @property
    def mean(self) -> float: ...

    @property
    def max(self) -> float: ...


class Scored(Protocol):
    @property
    def one_way(self) -> Ends: ...

    @property
    def two_way(self) -> Ends: ...

    @property
    def three_way(self) -> Ends: ...

    @property
    def floor(self) -> Sequence[Ends]: ...

    @property
    def subsample_percent(self) -> float: ...


def k_marginal(two_way: Ends) -> float:
    """Return 1000 (1 - mean two-way distance), NIST's k-marginal score; 1000 is perfect."""
    return 1000 * (1 - two_way.mean)


def summarize(scored: Scored) -> Document:
    ends = _ends((scored.one_way, scored.two_way, scored.three_way))
    return {
        **ends,
        "floor": _ends(scored.floor),
        "subsample_percent": scored.subsample_percent,
    }


def _ends(orders: Sequence[Ends]) -> Document:
    names = ("one_way", "two_way", "three_way")
    ends = {n: {"mean": e.mean, "max": e.max} for n, e in zip(names, orders, strict=True)}
    return {**ends, "k_marginal": k_marginal(orders[1])}


def tables(columns: int, order: int) -> list[tuple[int, ...]]:
    """Return the tables of an order to compare: all, or evenly spaced ones up to the limit.

    >>> tables(3, 2)
    [(0, 1), (0, 2), (1, 2)]
    """
    every = -(-comb(columns, order) // limits.COMPARED_TABLES) or 1
    return list(combinations(range(columns), order))[::every]
