"""Sums of offsets within bins and of products of numbers, by cells of columns. PRIVATE.

Whole steps of a public grid are added (`synth.domain.offsets`), as in `counts`: for each code
of a column, tables say from where its numbers count and how long a step is.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from synth.domain import OFFSET_STEPS, Domain, Frame, Offsets, Summable
from synth.privacy import Unit
from synth.util import Floats, Ints, Private, SmallCodes, number_cells

if TYPE_CHECKING:
    from synth.estimate import MomentSum


@dataclass(frozen=True, eq=False)
class AddedMoments(Private):
    """Exact sums, each by the cells of the columns that it is by. PRIVATE.

    Attributes:
        domain: The columns.
        sums: Each sum in steps, shape (cells,).
        unit: The protected unit.
    """

    domain: Domain
    sums: Mapping["MomentSum", Ints]
    unit: Unit


class AddedSteps(Private):
    """Sums of numbers over rows that come piece by piece and are not kept. PRIVATE.

    A row adds nothing if a number is missing, unknown, in the cell for values outside, or a
    code outside the bounds. A value that is moved to a bound adds what the bound does.

    Args:
        domain: The declared columns.
        sums: The definitions of the sums.

    Attributes:
        columns: The numbers of the columns whose values the rows must have, ascending.
        totals: Each sum in steps, shape (cells of its ``by`` columns,).
    """

    def __init__(self, domain: Domain, sums: "Sequence[MomentSum]") -> None:
        """Begin with sums of 0."""
        self._shape = domain.shape
        self._sums = sums
        factors = dict.fromkeys(chain(*(moment_sum.factor_keys for moment_sum in sums)))
        self._factors = {pair: Offsets.build(domain, *pair) for pair in factors}
        self._has_number = {
            column: Offsets.build(domain, column, Frame.RANGE).halves > 0
            for column in sorted({*chain(*(moment_sum.given for moment_sum in sums))})
        }
        self.columns = tuple(sorted({column for column, _ in factors}))
        self._summables = {
            column: summable
            for column in self.columns
            if (summable := domain.columns[column].summable) is not None
        }
        self.totals = [
            np.zeros(math.prod(moment_sum.shape(domain)), dtype=np.int64)
            for moment_sum in sums
        ]

    def add(self, codes: Sequence[SmallCodes], values: Sequence[Floats]) -> None:
        """Add rows to every sum.

        Args:
            codes: For each column of the domain, the number of each row's cell along it.
            values: For each column of ``columns``, the values as they are read; any number
                where a value cannot be read.
        """
        numbers = {
            column: _value_within(value, self._summables[column])
            for column, value in zip(self.columns, values, strict=True)
        }
        steps = {
            (column, frame): _steps(numbers[column], codes[column], offsets)
            for (column, frame), offsets in self._factors.items()
        }
        for moment_sum, totals in zip(self._sums, self.totals, strict=True):
            added = self._added(moment_sum, codes, steps)
            if not moment_sum.by:
                totals += added.sum()
                continue
            shape = [self._shape[column] for column in moment_sum.by]
            cells = number_cells([codes[column] for column in moment_sum.by], shape)
            # Doubles hold these whole numbers exactly: a piece has far fewer than 2^37 rows.
            totals += np.bincount(cells, added, minlength=totals.size).astype(np.int64)

    def _added(
        self,
        moment_sum: "MomentSum",
        codes: Sequence[SmallCodes],
        steps: Mapping[tuple[int, Frame], Ints],
    ) -> Ints:
        """Return what each row adds to a sum, in steps, shape (rows,).

        Args:
            moment_sum: The definition of the sum.
            codes: The codes of the rows, by column.
            steps: The steps of the rows, by factor.
        """
        match [steps[pair] for pair in moment_sum.factor_keys]:
            case [first, second]:
                # Two factors of so many steps have a product of as many, after division.
                added = _round_half_away(first * second, moment_sum.steps)
            case [added]:
                pass
            case _:
                added = np.full(len(codes[0]), OFFSET_STEPS, dtype=np.int64)
        for column in moment_sum.given:
            added = added * self._has_number[column][codes[column]]
        return added


def _value_within(values: Floats, column: Summable) -> Floats:
    """Return values for sums: within the bounds, and in whole units if there are any.

    Args:
        values: The values as they are read, shape (rows,).
        column: The bounds of the column's values, and their unit; real numbers have none.
    """
    inside = np.clip(values, column.low, column.high)
    if column.unit is None:
        return inside
    # As the cells have it: 39.5 is one of those from 35 to 39.
    whole_units: Floats = np.floor(inside / column.unit) * column.unit
    return whole_units


def _steps(values: Floats, codes: SmallCodes, offsets: Offsets) -> Ints:
    """Return the whole steps of values from the middle of their cells, shape (rows,).

    The operations, on doubles, are those of `synth.private.counting.sql`. A value in a cell
    without a width has 0 steps.

    Args:
        values: Values within the column's bounds.
        codes: Their cells.
        offsets: By cell, the middle and half the width; and the most steps.
    """
    is_summed = offsets.halves > 0
    # The size of a step in each cell; any, where nothing is added.
    grids = np.where(is_summed, offsets.halves, 1.0) / offsets.most
    away = (values - offsets.middles[codes]) / grids[codes]
    steps = np.clip(np.trunc(away + np.copysign(0.5, away)), -offsets.most, offsets.most)
    return steps.astype(np.int64) * is_summed[codes]


def _round_half_away(numbers: Ints, divisor: int) -> Ints:
    """Return quotients rounded to whole numbers, a half away from 0.

    >>> _round_half_away(np.array([-3, -2, -1, 1, 2, 5]), 2).tolist()
    [-2, -1, -1, 1, 1, 3]
    """
    rounded: Ints = np.sign(numbers) * ((2 * np.abs(numbers) + divisor) // (2 * divisor))
    return rounded


def sum_of_lines(
    moment_sum: "MomentSum",
    domain: Domain,
    sums: "Sequence[MomentSum]",
    *,
    lines: Sequence[Ints],
) -> Ints:
    """Return one sum of an answer of SQL, in steps, shape (cells of its ``by`` columns,).

    Args:
        moment_sum: The wanted sum.
        domain: The declared columns.
        sums: All sums of the answer.
        lines: The columns of the engine's answer, each of shape (lines,): the codes of every
            column that some sum is by, ascending, and then each sum. A code is -1 if the line
            is not by that column.
    """
    columns = sorted({column for summed in sums for column in summed.by})
    codes = lines[: len(columns)]
    added = lines[len(columns) + sums.index(moment_sum)]
    # The lines of a sum have a code in each of its own columns, and in no others.
    is_of_sum = np.ones(len(added), dtype=bool)
    for number, code in zip(columns, codes, strict=True):
        is_of_sum &= (code >= 0) == (number in moment_sum.by)
    cells = np.zeros(int(is_of_sum.sum()), dtype=np.int64)  # in row-major order
    for column in moment_sum.by:
        cells = cells * domain.shape[column] + codes[columns.index(column)][is_of_sum]
    totals = np.zeros(math.prod(moment_sum.shape(domain)), dtype=np.int64)
    np.add.at(totals, cells, added[is_of_sum])
    return totals
