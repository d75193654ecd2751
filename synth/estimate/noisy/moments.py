"""Noisy sums of offsets within bins and of products. PUBLIC.

An offset is a value's distance from the middle of its bin, in whole steps
(`synth.domain.offsets`): `OFFSET_STEPS` to either side. A product is rounded to steps too,
half a step away from 0. Products of numbers from their ranges have `PRODUCT_STEPS`.

>>> MomentSum(columns=(0,), by=(0,)).frames, MomentSum(columns=(0, 2)).steps
((<Frame.OWN: 'own'>,), 32768)
>>> moment_sensitivity([MomentSum(columns=(0,), by=(0,))], Unit(), Neighbors.REPLACE_ONE).l1
8192
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from synth.domain import OFFSET_STEPS, Domain, Frame, Offsets
from synth.noise import Mechanism
from synth.privacy import Neighbors, Sensitivity, Unit
from synth.util import Floats, Ints, Mask


@dataclass(frozen=True, kw_only=True)
class MomentSum:
    """A sum over the rows of each cell of some columns.

    Columns in ``by`` count from the middle of their bin, in half its width. Others count in
    half the width of their widest bin, two without ``by`` from the middle of their range, in
    half of it. A row that lacks a number adds 0.

    Attributes:
        columns: One column number for offsets, two for products, equal ones for squares, none
            for `OFFSET_STEPS` a row.
        by: Columns whose cells have a sum each, ascending; none for one sum of all rows.
        ranged: Whether a single column outside ``by`` counts from the middle of its range,
            which helps where bins say little.
        given: Other columns that need a number too; a row that lacks one adds 0.
    """

    columns: tuple[int, ...]
    by: tuple[int, ...] = ()
    ranged: bool = False
    given: tuple[int, ...] = ()

    @property
    def is_square(self) -> bool:
        """Whether it is a sum of squares of one column."""
        return len(self.columns) == 2 and len(set(self.columns)) == 1

    @property
    def may_be_negative(self) -> bool:
        """Whether a row may add less than 0."""
        return bool(self.columns) and not self.is_square

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The zero and the unit in which each column's numbers are counted.

        Products of two columns over all rows count from the middles of their ranges, in half
        ranges; so does a ``ranged`` column. Others count from the middles of bins: a column
        of ``by`` in half widths of each bin, any other in half the widest.
        """
        if len(self.columns) == 2 and not self.by:
            return (Frame.FACTOR, Frame.FACTOR)
        if self.ranged:
            return (Frame.RANGE,)
        return tuple(
            Frame.OWN if column in self.by else Frame.WIDEST for column in self.columns
        )

    @property
    def steps(self) -> int:
        """Most that a row adds."""
        return self.frames[0].steps if self.frames else OFFSET_STEPS

    @property
    def factor_keys(self) -> tuple[tuple[int, Frame], ...]:
        """Each column with its frame."""
        return tuple(zip(self.columns, self.frames, strict=True))

    def factors(self, domain: Domain) -> tuple[Offsets, ...]:
        """Return the offsets of each column by cell."""
        return tuple(Offsets.build(domain, *pair) for pair in self.factor_keys)

    def has_number(self, domain: Domain) -> dict[int, Mask]:
        """Return which cells hold numbers, by the number of each column that needs one.

        Each mask has shape (cells of the column,). Where it is False, a row adds 0.
        """
        # Columns of ``given`` need a number only: their range has a half width where one is.
        frames = dict.fromkeys(self.given, Frame.RANGE) | dict(self.factor_keys)
        return {
            column: Offsets.build(domain, column, frame).halves > 0
            for column, frame in frames.items()
        }

    def shape(self, domain: Domain) -> tuple[int, ...]:
        """Return the cells of ``by``; () for one sum."""
        return tuple(domain.shape[column] for column in self.by)

    def unit(self, domain: Domain) -> Floats:
        """Return what a step of the sum is worth, in the units of the columns' values.

        The result has one axis for each column of ``by``, as `shape`; it is 0 in cells that
        add nothing.
        """
        values = np.full(self.shape(domain), 1 / self.steps)
        for factor, frame in zip(self.factors(domain), self.frames, strict=True):
            if frame is Frame.OWN:
                # Half widths differ by bin, so they vary along the column's own axis.
                shape = [-1 if column == factor.column else 1 for column in self.by]
                values = values * factor.halves.reshape(shape)
            else:
                # All bins that hold numbers count in the same half width.
                values = values * factor.halves.max()
        return values

    @property
    def rounding(self) -> float:
        """Most steps that rounding moves a summand."""
        # Nothing is rounded without columns. An offset moves by half a step. A product moves
        # by half a step of each factor, their product, and half a step when it is rounded.
        # These are listed by the number of columns: none, one and two.
        return (0.0, 0.5, 1.5 + 1 / self.steps)[len(self.columns)]

    def in_words(self, names: Sequence[str]) -> str:
        """Name the sum.

        Args:
            names: Names of all columns of the domain, by their number.

        >>> (
        ...     MomentSum(columns=(0,)).in_words(["age", "sex"]),
        ...     MomentSum(columns=(0,), by=(1,)).in_words("xy"),
        ... )
        ('offsets of age', 'offsets of x by y')
        >>> (
        ...     MomentSum(columns=(0, 0), by=(0,)).in_words("xy"),
        ...     MomentSum(columns=(0, 1)).in_words("xy"),
        ... )
        ('squares of x by x', 'products of x and y')
        >>> MomentSum(columns=(0,), by=(), ranged=True).in_words("xy")
        'distances of x'
        >>> MomentSum(columns=(0,), given=(1,)).in_words("xy")
        'offsets of x where y has a value'
        >>> MomentSum(columns=(), given=(0, 1)).in_words("xy")
        'rows where x and y have a value'
        """
        words = "rows"
        if self.columns:
            words = f"{self._kind_in_words} of {_join(self.columns, names)}"
        if self.by:
            words += f" by {_join(self.by, names)}"
        if self.given:
            verb = "has" if len(self.given) == 1 else "have"
            words += f" where {_join(self.given, names)} {verb} a value"
        return words

    @property
    def _kind_in_words(self) -> str:
        """What is summed, in one word of the plural, for a sum that has columns."""
        if self.ranged:
            return "distances"
        if len(self.columns) == 1:
            return "offsets"
        return "squares" if self.is_square else "products"


def _join(columns: Sequence[int], names: Sequence[str]) -> str:
    """Return the columns' names joined by "and"; equal ones, as in squares, appear once."""
    return " and ".join(dict.fromkeys(names[column] for column in columns))


@dataclass(frozen=True, eq=False)
class NoisyMoment:
    """Noisy sums, measured alone or together with others.

    Attributes:
        what: The sums.
        values: Noisy steps, shape (cells of ``what.by``,), of value `MomentSum.unit`. Cells
            without a unit hold noise alone.
        mechanism: The noise on each; under K-norm noise, sums of one payment depend on each
            other.
    """

    what: MomentSum
    values: Ints
    mechanism: Mechanism


# Most sums that are named together.
SHOWN_SUMS = 3


def name_sums(moments: Sequence[MomentSum], names: Sequence[str]) -> str:
    """Name sums measured together: the first `SHOWN_SUMS`, and how many more.

    Args:
        moments: The sums.
        names: Names of all columns of the domain, by their number.

    >>> name_sums([MomentSum(columns=(i,)) for i in range(5)], "vwxyz")
    'sums of numbers: offsets of v, offsets of w, offsets of x and 2 more'
    """
    names_of_sums = [moment.in_words(names) for moment in moments[:SHOWN_SUMS]]
    sentence = f"sums of numbers: {', '.join(names_of_sums)}"
    if len(moments) > SHOWN_SUMS:
        sentence += f" and {len(moments) - SHOWN_SUMS:,} more"
    return sentence


def split_moments(
    moments: Sequence[MomentSum],
    values: Iterable[int],
    mechanism: Mechanism,
    *,
    domain: Domain,
) -> tuple[NoisyMoment, ...]:
    """Return the noisy sums from the numbers of one measurement.

    Args:
        moments: What was summed, in the order of measurement.
        values: All noisy numbers: those of the first sum by its cells, then of the next.
        mechanism: The noise on each number.
        domain: The declared columns.
    """
    # Where the numbers of each sum end: it has one for each cell of its ``by``.
    ends = np.cumsum([math.prod(moment.shape(domain)) for moment in moments])
    parts = np.split(np.array(list(values), dtype=np.int64), ends[:-1])
    return tuple(NoisyMoment(*pair, mechanism) for pair in zip(moments, parts, strict=True))


def moment_sensitivity(
    moments: Sequence[MomentSum], unit: Unit, neighbors: Neighbors
) -> Sensitivity:
    """Return the sensitivity, in steps, of sums measured together (docs/proofs/moments.md).

    Args:
        moments: The sums.
        unit: What is protected; it says how many rows of one person count at most.
        neighbors: Whether neighbouring tables differ by a row more or a row replaced.
    """
    is_replaced = neighbors is Neighbors.REPLACE_ONE
    # How far a row moves each sum at most: in L1 and in squared L2, if it adds 1 at most.
    moves = [(1, 1) for _ in moments]
    if is_replaced:
        moves = _replacement_moves(moments)
    l1 = 0
    squared_l2 = 0
    l_infinity = 0
    for moment, (move, squared) in zip(moments, moves, strict=True):
        row = moment.steps * unit.max_rows
        l1 += row * move
        squared_l2 += row**2 * squared
        # A summand of either sign may go from one end to the other.
        is_two_sided = is_replaced and moment.may_be_negative
        l_infinity = max(l_infinity, row * (2 if is_two_sided else 1))
    return Sensitivity(l1, squared_l2, l_infinity)


def _replacement_moves(moments: Sequence[MomentSum]) -> list[tuple[int, int]]:
    """Return how far each sum moves at most if a row is replaced, in L1 and squared L2.

    A summand counts as 1 at most. Offsets and squares of the same numbers, over the same
    cells and rows, together move in squared L2 by no more than the offsets alone. So a sum of
    squares with its own sum of offsets adds 0 there.
    """
    unused_offsets = Counter(moments)
    moves = []
    for moment in moments:
        if not moment.by or not moment.is_square:
            moves.append(_replacement_move(moment))
            continue
        offsets = MomentSum(columns=moment.columns[:1], by=moment.by, given=moment.given)
        is_paid_for = unused_offsets[offsets] > 0
        unused_offsets[offsets] -= is_paid_for  # each sum of offsets serves one of squares
        moves.append((2, 0) if is_paid_for else (2, 2))
    return moves


def _replacement_move(moment: MomentSum) -> tuple[int, int]:
    """Return how far one sum moves at most if a row is replaced, in L1 and squared L2.

    A summand counts as 1 at most.
    """
    if moment.may_be_negative:
        return 2, 4  # from -1 to 1 in the same cell
    # With ``by``, two cells change by 1 each; a single sum changes by 1.
    return (2, 2) if moment.by else (1, 1)
