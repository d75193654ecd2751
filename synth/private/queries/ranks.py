"""The scores of values by their ranks, for choosing quantiles. PRIVATE.

``docs/proofs/rank-scores.md`` proves the function. ``tests/audit/test_proofs.py`` searches
its sensitivity among all neighbours of small tables.

>>> from fractions import Fraction
>>> rows = ValueCounts(np.array([3, 5]), np.array([3, 1]))  # three rows of 3, and one of 5
>>> median = Aim(Fraction(1, 2))
>>> query = rank_scores(rows, median, 7, neighbors=Neighbors.REPLACE_ONE, unit=Unit())
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
    """How many rows have each value that some row has. PRIVATE.

    Attributes:
        places: The positions of these values in the grid, ascending, shape (k,).
        counts: The rows of each value, shape (k,).
    """

    places: Ints
    counts: Ints


def values_of(counts: Counts, question: Question) -> ValueCounts:
    """Return the rows of a question of quantiles, by their value.

    ``counts`` are by cell of `synth.questions.quantiles.aims.universe_of`.
    """
    columns = cut_columns(counts.domain)
    names = counts.domain.names
    codes = [code.astype(np.int64) for code in split_cells(counts.cells, counts.domain.shape)]
    asked_column = names.index(question.columns[0])
    is_counted = columns[asked_column].numbers[codes[asked_column]]
    for column, code in zip(columns, codes, strict=True):
        is_counted = is_counted & column.are_counted[code]

    def find_met(leaf: Plain) -> Mask:
        number = names.index(leaf.column)
        return columns[number].meets(leaf)[codes[number]]

    if question.where is not None:
        is_counted = is_counted & evaluate(question.where, find_met)
    places, groups = np.unique(codes[asked_column][is_counted], return_inverse=True)
    value_counts = np.zeros(len(places), dtype=np.int64)
    np.add.at(value_counts, groups, counts.counts[is_counted])
    return ValueCounts(places, value_counts)


def rank_scores(  # noqa: PLR0913 - what the sensitivity depends on, each by name
    rows: ValueCounts,
    aim: Aim,
    candidates: int,
    *,
    neighbors: Neighbors,
    unit: Unit,
    about: str = "",
) -> Query:
    """Return minus the distance of each value's rank from the wanted one.

    Distances are in parts of a row: for the quantile p / q in q-ths.

    Args:
        rows: The rows of each value. PRIVATE.
        aim: The wanted quantile.
        candidates: The number of values of the grid.
        neighbors: The relation of the sensitivity.
        unit: What is protected.
        about: What tells the question from others.
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
    # Let p / q be the quantile. The wanted rank is p n / q rows plus the shift. A value with
    # b rows below it and e equal to it has the ranks b to b + e. It is too high by b less the
    # wanted rank, or too low by the wanted rank less b + e. All of it is times q, so that the
    # scores are whole numbers.
    # The first candidate is never too high, and the last one never too low.
    numerator = aim.quantile.numerator
    denominator = aim.quantile.denominator
    ends = np.cumsum(rows.counts)
    total = int(ends[-1]) if len(ends) else 0
    # Runs of values without rows (even places) alternate with values of rows (odd places).
    number = 2 * len(rows.places) + 1
    sizes = np.ones(number, dtype=np.int64)
    sizes[::2] = np.diff(rows.places, prepend=-1, append=candidates) - 1
    equal = np.zeros(number, dtype=np.int64)
    equal[1::2] = rows.counts
    below = np.zeros(number, dtype=np.int64)
    below[1::2] = ends - rows.counts
    below[2::2] = ends
    sizes, below, equal = _with_ends(sizes, below, equal)
    wanted_rank = numerator * total + aim.shift * denominator
    too_high = np.maximum(denominator * below - wanted_rank, 0)
    too_low = np.maximum(wanted_rank - denominator * (below + equal), 0)
    too_high[0] = 0
    too_low[-1] = 0
    return sizes, -np.maximum(too_high, too_low)


def _with_ends(sizes: Ints, below: Ints, equal: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the runs of candidates with their rows below and equal.

    Drop empty runs, and make the first and the last candidate runs of their own.
    """
    has_candidates = sizes > 0
    sizes = sizes[has_candidates]
    below = below[has_candidates]
    equal = equal[has_candidates]
    for end in (0, -1):
        if sizes[end] > 1:
            place = 1 if end == 0 else len(sizes) - 1
            sizes[end] -= 1
            sizes = np.insert(sizes, 0 if end == 0 else len(sizes), 1)
            below = np.insert(below, place, below[end])
            equal = np.insert(equal, place, equal[end])
    return sizes, below, equal
