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
        """Return the noisy counts from what the door measured.

        Args:
            domain: The declared columns, whose cells were counted.
            cells: The noisy counts of all cells, or of those from a threshold up.
            total: The noisy number of rows, if it was measured by itself. Its cost is added.
        """
        scale = cells.mechanism.laplace_scale
        assert scale is not None  # a histogram of all columns always has Laplace noise
        # One number more than cells is that of the rows which rules leave out.
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
        """Return, for each column, the codes of the listed cells, shape (k,).

        They are computed anew at each call, as they may be too large to keep.
        """
        return split_cells(self.cells, self.domain.shape)

    @property
    def total(self) -> int:
        """The number of rows: public, or else the best noisy estimate, at least 0.

        The estimate is the number of rows measured by itself, or the sum of the noisy counts.
        """
        if self.rows is not None:
            return self.rows
        if self.noisy_rows is not None:
            return max(0, self.noisy_rows)
        return max(0, int(self.values.sum()))

    @property
    def rows_in_words(self) -> str:
        """The number of rows, and how it is known: public, measured or summed."""
        if self.rows is not None:
            return f"{self.rows}, public"
        how = (
            "the sum of the noisy counts"
            if self.noisy_rows is None
            else "measured with noise"
        )
        return f"about {self.total}, {how}"

    def table(self) -> NoisyTable:
        """Return the noisy counts with their cells' codes, as a file has them."""
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
        """Return the noisy histogram from what the door measured.

        Args:
            domain: The few columns that were counted together.
            cells: The noisy counts of all their cells. A further count, if any, is that of
                the rows which rules leave out.
        """
        values, left_out = cells.split(domain.size)
        return cls(
            domain=domain,
            values=values,
            mechanism=cells.mechanism,
            guarantee=cells.guarantee,
            rows=cells.rows,
            left_out=left_out,
        )

    def as_counts(self, scale: Fraction, rows: int) -> NoisyCounts:
        """Return the histogram in the form that repairs take.

        The relation of neighbours matters to no repair: it is that of a public total.

        Args:
            scale: The scale of its discrete Laplace noise.
            rows: The number of rows: public, or its best estimate.
        """
        return NoisyCounts(
            domain=self.domain,
            values=self.values,
            scale=scale,
            neighbors=Neighbors.REPLACE_ONE,
            guarantee=self.guarantee,
            rows=rows,
        )
