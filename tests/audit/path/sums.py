"""Layer 6: sums of numbers in every combination, against all pairs of single rows.

A table has two columns of numbers and a list. `vector` adds up one row by hand, in units of
the most that a sum adds; `combining_sums` compares all rows with all others."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np

from synth.estimate import MomentSum, moment_sensitivity
from synth.privacy import ROW, Neighbors
from synth.util import Floats

X, Y, GROUP = 0, 1, 2
ENDS = (-1.0, -0.5, 0.0, 0.5, 1.0)


@dataclass(frozen=True)
class SummedRow:
    """A row: the bin of x and its offset there, y if it has one, and a group."""

    cell: int
    offset: float
    number: float | None
    group: int

    def count_from(self, column: int, *, in_bin: bool) -> float | None:
        """Return a number as offset from the middle of its bin, or of the range of two
        bins.
        """
        if column == Y:
            return self.number
        return self.offset if in_bin else (self.offset + 2 * self.cell - 1) / 2

    def place(self, by: Sequence[int]) -> int:
        cells = {X: self.cell, Y: 0 if self.number is None else 1, GROUP: self.group}
        place = 0
        for column in by:
            place = 2 * place + cells[column]
        return place


ROWS = [
    SummedRow(*values) for values in product((0, 1), ENDS, (None, -1.0, 0.5, 1.0), (0, 1))
]
POOL = (
    MomentSum(columns=(X,)),
    MomentSum(columns=(X,), given=(Y,)),
    MomentSum(columns=(X,), ranged=True),
    MomentSum(columns=(X,), by=(X,)),
    MomentSum(columns=(X,), by=(GROUP,)),
    MomentSum(columns=(X,), by=(GROUP,), given=(Y,)),
    MomentSum(columns=(X, X), by=(X,)),
    MomentSum(columns=(X, X), by=(X,), given=(Y,)),
    MomentSum(columns=(X, X), by=(GROUP,)),
    MomentSum(columns=(X, X), by=(GROUP,), given=(Y,)),
    MomentSum(columns=(X, X), by=(X, GROUP)),
    MomentSum(columns=(X, X)),
    MomentSum(columns=(X, Y)),
    MomentSum(columns=(), given=(Y,)),
    MomentSum(columns=(), by=(GROUP,), given=(Y,)),
)
"""Sums that a release measures today, and others that it could put together."""


def add_row(row: SummedRow, moment: MomentSum) -> Floats:
    """Return what a row adds to each cell of a sum, at most 1."""
    added = np.zeros(2 ** len(moment.by))
    in_bin = not moment.ranged and not (len(moment.columns) == 2 and not moment.by)
    numbers = [row.count_from(column, in_bin=in_bin) for column in moment.columns]
    lacks = Y in moment.given and row.number is None
    if not lacks and None not in numbers:
        added[row.place(moment.by)] = np.prod(
            [number for number in numbers if number is not None]
        )
    return added


@cache
def add_rows(moment: MomentSum) -> Floats:
    """Return what each row adds to a sum, shape (rows, cells), in steps."""
    return np.array([add_row(row, moment) for row in ROWS]) * moment.steps


def largest_moves(
    moments: Sequence[MomentSum], neighbors: Neighbors
) -> tuple[float, float, float]:
    """Return the farthest that two rows are apart, or one row from none."""
    vectors = np.concatenate([add_rows(moment) for moment in moments], axis=1)
    others = vectors if neighbors is Neighbors.REPLACE_ONE else np.zeros_like(vectors[:1])
    gaps = np.abs(vectors[:, None] - others[None])
    return gaps.sum(axis=2).max(), (gaps**2).sum(axis=2).max(), gaps.max()


def find_combinations(most_sums: int) -> Iterator[tuple[MomentSum, ...]]:
    for size in range(1, most_sums + 1):
        yield from combinations_with_replacement(POOL, size)


def combining_sums(most_sums: int = 3) -> str:
    """Sums in every combination, up to three at once: no row moves them by more than
    declared.
    """
    for moments, neighbors in product(find_combinations(most_sums), Neighbors):
        declared = astuple(moment_sensitivity(moments, ROW, neighbors))
        moves = largest_moves(moments, neighbors)
        if any(move > most_said for move, most_said in zip(moves, declared, strict=True)):
            in_words = ", ".join(moment.in_words("xyg") for moment in moments)
            return f"{in_words} move by {moves}, more than {declared} ({neighbors})"
    return ""
