"""A strategy of pieces: sums of cells of small universes, measured together. PUBLIC."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from synth.noise import FINE, CellNoise
from synth.privacy import Guarantee, Neighbors, Unit
from synth.questions.strategies.fitted import FittedSums
from synth.questions.strategies.hierarchy import Hierarchy
from synth.questions.strategies.small_universes import SmallUniverse
from synth.questions.way.strategy import Moves
from synth.questions.workloads.tallies import Tally
from synth.util import Document, Floats, Ints

# Least weight of the heaviest of several pieces, so that rounding matters little.
LEAST_PIECE_WEIGHT = 64


@dataclass(frozen=True, eq=False)
class UniversePiece:
    """The measured sums of one small universe; ``weight`` is steps of noise for one of
    theirs.
    """

    universe: SmallUniverse
    design: Hierarchy | FittedSums
    weight: int = 1

    @cached_property
    def moves(self) -> Moves:
        """How far a row moves the sums of this universe; it may be in cells of other ones
        only.

        `Moves` has the norms of what one row adds, and of the difference of two rows.
        """
        moves = self.design.moves.times(self.weight)
        return moves.or_nothing() if (self.universe.tally.place < 0).any() else moves

    @cached_property
    def weights(self) -> Floats:
        """How much a step of noise on each sum moves each count, in rows; (counts, size).

        Numbers are measured in whole steps, the unit in which noise is drawn.
        """
        weights_in_rows: Floats = self.design.weights(self.universe.wanted) / self.weight
        return weights_in_rows


@dataclass(frozen=True, eq=False)
class UniversePieces:
    """Sums of cells of universes that share no column; see `CountStrategy`."""

    pieces: tuple[UniversePiece, ...]
    exact = True

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Rows by cell of each piece."""
        return tuple(piece.universe.tally for piece in self.pieces)

    @property
    def size(self) -> int:
        """Number of measured numbers."""
        return sum(piece.design.size for piece in self.pieces)

    @cached_property
    def moves(self) -> Moves:
        """How far a row moves the numbers of all pieces together.

        `Moves` has the norms of what one row adds, and of the difference of two rows.
        """
        first, *others = (piece.moves for piece in self.pieces)
        return sum(others, first)

    def describe(self, names: Sequence[str]) -> list[Document]:
        """Return the parameters of each piece as JSON.

        ``names`` are the names of all columns, by number.
        """
        return [
            {
                "columns": [names[axis] for axis in piece.universe.tally.axes],
                **piece.design.describe(),
                "weight": piece.weight,
            }
            for piece in self.pieces
        ]

    def measure(self, counts: Sequence[Ints]) -> Ints:
        """Return the exact numbers of all pieces in steps, one after another, shape (size,).

        ``counts`` has the rows by cell of each piece.
        Numbers are measured in whole steps, the unit in which noise is drawn.
        """
        pairs = zip(self.pieces, counts, strict=True)
        return np.concatenate(
            [piece.design.measure(cell_counts) * piece.weight for piece, cell_counts in pairs]
        )

    def estimates(self, noisy: Ints) -> Floats:
        """Return the estimated counts of the block in rows, shape (totals,).

        ``noisy`` has the measured numbers of all pieces, in steps.
        Numbers are measured in whole steps, the unit in which noise is drawn.
        """
        ends = np.cumsum([piece.design.size for piece in self.pieces])[:-1]
        noisy_parts = np.split(noisy.astype(np.float64), ends)
        estimates = []
        for piece, noisy_part in zip(self.pieces, noisy_parts, strict=True):
            cells = piece.design.consistent(noisy_part / piece.weight)
            estimates.append(piece.universe.wanted @ cells)
        return self._by_total(estimates)

    def variances(self) -> Floats:
        """Return the variances of the counts, as multiples of the noise's, shape
        (totals,).
        """
        return self._by_total((piece.weights**2).sum(axis=1) for piece in self.pieces)

    def halves(self, noise: CellNoise, level: float) -> Floats:
        """Return half widths of the intervals of the counts, in rows, shape (totals,)."""
        law = noise.number_law
        return self._by_total(law.half_widths(piece.weights, level) for piece in self.pieces)

    def sizes(self, noise: CellNoise) -> Floats:
        """Return the expected sizes of the errors of the counts, in rows, shape (totals,)."""
        return self._by_total(
            noise.number_law.mean_sizes(piece.weights) for piece in self.pieces
        )

    def _by_total(self, parts: Iterable[Floats]) -> Floats:
        """Return numbers of all pieces in the order of the block's totals, shape (totals,).

        ``parts`` has for each piece one number for each of its counts.
        """
        places = np.concatenate([piece.universe.totals for piece in self.pieces])
        values = np.zeros(len(places))
        values[places] = np.concatenate(list(parts))
        return values


def weigh(
    pieces: Sequence[UniversePiece], cost: Guarantee, neighbors: Neighbors, *, unit: Unit
) -> UniversePieces:
    """Return the pieces, each with the whole weight that minimises the sum of all variances.

    Args:
        pieces: Universes that share no column, each with what is measured of it.
        cost: A pure epsilon or a zCDP rho for all pieces together.
        neighbors: Whether a person is added or removed, or replaced.
        unit: What one person is.
    """
    # For L1 moves n and sums of variances v the weights are proportional to the third roots
    # of v / n, for squared L2 moves to the fourth roots. They are whole, and noise has some
    # thousand steps.
    # A single piece needs no weight beside others; afterwards all steps are refined alike.
    ideal = [_ideal(piece, cost, neighbors, unit=unit) for piece in pieces]
    largest_weight = LEAST_PIECE_WEIGHT if len(pieces) > 1 else 1
    weights = [
        max(1, round(largest_weight * ideal_weight / max(ideal))) for ideal_weight in ideal
    ]
    weighted = [
        replace(piece, weight=weight) for piece, weight in zip(pieces, weights, strict=True)
    ]
    finer = finer_for(UniversePieces(tuple(weighted)).moves, cost, neighbors, unit=unit)
    return UniversePieces(
        tuple(replace(piece, weight=piece.weight * finer) for piece in weighted)
    )


def _ideal(
    piece: UniversePiece, cost: Guarantee, neighbors: Neighbors, *, unit: Unit
) -> float:
    """Return the best weight of a piece relative to the others, up to a common factor.

    Args:
        piece: A universe with what is measured of it.
        cost: A pure epsilon or a zCDP rho.
        neighbors: Whether a person is added or removed, or replaced.
        unit: What one person is.
    """
    sensitivity = piece.design.moves.sensitivity(neighbors, unit)
    variances = float((piece.weights**2).sum())
    # Fourth roots minimise sum(v / w^2) * sum(n w^2) for Gaussian noise, third roots
    # sum(v / w^2) * sum(n w)^2 for Laplace noise.
    if cost.rho is not None:
        return float((variances / sensitivity.squared_l2) ** 0.25)
    return float((variances / sensitivity.l1) ** (1 / 3))


def finer_for(moves: Moves, cost: Guarantee, neighbors: Neighbors, *, unit: Unit) -> int:
    """Return by which factor to refine steps so that noise has a deviation of `FINE` steps.

    It is a power of two, and 1 if the noise is that wide already.

    Args:
        moves: How far a row moves the measured numbers, in the present steps.
        cost: A pure epsilon or a zCDP rho.
        neighbors: Whether a person is added or removed, or replaced.
        unit: What one person is.
    """
    sensitivity = moves.sensitivity(neighbors, unit)
    if cost.rho is not None:
        deviation = math.sqrt(sensitivity.squared_l2 / (2 * float(cost.rho)))
    else:
        deviation = math.sqrt(2) * sensitivity.l1 / float(cost.epsilon or Fraction(1))
    return 1 << max(0, math.ceil(math.log2(FINE / deviation)))
