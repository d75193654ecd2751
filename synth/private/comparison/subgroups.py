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
        real, synthetic: Rows in it. error: Mean total variation of the other columns within
        the group; None if a table has no
            row.
        chance: Expected error of a bootstrap sample of the group.
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
        lost: Number of groups without a synthetic row.
        rows: Real rows of all lost groups, and the synthetic ones in their place.
    """

    sizes: tuple[int, int | None]
    groups: int
    lost: int
    rows: tuple[int, int]


def groups(seen: Compared, name: str) -> list[Group]:
    """Return the error within each cell of a column; the worst first, those without rows
    last.
    """
    place = seen.domain.names.index(name)
    others = [i for i in range(len(seen.domain.columns)) if i != place]
    size = seen.domain.shape[place]
    errors, chances = np.zeros(size), np.zeros(size)
    for other in others:
        real, drawn = (
            table_of(rows, seen.domain, (place, other))
            for rows in (seen.real, seen.synthetic)
        )
        errors += np.abs(_row_shares(real) - _row_shares(drawn)).sum(axis=1) / 2
        chances += _chance(real)
    counts, drawn_counts = (
        np.bincount(rows[place], minlength=size) for rows in (seen.real, seen.synthetic)
    )
    there = (counts > 0) & (drawn_counts > 0)
    found = [
        Group(
            label=label,
            real=int(counts[i]),
            synthetic=int(drawn_counts[i]),
            error=float(errors[i]) / len(others) if there[i] and others else None,
            chance=float(chances[i]) / max(len(others), 1),
        )
        for i, label in enumerate(seen.domain[name].titles)
        if counts[i] or drawn_counts[i]
    ]
    return sorted(found, key=lambda group: -(group.error if group.error is not None else -1))


def lost_groups(seen: Compared) -> list[Lost]:
    rows, drawn_rows = len(seen.real[0]), len(seen.synthetic[0])
    reals, drawns = [], []
    tables: list[tuple[str, ...]] = [*seen.pairs] or [(name,) for name in seen.domain.names]
    for names in tables:
        real, drawn = seen.pair(*names)
        reals.append(np.rint(real.ravel() * rows).astype(np.int64))
        drawns.append(np.rint(drawn.ravel() * drawn_rows).astype(np.int64))
    real_rows, drawn_counts = np.concatenate(reals), np.concatenate(drawns)
    ends = [end - 1 for end in SIZES[1:]]
    return [
        _lose(real_rows, drawn_counts, each)
        for each in zip(SIZES, [*ends, None], strict=True)
    ]


def _lose(real: np.ndarray, drawn: np.ndarray, sizes: tuple[int, int | None]) -> Lost:
    low, high = sizes
    chosen = (real >= low) & (real <= (high or real.max(initial=low)))
    return Lost(
        sizes=sizes,
        groups=int(chosen.sum()),
        lost=int((drawn[chosen] == 0).sum()),
        rows=(int(real[chosen].sum()), int(drawn[chosen].sum())),
    )


def _row_shares(table: Floats) -> Floats:
    return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1))


def _chance(table: Floats) -> Floats:
    rows = np.maximum(table.sum(axis=1, keepdims=True), 1)
    shares = table / rows
    return np.asarray(np.sqrt(shares * (1 - shares) / (2 * np.pi * rows)).sum(axis=1))
