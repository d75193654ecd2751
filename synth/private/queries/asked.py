"""The exact totals of questions, as queries. PRIVATE.

The page of its name in ``docs/proofs`` proves each function.

The scores of values by their ranks, for choosing quantiles.

``docs/proofs/rank-scores.md`` proves the function. ``tests/audit/test_proofs.py`` searches its
sensitivity among all neighbours of small tables.

>>> from fractions import Fraction
>>> rows = ValueCounts(np.array([3, 5]), np.array([3, 1]))  # three rows of 3, and one of 5
>>> query = rank_scores(rows, Aim(Fraction(1, 2)), 7, Neighbors.REPLACE_ONE, Unit())
>>> query.values().tolist(), query.sizes.tolist()  # of 0, of 1 and 2, of 3, of 4, of 5, and of 6
([-4, -4, 0, -2, -2, -4], [1, 2, 1, 1, 1, 1])
>>> query.sensitivity.l_infinity
2
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from synth.domain import Summand
from synth.privacy import Guarantee, Neighbors, Sensitivity, Unit
from synth.private.counting import Counts, Summed, count, count_sums
from synth.private.queries.query import Query, subject
from synth.private.table import PrivateTable
from synth.questions import (
    Aim,
    Block,
    CountStrategy,
    Grain,
    Inquiry,
    Plain,
    Question,
    Tally,
    ValueTree,
    Way,
    aims_of,
    canonical_form,
    cut_columns,
    evaluate,
    is_monotone,
    rank_moves,
    universe_of,
)
from synth.util import Ints, Mask, Private, split_cells


@dataclass(frozen=True, eq=False)
class ValueCounts(Private):
    """How many rows have each value that some row has, by its position in the grid. PRIVATE."""

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
    rows: ValueCounts, aim: Aim, candidates: int, neighbors: Neighbors, unit: Unit, about: str = ""
) -> Query:
    """Return minus the distance of each value's rank from the wanted one, in parts of a row."""
    sizes, scores = _scores(rows, aim, candidates)
    return Query(
        "ranks",
        "rank-scores",
        neighbors,
        unit,
        rank_moves(aim.moves(neighbors, unit), candidates).sensitivity,
        candidates,
        lambda: scores,
        subject(about, str(aim.quantile), aim.shift, candidates),
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


@dataclass(frozen=True, eq=False)
class AskedRows(Private):
    """The rows for a workload: by cell of its universe, with sums. PRIVATE.

    Attributes:
        summed: Rows and steps by cell, for each requested unit.
        steps: The grids of the sums, in order.
        valued: Rows by value, for each question of quantiles, by its number.
    """

    summed: Mapping[Unit, Summed]
    steps: tuple[Summand, ...]
    valued: Mapping[int, Counts] = field(default_factory=dict)

    def count(self, unit: Unit) -> Counts:
        return self.summed[unit].counts


def asked_rows(inquiry: Inquiry, table: PrivateTable, engine: str) -> AskedRows:
    universe, portions = inquiry.workload.universe, inquiry.arrangement.portions
    grains = (grain for portion in portions for grain in portion.way.grains)
    summands = (grain.summand for grain in grains)
    steps = tuple(dict.fromkeys(one for one in summands if one is not None))
    units = dict.fromkeys((inquiry.unit, *(portion.block.unit for portion in portions)))

    def summed(unit: Unit) -> Summed:
        if steps:
            return count_sums(table, universe, steps, unit, engine)
        counts = count(table, universe, unit, engine)
        return Summed(counts, np.zeros((len(counts.cells), 0), np.int64))

    asked = {
        number: universe_of(question, inquiry.domain)
        for number, question in enumerate(inquiry.questions)
        if question.kind.is_ranked
    }
    known = {one: count(table, one, inquiry.unit, engine) for one in dict.fromkeys(asked.values())}
    valued = {number: known[one] for number, one in asked.items()}
    return AskedRows({unit: summed(unit) for unit in units}, steps, valued)


def choices(rows: AskedRows, block: Block, way: Way) -> list[tuple[Query, Guarantee]]:
    assert way.cost is not None
    (number,) = {reading.question for reading in block.readings}
    question = block.workload.questions[number]
    if not question.kind.is_ranked:
        return [(totals(rows, block, way), way.cost)]
    aims = aims_of(block, way.cost)
    counts, unit = values_of(rows.valued[number], question), block.unit
    rest = (aims.candidates, block.workload.neighbors, unit, canonical_form([question]))
    return [(rank_scores(counts, aim, *rest), aims.cost) for aim in aims.each]


def totals(rows: AskedRows, block: Block, way: Way) -> Query:
    assert way.joint is not None
    workload, strategy = block.workload, way.strategy
    asked = [workload.questions[reading.question] for reading in block.readings]
    if strategy is not None:
        return _strategy_query(rows, block, strategy, way.joint.sensitivity, canonical_form(asked))
    name = "cells of questions" if way.cells is not None else "questions"
    tallies: Sequence[tuple[Tally, Grain]] = (
        [(way.cells.tally, Grain())]
        if way.cells is not None
        else [(workload.tallies[n], g) for n, g in zip(block.tallies, way.grains, strict=True)]
    )
    return Query(
        name if way.candidates is None else asked[0].kind.choices,
        "products" if block.multiplies else "workload",
        workload.neighbors,
        workload.unit,
        way.joint.sensitivity,
        sum(tally.size for tally, _ in tallies),
        lambda: np.concatenate([_total(rows, block.unit, t, g) for t, g in tallies]),
        subject(canonical_form(asked), [_grain_words(grain) for grain in way.grains]),
        monotone=way.candidates is not None and is_monotone(block),
    )


def _grain_words(grain: Grain) -> str:
    return repr(grain) if grain.times is None else f"{grain!r} times {grain.times!r}"


def _strategy_query(
    rows: AskedRows, block: Block, strategy: CountStrategy, moves: Sensitivity, asked: object
) -> Query:
    def exact() -> Ints:
        if isinstance(strategy, ValueTree):
            return strategy.measure([_by_value(rows, block, strategy.tree.cells)])
        counted = (_total(rows, block.unit, tally, Grain()) for tally in strategy.tallies)
        return strategy.measure(list(counted))

    return Query(
        "strategy of questions",
        "strategies",
        block.workload.neighbors,
        block.workload.unit,
        moves,
        strategy.size,
        exact,
        subject(asked, strategy.describe(block.workload.universe.names)),
    )


def _by_value(rows: AskedRows, block: Block, cells: int) -> Ints:
    # Shape (cells,).
    (number,) = {reading.question for reading in block.readings}
    counted = values_of(rows.valued[number], block.workload.questions[number])
    found = np.zeros(cells, dtype=np.int64)
    found[counted.places] = counted.counts
    return found


def _total(rows: AskedRows, unit: Unit, tally: Tally, grain: Grain) -> Ints:
    # Shape (size,).
    summed = rows.summed[unit]
    counts = summed.counts
    codes = [code.astype(np.int64) for code in split_cells(counts.cells, counts.domain.shape)]
    place = tally.place_of(codes)
    added = counts.counts
    if grain.summand is not None:
        added = summed.sums[:, rows.steps.index(grain.summand)]
    kept = place >= 0
    found = np.zeros(tally.size, dtype=np.int64)
    np.add.at(found, place[kept], added[kept] * grain.weight)
    return found
