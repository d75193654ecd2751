"""Forecast: what a release will be worth, from public numbers only.

Nothing is known of the table but its declared domain and a typed number of rows, so the
forecast assumes that it is like most tables of people (`typical`). Under that assumption the law
of the repaired counts is worked out in closed form (`expectation`) and averaged on a fixed grid;
nothing is simulated.

>>> from synth.domain import Categorical, Domain
>>> from synth.privacy.guarantee import Neighbors
>>> domain = Domain(tuple(Categorical(name=n, categories=("x", "y", "z")) for n in "abc"))
>>> result = forecast(domain, epsilon=Fraction(1), rows=10_000, neighbors=Neighbors.REPLACE_ONE)
>>> result.cells, result.noise_scale, 0 < result.two_way.mean < 0.01
(27, 2.0, True)
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from synth.domain import Domain
from synth.estimate import REPAIRS, RepairedUniverse, typical
from synth.noise import LaplaceLaw
from synth.privacy import ROW, Neighbors, Unit
from synth.util import Document, check_whole, in_range, k_marginal, summarize, tables

SMALL_GROUP = 5
"""Rows of a small group, the kind that privacy is there to blur."""

EPSILONS = tuple(
    Fraction(digit) * Fraction(10) ** power for power in range(-2, 3) for digit in (1, 2, 5)
)[:-2]
"""The steps of the slider, .01 to 100, which the backward search tries."""


@dataclass(frozen=True)
class Expected:
    """Expected total variation over the tables of one order: their mean and the worst."""

    mean: float
    max: float


@dataclass(frozen=True)
class Forecast:
    """What to expect of a release. PUBLIC.

    Attributes:
        cells: Cells of the universe.
        noise_scale: Scale of the noise of one cell, in rows.
        one_way, two_way, three_way: Expected distances of real and synthetic tables.
        floor: What chance alone would do to a fresh sample of the same size, by order.
        subsample_percent: A random sample of this share of the rows would be as far off.
        cell_error: Expected size of the noise on one cell, in rows.
        invented: Rows that clamping would invent in empty cells.
        lost: Share of the groups of `SMALL_GROUP` rows that have no synthetic row.
        biases: Expected change, in rows, of a cell that holds a hundredth of the rows, by repair.
    """

    cells: int
    noise_scale: float
    one_way: Expected
    two_way: Expected
    three_way: Expected
    floor: tuple[Expected, Expected, Expected]
    subsample_percent: float
    cell_error: float
    invented: float
    lost: float
    biases: dict[str, float]

    @property
    def k_marginal(self) -> float:
        """The k-marginal score."""
        return k_marginal(self.two_way)

    def summary(self) -> Document:
        """The numbers of the command line's ``--json``."""
        return {
            "cells": self.cells,
            "noise_scale": self.noise_scale,
            **summarize(self),
            "cell_error": self.cell_error,
            "invented_by_clamp": self.invented,
            "small_groups_lost": self.lost,
            "bias_of_a_hundredth": self.biases,
        }


def forecast(
    domain: Domain, *, epsilon: Fraction, rows: int, neighbors: Neighbors, unit: Unit = ROW
) -> Forecast:
    """Expected utility of the histogram with the automatic repair.

    That is the pooled one, and of a universe listed from a threshold up the simplex.

    Args:
        domain: The declared columns.
        epsilon: The budget.
        rows: About how many rows the table has, as typed by the steward.
        neighbors: The relation, which sets the noise scale.
        unit: Whose rows they are, which sets it too.

    Raises:
        ArgumentError: ``rows`` is no whole number from 1 up.
    """
    check_whole(1, rows=rows)
    scale = float(unit.sensitivity(neighbors) / epsilon)
    return _worked_out(tuple(_shape(domain)), domain.size, rows, scale)


@lru_cache(maxsize=512)
def _worked_out(shape: tuple[int, ...], size: int, rows: int, scale: float) -> Forecast:
    """The forecast, cached: a slider goes to and fro over the same steps."""
    model = typical(shape, rows, scale)
    orders = [_order(model, order) for order in (1, 2, 3)]
    (one, floor_one), (two, floor_two), (three, floor_three) = orders
    squares = floor_two.mean**2 + two.mean**2
    share = floor_two.mean**2 / squares if squares else 1.0
    size_of_noise = LaplaceLaw(scale).mean_absolute
    told = {name: one.bias(model, rows / 100) for name, one in REPAIRS.items()}
    return Forecast(
        size,
        scale,
        one,
        two,
        three,
        (floor_one, floor_two, floor_three),
        100 * share,
        cell_error=size_of_noise,
        invented=model.invented,
        lost=model.lost(SMALL_GROUP),
        biases={name: bias for name, bias in told.items() if bias is not None},
    )


def epsilon_for(
    domain: Domain, *, error: float, rows: int, neighbors: Neighbors, unit: Unit = ROW
) -> Fraction | None:
    """The least epsilon of the slider whose expected mean two-way error is small enough.

    Args:
        domain: The declared columns.
        error: The mean total variation of pairs that is wanted, above 0 and below 1.
        rows: About how many rows the table has.
        neighbors: The relation.
        unit: Whose rows they are.

    Returns:
        The epsilon, or None where even the largest does not do.

    Raises:
        ArgumentError: ``error`` is not between 0 and 1, or ``rows`` no whole number from 1 up.
    """
    in_range(0, 1, error=error)
    check_whole(1, rows=rows)

    def is_enough(epsilon: Fraction) -> bool:
        scale = float(unit.sensitivity(neighbors) / epsilon)
        return _order(typical(_shape(domain), rows, scale), 2)[0].mean <= error

    place = bisect_left(EPSILONS, 1, key=is_enough)
    return EPSILONS[place] if place < len(EPSILONS) else None


def cells_for(
    domain: Domain,
    *,
    error: float,
    epsilon: Fraction,
    rows: int,
    neighbors: Neighbors,
    unit: Unit = ROW,
) -> int | None:
    """The coarsening that a wanted error needs: the most cells that any column may have.

    Args:
        domain: The declared columns.
        error: The mean total variation of pairs that is wanted, between 0 and 1.
        epsilon: The budget.
        rows: About how many rows the table has.
        neighbors: The relation.
        unit: Whose rows they are.

    Returns:
        The largest number of cells a column, or None where not even two do.

    Raises:
        ArgumentError: ``error`` is not between 0 and 1, or ``rows`` no whole number from 1 up.
    """
    in_range(0, 1, error=error)
    check_whole(1, rows=rows)
    scale = float(unit.sensitivity(neighbors) / epsilon)

    def is_too_fine(most: int) -> bool:
        shape = [min(size, most) for size in _shape(domain)]
        return _order(typical(shape, rows, scale), 2)[0].mean > error

    return most_cells_of(max(domain.shape), is_too_fine)


def most_cells_of(widest: int, is_too_fine: Callable[[int], bool]) -> int | None:
    """Find the largest number of cells a column that is not too fine; None where 2 are."""
    most = 1 + bisect_left(range(2, widest + 1), 1, key=is_too_fine)
    return most if most > 1 else None


def _shape(domain: Domain) -> list[int]:
    return [size for size in domain.shape if size > 1] or [1]


def _order(model: RepairedUniverse, order: int) -> tuple[Expected, Expected]:
    """Expected error and sampling floor over all tables of an order."""
    order = min(order, len(model.shape))
    chosen = tables(len(model.shape), order)
    kinds = Counter(tuple(sorted(model.shape[i] for i in table)) for table in chosen)
    times = list(kinds.values())
    errors, floors = ([f(sizes) for sizes in kinds] for f in (model.error, model.floor))
    return (
        Expected(float(np.average(errors, weights=times)), max(errors)),
        Expected(float(np.average(floors, weights=times)), max(floors)),
    )
