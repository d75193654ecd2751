"""How far one row, or one person, moves all numbers of a workload together. PUBLIC.

>>> halves, ones = np.array([0, 1]), np.ones(2, int)
>>> places = [np.where(halves == half, 0, -1) for half in (0, 1)]
>>> old, young = (
...     Term(axes=(0,), classes=(halves,), place=place, value=ones, size=1) for place in places
... )
>>> joint_sensitivity([old, young], [2], Neighbors.REPLACE_ONE, unit=Unit())
Joint(sensitivity=Sensitivity(l1=2, squared_l2=2, l_infinity=1), exact=True, \
least=Sensitivity(l1=2, squared_l2=2, l_infinity=1))
"""  # noqa: E501

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synth.errors import ArgumentError, LimitError
from synth.privacy import Neighbors, Sensitivity, Unit
from synth.questions.moves.distances import farthest
from synth.questions.moves.extents import (
    MAX_SEARCHED_CELLS,
    Extent,
    bound_largest_norm,
)
from synth.questions.moves.grid import (
    LeanTerm,
    components,
    in_fixed_order,
    part_of,
)
from synth.questions.moves.patterns import MAX_SEARCH_STEPS
from synth.questions.moves.terms import Term

# Sums of squares stay below it.
LARGEST_SQUARES = 2**60


@dataclass(frozen=True)
class Joint:
    """The sensitivity of a workload, in three norms; 1 if nothing moves.

    Attributes:
        sensitivity: No neighbours are farther apart.
        exact: Whether two neighbours differ by this, in every norm.
        least: Two neighbours are that far apart.
    """

    sensitivity: Sensitivity
    exact: bool
    least: Sensitivity


@dataclass(frozen=True, kw_only=True)
class SearchLimits:
    """Where a search for the largest move ends, so that it is bounded.

    Attributes:
        cells: Most cells of terms that share axes.
        work: Most steps.
    """

    cells: int = MAX_SEARCHED_CELLS
    work: int = MAX_SEARCH_STEPS


def joint_sensitivity(
    terms: Sequence[Term],
    sizes: Sequence[int],
    neighbors: Neighbors,
    *,
    unit: Unit,
    search: SearchLimits | None = None,
) -> Joint:
    """Return the sensitivity of all terms together (docs/proofs/workload.md).

    A term says for each class of rows to which number a row adds, and how much.

    Args:
        terms: Vectors of numbers to which every row adds in at most one place.
        sizes: The number of atoms of every axis.
        neighbors: Whether a person is added or removed, or replaced.
        unit: What one person is: at most ``unit.max_rows`` rows.
        search: Where the search ends; None for its usual limits.

    Raises:
        ArgumentError: There is no term, or one does not fit the sizes.
        LimitError: Sums have too many steps for 64 bits.
    """
    # A row adds the vector v of its cell; 0 if its cells can't be separated, or a rule leaves
    # it out. A person of at most K rows adds K points of V, the set of all such vectors and
    # 0. So the sums of two persons differ by K differences of points of V: by the triangle
    # inequality by at most K times the largest one, which K equal rows reach.
    search = search or SearchLimits()
    _check(terms, sizes)
    parts = in_fixed_order([part_of(term) for term in terms])
    # Numbers that move by 1 at most are their own squares, so L1 and squared L2 are equal.
    are_counts = all(0 <= part.value.min() and part.value.max() <= 1 for part in parts)
    powers = (1,) if are_counts else (1, 2)
    extents = [_norm(parts, power, neighbors, search=search) for power in powers]
    highest = max(_highest(part, neighbors) for part in parts)
    norms = [extents[0], extents[-1], Extent(highest, highest)]
    # K rows move the numbers up to K times as far, and the squared L2 norm K^2 times.
    times = (unit.max_rows, unit.max_rows**2, unit.max_rows)
    scaled = list(zip(norms, times, strict=True))
    bound = Sensitivity(*(max(1, norm.bound * factor) for norm, factor in scaled))
    least = Sensitivity(*(max(1, norm.least * factor) for norm, factor in scaled))
    return Joint(bound, bound == least, least)


def _check(terms: Sequence[Term], sizes: Sequence[int]) -> None:
    """Refuse terms whose classes do not fit the axes, or whose squared sums could overflow.

    ``sizes`` are the numbers of atoms of every axis. A term says for each class of rows to
    which number a row adds, and how much.
    """
    if not terms:
        raise ArgumentError("a workload has at least one term.")
    for term in terms:
        for axis, classes in zip(term.axes, term.classes, strict=True):
            there = sizes[axis] if axis < len(sizes) else "none"
            if len(classes) != there:
                raise ArgumentError(
                    f"a term has {len(classes)} atoms on axis {axis}, which has {there}."
                )
    # Two rows differ by at most twice the largest value in each term.
    if sum((2 * int(np.abs(term.value).max())) ** 2 for term in terms) >= LARGEST_SQUARES:
        raise LimitError(
            "The sums of this workload have too many grid steps for 64-bit integers."
        )


def _norm(
    parts: list[LeanTerm], power: int, neighbors: Neighbors, *, search: SearchLimits
) -> Extent:
    """Return bounds of how far one row moves all terms, in the L1 or the squared L2 norm.

    Terms that share no axis move independently, so their maxima add up. A term says for each
    class of rows to which number a row adds, and how much.

    Args:
        parts: The terms, without superfluous axes and classes.
        power: 1 for the L1 norm, 2 for the squared L2 norm.
        neighbors: Whether the row is added or removed, or replaced.
        search: Where the search ends.
    """
    if neighbors is Neighbors.ADD_REMOVE:
        return bound_largest_norm(parts, power, cells=search.cells)
    distance = Extent(0, 0)
    for members in components(parts):
        distance += farthest(members, power, cells=search.cells, work=search.work)
    # Who comes, or who goes, may add 0 to all numbers at once.
    added = bound_largest_norm(parts, power, cells=search.cells)
    return Extent(max(distance.bound, added.bound), max(distance.least, added.least))


def _highest(part: LeanTerm, neighbors: Neighbors) -> int:
    """Return the most by which one row, added or replaced, moves any number of a term.

    For a replaced row it is the range of what rows add to one number, where 0 is possible
    too. A term says for each class of rows to which number a row adds, and how much.

    Args:
        part: The term, with the place and the value for each combination of classes.
        neighbors: Whether the row is added or removed, or replaced.
    """
    if neighbors is Neighbors.ADD_REMOVE:
        return int(np.abs(part.value).max())
    place = part.place.ravel()
    value = part.value.ravel()
    # For each number the largest value that a row adds, and the largest negated one.
    high, low = np.zeros((2, max(1, int(place.max()) + 1)), dtype=np.int64)
    adds = place >= 0
    np.maximum.at(high, place[adds], value[adds])
    np.maximum.at(low, place[adds], -value[adds])
    return int((high + low).max())
