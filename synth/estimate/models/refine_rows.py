"""Settle rows: change single cells until the rows have the wanted marginals.

A few rows at a time weigh each value of a column by the column's marginals, and take the best, with
some randomness at first. Ever fewer rows look at once, so that they do not all move to the same
gap. A move depends only on measured neighbours, which keeps conditional independence.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synth.estimate.models.junction import Clique
from synth.estimate.repair.marginal import Estimate
from synth.util import Codes, Floats, Singles, sum_by_cell

# Gaps are weighed by rows^-POWER: between absolute error (0) and relative error (1).
POWER = 0.4


@dataclass(frozen=True)
class Pace:
    """How many rows look at once, first to last, and how random they are."""

    steps: int = 500
    first: float = 0.01
    last: float = 0.0005
    warmth: float = 1.0
    chill: float = 0.01

    def share(self, step: int) -> float:
        return float(self.first * (self.last / self.first) ** (step / self.steps))

    def temperature(self, step: int) -> float:
        return float(self.warmth * (self.chill / self.warmth) ** (step / self.steps))


def weights(estimate: Estimate, strength: float = 1.0, doubt: float = 1.0) -> Floats:
    """Return the weight of a row too many or too few in each cell.

    Args:
        strength: Weight of the marginal among others.
        doubt: Weight of the uncertainty.
    """
    size = np.maximum(estimate.values, 1.0)
    return np.asarray(strength / (size**POWER + doubt * estimate.variance / size ** (1 - POWER)))


def settle(
    codes: Codes,
    shape: tuple[int, ...],
    targets: Mapping[Clique, tuple[Floats, Floats]],
    generator: np.random.Generator,
    pace: Pace | None = None,
) -> Codes:
    """Return rows, shape (rows, columns), whose one- and two-way marginals are close to the
    targets.

    Args:
        codes: Rows to start from.
        targets: For columns (a,) and pairs (a, b), a < b: wanted counts and weights, in their
            shape.
        pace: Length and boldness.
    """
    state = _Rows(codes, shape, targets, generator)
    pace = pace or Pace()
    if len(codes):
        for step in range(pace.steps):
            looking = max(1, int(len(codes) * pace.share(step)))
            for column in generator.permutation(len(shape)):
                state.look(int(column), looking, pace.temperature(step))
    return state.codes


class _Side:
    # A marginal from one column's side: its values by the other's code.
    def __init__(self, gaps: Floats, weights: Floats, other: int | None) -> None:
        self.gaps, self.weights, self.other = gaps, weights, other


class _Rows:
    def __init__(
        self,
        codes: Codes,
        shape: tuple[int, ...],
        targets: Mapping[Clique, tuple[Floats, Floats]],
        generator: np.random.Generator,
    ) -> None:
        self.codes, self.shape, self.generator = np.asfortranarray(codes), shape, generator
        self.sides: list[list[_Side]] = [[] for _ in shape]
        for clique, (wanted, weight) in targets.items():
            gaps = wanted - self._count(clique)
            if len(clique) == 1:
                self.sides[clique[0]].append(_Side(gaps[None, :], weight[None, :], None))
            else:
                a, b = clique
                self.sides[b].append(_Side(gaps, weight, a))
                self.sides[a].append(_Side(gaps.T, weight.T, b))

    def _count(self, clique: Iterable[int]) -> Floats:
        clique = tuple(clique)
        sizes = tuple(self.shape[column] for column in clique)
        return sum_by_cell([self.codes[:, column] for column in clique], sizes)

    def look(self, column: int, looking: int, temperature: float) -> None:
        if not self.sides[column] or self.shape[column] == 1:
            return
        rows = np.unique(self.generator.integers(len(self.codes), size=looking))
        old = self.codes[rows, column]
        gains = self._gains(column, rows, old)
        chance = self.generator.standard_exponential(gains.shape, dtype=np.float32)
        gains -= np.float32(temperature) * np.log(np.maximum(chance, 1e-30))
        new = gains.argmax(axis=1).astype(np.int32)
        moved = new != old
        self._move(column, rows[moved], old[moved], new[moved])

    def _gains(self, column: int, rows: NDArray[np.intp], old: NDArray[np.int32]) -> Singles:
        # The worth of each value to each row: the weighted gap, without the row's own part.
        gains = np.zeros((len(rows), self.shape[column]), dtype=np.float32)
        stay = np.zeros(len(rows), dtype=np.float32)
        for side in self.sides[column]:
            to = np.ascontiguousarray(side.weights * (side.gaps - 0.5), dtype=np.float32)
            at = self._places(side, rows)
            gains += to[at]
            stay += (to + side.weights.astype(np.float32))[at, old]
        gains[np.arange(len(rows)), old] = stay
        return gains

    def _places(self, side: _Side, rows: NDArray[np.intp]) -> Codes:
        if side.other is None:
            return np.zeros(len(rows), dtype=np.int32)
        return np.asarray(self.codes[rows, side.other])

    def _move(
        self,
        column: int,
        rows: NDArray[np.intp],
        old: NDArray[np.int32],
        new: NDArray[np.int32],
    ) -> None:
        for side in self.sides[column]:
            at, sizes = self._places(side, rows), side.gaps.shape
            left = np.bincount(np.ravel_multi_index((at, old), sizes), minlength=side.gaps.size)
            came = np.bincount(np.ravel_multi_index((at, new), sizes), minlength=side.gaps.size)
            side.gaps += (left - came).reshape(sizes)
        self.codes[rows, column] = new
