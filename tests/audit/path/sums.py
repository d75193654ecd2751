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
        found = 0
        for column in by:
            found = 2 * found + cells[column]
        return found


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


def add_row(row: SummedRow, one: MomentSum) -> Floats:
    """Return what a row adds to each cell of a sum, at most 1."""
    found = np.zeros(2 ** len(one.by))
    in_bin = not one.ranged and not (len(one.columns) == 2 and not one.by)
    numbers = [row.count_from(column, in_bin=in_bin) for column in one.columns]
    lacks = Y in one.given and row.number is None
    if not lacks and None not in numbers:
        found[row.place(one.by)] = np.prod(
            [number for number in numbers if number is not None]
        )
    return found


@cache
def add_rows(one: MomentSum) -> Floats:
    """Return what each row adds to a sum, shape (rows, cells), in steps."""
    return np.array([add_row(row, one) for row in ROWS]) * one.steps


def largest_moves(
    what: Sequence[MomentSum], neighbors: Neighbors
) -> tuple[float, float, float]:
    """Return the farthest that two rows are apart, or one row from none."""
    vectors = np.concatenate([add_rows(one) for one in what], axis=1)
    others = vectors if neighbors is Neighbors.REPLACE_ONE else np.zeros_like(vectors[:1])
    apart = np.abs(vectors[:, None] - others[None])
    return apart.sum(axis=2).max(), (apart**2).sum(axis=2).max(), apart.max()


def find_combinations(most: int) -> Iterator[tuple[MomentSum, ...]]:
    for size in range(1, most + 1):
        yield from combinations_with_replacement(POOL, size)


def combining_sums(most: int = 3) -> str:
    """Sums in every combination, up to three at once: no row moves them by more than
    declared.
    """
    for what, neighbors in product(find_combinations(most), Neighbors):
        declared = astuple(moment_sensitivity(what, ROW, neighbors))
        found = largest_moves(what, neighbors)
        if any(move > most_said for move, most_said in zip(found, declared, strict=True)):
            told = ", ".join(one.in_words("xyg") for one in what)
            return f"{told} move by {found}, more than {declared} ({neighbors})"
    return ""
