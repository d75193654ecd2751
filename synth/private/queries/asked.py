"""The exact totals of questions, as queries. PRIVATE.

The page of its name in ``docs/proofs`` proves each function.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from synth.domain import Summand
from synth.door import Query, digest_subject
from synth.privacy import Guarantee, Sensitivity, Unit
from synth.private.counting import Counts, Summed, count, count_sums
from synth.private.queries.ranks import rank_scores, values_of
from synth.private.table import PrivateTable
from synth.questions import (
    Block,
    CountStrategy,
    Grain,
    Inquiry,
    Tally,
    ValueTree,
    Way,
    aims_of,
    canonical_form,
    is_monotone,
    universe_of,
)
from synth.util import Ints, Private, split_cells


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
            return count_sums(table, universe, steps, unit=unit, engine=engine)
        counts = count(table, universe, unit, engine)
        return Summed(counts, np.zeros((len(counts.cells), 0), np.int64))

    asked = {
        number: universe_of(question, inquiry.domain)
        for number, question in enumerate(inquiry.questions)
        if question.kind.is_ranked
    }
    known = {
        one: count(table, one, inquiry.unit, engine) for one in dict.fromkeys(asked.values())
    }
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
        return _strategy_query(
            rows, block, strategy, moves=way.joint.sensitivity, asked=canonical_form(asked)
        )
    name = "cells of questions" if way.cells is not None else "questions"
    tallies: Sequence[tuple[Tally, Grain]] = (
        [(way.cells.tally, Grain())]
        if way.cells is not None
        else [
            (workload.tallies[n], g) for n, g in zip(block.tallies, way.grains, strict=True)
        ]
    )
    return Query(
        name=name if way.candidates is None else asked[0].kind.choices,
        proof="products" if block.multiplies else "workload",
        neighbors=workload.neighbors,
        unit=workload.unit,
        sensitivity=way.joint.sensitivity,
        size=sum(tally.size for tally, _ in tallies),
        exact=lambda: np.concatenate(
            [_total(rows, block.unit, t, grain=g) for t, g in tallies]
        ),
        subject=digest_subject(
            canonical_form(asked), [_grain_words(grain) for grain in way.grains]
        ),
        monotone=way.candidates is not None and is_monotone(block),
    )


def _grain_words(grain: Grain) -> str:
    return repr(grain) if grain.times is None else f"{grain!r} times {grain.times!r}"


def _strategy_query(
    rows: AskedRows,
    block: Block,
    strategy: CountStrategy,
    *,
    moves: Sensitivity,
    asked: object,
) -> Query:
    def exact() -> Ints:
        if isinstance(strategy, ValueTree):
            return strategy.measure([_by_value(rows, block, strategy.tree.cells)])
        counted = (
            _total(rows, block.unit, tally, grain=Grain()) for tally in strategy.tallies
        )
        return strategy.measure(list(counted))

    return Query(
        name="strategy of questions",
        proof="strategies",
        neighbors=block.workload.neighbors,
        unit=block.workload.unit,
        sensitivity=moves,
        size=strategy.size,
        exact=exact,
        subject=digest_subject(asked, strategy.describe(block.workload.universe.names)),
    )


def _by_value(rows: AskedRows, block: Block, cells: int) -> Ints:
    # Shape (cells,).
    (number,) = {reading.question for reading in block.readings}
    counted = values_of(rows.valued[number], block.workload.questions[number])
    found = np.zeros(cells, dtype=np.int64)
    found[counted.places] = counted.counts
    return found


def _total(rows: AskedRows, unit: Unit, tally: Tally, *, grain: Grain) -> Ints:
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
