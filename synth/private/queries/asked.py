"""The exact totals of questions, as queries. PRIVATE.

The page of its name in ``docs/proofs`` proves each function.
"""

from collections.abc import Mapping
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
        """Return the rows by cell, as this unit is counted."""
        return self.summed[unit].counts


def asked_rows(inquiry: Inquiry, table: PrivateTable, engine: str) -> AskedRows:
    """Count the rows of a table as an inquiry needs them: by cell, and by value for ranks.

    Rows are counted, and the steps of summed columns added up, once for each unit that a
    portion of the inquiry protects. Questions of quantiles share their counts by value.
    """
    universe = inquiry.workload.universe
    portions = inquiry.arrangement.portions
    grains = (grain for portion in portions for grain in portion.way.grains)
    summands = (grain.summand for grain in grains)
    steps = tuple(dict.fromkeys(summand for summand in summands if summand is not None))
    units = dict.fromkeys((inquiry.unit, *(portion.block.unit for portion in portions)))

    def sum_rows(unit: Unit) -> Summed:
        """Return the rows, and the sums of their steps, by cell as this unit is counted."""
        if steps:
            return count_sums(table, universe, steps, unit=unit, engine=engine)
        counts = count(table, universe, unit, engine=engine)
        return Summed(counts, np.zeros((len(counts.cells), 0), np.int64))

    value_domains = {
        number: universe_of(question, inquiry.domain)
        for number, question in enumerate(inquiry.questions)
        if question.kind.is_ranked
    }
    value_counts = {
        domain: count(table, domain, inquiry.unit, engine=engine)
        for domain in dict.fromkeys(value_domains.values())
    }
    valued = {number: value_counts[domain] for number, domain in value_domains.items()}
    return AskedRows({unit: sum_rows(unit) for unit in units}, steps, valued)


def choices(rows: AskedRows, block: Block, way: Way) -> list[tuple[Query, Guarantee]]:
    """Return the choices of a block that picks a candidate, each with its cost.

    Quantiles choose by ranks, one choice for each of them. Others choose by their totals.
    """
    assert way.cost is not None
    (number,) = {reading.question for reading in block.readings}
    question = block.workload.questions[number]
    if number not in rows.valued:
        return [(totals(rows, block, way), way.cost)]
    aims = aims_of(block, way.cost)
    counts = values_of(rows.valued[number], question)
    scores = [
        rank_scores(
            counts,
            aim,
            aims.candidates,
            neighbors=block.workload.neighbors,
            unit=block.unit,
            about=canonical_form([question]),
        )
        for aim in aims.each
    ]
    return [(query, aims.cost) for query in scores]


def totals(rows: AskedRows, block: Block, way: Way) -> Query:
    """Return the totals of a block, or what its strategy measures, as one query."""
    assert way.joint is not None
    workload = block.workload
    questions = [workload.questions[reading.question] for reading in block.readings]
    if way.strategy is not None:
        return _strategy_query(
            rows,
            block,
            way.strategy,
            sensitivity=way.joint.sensitivity,
            form=canonical_form(questions),
        )
    name = "questions"
    if way.cells is not None:
        name = "cells of questions"
    if way.candidates is not None:
        name = questions[0].kind.choices
    tallies = _tallies_of(block, way)
    return Query(
        name=name,
        proof="products" if block.multiplies else "workload",
        neighbors=workload.neighbors,
        unit=workload.unit,
        sensitivity=way.joint.sensitivity,
        size=sum(tally.size for tally, _ in tallies),
        exact=lambda: np.concatenate(
            [_total(rows, block.unit, t, grain=g) for t, g in tallies]
        ),
        subject=digest_subject(
            canonical_form(questions), [_grain_words(grain) for grain in way.grains]
        ),
        monotone=way.candidates is not None and is_monotone(block),
    )


def _tallies_of(block: Block, way: Way) -> list[tuple[Tally, Grain]]:
    """Return the tallies that a way measures, each with its grain."""
    if way.cells is not None:
        return [(way.cells.tally, Grain())]
    tallies = [block.workload.tallies[number] for number in block.tallies]
    return list(zip(tallies, way.grains, strict=True))


def _grain_words(grain: Grain) -> str:
    return repr(grain) if grain.times is None else f"{grain!r} times {grain.times!r}"


def _strategy_query(
    rows: AskedRows,
    block: Block,
    strategy: CountStrategy,
    *,
    sensitivity: Sensitivity,
    form: object,
) -> Query:
    """Return what a strategy measures as one query."""

    def exact() -> Ints:
        """Return the exact values that the strategy measures."""
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
        sensitivity=sensitivity,
        size=strategy.size,
        exact=exact,
        subject=digest_subject(form, strategy.describe(block.workload.universe.names)),
    )


def _by_value(rows: AskedRows, block: Block, cells: int) -> Ints:
    """Return the exact rows of each value, shape (cells,)."""
    (number,) = {reading.question for reading in block.readings}
    value_counts = values_of(rows.valued[number], block.workload.questions[number])
    dense = np.zeros(cells, dtype=np.int64)
    dense[value_counts.places] = value_counts.counts
    return dense


def _total(rows: AskedRows, unit: Unit, tally: Tally, *, grain: Grain) -> Ints:
    """Return the exact rows, or sums of steps, by the cells of a tally, shape (size,)."""
    summed = rows.summed[unit]
    counts = summed.counts
    codes = [code.astype(np.int64) for code in split_cells(counts.cells, counts.domain.shape)]
    place = tally.place_of(codes)
    added = counts.counts
    if grain.summand is not None:
        added = summed.sums[:, rows.steps.index(grain.summand)]
    is_counted = place >= 0
    total = np.zeros(tally.size, dtype=np.int64)
    np.add.at(total, place[is_counted], added[is_counted] * grain.weight)
    return total
