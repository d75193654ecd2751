"""Noisy counts of all cells, or of a few columns. PUBLIC.

>>> least_listed(10**6, Fraction(2)), least_listed(10**18, Fraction(2))
(None, 59)
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from synth import limits
from synth.domain import Domain
from synth.noise import LaplaceLaw, Mechanism
from synth.privacy import Guarantee, Neighbors
from synth.util import Cells, Codes, Ints, split_cells


@dataclass(frozen=True, eq=False)
class Measured:
    """The noisy answer to one query. PUBLIC.

    Attributes:
        values: Noisy integers, read-only, shape (k,).
        mechanism: The noise.
        guarantee: The cost.
        neighbors: The relation of the guarantee.
        rows: The number of rows of the table if it is public, else None.
        cells: The cells of the values, ascending, if only large counts are listed.
        threshold: The least count that is listed; None if all are.
    """

    values: Ints
    mechanism: Mechanism
    guarantee: Guarantee
    neighbors: Neighbors
    rows: int | None = None
    cells: Cells | None = None
    threshold: int | None = None


@dataclass(frozen=True)
class Chosen:
    """A choice among public candidates. PUBLIC.

    Attributes:
        index: Position of the choice.
        guarantee: The cost.
    """

    index: int
    guarantee: Guarantee


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """Noisy counts for a file, one row a cell. PUBLIC.

    Attributes:
        codes: Codes of the cells, shape (rows,), for each column; -1 if a histogram lacks it.
        values: Noisy counts, shape (rows,).
        histogram: The number of the histogram of each row, from 1, shape (rows,); None if there is
            one, of all columns.
    """

    codes: list[Codes]
    values: Ints
    histogram: Ints | None = None


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """The noisy count of every cell, or of the large ones. PUBLIC.

    A universe too large to enumerate is listed from a threshold up. The listed cells and counts
    have the law that they would have if every cell had got noise.

    Attributes:
        domain: The universe.
        values: Noisy counts, shape (k,), also negative ones if all cells are listed.
        scale: Scale of the discrete Laplace noise.
        neighbors: The relation of the guarantee.
        guarantee: The cost of these values.
        rows: The number of rows of the table if it is public, else None.
        listed: The cells of the values, ascending, shape (k,); None for all cells.
        threshold: The least count that is listed; None if all are.
        noisy_rows: The number of rows inside the domain with noise of its own, if measured.
    """

    domain: Domain
    values: Ints
    scale: Fraction
    neighbors: Neighbors
    guarantee: Guarantee
    rows: int | None
    listed: Cells | None = None
    threshold: int | None = None
    noisy_rows: int | None = None

    @classmethod
    def read(cls, domain: Domain, cells: Measured, total: Measured | None = None) -> Self:
        """Return a measured histogram, with the number of rows if that was measured too."""
        scale = cells.mechanism.laplace_scale
        assert scale is not None
        return cls(
            domain,
            cells.values,
            scale,
            cells.neighbors,
            cells.guarantee if total is None else cells.guarantee + total.guarantee,
            cells.rows,
            cells.cells,
            cells.threshold,
            None if total is None else int(total.values[0]),
        )

    @cached_property
    def cells(self) -> Cells:
        """The cells of the values, ascending, shape (k,)."""
        return np.arange(self.domain.size) if self.listed is None else self.listed

    def split(self) -> list[Codes]:
        """Return codes of the cells, shape (k,), for each column; not stored, as they may be large.
        """
        return split_cells(self.cells, self.domain.shape)

    @property
    def total(self) -> int:
        """The public number of rows, or its best public estimate."""
        if self.rows is not None:
            return self.rows
        return max(0, int(self.values.sum()) if self.noisy_rows is None else self.noisy_rows)

    @property
    def rows_in_words(self) -> str:
        """How many rows the table has, and how that is known."""
        if self.rows is not None:
            return f"{self.rows}, public"
        how = "the sum of the noisy counts" if self.noisy_rows is None else "measured with noise"
        return f"about {self.total}, {how}"

    def table(self) -> NoisyTable:
        """Return all noisy counts, cells in order."""
        return NoisyTable(self.split(), self.values)


@dataclass(frozen=True, eq=False)
class NoisyMarginal:
    """The noisy histogram of a few columns. PUBLIC.

    Attributes:
        domain: These columns.
        values: Noisy counts of all cells, also negative ones, shape (domain.size,).
        mechanism: The noise on each.
        guarantee: Their cost.
        rows: The number of rows of the table if it is public, else None.
    """

    domain: Domain
    values: Ints
    mechanism: Mechanism
    guarantee: Guarantee
    rows: int | None

    @classmethod
    def read(cls, domain: Domain, cells: Measured) -> Self:
        """Return a measured marginal."""
        return cls(domain, cells.values, cells.mechanism, cells.guarantee, cells.rows)


def least_listed(size: int, scale: Fraction) -> int | None:
    """Return the least noisy count that is listed for a universe of this size; None if all are.

    About `limits.SPURIOUS_CELLS` empty cells reach it. It depends on public numbers only (Cormode,
    Procopiuc, Srivastava, Tran 2012): a threshold from the private counts would disclose them.

    >>> least_listed(10**6, Fraction(2)), least_listed(10**18, Fraction(2))
    (None, 59)
    """
    if size <= limits.LISTED_CELLS:
        return None
    spurious = limits.SPURIOUS_CELLS * (1 + LaplaceLaw(scale).ratio)
    return max(1, math.ceil(scale * (math.log(size) - math.log(spurious))))
