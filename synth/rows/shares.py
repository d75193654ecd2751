"""Set shares of a column, and rows that follow them. PUBLIC.

>>> parse_shares(["sex: f=0.6, m=0.4"])
{'sex': {'f': Fraction(3, 5), 'm': Fraction(2, 5)}}
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np

from synth import limits
from synth.domain import Column, Domain
from synth.errors import ArgumentError
from synth.foreign import read_file
from synth.privacy import parse_rational
from synth.rows.draw import SyntheticTable, decode, round_systematically
from synth.util import Floats, Json, read_json

Shares = Mapping[str, Mapping[str, Fraction]]


def parse_shares(said: Iterable[str]) -> dict[str, dict[str, Fraction]]:
    """Read shares, one column per text: ``COLUMN: CELL=SHARE, CELL=SHARE``.

    Raises:
        ArgumentError: A text has another form, or a column appears twice.
    """
    found: dict[str, Mapping[str, Json]] = {}
    for text in said:
        name, _, rest = text.partition(":")
        pairs = [pair.rpartition("=") for pair in rest.split(",")]
        if name.strip() in found:
            raise ArgumentError(f"Shares of the column '{name.strip()}' are given twice.")
        found[name.strip()] = {cell.strip(): share.strip() for cell, _, share in pairs}
    return read_shares(found)


def read_shares(shares: Mapping[str, Mapping[str, Json]]) -> dict[str, dict[str, Fraction]]:
    """Return exact shares from texts, whole numbers, or floats' shortest decimals.

    Raises:
        ArgumentError: One is not a number from 0 to 1, or the shares of a column exceed 1.
    """
    found = {}
    for name, cells in shares.items():
        if not isinstance(cells, Mapping) or not cells:
            raise ArgumentError(
                f"Shares of the column '{name}' must name cells: COLUMN: CELL=SHARE, "
                "CELL=SHARE."
            )
        what = f"The share of a cell of '{name}'"
        found[name] = {
            cell: parse_rational(str(share), name=what) for cell, share in cells.items()
        }
        if min(found[name].values()) < 0 or sum(found[name].values()) > 1:
            raise ArgumentError(
                f"Shares of the column '{name}' must be from 0 to 1, all together."
            )
    return found


def load_shares(path: str | Path) -> dict[str, dict[str, Fraction]]:
    """Read a JSON object of columns, each an object of cells and shares.

    Raises:
        ArgumentError: The file cannot be read, or has no shares.
    """
    try:
        content = read_file(path, limits.SCHEMA_MB * 2**20)
    except OSError:
        raise ArgumentError(f"The file of shares '{path}' cannot be read.") from None
    found = read_json(content, f"'{Path(path).name}'")
    if not isinstance(found, dict):
        raise ArgumentError(
            f"'{Path(path).name}' must be an object: a column, its cells, shares."
        )
    return read_shares(found)


def spread_shares(column: Column, given: Mapping[str, Fraction], others: Floats) -> Floats:
    """Return the share of rows in each cell of a column, shape (size,).

    Args:
        given: Shares of some cells.
        others: Weights of all cells, shape (size,), which divide the rest.

    Raises:
        ArgumentError: A cell is not the column's, or no cell is left for the rest.
    """
    for cell in given:
        if cell not in column.cells:
            some = ", ".join(f"'{one}'" for one in column.cells[:10])
            more = ", …" if column.size > 10 else ""
            raise ArgumentError(
                f"Column '{column.name}' has no cell '{cell[:40]}'; its cells are "
                f"{some}{more}."
            )
    place = [column.cells.index(cell) for cell in given]
    rest, weights = 1 - sum(given.values()), np.array(others, dtype=np.float64)
    weights[place] = 0
    if rest and not weights.any():
        raise ArgumentError(
            f"Shares of the column '{column.name}' must add up to 1: no other cell has rows."
        )
    weights *= float(rest) / weights.sum() if rest else 0
    weights[place] = [float(share) for share in given.values()]
    return weights


def draw_independent(
    domain: Domain, rows: int, shares: Shares, *, seed: int
) -> SyntheticTable:
    """Draw independent columns from the declaration, with uniform or given shares of cells.

    Raises:
        ArgumentError: Shares name an undeclared column or cell.
    """
    check_shared(domain, shares)
    rng, codes = np.random.default_rng(seed), []
    for column in domain.columns:
        weights = spread_shares(column, shares.get(column.name, {}), np.ones(column.size))
        drawn = np.repeat(
            np.arange(column.size, dtype=np.int32), round_systematically(weights, rows, rng)
        )
        rng.shuffle(drawn)
        codes.append(drawn)
    return decode(domain, codes, seed=seed)


def check_shared(domain: Domain, shares: Shares) -> None:
    """Refuse shares of an undeclared column by a `SynthError`."""
    for name in shares:
        _ = domain[name]
