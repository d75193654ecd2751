"""The expected error of a histogram, from public numbers only.

It averages the closed-form law of repaired counts of a usual table (`typical`) on a fixed
grid, without simulation.

>>> from synth.domain import Categorical, Domain
>>> from synth.privacy.guarantee import Neighbors
>>> domain = Domain(tuple(Categorical(name=n, categories=("x", "y", "z")) for n in "abc"))
>>> result = forecast(
...     domain, epsilon=Fraction(1), rows=10_000, neighbors=Neighbors.REPLACE_ONE
... )
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
from synth.estimate import HALF_EVEN, REPAIRS, LikelyErrors, RepairedUniverse, typical
from synth.noise import LaplaceLaw
from synth.privacy import ROW, Neighbors, Unit
from synth.util import (
    Document,
    check_whole,
    in_range,
    k_marginal,
    one_thread,
    summarize,
    tables,
)

# Rows of a small group, which privacy is meant to blur.
SMALL_GROUP = 5

# The steps of the slider, .01 to 100.
EPSILONS = tuple(
    Fraction(digit) * Fraction(10) ** power
    for power in range(-2, 3)
    for digit in (1, 2, 5)
    if digit * 10**power <= 100
)


@dataclass(frozen=True)
class Expected:
    """The total variation of all marginals of one order.

    Attributes:
        mean: The mean over the marginals.
        max: The largest one.
    """

    mean: float
    max: float


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """The expected error of a release.

    Attributes:
        cells: The number of cells.
        noise_scale: Scale of the noise of one cell, in rows.
        one_way: Expected total variation of real and synthetic columns.
        two_way: Expected total variation of real and synthetic pairs of columns.
        three_way: Expected total variation of real and synthetic triples of columns.
        floor: Expected total variation of a fresh sample of the same size, by order.
        subsample_percent: The random sample with the same error, as a share of the rows.
        cell_error: Expected size of the noise on one cell, in rows.
        invented: Rows that clamping would invent in empty cells.
        lost: Share of the groups of `SMALL_GROUP` rows without a synthetic row.
        biases: Expected change, in rows, of a cell with a hundredth of the rows, by repair.
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
        """The expected k-marginal score of pairs, from 0 to 1,000."""
        return k_marginal(self.two_way)

    def summary(self) -> Document:
        """Return the forecast as JSON."""
        return {
            "cells": self.cells,
            "noise_scale": self.noise_scale,
            **summarize(self),
            "cell_error": self.cell_error,
            "invented_by_clamp": self.invented,
            "small_groups_lost": self.lost,
            "bias_of_a_hundredth": self.biases,
        }


@one_thread
def forecast(
    domain: Domain, *, epsilon: Fraction, rows: int, neighbors: Neighbors, unit: Unit = ROW
) -> Forecast:
    """Return the expected error of a histogram with the repair that Synth chooses by itself.

    The repair is "pooled", or "nearest" if only counts above a threshold are listed.

    Args:
        domain: The declared columns.
        epsilon: The epsilon of the histogram.
        rows: The number of rows that the steward typed.
        neighbors: Whether a person is added or removed, or replaced.
        unit: What one person is.

    Raises:
        ArgumentError: ``rows`` is not a whole number from 1 up.
    """
    check_whole(1, rows=rows)
    scale = float(unit.sensitivity(neighbors) / epsilon)
    return _forecast_shape(tuple(_shape(domain)), domain.size, rows, scale=scale)


@lru_cache(maxsize=512)
def _forecast_shape(
    shape: tuple[int, ...], size: int, rows: int, *, scale: float
) -> Forecast:
    """Return the forecast of a table; stored, as a slider often returns to the same step.

    Args:
        shape: The number of cells of each column that has several.
        size: The number of cells of the table.
        rows: The rough number of rows.
        scale: The scale of the Laplace noise on a cell, in rows.
    """
    # The usual table of this shape, with noisy counts that are repaired. Its `floor` is the
    # error of a fresh sample of as many rows.
    model = _model(shape, rows, scale=scale, evenness=HALF_EVEN)
    one_way, floor_one = _order(model, 1)
    two_way, floor_two = _order(model, 2)
    three_way, floor_three = _order(model, 3)
    # A random sample of a share p of the rows errs by sqrt((1 - p) / p) times the floor. That
    # is the error of the release if p is floor^2 / (floor^2 + error^2).
    squares = floor_two.mean**2 + two_way.mean**2
    share = floor_two.mean**2 / squares if squares else 1.0
    # Of a cell with a hundredth of the rows; None for repairs whose bias is not known.
    biases = {name: repair.bias(model, rows / 100) for name, repair in REPAIRS.items()}
    return Forecast(
        cells=size,
        noise_scale=scale,
        one_way=one_way,
        two_way=two_way,
        three_way=three_way,
        floor=(floor_one, floor_two, floor_three),
        subsample_percent=100 * share,
        cell_error=LaplaceLaw(scale).mean_absolute,
        invented=model.invented,
        lost=model.lost(SMALL_GROUP),
        biases={name: bias for name, bias in biases.items() if bias is not None},
    )


@lru_cache(maxsize=16)
def _model(
    shape: tuple[int, ...], rows: int, *, scale: float, evenness: float
) -> RepairedUniverse:
    """Return the usual table; stored, as a forecast asks for it twice in a row."""
    return typical(shape, rows, scale, evenness=evenness)


@lru_cache(maxsize=2048)
def mean_errors(
    shape: tuple[int, ...], rows: int, *, scale: float, evenness: float
) -> LikelyErrors:
    """Return the expected mean errors of columns and pairs in a repaired histogram.

    Args:
        shape: The number of cells of each column.
        rows: The rough number of rows.
        scale: The scale of the Laplace noise on a cell, in rows.
        evenness: How even long lists are, from 0 to 1.
    """
    several = tuple(size for size in shape if size > 1) or (1,)
    model = _model(several, rows, scale=scale, evenness=evenness)
    return LikelyErrors(_order(model, 1)[0].mean, _order(model, 2)[0].mean)


def epsilon_for(
    domain: Domain, *, error: float, rows: int, neighbors: Neighbors, unit: Unit = ROW
) -> Fraction | None:
    """Return the least epsilon of the slider that keeps the mean error of pairs small enough.

    None if the slider has none.

    Args:
        domain: The declared columns.
        error: The largest mean total variation of pairs of columns, from 0 to 1.
        rows: The rough number of rows.
        neighbors: Whether a person is added or removed, or replaced.
        unit: What one person is.

    Raises:
        ArgumentError: ``error`` is not between 0 and 1, or ``rows`` is not a whole number
            from 1 up.
    """
    in_range(0, 1, error=error)
    check_whole(1, rows=rows)

    def is_enough(epsilon: Fraction) -> bool:
        """Return whether the expected error of pairs is at most the wanted one."""
        scale = float(unit.sensitivity(neighbors) / epsilon)
        # The first result of `_order` has the expected errors, here of pairs.
        return _order(typical(_shape(domain), rows, scale), 2)[0].mean <= error

    # False sorts before True, which equals 1.
    place = bisect_left(EPSILONS, 1, key=is_enough)
    return EPSILONS[place] if place < len(EPSILONS) else None


def cells_for(
    domain: Domain,
    *,
    error: float,
    rows: int,
    scale: float,
) -> int | None:
    """Return the most cells that any column may have for a wanted error of pairs.

    None if even 2 cells are too many.

    Args:
        domain: The declared columns.
        error: The largest mean total variation of pairs of columns, from 0 to 1.
        rows: The rough number of rows.
        scale: The scale of the Laplace noise on a cell, in rows.

    Raises:
        ArgumentError: ``error`` is not between 0 and 1, or ``rows`` is not a whole number
            from 1 up.
    """
    in_range(0, 1, error=error)
    check_whole(1, rows=rows)

    def is_too_fine(max_cells: int) -> bool:
        """Return whether pairs err too much with at most so many cells a column."""
        shape = [min(size, max_cells) for size in _shape(domain)]
        # The first result of `_order` has the expected errors, here of pairs.
        return _order(typical(shape, rows, scale), 2)[0].mean > error

    return most_cells_of(max(domain.shape), is_too_fine)


def most_cells_of(widest: int, is_too_fine: Callable[[int], bool]) -> int | None:
    """Return the most cells of a column that are not too fine; None if even 2 are.

    Args:
        widest: The most cells of any column, which is the largest answer.
        is_too_fine: Returns whether columns of at most so many cells are too fine.
    """
    # The bisection counts the numbers from 2 up that are not too fine.
    max_cells = 1 + bisect_left(range(2, widest + 1), 1, key=is_too_fine)
    return max_cells if max_cells > 1 else None


def _shape(domain: Domain) -> list[int]:
    """Return the cells of each column that has several; 1 if none has."""
    return [size for size in domain.shape if size > 1] or [1]


def _order(model: RepairedUniverse, order: int) -> tuple[Expected, Expected]:
    """Return the expected errors of all marginals of an order, and those of a fresh sample.

    Both are total variations. Marginals of equal shapes have equal errors, which are computed
    once.

    Args:
        model: The usual table with repaired noisy counts.
        order: The number of columns of each marginal: 1, 2 or 3.
    """
    order = min(order, len(model.shape))
    # How many marginals have each shape.
    shapes = Counter(
        tuple(sorted(model.shape[column] for column in marginal))
        for marginal in tables(len(model.shape), order)
    )
    times = list(shapes.values())
    errors = [model.error(sizes) for sizes in shapes]
    floors = [model.floor(sizes) for sizes in shapes]
    return (
        Expected(float(np.average(errors, weights=times)), max(errors)),
        Expected(float(np.average(floors, weights=times)), max(floors)),
    )
