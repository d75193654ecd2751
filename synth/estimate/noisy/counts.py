"""Noisy counts of all cells, or of a few columns. PUBLIC."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from synth.domain import Domain
from synth.door import Measured
from synth.noise import Mechanism
from synth.privacy import Guarantee, Neighbors
from synth.util import Cells, Codes, Ints, split_cells


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """Noisy counts for a file, one row a cell.

    Attributes:
        codes: Codes of the cells, shape (rows,), for each column; -1 if a histogram lacks it.
        histogram: Number of each row's histogram, from 1, shape (rows,); None for a single
            one.
    """

    codes: list[Codes]
    values: Ints
    histogram: Ints | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyCounts:
    """The noisy count of every cell, or of the large ones.

    A universe too large to enumerate is listed from a threshold up, under the law of noise on
    every cell.

    Attributes:
        values: Noisy counts, shape (k,), negative ones too if all cells are listed.
        scale: Scale of the discrete Laplace noise.
        rows: The table's public number of rows, if any.
        listed: The values' cells, ascending, shape (k,), if not all.
        threshold: The least listed count, if not all.
        noisy_rows: Rows inside the domain with their own noise, if measured.
        left_out: Noisy rows that rules leave out, if all cells are listed and ``rows`` is
            public.
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
    left_out: int | None = None

    @classmethod
    def read(cls, domain: Domain, cells: Measured, total: Measured | None = None) -> Self:
        scale = cells.mechanism.laplace_scale
        assert scale is not None
        values, left_out = cells.split(domain.size)
        return cls(
            domain=domain,
            values=values,
            scale=scale,
            neighbors=cells.neighbors,
            guarantee=cells.guarantee if total is None else cells.guarantee + total.guarantee,
            rows=cells.rows,
            listed=cells.cells,
            threshold=cells.threshold,
            noisy_rows=None if total is None else int(total.values[0]),
            left_out=left_out,
        )

    @cached_property
    def cells(self) -> Cells:
        """Cells of the values, ascending, shape (k,)."""
        return np.arange(self.domain.size) if self.listed is None else self.listed

    def split(self) -> list[Codes]:
        """Return the cells' codes, shape (k,), by column; too large to store."""
        return split_cells(self.cells, self.domain.shape)

    @property
    def total(self) -> int:
        """The number of rows: public, or the best estimate."""
        if self.rows is not None:
            return self.rows
        return max(0, int(self.values.sum()) if self.noisy_rows is None else self.noisy_rows)

    @property
    def rows_in_words(self) -> str:
        if self.rows is not None:
            return f"{self.rows}, public"
        how = (
            "the sum of the noisy counts"
            if self.noisy_rows is None
            else "measured with noise"
        )
        return f"about {self.total}, {how}"

    def table(self) -> NoisyTable:
        return NoisyTable(self.split(), self.values)


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyMarginal:
    """The noisy histogram of a few columns.

    Attributes:
        values: Noisy counts of all cells, also negative ones, shape (domain.size,).
        rows: The table's public number of rows, if any.
        left_out: Noisy rows that rules leave out, if ``rows`` is public.
    """

    domain: Domain
    values: Ints
    mechanism: Mechanism
    guarantee: Guarantee
    rows: int | None
    left_out: int | None = None

    @classmethod
    def read(cls, domain: Domain, cells: Measured) -> Self:
        values, left_out = cells.split(domain.size)
        return cls(
            domain=domain,
            values=values,
            mechanism=cells.mechanism,
            guarantee=cells.guarantee,
            rows=cells.rows,
            left_out=left_out,
        )
