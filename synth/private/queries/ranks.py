"""The scores of values by their ranks, for choosing quantiles. PRIVATE.

``docs/proofs/rank-scores.md`` proves the function. ``tests/audit/test_proofs.py`` searches
its sensitivity among all neighbours of small tables.

>>> from fractions import Fraction
>>> rows = ValueCounts(np.array([3, 5]), np.array([3, 1]))  # three rows of 3, and one of 5
>>> query = rank_scores(rows, Aim(Fraction(1, 2)), 7, Neighbors.REPLACE_ONE, Unit())
>>> (
...     query.values().tolist(),
...     query.sizes.tolist(),
... )  # of 0, of 1 and 2, of 3, of 4, of 5, and of 6
([-4, -4, 0, -2, -2, -4], [1, 2, 1, 1, 1, 1])
>>> query.sensitivity.l_infinity
2
"""

from dataclasses import dataclass

import numpy as np

from synth.door import Query, digest_subject
from synth.privacy import Neighbors, Unit
from synth.private.counting import Counts
from synth.questions import Aim, Plain, Question, cut_columns, evaluate, rank_moves
from synth.util import Ints, Mask, Private, split_cells


@dataclass(frozen=True, eq=False)
class ValueCounts(Private):
    """How many rows have each value that some row has, by its position in the grid.
    PRIVATE.
    """

    places: Ints
    counts: Ints


def values_of(counts: Counts, question: Question) -> ValueCounts:
    """Return the rows of a question of quantiles, by their value.

    ``counts`` are by cell of `synth.questions.quantiles.aims.universe_of`.
    """
    columns, names = cut_columns(counts.domain), counts.domain.names
    codes = [code.astype(np.int64) for code in split_cells(counts.cells, counts.domain.shape)]
    own = names.index(question.columns[0])
    kept = columns[own].numbers[codes[own]]
    for column, code in zip(columns, codes, strict=True):
        kept = kept & column.are_counted[code]

    def find_met(leaf: Plain) -> Mask:
        number = names.index(leaf.column)
        return columns[number].meets(leaf)[codes[number]]

    if question.where is not None:
        kept = kept & evaluate(question.where, find_met)
    places, of = np.unique(codes[own][kept], return_inverse=True)
    found = np.zeros(len(places), dtype=np.int64)
    np.add.at(found, of, counts.counts[kept])
    return ValueCounts(places, found)


def rank_scores(
    rows: ValueCounts,
    aim: Aim,
    candidates: int,
    neighbors: Neighbors,
    unit: Unit,
    about: str = "",
) -> Query:
    """Return minus the distance of each value's rank from the wanted one, in parts of a
    row.
    """
    sizes, scores = _scores(rows, aim, candidates)
    return Query(
        name="ranks",
        proof="rank-scores",
        neighbors=neighbors,
        unit=unit,
        sensitivity=rank_moves(aim.moves(neighbors, unit), candidates).sensitivity,
        size=candidates,
        exact=lambda: scores,
        subject=digest_subject(about, str(aim.quantile), aim.shift, candidates),
        sizes=sizes,
    )


def _scores(rows: ValueCounts, aim: Aim, candidates: int) -> tuple[Ints, Ints]:
    """Return runs of candidates and their scores: a value of some rows, or all between two of
    these.
    """
    # The first candidate is never too high, and the last one never too low.
    part, whole = aim.quantile.numerator, aim.quantile.denominator
    place, many = rows.places, rows.counts
    ends = np.cumsum(many)
    total = int(ends[-1]) if len(ends) else 0
    gaps = np.diff(place, prepend=-1, append=candidates) - 1
    sizes, below, equal = (np.zeros(2 * len(place) + 1, dtype=np.int64) for _ in range(3))
    sizes[::2], sizes[1::2], equal[1::2] = gaps, 1, many
    below[1::2], below[2::2] = ends - many, ends
    sizes, below, equal = _with_ends(sizes, below, equal)
    wanted = part * total + aim.shift * whole
    high = np.maximum(whole * below - wanted, 0)
    low = np.maximum(wanted - whole * (below + equal), 0)
    high[0], low[-1] = 0, 0
    return sizes, -np.maximum(high, low)


def _with_ends(sizes: Ints, below: Ints, equal: Ints) -> tuple[Ints, Ints, Ints]:
    kept = sizes > 0
    sizes, below, equal = sizes[kept], below[kept], equal[kept]
    for end in (0, -1):
        if sizes[end] > 1:
            at = 1 if end == 0 else len(sizes) - 1
            sizes[end] -= 1
            sizes = np.insert(sizes, 0 if end == 0 else len(sizes), 1)
            below, equal = (np.insert(one, at, one[end]) for one in (below, equal))
    return sizes, below, equal
