"""Forecast: what a release will be worth, from public numbers only.

Nothing is known of the table but its declared domain and a typed number of rows, so the
forecast assumes what tables of people are like: a column's shares fall off like a power of
their rank, and shares of cells are about lognormal, as products of many shares are. Under
that assumption the law of the repaired counts is worked out in closed form and averaged on a
fixed grid; nothing is simulated.

>>> from synth.domain import Categorical, Domain
>>> from synth.privacy import Neighbors
>>> domain = Domain(tuple(Categorical(name=n, categories=("x", "y", "z")) for n in "abc"))
>>> result = forecast(domain, epsilon=Fraction(1), rows=10_000, neighbors=Neighbors.REPLACE_ONE)
>>> result.cells, result.noise_scale, 0 < result.two_way.mean < 0.01
(27, 2.0, True)
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from synth.check import whole
from synth.domain import Domain
from synth.privacy import Neighbors
from synth.utility import tables

Floats = npt.NDArray[np.float64]

SKEW = 1.0
"""Assumed exponent of the power law of a column's shares."""

DEPENDENCE = 1.0
"""Assumed variance of a cell's log share, as a multiple of what independent columns have."""

GRID = 48
"""Points of the grid over the shares of cells."""


@dataclass(frozen=True)
class Expected:
    """Expected total variation over the tables of one order: their mean and the worst."""

    mean: float
    max: float

    def summary(self) -> dict[str, float]:
        """Mean and worst, for JSON."""
        return {"mean": self.mean, "max": self.max}


@dataclass(frozen=True)
class Forecast:
    """What to expect of a release. PUBLIC.

    Attributes:
        cells: Cells of the universe.
        noise_scale: Scale of the noise of one cell, in rows.
        one_way, two_way, three_way: Expected distances of real and synthetic tables.
        floor: What chance alone would do to a fresh sample of the same size, by order.
        subsample_percent: A random sample of this share of the rows would be as far off.
    """

    cells: int
    noise_scale: float
    one_way: Expected
    two_way: Expected
    three_way: Expected
    floor: tuple[Expected, Expected, Expected]
    subsample_percent: float

    @property
    def k_marginal(self) -> float:
        """1000 (1 - mean two-way distance)."""
        return 1000 * (1 - self.two_way.mean)

    def summary(self) -> dict[str, Any]:
        """The numbers of the command line's ``--json``."""
        floors = dict(zip(("one_way", "two_way", "three_way"), self.floor, strict=True))
        return {
            "cells": self.cells,
            "noise_scale": self.noise_scale,
            "one_way": self.one_way.summary(),
            "two_way": self.two_way.summary(),
            "three_way": self.three_way.summary(),
            "k_marginal": self.k_marginal,
            "floor": {
                **{order: expected.summary() for order, expected in floors.items()},
                "k_marginal": 1000 * (1 - self.floor[1].mean),
            },
            "subsample_percent": self.subsample_percent,
        }


def forecast(domain: Domain, *, epsilon: Fraction, rows: int, neighbors: Neighbors) -> Forecast:
    """Expected utility of the histogram with simplex repair.

    Args:
        domain: The declared columns.
        epsilon: The budget.
        rows: About how many rows the table has, as typed by the steward.
        neighbors: The relation, which sets the noise scale.

    Raises:
        ArgumentError: ``rows`` is no whole number from 1 up.
    """
    whole(1, rows=rows)
    scale = float(neighbors.sensitivity / epsilon)
    shape = [size for size in domain.shape if size > 1] or [1]
    model = _Repaired(math.fsum(map(math.log, shape)), _spread(shape), rows, scale)
    orders = [_order(model, shape, order) for order in (1, 2, 3)]
    (one, floor_one), (two, floor_two), (three, floor_three) = orders
    share = floor_two.mean**2 / (floor_two.mean**2 + two.mean**2)
    floor = (floor_one, floor_two, floor_three)
    return Forecast(domain.size, scale, one, two, three, floor, 100 * share)


class _Repaired:
    """The law of the repaired counts of cells whose log shares are normal."""

    def __init__(self, log_cells: float, spread: float, rows: float, scale: float) -> None:
        self.log_cells, self.spread, self.rows, self.scale = log_cells, spread, rows, scale
        counts, log_weights = self._cells(np.zeros(1), log_cells, spread)
        self.threshold = self._solve(counts[0], log_weights)

    def _cells(self, log_shares: Floats, log_cells: float, spread: float) -> tuple[Floats, Floats]:
        """Counts on a grid of cells within tables' cells, and logs of how many there are."""
        nodes, weights = _grid()
        log_share = log_shares[:, None] - log_cells - spread / 2 + math.sqrt(spread) * nodes
        return self.rows * np.exp(log_share), np.log(weights) + log_cells

    def _solve(self, counts: Floats, log_weights: Floats) -> float:
        low, high = -self.rows, 60.0 * self.scale + float(counts.max())
        for _ in range(60):
            middle = (low + high) / 2
            mass = (np.exp(log_weights) * _mean_positive(counts - middle, self.scale)).sum()
            low, high = (middle, high) if mass > self.rows else (low, middle)
        return (low + high) / 2

    def error(self, shares: Floats, log_cells: float, spread: float) -> Floats:
        """Expected absolute error of a table's cells, in rows, each a sum of many cells."""
        counts, log_weights = self._cells(np.log(shares), log_cells, spread)
        excess = counts - self.threshold
        mean = _mean_positive(excess, self.scale)
        variance = _square_positive(excess, self.scale) - mean**2
        variance += np.where(mean < 1, mean * (1 - np.minimum(mean, 1)), 1 / 6)
        many = np.exp(log_weights)
        return _folded(((mean - counts) * many).sum(1), (variance * many).sum(1))


def _order(model: _Repaired, shape: Sequence[int], order: int) -> tuple[Expected, Expected]:
    """Expected error and sampling floor over all tables of an order."""
    order = min(order, len(shape))
    kinds = Counter(tuple(sorted(shape[i] for i in t)) for t in tables(len(shape), order))
    errors, floors = [], []
    for sizes in kinds:
        shares = _shares(sizes)
        rest_cells = max(0.0, model.log_cells - math.fsum(map(math.log, sizes)))
        rest_spread = max(1e-9, model.spread - _spread(sizes))
        errors.append(float(model.error(shares, rest_cells, rest_spread).sum()) / 2 / model.rows)
        deviation = np.minimum(
            np.sqrt(2 * shares / math.pi / model.rows),
            2 * shares * np.exp(-model.rows * shares)
            + np.sqrt(2 * shares / math.pi / model.rows) * (model.rows * shares > 1),
        )
        floors.append(float(deviation.sum()) / 2)
    times = list(kinds.values())
    return (
        Expected(float(np.average(errors, weights=times)), min(1.0, max(errors))),
        Expected(float(np.average(floors, weights=times)), max(floors)),
    )


@cache
def _shares(sizes: tuple[int, ...]) -> Floats:
    """Assumed shares of a table's cells: products of power laws, thinned to a few hundred."""
    shares = np.ones(1)
    for size in sizes:
        shares = np.outer(shares, _column(size)).ravel()
    return shares


@cache
def _column(size: int) -> Floats:
    shares = np.arange(1, size + 1, dtype=np.float64) ** -SKEW
    return np.asarray(shares / shares.sum())


def _spread(shape: Sequence[int]) -> float:
    """Variance of the log share of a cell."""
    return DEPENDENCE * math.fsum(float(np.log(_column(size)).var()) for size in shape)


@cache
def _grid() -> tuple[Floats, Floats]:
    """Nodes and weights for the standard normal law."""
    nodes = np.linspace(-6, 6, GRID)
    weights = np.exp(-(nodes**2) / 2)
    return nodes, weights / weights.sum()


def _mean_positive(excess: Floats, scale: float) -> Floats:
    """E max(0, excess + Z) for Z Laplace of the scale."""
    tail: Floats = scale / 2 * np.exp(-np.abs(excess) / scale)
    return np.maximum(excess, 0) + tail


def _square_positive(excess: Floats, scale: float) -> Floats:
    """E max(0, excess + Z)^2 for Z Laplace of the scale."""
    tail = scale**2 * np.exp(-np.abs(excess) / scale)
    return np.where(excess > 0, excess**2 + 2 * scale**2 - tail, tail)


def _folded(mean: Floats, variance: Floats) -> Floats:
    """E |X| for X normal."""
    deviation = np.sqrt(np.maximum(variance, 1e-300))
    ratio = np.abs(mean) / deviation
    erf = np.array([math.erf(r / math.sqrt(2)) for r in ratio])
    near = deviation * math.sqrt(2 / math.pi) * np.exp(-(ratio**2) / 2)
    return np.asarray(near + np.abs(mean) * erf)
