"""Set shares of a column, and rows that follow them. PUBLIC.

>>> parse_shares(["sex: f=0.6, m=0.4"])
{'sex': {'f': Fraction(3, 5), 'm': Fraction(2, 5)}}
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

import numpy as np

from synth import limits
from synth.domain import Column, Domain
from synth.errors import ArgumentError
from synth.foreign import read_file
from synth.privacy import parse_rational
from synth.rows.draw import SyntheticTable, decode, round_systematically
from synth.util import Floats, Json, read_json

Shares = Mapping[str, Mapping[str, Fraction]]


def parse_shares(texts: Iterable[str]) -> dict[str, dict[str, Fraction]]:
    """Return exact shares by column name and cell label, from texts of people.

    Args:
        texts: One for each column: ``COLUMN: CELL=SHARE, CELL=SHARE``. A cell may contain an
            equals sign.

    Raises:
        ArgumentError: A text has another form, or a column appears twice.
    """
    shares: dict[str, Mapping[str, Json]] = {}
    for text in texts:
        name, _, cells = text.partition(":")
        pairs = [pair.rpartition("=") for pair in cells.split(",")]
        if name.strip() in shares:
            raise ArgumentError(f"Shares of the column '{name.strip()}' are given twice.")
        shares[name.strip()] = {cell.strip(): share.strip() for cell, _, share in pairs}
    return read_shares(shares)


def read_shares(shares: Mapping[str, Mapping[str, Json]]) -> dict[str, dict[str, Fraction]]:
    """Return exact shares from texts, whole numbers, or floats' shortest decimals.

    Args:
        shares: By column name and cell label; those of a column need not add up to 1.

    Raises:
        ArgumentError: One is not a number from 0 to 1, or the shares of a column exceed 1.
    """
    exact_shares: dict[str, dict[str, Fraction]] = {}
    for name, cells in shares.items():
        if not isinstance(cells, Mapping) or not cells:
            raise ArgumentError(
                f"Shares of the column '{name}' must name cells: COLUMN: CELL=SHARE, "
                "CELL=SHARE."
            )
        subject = f"The share of a cell of '{name}'"
        exact_shares[name] = {
            cell: parse_rational(str(share), name=subject) for cell, share in cells.items()
        }
        if min(exact_shares[name].values()) < 0 or sum(exact_shares[name].values()) > 1:
            raise ArgumentError(
                f"Shares of the column '{name}' must be from 0 to 1, all together."
            )
    return exact_shares


def load_shares(path: str | Path) -> dict[str, dict[str, Fraction]]:
    """Return exact shares from a JSON file: an object of columns, each of cells and shares.

    Raises:
        ArgumentError: The file cannot be read, or has no shares.
    """
    try:
        content = read_file(path, limits.SCHEMA_MB * 2**20)
    except OSError:
        raise ArgumentError(f"The file of shares '{path}' cannot be read.") from None
    content = read_json(content, f"'{Path(path).name}'")
    if not isinstance(content, dict):
        raise ArgumentError(
            f"'{Path(path).name}' must be an object: a column, its cells, shares."
        )
    return read_shares(content)


def spread_shares(column: Column, shares: Mapping[str, Fraction], others: Floats) -> Floats:
    """Return the share of rows in each cell of a column, shape (size,).

    Args:
        column: The declared column.
        shares: Shares of some cells, by label.
        others: Weights of all cells, shape (size,); they divide the rest among the cells
            without a set share.

    Raises:
        ArgumentError: A cell is not the column's, or no cell is left for the rest.
    """
    for cell in shares:
        if cell not in column.cells:
            _refuse_cell(column, cell)
    place = [column.cells.index(cell) for cell in shares]
    remainder = 1 - sum(shares.values())
    weights = np.array(others, dtype=np.float64)
    weights[place] = 0
    if remainder and not weights.any():
        raise ArgumentError(
            f"Shares of the column '{column.name}' must add up to 1: no other cell has rows."
        )
    # If set shares add up to 1, nothing is left for other cells.
    weights *= float(remainder) / weights.sum() if remainder else 0
    weights[place] = [float(share) for share in shares.values()]
    return weights


def _refuse_cell(column: Column, cell: str) -> NoReturn:
    """Raise the error that a column has no cell of this label; it lists the first ten.

    Raises:
        ArgumentError: Always.
    """
    labels = ", ".join(f"'{label}'" for label in column.cells[:10])
    if column.size > 10:
        labels += ", …"
    raise ArgumentError(
        f"Column '{column.name}' has no cell '{cell[:40]}'; its cells are {labels}."
    )


def draw_independent(
    domain: Domain, rows: int, shares: Shares, *, seed: int
) -> SyntheticTable:
    """Return rows of independent columns, drawn from the declaration alone.

    Args:
        domain: The declared columns.
        rows: Number of rows.
        shares: Shares of cells, by column name and label. Other cells share the rest evenly.
        seed: The seed of the drawing.

    Raises:
        ArgumentError: Shares name an undeclared column or cell.
    """
    check_shared(domain, shares)
    rng = np.random.default_rng(seed)
    codes = []
    for column in domain.columns:
        weights = spread_shares(column, shares.get(column.name, {}), np.ones(column.size))
        column_codes = np.repeat(
            np.arange(column.size, dtype=np.int32), round_systematically(weights, rows, rng)
        )
        rng.shuffle(column_codes)
        codes.append(column_codes)
    return decode(domain, codes, seed=seed)


def check_shared(domain: Domain, shares: Shares) -> None:
    """Refuse shares of an undeclared column by a `SynthError`."""
    for name in shares:
        _ = domain[name]
