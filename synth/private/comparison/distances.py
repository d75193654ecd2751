"""Comparison of a real and a synthetic table by total variation. PRIVATE: it reads
confidential rows.

>>> import numpy as np
>>> from synth.domain import Categorical, Domain
>>> domain = Domain(tuple(Categorical(name=n, categories=("x", "y")) for n in "ab"))
>>> real = [np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])]
>>> synthetic = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
>>> result = compare(domain, real, synthetic)
>>> result.one_way.mean, result.two_way.mean, result.k_marginal
(0.0, 0.5, 500.0)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from synth.domain import Domain
from synth.errors import TableError
from synth.util import Errors, Names, bisect, geometric_mean, k_marginal, number_cells, tables

# Codes of rows, one array of shape (rows,) a column.
CodesByColumn = Sequence[npt.NDArray[np.integer[Any]]]

# Rows of a cell from which chance follows the normal law.
_NORMAL_LAW_ROWS = 2000
# A universe is large if it has this many cells more than four times the rows.
_ENUMERATED_CELLS = 1_000_000
# The least share of rows that is tried, and the distance of the largest one from 1.
_LEAST_SHARE = 1e-6


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Distances of a synthetic table from the real one. PRIVATE.

    Attributes:
        one_way, two_way, three_way: Distances over columns, pairs and triples.
        floor: Expected distance of a bootstrap sample of the real table, by order: chance
            alone.
        subsample_percent: A random sample of this share of the real rows has the same mean
            two-way distance.
    """

    one_way: Errors
    two_way: Errors
    three_way: Errors
    floor: tuple[Errors, Errors, Errors]
    subsample_percent: float

    @property
    def k_marginal(self) -> float:
        """The k-marginal score of pairs, from 0 to 1000."""
        return k_marginal(self.two_way)

    @property
    def by_table(self) -> list[tuple[Names, float, float]]:
        """Names, distance and floor of each column, then of each pair, the farthest first.

        The floor is the distance that chance alone is expected to make.
        """
        orders = zip((self.one_way, self.two_way), self.floor, strict=False)
        return [
            (names, error, floor.by_table[names])
            for errors, floor in orders
            for names, error in errors.worst_first
        ]


def compare(domain: Domain, real: CodesByColumn, synthetic: CodesByColumn) -> Comparison:
    """Compare two tables by total variation of columns, pairs and triples. PRIVATE.

    Args:
        domain: The columns.
        real, synthetic: Codes of the rows, one array of shape (rows,) a column.

    Raises:
        TableError: One of the tables has no row inside the domain.
    """
    for codes, which in ((real, "real"), (synthetic, "synthetic")):
        if len(codes[0]) == 0:
            raise TableError(f"The {which} table has no rows inside the declared domain.")
    one_way = _measure_distances(domain, real, synthetic, order=1)
    two_way = _measure_distances(domain, real, synthetic, order=2)
    three_way = _measure_distances(domain, real, synthetic, order=3)
    # Without pairs the mean distance of pairs is 0, as that of a sample of all rows.
    has_pairs = len(domain.columns) > 1
    occurrences = (two_way if has_pairs else one_way).occurrences
    return Comparison(
        one_way=one_way.errors,
        two_way=two_way.errors,
        three_way=three_way.errors,
        floor=(one_way.floor, two_way.floor, three_way.floor),
        subsample_percent=_subsample_percent(occurrences, two_way.errors.mean),
    )


class _Distances(NamedTuple):
    """Distances of all tables of one number of columns.

    Attributes:
        errors: Total variation of real and synthetic shares of each table.
        floor: Expected total variation of a bootstrap sample of each table.
        occurrences: How many cells have how many real rows, shape (rows + 1,).
    """

    errors: Errors
    floor: Errors
    occurrences: npt.NDArray[np.int64]


def _count(
    a: npt.NDArray[np.int64], b: npt.NDArray[np.int64], shape: list[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the rows in each cell of two tables, shape (cells,) each.

    Of a large universe only the cells that some row occupies are there.

    Args:
        a: The cell of each row of the first table.
        b: The cell of each row of the second table.
        shape: The number of cells of each column.
    """
    size = int(np.prod(shape, dtype=object))  # Python's integers do not overflow
    if size > 4 * (len(a) + len(b)) + _ENUMERATED_CELLS:
        occupied, places = np.unique(np.concatenate((a, b)), return_inverse=True)
        a, b = np.split(places, [len(a)])
        size = len(occupied)
    return np.bincount(a, minlength=size), np.bincount(b, minlength=size)


def _measure_distances(
    domain: Domain, real: CodesByColumn, synthetic: CodesByColumn, *, order: int
) -> _Distances:
    """Measure the distances of all columns (order 1), pairs (2) or triples (3).

    Args:
        domain: The columns.
        real, synthetic: Codes of the rows, one array of shape (rows,) a column.
        order: The number of columns of a table.
    """
    rows = len(real[0])
    synthetic_rows = len(synthetic[0])
    chance = chance_by_counts(rows)
    errors = {}
    floor = {}
    occurrences = np.zeros(rows + 1, dtype=np.int64)
    for table in tables(len(domain.columns), order):
        names = tuple(domain.columns[i].name for i in table)
        shape = [domain.shape[i] for i in table]
        real_cells = number_cells([real[i] for i in table], shape)
        synthetic_cells = number_cells([synthetic[i] for i in table], shape)
        counts, synthetic_counts = _count(real_cells, synthetic_cells, shape)
        differences = counts / rows - synthetic_counts / synthetic_rows
        errors[names] = float(np.abs(differences).sum() / 2)
        # A bootstrap sample has no rows in empty cells, so these add nothing to the floor.
        counts = counts[counts > 0]
        floor[names] = chance(counts)
        np.add.at(occurrences, counts, 1)
    return _Distances(Errors(errors), Errors(floor), occurrences)


def chance_by_counts(rows: int) -> Callable[[npt.NDArray[np.int64]], float]:
    """Return a function that says how far a bootstrap sample of a table is expected to be.

    The function takes the counts of the table's occupied cells, and returns the expected
    total variation between the table and such a sample of n = ``rows`` rows.

    A cell of c rows gets a binomial number of n draws at p = c / n, whose mean absolute
    deviation is 2 v C(n, v) p^v (1 - p)^(n - v + 1) with v = c + 1 (De Moivre 1730); for
    large cells the normal one, sqrt(2 c (1 - p) / pi).
    """
    # Half of each mean absolute deviation is kept, as a total variation is half of a sum.
    # So the factors 2 of both formulas are left out.
    small = np.arange(1, min(_NORMAL_LAW_ROWS, rows))
    steps = np.arange(min(_NORMAL_LAW_ROWS, rows))
    logs = np.cumsum(np.log((rows - steps) / (steps + 1)))  # of C(n, 1), C(n, 2), ...
    v = small + 1
    p = small / rows
    terms = v * np.exp(logs[small] + v * np.log(p) + (rows - v + 1) * np.log1p(-p))
    # By the count of a cell: nothing for 0 rows, nor for all rows, which leave no chance.
    exact = np.concatenate(([0.0], terms, [0.0]))

    def chance(counts: npt.NDArray[np.int64]) -> float:
        """Return the expected total variation of a bootstrap sample from these counts."""
        normal = np.sqrt(counts * (1 - counts / rows) / (2 * np.pi))
        binomial = exact[np.minimum(counts, len(exact) - 1)]
        return float(np.where(counts < _NORMAL_LAW_ROWS, binomial, normal).sum() / rows)

    return chance


def _subsample_percent(occurrences: npt.NDArray[np.int64], distance: float) -> float:
    """Return which percentage of the rows, as a random sample, is as far off as a distance.

    Args:
        occurrences: How many cells have how many real rows, shape (rows + 1,).
        distance: A mean total variation of tables.
    """
    values = np.flatnonzero(occurrences[1:]) + 1  # the counts above 0 that occur
    # The sum of counts times occurrences is the number of rows of all tables together.
    weights = occurrences[values] / (occurrences @ np.arange(len(occurrences)))
    return 100 * _bisect(lambda share: expected_distance(values, weights, share), distance)


def expected_distance(
    counts: npt.NDArray[np.int64], weights: npt.NDArray[np.float64], share: float
) -> float:
    """Return the expected total variation between a table and a random share of its rows.

    The mean absolute deviation of a binomial count about its mean is 2 v C(c, v) s^v
    (1-s)^(c-v+1) with v = floor(c s) + 1 (De Moivre 1730).

    Args:
        counts: Different cell counts, shape (k,).
        weights: How often each occurs, divided by the number of rows, shape (k,).
        share: Share of the rows, each drawn independently, above 0 and below 1.
    """
    # A sampled count divided by s estimates the count. A total variation is half of the sum
    # of its deviations, so the factor 2 is left out. Products are added up as logarithms.
    log_factorials = np.concatenate(
        ([0.0], np.cumsum(np.log(np.arange(1, counts.max() + 1))))
    )
    v = np.floor(counts * share).astype(np.int64) + 1
    inside = v <= counts  # otherwise C(c, v) is 0
    c = counts[inside]
    v = v[inside]
    log_choose = log_factorials[c] - log_factorials[v] - log_factorials[c - v]
    log_size = log_choose + v * np.log(share) + (c - v + 1) * np.log1p(-share)
    return float((weights[inside] * v * np.exp(log_size)).sum() / share)


def _bisect(falling: Callable[[float], float], target: float) -> float:
    """Return the share at which a falling function reaches a target, within (0, 1].

    It is the nearest share to that if the function does not reach the target.
    """
    low = _LEAST_SHARE
    high = 1 - _LEAST_SHARE
    if falling(high) >= target:
        return 1.0
    if falling(low) <= target:
        return low

    def middle(low: float, high: float) -> float:
        """Return where to cut: small shares are compared by their ratios."""
        return geometric_mean(low, high) if high < 0.1 else (low + high) / 2

    def is_above(share: float) -> bool:
        return falling(share) > target

    # The middle of the interval that is left after all halvings.
    return sum(bisect(is_above, low, high, steps=40, middle=middle)) / 2
