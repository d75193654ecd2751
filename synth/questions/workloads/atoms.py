"""Columns cut where questions cut them: their atoms, and the conditions that these meet.
PUBLIC.

No question cuts an *atom*: an interval, a code outside the bounds, a sign, the missing cell,
the cell for values outside. The last atom is for rows that the declaration's rules leave out;
no question about this column counts it.

>>> from synth.domain import Integer
>>> age = Integer(name="age", minimum=17, maximum=90, bins=5, missing=True)
>>> cut = cut_column(age, {Fraction(65)})
>>> cut.cells
('17 to 64', '65 to 90', '(missing)', '(left out)')
>>> cut.compare(Sign.AT_LEAST, Fraction(65)).tolist()
[False, True, False, False]
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from itertools import pairwise
from typing import ClassVar

import numpy as np

from synth.domain import (
    OTHER_LABEL,
    Arguments,
    Bin,
    Binned,
    Column,
    Cutting,
    Even,
    Field,
    Outside,
    Piece,
    Reading,
    Spike,
    Summable,
)
from synth.questions.wording.condition import Missing, Plain, Sign
from synth.util import Floats, Ints, Json, Mask

# The atom of the rows that a rule of the declaration leaves out.
LEFT_OUT_ATOM = "(left out)"


@dataclass(frozen=True, kw_only=True)
class CutColumn(Column):
    """A declared column with its atoms as cells, counted like any other column.

    Attributes:
        base: As declared.
        starts: Starts of its intervals on the axis, ascending; none for a listed column.
        end: End of the last interval, not inside.
        codes: The spikes outside the bounds, which are codes and no numbers, ascending.
    """

    kind: ClassVar[str] = "cut column"

    base: Column
    starts: tuple[Fraction, ...] = ()
    end: Fraction = Fraction(0)
    codes: tuple[Piece, ...] = ()

    def _validate(self) -> None:
        return

    def _validate_signs(self) -> None:
        return

    @property
    def reasons(self) -> tuple[str, ...]:
        """The values of the declared column that mean a missing one."""
        return self.base.reasons

    @property
    def intervals(self) -> int:
        """Number of atoms that are intervals."""
        return len(self.starts)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The label of each atom with a value: of intervals, then of codes outside the
        bounds.

        An atom is a piece of a column that no question cuts, such as an interval.
        """
        if not isinstance(self.base, Binned):
            return self.base.labels
        bounds = [
            _span(self.base, low, high) for low, high in pairwise((*self.starts, self.end))
        ]
        return (*bounds, *(_show_position(self.base, piece.low) for piece in self.codes))

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The label of every atom; the last atom is for rows that a rule of the declaration
        drops.

        The atoms with values come first, then the declared column's cells for signs, missing
        and outside values, if it has them. An atom is a piece of a column that no question
        cuts, such as an interval.
        """
        return (*self.labels, *self.base.cells[self.base.value_cells :], LEFT_OUT_ATOM)

    @property
    def rule(self) -> Outside:
        """The engine's rule for values outside: rows to be left out have a cell too."""
        return Outside.CELL if self.base.rule == Outside.DROP else self.base.rule

    @property
    def value_cells(self) -> int:
        """Number of atoms with a value: intervals, and codes outside the bounds."""
        # Intervals and codes are the labelled atoms of a numeric column. Their number is used
        # first, because writing out the labels of very many values would be slow.
        return self.intervals + len(self.codes) or len(self.labels)

    @property
    def missing_code(self) -> int:
        """The number of the atom of missing values; the last atom if the column declares
        none.

        An atom is a piece of a column that no question cuts, such as an interval.
        """
        if not self.base.missing:
            return self.size - 1
        return self.value_cells + len(self.signs)

    @property
    def other_code(self) -> int:
        """The atom of values outside the declared ones."""
        return self.size - 2 if self.base.rule == Outside.CELL else self.size - 1

    @property
    def reading(self) -> Reading:
        """How texts of the column are read."""
        return self.base.reading

    @cached_property
    def cutting(self) -> Cutting | None:
        """The rule that finds the atom of a value; None if the column lists its values.

        An atom is a piece of a column that no question cuts, such as an interval.
        """
        base = self.base
        if base.cutting is None or not isinstance(base, Binned):
            return None
        return self._cut_again(
            [Bin(i, base.place(start)) for i, start in enumerate(self.starts)]
        )

    def _cut_again(self, bins: Sequence[Bin], even: Even | None = None) -> Cutting:
        """Return the rule that puts the column's values into these bins.

        Args:
            bins: The bins, each with its number and its start in units of reading.
            even: A faster rule for bins of equal width; None for other bins.
        """
        declared = self.base.cutting
        assert declared is not None
        spikes = tuple(self._spike(i, piece) for i, piece in enumerate(self.codes))
        # The first and the last bin, which take values below and above the bounds.
        ends = (0, self.intervals - 1) if self.base.rule == Outside.NEAREST else None
        return replace(declared, spikes=spikes, bins=bins, even=even, ends=ends)

    def _spike(self, number: int, piece: Piece) -> Spike:
        """Return the atom of a code, by its number among the codes, after all intervals."""
        assert isinstance(self.base, Binned)
        high = self.base.place(piece.high) if self.base.unit else None
        return Spike(self.intervals + number, self.base.place(piece.low), high)

    @property
    def summable(self) -> Summable | None:
        """The range and the unit of the values, over all intervals; None if they do not add
        up.
        """
        summable = self.base.summable
        return summable and summable._replace(first=0, last=self.intervals - 1)

    def position(self, text: str) -> Fraction:
        """Return the position of a value on the axis."""
        return self.base.position(text)

    def write_position(self, position: Fraction) -> str:
        """Return the text of a position on the axis."""
        return self.base.write_position(position)

    @property
    def values(self) -> float:
        """Number of values that the column declares."""
        return self.base.values

    @property
    def in_words(self) -> str:
        """How the column is declared, in words."""
        return self.base.in_words

    @classmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        """Not needed: a cut column is never declared in a file."""
        raise NotImplementedError

    def write_field(self) -> dict[str, Json]:
        """Not needed: a cut column is never declared in a file."""
        raise NotImplementedError

    @property
    def are_counted(self) -> Mask:
        """Which atoms' rows count, shape (size,): all but the last, of rows that are left
        out.

        An atom is a piece of a column that no question cuts, such as an interval.
        """
        is_counted = np.ones(self.size, dtype=bool)
        is_counted[-1] = False
        return is_counted

    @property
    def held_size(self) -> int:
        """The number of atoms that rows may be in.

        All atoms, but without the last one if no rule of the declaration can leave out a row.
        An atom is a piece of a column that no question cuts, such as an interval.
        """
        drops_outside = self.base.rule is Outside.DROP
        # Under NEAREST an unreadable text counts as missing; its row is left out if the
        # column declares no missing values.
        drops_unreadable = self.base.rule is Outside.NEAREST and not self.base.missing
        may_drop_rows = drops_outside or drops_unreadable
        return self.size if may_drop_rows else self.size - 1

    @property
    def numbers(self) -> Mask:
        """Which atoms hold numbers, shape (size,)."""
        return np.asarray(np.arange(self.size) < self.intervals)

    @cached_property
    def absent(self) -> Mask:
        """Which atoms hold missing values, shape (size,).

        These are the missing cell, and the cells of values that say why one is missing, such
        as "refused".
        """
        is_missing = np.arange(self.size) == self.missing_code
        is_missing[self._reason_codes] = True
        return np.asarray(is_missing & self.are_counted)

    @property
    def _reason_codes(self) -> list[int]:
        """The atoms of the declared values that say why a value is missing."""
        reasons = {*self.reasons}
        codes = [code for sign, code in self.sign_codes.items() if sign in reasons]
        if isinstance(self.base, Binned):
            # A reason among numbers is a spike outside the bounds, which is a code.
            positions = {self.base.position(text) for text in reasons - {*self.signs}}
            codes += [
                self.intervals + number
                for number, piece in enumerate(self.codes)
                if piece.low in positions
            ]
        else:
            labels = enumerate(self.labels)
            codes += [code for code, label in labels if label in reasons]
        return codes

    def compare(self, sign: Sign, position: Fraction) -> Mask:
        """Return which atoms meet a comparison with a position on the axis, shape (size,).

        The column must be cut so that the comparison holds for all or for no values of an
        atom. A code outside the bounds meets "equal to" its own value. Otherwise codes, and
        rows without a value, meet only "not equal to". An atom is a piece of a column that no
        question cuts, such as an interval.
        """
        if sign is Sign.UNEQUAL:
            return np.asarray(self.are_counted & ~self.compare(Sign.EQUAL, position))
        at = as_read(self.base, position)
        # A listed value has its place in the list as its position.
        starts: Sequence[Fraction | int] = self.starts or range(len(self.labels))
        # The number of atoms that start before the position, and at or before it.
        below = bisect_left(starts, at)
        up_to = bisect_right(starts, at)
        # The atoms that meet each comparison. One that holds at the start of an atom holds
        # for all of it.
        atoms_by_sign = {
            Sign.EQUAL: slice(below, up_to),
            Sign.AT_LEAST: slice(below, len(starts)),
            Sign.ABOVE: slice(up_to, len(starts)),
            Sign.AT_MOST: slice(0, up_to),
            Sign.BELOW: slice(0, below),
        }
        is_met = np.zeros(self.size, dtype=bool)
        is_met[atoms_by_sign[sign]] = True
        if sign is Sign.EQUAL:
            same = [piece.low == position for piece in self.codes]
            is_met[self.intervals : self.intervals + len(same)] = same
        return is_met

    def meets(self, leaf: Plain) -> Mask:
        """Return which atoms meet a checked condition on this column, shape (size,).

        The condition is one comparison, a list of values, or "is missing". An atom is a piece
        of a column that no question cuts, such as an interval.
        """
        if isinstance(leaf, Missing):
            return self.absent
        return reduce(
            np.logical_or, (self._is(sign, value) for sign, value in leaf.comparisons)
        )

    def _is(self, sign: Sign, value: str) -> Mask:
        """Return which atoms are equal to a value, or compare to it by another sign, shape
        (size,).

        The value is a text as the column spells it, a sign, or the label of the cell for
        values outside. An atom is a piece of a column that no question cuts, such as an
        interval.
        """
        code = self.sign_codes.get(value)
        if value == OTHER_LABEL and self.base.other_code is not None:
            code = self.other_code
        if code is not None:
            same = np.arange(self.size) == code
            return np.asarray(same if sign is Sign.EQUAL else self.are_counted & ~same)
        return self.compare(sign, self.base.position(value))

    @cached_property
    def declared_codes(self) -> Ints:
        """The declared cell that each atom lies in, shape (size,); -1 for rows that are left
        out.

        It is meaningful only if the column is cut at its declared cells too. An atom is a
        piece of a column that no question cuts, such as an interval.
        """
        # The cells of signs, missing and outside values, which follow those of the labels.
        extra = self.base.value_cells + np.arange(self.size - len(self.labels) - 1)
        codes = list(range(len(self.labels)))
        if isinstance(self.base, Binned):
            pieces = list(enumerate(self.base.pieces))
            codes = _find_codes(self.base, pieces, self.starts)
            codes += [code for code, piece in pieces if piece in self.codes]
        return np.array([*codes, *extra, -1], dtype=np.int64)

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """The least and the greatest value of each interval, each an array of shape
        (intervals,).

        They are in units of reading, in which the values of the column are added.
        """
        assert isinstance(self.base, Binned)
        lows = [float(self.base.place(start)) for start in self.starts]
        # An interval ends before the next one starts.
        lasts = [_last(self.base, end) for end in (*self.starts[1:], self.end)]
        return np.array(lows), np.array(lasts)


def cut_column(
    column: Column, cuts: Collection[Fraction], *, cells: bool = False
) -> CutColumn:
    """Cut a column into atoms at some positions on its axis.

    A column that lists its values is not cut; each value is an atom. An atom is a piece of a
    column that no question cuts, such as an interval.

    Args:
        column: The declared column.
        cuts: Where atoms must begin.
        cells: Whether to cut at the declared bins and values too.
    """
    if not isinstance(column, Binned):
        return CutColumn(
            name=column.name,
            missing=column.missing,
            missing_values=column.missing_values,
            base=column,
        )
    low, high = column.bounds
    end = next_position(column, high)
    positions = {as_read(column, cut) for cut in cuts}
    if cells:
        positions |= {
            as_read(column, start) for p in column.pieces for start in _ends(column, p)
        }
    first = as_read(column, low)
    starts = tuple(sorted({first} | {cut for cut in positions if first < cut < end}))
    # Declared single values outside the bounds are codes, and get atoms of their own.
    codes = tuple(p for p in column.pieces if p.spike and not low <= p.low <= high)
    return CutColumn(
        name=column.name,
        missing=column.missing,
        missing_values=column.missing_values,
        base=column,
        starts=starts,
        end=end,
        codes=codes,
        signs=column.signs,
    )


def cuts_of(column: Column, leaves: Iterable[Plain]) -> set[Fraction]:
    """Return the positions at which a column must be cut for some comparisons.

    Then each atom lies wholly inside or outside each comparison. Comparisons of other
    columns, and columns that list their values, need no cuts. An atom is a piece of a column
    that no question cuts, such as an interval.

    >>> from synth.domain import Integer
    >>> from synth.questions.wording.condition import Compare
    >>> age = Integer(name="age", minimum=17, maximum=90)
    >>> cuts_of(age, [Compare("age", Sign.ABOVE, "65"), Compare("sex", Sign.EQUAL, "F")])
    {Fraction(66, 1)}
    """
    if not isinstance(column, Binned):
        return set()
    positions = set[Fraction]()
    for leaf in leaves:
        for sign, value in leaf.comparisons if leaf.column == column.name else ():
            if value != OTHER_LABEL and value not in column.signs:
                positions |= _cuts(column, sign, column.position(value))
    return positions


def _cuts(column: Binned, sign: Sign, position: Fraction) -> set[Fraction]:
    """Return the one or two positions where a comparison changes between true and false.

    Args:
        column: The column, which has numbers or dates.
        sign: The sign of the comparison.
        position: The position on the axis with which values are compared.
    """
    at = Fraction(math.ceil(position)) if column.unit else as_read(column, position)
    # The first position after the compared value.
    past = next_position(column, position)
    # Equality is true for this value alone, so it changes on both sides.
    if sign in (Sign.AT_LEAST, Sign.BELOW):
        return {at}
    return {past} if sign in (Sign.ABOVE, Sign.AT_MOST) else {at, past}


def as_read(column: Column, position: Fraction) -> Fraction:
    """Return a position in units of reading: for real numbers the nearest double."""
    real = isinstance(column, Binned) and not column.unit
    return Fraction(float(position)) if real else position


def next_position(column: Binned, position: Fraction) -> Fraction:
    """Return the least position after another one at which the column can have a value.

    It is the next whole unit, or the next double for real numbers.
    """
    if column.unit:
        return Fraction(math.floor(position) + 1)
    return Fraction(math.nextafter(float(position), math.inf))


def _ends(column: Binned, piece: Piece) -> tuple[Fraction, ...]:
    # Where to cut for a declared bin: its start. A single value is cut on both sides.
    return (piece.low, next_position(column, piece.low)) if piece.spike else (piece.low,)


def _find_codes(
    column: Binned, pieces: list[tuple[int, Piece]], starts: Sequence[Fraction]
) -> list[int]:
    """Return the number of the declared cell in which each atom begins.

    An atom is an interval that no condition cuts. A spike is a value with a cell of its own,
    so an atom that begins there is the spike. Any other atom is within the last bin that
    begins at or before it.

    Args:
        column: The declared column.
        pieces: The declared spikes and bins with the numbers of their cells, bins ascending.
        starts: Where atoms begin, in units of reading.
    """
    spikes = {as_read(column, piece.low): code for code, piece in pieces if piece.spike}
    bins = [(as_read(column, piece.low), code) for code, piece in pieces if not piece.spike]
    lows = [low for low, _ in bins]
    return [
        spikes[start] if start in spikes else bins[bisect_right(lows, start) - 1][1]
        for start in starts
    ]


def _last(column: Binned, end: Fraction) -> float:
    """Return the greatest value below an end, in units of reading."""
    return (
        float(column.place(end - 1)) if column.unit else math.nextafter(float(end), -math.inf)
    )


def _show_position(column: Binned, position: Fraction) -> str:
    return column.write_position(position) if column.unit else f"{float(position):g}"


def _span(column: Binned, low: Fraction, end: Fraction) -> str:
    """Return the label of an interval from ``low`` up to but not including ``end``."""
    last = end - 1 if column.unit else end
    first = _show_position(column, low)
    return first if last == low else f"{first} to {_show_position(column, last)}"
