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
        for
            `OFFSET_STEPS` a row.
        by: Columns whose cells have a sum each, ascending; none for one sum of all rows.
        ranged: Whether a single column outside ``by`` counts from the middle of its range,
        which
            helps where bins say little.
        given: Other columns that need a number too; a row that lacks one adds 0.
    """

    columns: tuple[int, ...]
    by: tuple[int, ...] = ()
    ranged: bool = False
    given: tuple[int, ...] = ()

    @property
    def is_square(self) -> bool:
        return len(self.columns) == 2 and len(set(self.columns)) == 1

    @property
    def may_be_negative(self) -> bool:
        """Whether a row may add less than 0."""
        return bool(self.columns) and not self.is_square

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Zero and unit of each column."""
        if len(self.columns) == 2 and not self.by:
            return (Frame.FACTOR, Frame.FACTOR)
        if self.ranged:
            return (Frame.RANGE,)
        return tuple(Frame.OWN if one in self.by else Frame.WIDEST for one in self.columns)

    @property
    def steps(self) -> int:
        """Most that a row adds."""
        return self.frames[0].steps if self.frames else OFFSET_STEPS

    @property
    def factor_keys(self) -> tuple[tuple[int, Frame], ...]:
        return tuple(zip(self.columns, self.frames, strict=True))

    def factors(self, domain: Domain) -> tuple[Offsets, ...]:
        return tuple(Offsets.build(domain, *pair) for pair in self.factor_keys)

    def has_number(self, domain: Domain) -> dict[int, Mask]:
        """Return the cells with a number, of each column that needs one."""
        frames = dict.fromkeys(self.given, Frame.RANGE) | dict(self.factor_keys)
        return {
            one: Offsets.build(domain, one, frame).halves > 0 for one, frame in frames.items()
        }

    def shape(self, domain: Domain) -> tuple[int, ...]:
        """Return the cells of ``by``; () for one sum."""
        return tuple(domain.shape[column] for column in self.by)

    def unit(self, domain: Domain) -> Floats:
        """Return the value of a step, in the shape of `shape`; 0 in cells that add
        nothing.
        """
        found = np.full(self.shape(domain), 1 / self.steps)
        for factor, frame in zip(self.factors(domain), self.frames, strict=True):
            if frame is Frame.OWN:
                shape = [-1 if column == factor.column else 1 for column in self.by]
                found = found * factor.halves.reshape(shape)
            else:
                found = found * factor.halves.max()
        return found

    @property
    def rounding(self) -> float:
        """Most steps that rounding moves a summand."""
        return (0.0, 0.5, 1.5 + 1 / self.steps)[len(self.columns)]

    def in_words(self, names: Sequence[str]) -> str:
        """Name the sum.

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
        told = " and ".join(dict.fromkeys(names[column] for column in self.columns))
        what = (
            "offsets"
            if len(self.columns) == 1
            else "squares"
            if self.is_square
            else "products"
        )
        what = "distances" if self.ranged else what
        grouped = (
            f" by {' and '.join(names[column] for column in self.by)}" if self.by else ""
        )
        has = "has" if len(self.given) == 1 else "have"
        given = f" where {' and '.join(names[column] for column in self.given)} {has} a value"
        what = f"{what} of {told}" if self.columns else "rows"
        return f"{what}{grouped}{given if self.given else ''}"


@dataclass(frozen=True, eq=False)
class NoisyMoment:
    """Noisy sums, measured alone or together with others.

    Attributes:
        values: Noisy steps, shape (cells of ``what.by``,), of value `MomentSum.unit`. Cells
            without a unit hold noise alone.
        mechanism: The noise on each; under K-norm noise, sums of one payment depend on each
        other.
    """

    what: MomentSum
    values: Ints
    mechanism: Mechanism


SHOWN_SUMS = 3


def name_sums(what: Sequence[MomentSum], names: Sequence[str]) -> str:
    """Name sums measured together.

    >>> name_sums([MomentSum(columns=(i,)) for i in range(5)], "vwxyz")
    'sums of numbers: offsets of v, offsets of w, offsets of x and 2 more'
    """
    told = [one.in_words(names) for one in what[:SHOWN_SUMS]]
    more = f" and {len(what) - SHOWN_SUMS:,} more" if len(what) > SHOWN_SUMS else ""
    return f"sums of numbers: {', '.join(told)}{more}"


def split_moments(
    what: Sequence[MomentSum], values: Iterable[int], mechanism: Mechanism, *, domain: Domain
) -> tuple[NoisyMoment, ...]:
    ends = np.cumsum([math.prod(one.shape(domain)) for one in what])
    parts = np.split(np.array(list(values), dtype=np.int64), ends[:-1])
    return tuple(NoisyMoment(*pair, mechanism) for pair in zip(what, parts, strict=True))


def moment_sensitivity(
    what: Sequence[MomentSum], unit: Unit, neighbors: Neighbors
) -> Sensitivity:
    """Return the sensitivity of sums measured together (docs/proofs/moments.md)."""
    both = neighbors is Neighbors.REPLACE_ONE
    moves = _replacement_moves(what) if both else [(1, 1)] * len(what)
    rows = [one.steps * unit.max_rows for one in what]
    return Sensitivity(
        sum(row * far for row, (far, _) in zip(rows, moves, strict=True)),
        sum(row**2 * squared for row, (_, squared) in zip(rows, moves, strict=True)),
        max(
            row * (1 + (both and one.may_be_negative))
            for row, one in zip(rows, what, strict=True)
        ),
    )


def _replacement_moves(what: Sequence[MomentSum]) -> list[tuple[int, int]]:
    """Return the moves of sums if a row is replaced, in L1 and squared L2; a summand is at
    most 1.

    Offsets and squares of the same numbers, over the same cells and rows, move by no more
    than the offsets alone. Each sum of offsets pays for one sum of squares."""
    unused_offsets = Counter(what)
    moves = []
    for one in what:
        if not one.by or not one.is_square:
            moves.append(_replacement_move(one))
            continue
        offsets = MomentSum(columns=one.columns[:1], by=one.by, given=one.given)
        is_paid_for = unused_offsets[offsets] > 0
        unused_offsets[offsets] -= is_paid_for
        moves.append((2, 0) if is_paid_for else (2, 2))
    return moves


def _replacement_move(one: MomentSum) -> tuple[int, int]:
    if one.may_be_negative:
        return 2, 4
    return (2, 2) if one.by else (1, 1)
