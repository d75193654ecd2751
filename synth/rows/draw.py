"""Synthetic rows from a distribution over cells.

It works on public numbers, so NumPy's generator with a fresh seed is good enough. A large
table's values are never all in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from synth import estimate, limits
from synth.domain import Domain
from synth.errors import LimitError
from synth.rows.values import decode_columns
from synth.util import Codes, SmallCodes, check_whole, each_part, split_cells

if TYPE_CHECKING:
    from synth.estimate import Distribution, Record
    from synth.rows.offsets import CellLaws
    from synth.rows.ordered_pairs import Pairs
    from synth.rows.write import Maker


def fresh_seed() -> int:
    """Return a new seed from the operating system."""
    return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, kw_only=True)
class SyntheticTable:
    """Synthetic rows.

    Attributes:
        domain: The columns.
        distinct: Codes of the different cells, one array of shape (k,) per column.
        picked: Each row's position in ``distinct``, shape (rows,); None if each row has its
            own.
        seed: Fixes the values within bins, for all files.
        order: Pairs of column numbers; the first is at most the second, if the cells allow.
        first: Number of the first row in a larger table.
        laws: Laws of the values within cells, by column number; uniform without one.
    """

    domain: Domain
    distinct: Sequence[SmallCodes]
    picked: Codes | None
    seed: int = field(default_factory=fresh_seed)
    order: "Pairs" = ()
    first: int = 0
    laws: "CellLaws" = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.distinct[0] if self.picked is None else self.picked)

    def codes_of(self, column: int) -> SmallCodes:
        """Return every row's code in a column, shape (rows,)."""
        codes = self.distinct[column]
        return codes if self.picked is None else codes[self.picked]

    @cached_property
    def codes(self) -> list[Codes]:
        """The code of every row, one array of shape (rows,) for each column.

        A code is the number of a cell of its column.
        """
        columns = range(len(self.distinct))
        return [self.codes_of(column).astype(np.int32, copy=False) for column in columns]

    @cached_property
    def table(self) -> pa.Table:
        """All rows as values, in one table."""
        return pa.concat_tables(self.pieces()).unify_dictionaries()

    def pieces(self) -> Iterator[pa.Table]:
        """Yield the rows as values, some hundred thousand at a time."""
        return each_part(lambda piece: piece(), self.parts())

    def parts(self) -> "list[Maker]":
        """Return a function for each piece of rows, which makes its values when called.

        Each has its own generator, so that they may be called in any order.
        """
        starts = range(0, max(1, self.rows), limits.ROWS_AT_A_TIME)
        return [partial(self._piece, start) for start in starts]

    def _piece(self, start: int) -> pa.Table:
        """Return the piece of rows from ``start`` on as values, with derived columns."""
        rows = slice(start, start + limits.ROWS_AT_A_TIME)
        # The position of each row's code in ``distinct``.
        positions = rows if self.picked is None else self.picked[rows]
        # Each piece has a generator of its own, by the number of its first row.
        rng = np.random.default_rng((self.seed, self.first + start))
        codes = [codes[positions].astype(np.int32, copy=False) for codes in self.distinct]
        if self.picked is None:
            # Codes of many rows are in a file; the memory of those copied is given back.
            for column in self.distinct:
                estimate.let_go(column[positions])
        table = decode_columns(self.domain, codes, rng, order=self.order, laws=self.laws)
        if not self.domain.uncounted:
            return table
        from synth.rows.derive import with_derived

        return with_derived(self.domain, table, self.seed, first=self.first + start)


def measured_laws(record: "Record") -> "CellLaws":
    """Return the laws of values within bins, if the release measured sums of numbers.

    Args:
        record: The public record of the release.
    """
    if not record.moments:
        return {}
    from synth.rows.offsets import value_laws

    return value_laws(record)


def draw_rows(
    distribution: "Distribution",
    rows: int | None = None,
    *,
    seed: int | None = None,
    laws: "CellLaws" = MappingProxyType({}),
) -> SyntheticTable:
    """Return rows drawn from a distribution, in random order.

    Args:
        distribution: Expected rows by cell.
        rows: The number of rows; None for the distribution's total, up to the limit.
        seed: A fresh public seed to repeat the drawing; by default a secret one.
        laws: Laws of the values within cells (`measured_laws`).

    Raises:
        ArgumentError: ``rows`` is no whole number from 0 up.
        LimitError: ``rows`` is above the limit.
    """
    # Noise may have raised a paid number of rows beyond the limit, and it is not lost.
    rows = min(distribution.total, limits.ROWS_MAX) if rows is None else rows
    check_whole(0, rows=rows)
    if rows > limits.ROWS_MAX:
        raise LimitError(f"{rows:,} rows are more than the limit of {limits.ROWS_MAX:,}.")
    seed = fresh_seed() if seed is None else seed
    distinct, picked = draw_cells(distribution, int(rows), np.random.default_rng(seed))
    return SyntheticTable(
        domain=distribution.domain, distinct=distinct, picked=picked, seed=seed, laws=laws
    )


def draw_cells(
    distribution: "Distribution", rows: int, rng: np.random.Generator
) -> tuple[list[Codes], Codes]:
    """Return codes of different cells, and the cell of each row, in random order.

    If no weight is above 0, all cells are equally likely.

    Args:
        distribution: Expected rows by cell.
        rows: Number of rows.
        rng: Source of randomness.

    Returns:
        Codes of the cells, one array of shape (k,) for each column; and the position of each
        row's cell among them, shape (rows,).
    """
    shape = distribution.domain.shape
    positive = distribution.weights > 0
    if not positive.any():  # each row then draws its own cell
        codes = [rng.integers(0, size, rows, dtype=np.int32) for size in shape]
        return codes, np.arange(rows, dtype=np.int32)
    copies = round_systematically(distribution.weights[positive], rows, rng)
    is_drawn = copies > 0
    picked = np.repeat(np.arange(is_drawn.sum(), dtype=np.int32), copies[is_drawn])
    rng.shuffle(picked)
    return split_cells(distribution.cells[positive][is_drawn], shape), picked


def round_systematically(
    weights: npt.NDArray[np.float64], total: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Return whole numbers proportional to the weights, with the given total.

    Systematic sampling counts the weights, on a line in random order, by a comb of unit
    spacing with one random offset. Each number is the floor or the ceiling of its share, its
    expectation is the share, and the sum is exact.

    Args:
        weights: Shape (k,), not negative, at least one above 0.
        total: The sum of the numbers.
        rng: Source of randomness.

    >>> rng = np.random.default_rng()
    >>> round_systematically(np.array([2.0, 1.0, 1.0]), 8, rng)
    array([4, 2, 2])
    """
    order = rng.permutation(len(weights))
    line = np.cumsum(weights[order])
    line *= total / line[-1]
    # The sum has rounding errors.
    line[-1] = total
    teeth = np.floor(line + rng.random()).astype(np.int64)  # of the comb, up to each weight
    copies = np.empty(len(weights), dtype=np.int64)
    copies[order] = np.diff(teeth, prepend=0)
    return copies


def decode(
    domain: Domain,
    codes: Sequence[SmallCodes],
    *,
    seed: int | None = None,
    order: "Pairs" = (),
    laws: "CellLaws" = MappingProxyType({}),
) -> SyntheticTable:
    """Return a table of these rows, whose values are drawn when they are needed.

    Args:
        domain: The declared columns.
        codes: Codes of the rows, one array of shape (rows,) for each column.
        seed: Fixes the values within bins; by default a secret one.
        order: Pairs of column numbers; the first value is at most the second.
        laws: Laws of the values within cells, by column numbers.
    """
    seed = fresh_seed() if seed is None else seed
    return SyntheticTable(
        domain=domain, distinct=codes, picked=None, seed=seed, order=order, laws=laws
    )


def resample(table: SyntheticTable, rows: int) -> SyntheticTable:
    """Return rows drawn from a table's rows, in random order, all once before any twice.

    Args:
        table: Synthetic rows, at least one.
        rows: Number of rows to draw.
    """
    generator = np.random.default_rng()
    # Rows are ordered as often as needed, and the last order is perhaps used in part.
    rounds = [generator.permutation(table.rows) for _ in range(-(-rows // table.rows))]
    picked = np.concatenate(rounds)[:rows]
    codes = [codes[picked] for codes in table.codes]
    return decode(table.domain, codes, order=table.order, laws=table.laws)
