"""Subgroups: the error of each, and which small ones are lost. PRIVATE."""

from dataclasses import dataclass

import numpy as np

from synth.private.comparison.tables import Compared, table_of
from synth.util import Floats

SIZES = (1, 5, 10, 50)
"""Starts of the classes of group sizes; the last is open."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """One cell of the chosen column.

    Attributes:
        label: Title of the cell.
        real, synthetic: Rows in it.
        error: Mean total variation of the other columns within the group; None if a table has
            no row.
        chance: Average error of a bootstrap sample of the group.
    """

    label: str
    real: int
    synthetic: int
    error: float | None
    chance: float


@dataclass(frozen=True, kw_only=True)
class Lost:
    """Groups of one size class, over the cells of all pairs of columns.

    Attributes:
        sizes: Smallest and largest number of real rows; the last is None for "or more".
        groups: Number of groups.
        lost: Number of groups without a synthetic row.
        rows: Real rows of all lost groups, and the synthetic ones in their place.
    """

    sizes: tuple[int, int | None]
    groups: int
    lost: int
    rows: tuple[int, int]


def groups(compared: Compared, name: str) -> list[Group]:
    """Return the error within each cell of a column, the worst first. PRIVATE.

    The error is the mean total variation of the other columns among the rows of the cell.
    Cells without rows in one of the tables come last, and those without any are left out.

    Args:
        compared: The real and the synthetic rows.
        name: The column.
    """
    place = compared.domain.names.index(name)
    others = [i for i in range(len(compared.domain.columns)) if i != place]
    size = compared.domain.shape[place]
    # Sums over the other columns; the groups get means of them below.
    errors = np.zeros(size)
    chances = np.zeros(size)
    for column in others:
        real = table_of(compared.real, compared.domain, (place, column))
        synthetic = table_of(compared.synthetic, compared.domain, (place, column))
        errors += np.abs(_row_shares(real) - _row_shares(synthetic)).sum(axis=1) / 2
        chances += _chance(real)
    counts = np.bincount(compared.real[place], minlength=size)
    synthetic_counts = np.bincount(compared.synthetic[place], minlength=size)
    in_both = (counts > 0) & (synthetic_counts > 0)
    groups_of_column = [
        Group(
            label=label,
            real=int(counts[i]),
            synthetic=int(synthetic_counts[i]),
            error=float(errors[i]) / len(others) if in_both[i] and others else None,
            chance=float(chances[i]) / max(len(others), 1),
        )
        for i, label in enumerate(compared.domain[name].titles)
        if counts[i] or synthetic_counts[i]
    ]
    return sorted(groups_of_column, key=_error_or_none, reverse=True)


def _error_or_none(group: Group) -> float:
    return -1 if group.error is None else group.error


def lost_groups(compared: Compared) -> list[Lost]:
    """Count the groups of real rows without a synthetic row, by class of size. PRIVATE.

    A group is a cell of a pair of columns; all compared pairs count. With one column only,
    its cells are the groups.
    """
    rows = len(compared.real[0])
    synthetic_rows = len(compared.synthetic[0])
    real_parts = []
    synthetic_parts = []
    tables: list[tuple[str, ...]] = [*compared.pairs] or [
        (name,) for name in compared.domain.names
    ]
    # Shares times rows are the counts again, but for the rounding of doubles.
    for names in tables:
        real, synthetic = compared.pair(*names)
        real_parts.append(np.rint(real.ravel() * rows).astype(np.int64))
        synthetic_parts.append(np.rint(synthetic.ravel() * synthetic_rows).astype(np.int64))
    real_counts = np.concatenate(real_parts)
    synthetic_counts = np.concatenate(synthetic_parts)
    ends = [start - 1 for start in SIZES[1:]]  # a class ends where the next one starts
    return [
        _count_lost(real_counts, synthetic_counts, sizes)
        for sizes in zip(SIZES, [*ends, None], strict=True)
    ]


def _count_lost(
    real: np.ndarray, synthetic: np.ndarray, sizes: tuple[int, int | None]
) -> Lost:
    """Count the lost groups of one class of sizes.

    Args:
        real: The real rows of every group, shape (groups,).
        synthetic: The synthetic rows of every group, same shape.
        sizes: The smallest and the largest number of real rows in the class; None for no
            largest one.
    """
    smallest, largest = sizes
    if largest is None:
        largest = real.max(initial=smallest)
    chosen = (real >= smallest) & (real <= largest)
    return Lost(
        sizes=sizes,
        groups=int(chosen.sum()),
        lost=int((synthetic[chosen] == 0).sum()),
        rows=(int(real[chosen].sum()), int(synthetic[chosen].sum())),
    )


def _row_shares(table: Floats) -> Floats:
    """Return the shares of cells within each line of a table of counts, same shape.

    A line without counts has shares of 0.
    """
    return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1))


def _chance(table: Floats) -> Floats:
    """Return the expected total variation of a bootstrap sample of each line of a table.

    Args:
        table: Counts, shape (lines, cells).

    The result has the shape (lines,). A share p of n rows is off by sqrt(2 p (1 - p) /
    (pi n)) on average, if normal; half the sum is the distance.
    """
    rows = np.maximum(table.sum(axis=1, keepdims=True), 1)
    shares = table / rows
    return np.asarray(np.sqrt(shares * (1 - shares) / (2 * np.pi * rows)).sum(axis=1))
