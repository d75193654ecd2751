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
from typing import Any

import numpy as np
import numpy.typing as npt

from synth.domain import Domain
from synth.errors import TableError
from synth.util import Errors, Names, bisect, geometric_mean, k_marginal, number_cells, tables

# Codes of rows, one array of shape (rows,) a column.
CodesByColumn = Sequence[npt.NDArray[np.integer[Any]]]

# Rows of a cell from which chance follows the normal law.
_LARGE = 2000


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Distances of a synthetic table from the real one. PRIVATE.

    Attributes:
        one_way, two_way, three_way: Distances over columns, pairs and triples. floor:
        Expected distance of a bootstrap sample of the real table, by order: chance alone.
        subsample_percent: A random sample of this share of the real rows has the same mean
        two-way
            distance.
    """

    one_way: Errors
    two_way: Errors
    three_way: Errors
    floor: tuple[Errors, Errors, Errors]
    subsample_percent: float

    @property
    def k_marginal(self) -> float:
        return k_marginal(self.two_way)

    @property
    def by_table(self) -> list[tuple[Names, float, float]]:
        """Names, distance and floor of each column, then of each pair, the farthest first."""
        orders = zip((self.one_way, self.two_way), self.floor, strict=False)
        return [
            (names, error, floor.by_table[names])
            for errors, floor in orders
            for names, error in errors.worst_first
        ]


def compare(domain: Domain, real: CodesByColumn, synthetic: CodesByColumn) -> Comparison:
    """Compare two tables by their codes, one array of shape (rows,) a column.

    Raises:
        TableError: One of the tables has no row inside the domain.
    """
    for codes, which in ((real, "real"), (synthetic, "synthetic")):
        if len(codes[0]) == 0:
            raise TableError(f"The {which} table has no rows inside the declared domain.")
    found = [_measure_distances(domain, real, synthetic, order=order) for order in (1, 2, 3)]
    one, two, three = (errors for errors, _, _ in found)
    floor_one, floor_two, floor_three = (floor for _, floor, _ in found)
    pairs = found[min(2, len(domain.columns)) - 1][2]
    share = _subsample(pairs, two.mean)
    return Comparison(
        one_way=one,
        two_way=two,
        three_way=three,
        floor=(floor_one, floor_two, floor_three),
        subsample_percent=share,
    )


def _count(
    a: npt.NDArray[np.int64], b: npt.NDArray[np.int64], shape: list[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    # For a large universe only in occupied cells.
    size = int(np.prod(shape, dtype=object))
    if size > 4 * (len(a) + len(b)) + 1_000_000:
        seen, both = np.unique(np.concatenate((a, b)), return_inverse=True)
        a, b, size = both[: len(a)], both[len(a) :], len(seen)
    return np.bincount(a, minlength=size), np.bincount(b, minlength=size)


def _measure_distances(
    domain: Domain, real: CodesByColumn, synthetic: CodesByColumn, *, order: int
) -> tuple[Errors, Errors, npt.NDArray[np.int64]]:
    rows, rows_drawn = len(real[0]), len(synthetic[0])
    chance = _chance(rows)
    errors, floor = {}, {}
    occurs = np.zeros(rows + 1, dtype=np.int64)
    for table in tables(len(domain.columns), order):
        names = tuple(domain.columns[i].name for i in table)
        shape = [domain.shape[i] for i in table]
        a, b = (number_cells([codes[i] for i in table], shape) for codes in (real, synthetic))
        counts, drawn = _count(a, b, shape)
        errors[names] = float(np.abs(counts / rows - drawn / rows_drawn).sum() / 2)
        counts = counts[counts > 0]
        floor[names] = chance(counts)
        np.add.at(occurs, counts, 1)
    return Errors(errors), Errors(floor), occurs


def _chance(rows: int) -> Callable[[npt.NDArray[np.int64]], float]:
    # A cell of c rows gets a binomial number of n draws at p = c / n, whose mean absolute
    # deviation is 2 v C(n, v) p^v (1 - p)^(n - v + 1) with v = c + 1 (De Moivre 1730); for
    # large cells the normal one, sqrt(2 c (1 - p) / pi).
    small = np.arange(1, min(_LARGE, rows))
    steps = np.arange(min(_LARGE, rows))
    logs = np.cumsum(np.log((rows - steps) / (steps + 1)))  # of C(n, 1), C(n, 2), ...
    v, p = small + 1, small / rows
    terms = v * np.exp(logs[small] + v * np.log(p) + (rows - v + 1) * np.log1p(-p))
    exact = np.concatenate(([0.0], terms, [0.0]))

    def chance(counts: npt.NDArray[np.int64]) -> float:
        normal = np.sqrt(counts * (1 - counts / rows) / (2 * np.pi))
        known = exact[np.minimum(counts, len(exact) - 1)]
        return float(np.where(counts < _LARGE, known, normal).sum() / rows)

    return chance


def _subsample(occurs: npt.NDArray[np.int64], distance: float) -> float:
    # In percent.
    values = np.flatnonzero(occurs[1:]) + 1
    weights = occurs[values] / (occurs @ np.arange(len(occurs)))
    return 100 * _bisect(lambda share: expected_distance(values, weights, share), distance)


def expected_distance(
    counts: npt.NDArray[np.int64], weights: npt.NDArray[np.float64], share: float
) -> float:
    """Return the expected total variation between a table and a random share of its rows.

    Args:
        counts: Different cell counts, shape (k,).
        weights: How often each occurs, divided by the number of rows, shape (k,).
        share: Share of the rows, each drawn independently, above 0 and below 1.
    """
    # The mean absolute deviation of a binomial count about its mean is 2 v C(c, v) s^v
    # (1-s)^(c-v+1) with v = floor(c s) + 1 (De Moivre 1730).
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, counts.max() + 1)))))
    v = np.floor(counts * share).astype(np.int64) + 1
    inside = v <= counts
    c, u = counts[inside], v[inside]
    log_size = (
        logs[c] - logs[u] - logs[c - u] + u * np.log(share) + (c - u + 1) * np.log1p(-share)
    )
    return float((weights[inside] * u * np.exp(log_size)).sum() / share)


def _bisect(falling: Callable[[float], float], target: float) -> float:
    low, high = 1e-6, 1 - 1e-6
    if falling(high) >= target:
        return 1.0
    if falling(low) <= target:
        return low

    def middle(low: float, high: float) -> float:
        return geometric_mean(low, high) if high < 0.1 else (low + high) / 2

    return sum(bisect(lambda x: falling(x) > target, low, high, steps=40, middle=middle)) / 2
