"""The values that quantiles are chosen among: the declared ones, each an atom of its own.
PUBLIC.

For columns of whole units (numbers, days, seconds) these are all values within the bounds. If
they are very many, and for real numbers, they are steps of equal width, cut where the
condition cuts.

>>> from synth.domain import Integer
>>> grid = value_grid(Integer(name="age", minimum=17, maximum=90, missing=True))
>>> grid.intervals, grid.size, span_of(grid, 3)
(74, 76, (20.0, 20.0))
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar, cast, overload

from synth import limits
from synth.domain import Bin, Binned, Column, Cutting, Even, Outside
from synth.questions.workloads.atoms import CutColumn, cut_column
from synth.util import Floats


@dataclass(frozen=True, kw_only=True)
class ValueColumn(CutColumn):
    """A column of whole units with an atom for every value, not listed in memory."""

    kind: ClassVar[str] = "column of values"

    @property
    def first(self) -> int:
        """The least value."""
        return int(self.starts[0])

    @property
    def size(self) -> int:
        """Number of atoms: values, codes, signs, missing, outside and left-out values.

        An atom is a piece of the column that is not divided any more: here a single value.
        """
        # The last atom, of rows that are left out, is always there.
        others = self.base.missing + (self.base.rule == Outside.CELL) + 1
        return self.intervals + len(self.codes) + len(self.signs) + others

    @cached_property
    def cutting(self) -> Cutting:
        """The rule that finds the atom of a value, by arithmetic instead of a list of values.

        An atom is a piece of the column that is not divided any more: here a single value.
        """
        base = self.base
        size = self.intervals
        assert isinstance(base, Binned)
        # The start of the units, the width of one, the first one, and as many bins as values.
        even = Even(0, int(base.place(Fraction(1))), self.first, size, size)
        return self._cut_again(_Bins(base, self.first, size), even)

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """Not needed: values are chosen, never added."""
        raise NotImplementedError  # see `span_of`


class _Bins(Sequence[Bin]):
    """One bin for each whole number from ``first``, made when it is asked for."""

    def __init__(self, column: Binned, first: int, size: int) -> None:
        """Take the column, its least whole number (``first``), and how many there are
        (``size``).
        """
        self.column = column
        self.first = first
        self.many = size

    def __len__(self) -> int:
        return self.many

    @overload
    def __getitem__(self, place: int) -> Bin: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Bin]: ...
    def __getitem__(self, place: int | slice) -> Bin | Sequence[Bin]:
        """Return the bin at a place, or a list of bins for a slice.

        Raises:
            IndexError: The place is negative or too large; iteration ends by it.
        """
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(self.many))]
        if not 0 <= place < self.many:
            raise IndexError(place)
        return Bin(place, self.column.place(Fraction(self.first + place)))


@lru_cache(maxsize=16)
def value_grid(column: Column, cuts: frozenset[Fraction] = frozenset()) -> CutColumn:
    """Return a column cut at the values among which quantiles are chosen.

    These are all whole units within the bounds. If they are too many, and for real numbers,
    they are intervals of equal width.

    Args:
        column: A column with bounds.
        cuts: Where the condition of the question cuts it, too.
    """
    assert isinstance(column, Binned)
    low, high = column.bounds
    if not column.unit or column.values > limits.VALUE_GRID:
        steps = limits.VALUE_STEPS
        even = {low + (high - low) * i / steps for i in range(1, steps)}
        positions = (
            {Fraction(math.floor(position)) for position in even} if column.unit else even
        )
        return cut_column(column, positions | cuts)
    # A range takes no memory, and is used like a tuple of ascending positions.
    starts = cast("tuple[Fraction, ...]", range(int(low), int(high) + 1))
    return ValueColumn(
        name=column.name,
        missing=column.missing,
        missing_values=column.missing_values,
        base=column,
        starts=starts,
        end=high + 1,
        codes=tuple(p for p in column.pieces if p.spike and not low <= p.low <= high),
        signs=column.signs,
    )


def span_of(column: CutColumn, atom: int) -> tuple[float, float]:
    """Return the least and the greatest value of an interval of a grid.

    They are in units of reading; equal if the interval is a single value.

    Args:
        column: A column cut at the values among which quantiles are chosen.
        atom: The number of the interval.
    """
    if isinstance(column, ValueColumn):
        assert isinstance(column.base, Binned)
        place = float(column.base.place(Fraction(column.first + atom)))
        return place, place
    low, high = column.ends
    return float(low[atom]), float(high[atom])
