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
    """Return how many rows that meet a question's condition have each value. PRIVATE.

    Args:
        counts: Exact rows by cell of the question's universe
            (`synth.questions.quantiles.aims.universe_of`): its column and the ones that its
            condition uses.
        question: A question of quantiles about its first column.
    """
    # The universe's columns are cut into atoms: pieces that no question cuts. A code is the
    # number of a row's atom.
    columns = cut_columns(counts.domain)
    names = counts.domain.names
    codes = [code.astype(np.int64) for code in split_cells(counts.cells, counts.domain.shape)]
    asked_column = names.index(question.columns[0])
    # Rows without a number in the asked column, or outside what a column counts, drop out.
    is_counted = columns[asked_column].numbers[codes[asked_column]]
    for column, code in zip(columns, codes, strict=True):
        is_counted = is_counted & column.are_counted[code]

    def find_met(leaf: Plain) -> Mask:
        """Return for each occupied cell whether it meets a condition on one column."""
        number = names.index(leaf.column)
        return columns[number].meets(leaf)[codes[number]]

    if question.where is not None:
        is_counted = is_counted & evaluate(question.where, find_met)
    # Cells of the same value are added up: they differ in columns of the condition only.
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
    """Return the query that scores each candidate value by minus its rank's distance.

    A value has the ranks from the number of rows below it to that of rows below or equal;
    the distance is from the rank of the wanted quantile. It is in q-ths of a row for the
    quantile p / q, and so a whole number. The best value has the greatest score.

    Args:
        rows: The rows of each value that some row has. PRIVATE.
        aim: The wanted quantile, and a shift of its rank in rows.
        candidates: The number of values of the grid, numbered from 0.
        neighbors: The relation of the sensitivity.
        unit: What is protected.
        about: The question's text in canonical form, for the digest of the subject.
    """
    sizes, scores = _scores(rows, aim, candidates)
    # One person moves the score of each candidate by at most `aim.moves`.
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
    """Return the lengths and the scores of runs of candidates with the same score. PRIVATE.

    A run is one value that some rows have, or all candidates between two such values. Runs
    are in ascending order, shape (runs,) each; their lengths add up to ``candidates``.
    """
    # Let p / q be the quantile. The wanted rank is p n / q rows plus the shift. A value with
    # b rows below it and e equal to it has the ranks b to b + e. It is too high by b less the
    # wanted rank, or too low by the wanted rank less b + e. All of it is times q, so that the
    # scores are whole numbers.
    # The first candidate is never too high and the last one never too low, as nothing lies
    # beyond them.
    numerator = aim.quantile.numerator
    denominator = aim.quantile.denominator
    ends = np.cumsum(rows.counts)  # for each value, the rows up to and with it
    total = int(ends[-1]) if len(ends) else 0
    # Runs of values without rows (even places) alternate with values of rows (odd places).
    runs = 2 * len(rows.places) + 1
    sizes = np.ones(runs, dtype=np.int64)
    sizes[::2] = np.diff(rows.places, prepend=-1, append=candidates) - 1
    equal = np.zeros(runs, dtype=np.int64)
    equal[1::2] = rows.counts
    below = np.zeros(runs, dtype=np.int64)
    below[1::2] = ends - rows.counts
    below[2::2] = ends
    # The ends have scores of their own (see above), so they need runs of their own.
    sizes, below, equal = _with_ends(sizes, below, equal)
    wanted_rank = numerator * total + aim.shift * denominator
    too_high = np.maximum(denominator * below - wanted_rank, 0)
    too_low = np.maximum(wanted_rank - denominator * (below + equal), 0)
    too_high[0] = 0
    too_low[-1] = 0
    return sizes, -np.maximum(too_high, too_low)


def _with_ends(sizes: Ints, below: Ints, equal: Ints) -> tuple[Ints, Ints, Ints]:
    """Drop empty runs of candidates, and split off the first and the last candidate.

    Args:
        sizes: The number of candidates of each run, in ascending order, shape (runs,).
        below: The rows below each candidate of a run, shape (runs,).
        equal: The rows equal to each candidate of a run, shape (runs,).

    Returns the same three arrays of the new runs; the ends are runs of one candidate.
    """
    has_candidates = sizes > 0
    sizes = sizes[has_candidates]
    below = below[has_candidates]
    equal = equal[has_candidates]
    for end in (0, -1):
        if sizes[end] > 1:
            sizes[end] -= 1
            sizes = np.insert(sizes, 0 if end == 0 else len(sizes), 1)
            # Both parts of a split run have the same rows, so either side may be the copy.
            place = 1 if end == 0 else len(below) - 1
            below = np.insert(below, place, below[end])
            equal = np.insert(equal, place, equal[end])
    return sizes, below, equal
