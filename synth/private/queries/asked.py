"""The exact totals of questions, as queries. PRIVATE.

The page of its name in ``docs/proofs`` proves each function.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from synth.domain import Summand
from synth.door import Query, digest_subject
from synth.privacy import Guarantee, Sensitivity, Unit
from synth.private.counting import Counts, Summed, count, count_sums
from synth.private.table import PrivateTable
from synth.questions import (
    Block,
    Grain,
    Inquiry,
    Tally,
    Way,
    canonical_form,
)
from synth.util import Ints, Private, split_cells

if TYPE_CHECKING:
    from synth.domain import Domain
    from synth.questions import CountStrategy, Question


@dataclass(frozen=True, eq=False)
class AskedRows(Private):
    """Exact counts and sums of the rows for a workload, by cell of its universe. PRIVATE.

    Sums are in steps: a number is rounded to a multiple of a public step width, so that
    sums are whole numbers.

    Attributes:
        summed: By protected unit, the rows of each occupied cell and their sums in steps.
        steps: The grid of each column of these sums, in the same order.
        valued: By the number of a question of quantiles, the rows of each value.
    """

    summed: Mapping[Unit, Summed]
    steps: tuple[Summand, ...]
    valued: Mapping[int, Counts] = field(default_factory=dict)

    def count(self, unit: Unit) -> Counts:
        """Return the rows by cell if this unit is protected. PRIVATE."""
        return self.summed[unit].counts


def asked_rows(inquiry: Inquiry, table: PrivateTable, engine: str) -> AskedRows:
    """Count the rows of a table as an inquiry needs them: by cell, and by value for ranks.

    The inquiry is arranged into portions, each a set of questions that one noisy vector
    answers. Portions may protect different units: one row of a person, or several. So the
    rows are counted, and summed columns added up, once for each unit. Questions of
    quantiles about the same values share one count.

    Args:
        inquiry: The questions, how they are answered, and the protected unit.
        table: The confidential rows.
        engine: The name of the engine that counts, see `synth.private.counting.ENGINES`.
    """
    universe = inquiry.workload.universe  # the columns that the questions use, cut for them
    portions = inquiry.arrangement.portions
    # A grain says in which whole steps a total is added; its summand is a grid of numbers.
    grains = (grain for portion in portions for grain in portion.way.grains)
    summands = (grain.summand for grain in grains)
    steps = tuple(dict.fromkeys(summand for summand in summands if summand is not None))
    units = dict.fromkeys((inquiry.unit, *(portion.block.unit for portion in portions)))

    def sum_rows(unit: Unit) -> Summed:
        """Return the rows by cell, and their sums in steps, if this unit is protected."""
        if steps:
            return count_sums(table, universe, steps, unit=unit, engine=engine)
        counts = count(table, universe, unit, engine=engine)
        no_sums = np.zeros((len(counts.cells), 0), np.int64)
        return Summed(counts, no_sums)

    # For each question of quantiles, the columns that it uses: its own and its condition's.
    value_domains = {
        number: _value_domain(question, inquiry.domain)
        for number, question in enumerate(inquiry.questions)
        if question.kind.is_ranked
    }
    value_counts = {
        domain: count(table, domain, inquiry.unit, engine=engine)
        for domain in dict.fromkeys(value_domains.values())
    }
    valued = {number: value_counts[domain] for number, domain in value_domains.items()}
    return AskedRows({unit: sum_rows(unit) for unit in units}, steps, valued)


def _value_domain(question: "Question", domain: "Domain") -> "Domain":
    """Return the columns that a question of quantiles uses, each cut at its values."""
    from synth.questions import universe_of

    return universe_of(question, domain)


def choices(rows: AskedRows, block: Block, way: Way) -> list[tuple[Query, Guarantee]]:
    """Return the queries that a block chooses candidates by, each with its budget.

    A block is a set of questions that are answered together; this one holds one question.
    A claimed figure is compared by the scores of yes and no: one query.
    A quantile chooses among values by their ranks: one query for each quantile and for each
    end of its interval. Any other question chooses among its candidates by their totals:
    one query.

    Args:
        rows: The exact counts. PRIVATE.
        block: The question.
        way: How it is answered; its cost is the budget of the whole block.
    """
    assert way.cost is not None
    # All answers of such a block belong to the same question.
    (number,) = {reading.question for reading in block.readings}
    question = block.workload.questions[number]
    if question.claimed is not None:
        return [(check_scores(rows, block, way), way.cost)]
    if number not in rows.valued:  # no question of quantiles
        return [(totals(rows, block, way), way.cost)]
    from synth.private.queries.ranks import rank_scores, values_of
    from synth.questions import aims_of

    # An aim is the rank of a quantile, or of an end of its interval.
    aims = aims_of(block, way.cost)
    value_counts = values_of(rows.valued[number], question)
    score_queries = [
        rank_scores(
            value_counts,
            aim,
            aims.candidates,
            neighbors=block.workload.neighbors,
            unit=block.unit,
            about=canonical_form([question]),
        )
        for aim in aims.each
    ]
    return [(query, aims.cost) for query in score_queries]


def check_scores(rows: AskedRows, block: Block, way: Way) -> Query:
    """Return the query that scores yes and no to a claimed figure.

    The score of yes is the tolerance less the distance of the real count from the claimed
    one, in equal parts of a row; that of no is minus the score of yes.

    Args:
        rows: The exact counts. PRIVATE.
        block: The one question.
        way: How it is answered; its ``joint`` says how far one person moves both scores.
    """
    from synth.questions import Border

    question = block.question
    claimed = question.claimed
    assert claimed is not None
    assert way.joint is not None
    (number,) = block.tallies
    tally = block.workload.tallies[number]

    def exact() -> Ints:
        """Return the two scores, shape (2,). PRIVATE."""
        # The rows of a share are public, and a count needs none.
        all_rows = rows.count(block.unit).rows if claimed.is_share else None
        (count,) = _add_up(rows, block.unit, tally, grain=Grain()).tolist()
        score = Border.of(claimed, all_rows).score(count)
        return np.array([score, -score], dtype=np.int64)

    return Query(
        name=question.kind.choices,
        proof="figure-checks",
        neighbors=block.workload.neighbors,
        unit=block.workload.unit,
        sensitivity=way.joint.sensitivity,
        size=2,
        exact=exact,
        subject=digest_subject(canonical_form([question])),
    )


def totals(rows: AskedRows, block: Block, way: Way) -> Query:
    """Return one query for all numbers that get noise for a block of questions.

    These are the totals of the questions, or the cells of a histogram from which the totals
    follow, or whatever else the way's strategy measures in their place.

    Args:
        rows: The exact counts. PRIVATE.
        block: Questions that are answered together.
        way: How they are answered. Its ``joint`` says how far one person moves the numbers
            together; a grain turns each total into whole numbers.
    """
    assert way.joint is not None  # it is None only if no person can move the numbers
    workload = block.workload
    # A reading says how an answer is read from the numbers, and of which question it is.
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
    if way.cells is not None:  # the totals follow from the cells of one histogram
        name = "cells of questions"
    if way.candidates is not None:
        name = questions[0].kind.choices  # a block of a choice has one question
    weighed_tallies = _tallies_of(block, way)

    def exact() -> Ints:
        """Return the totals of all tallies, one tally after another. PRIVATE."""
        totals_by_tally = [
            _add_up(rows, block.unit, tally, grain=grain) for tally, grain in weighed_tallies
        ]
        return np.concatenate(totals_by_tally)

    return Query(
        name=name,
        proof="products" if block.multiplies else "workload",
        neighbors=workload.neighbors,
        unit=workload.unit,
        sensitivity=way.joint.sensitivity,
        size=sum(tally.size for tally, _ in weighed_tallies),
        exact=exact,
        subject=digest_subject(
            canonical_form(questions), [_grain_words(grain) for grain in way.grains]
        ),
        monotone=way.candidates is not None and _is_monotone(block),
    )


def _is_monotone(block: Block) -> bool:
    """Return whether one person moves the totals of all candidates in one direction."""
    from synth.questions import is_monotone

    return is_monotone(block)


def _tallies_of(block: Block, way: Way) -> list[tuple[Tally, Grain]]:
    """Return the totals that a way measures, each with its grain.

    A tally assigns each row to one of several totals; a grain says in which whole steps the
    rows, or their numbers, are added.
    """
    # A histogram counts rows, so each row weighs 1.
    if way.cells is not None:
        return [(way.cells.tally, Grain())]
    tallies = [block.workload.tallies[number] for number in block.tallies]
    return list(zip(tallies, way.grains, strict=True))


def _grain_words(grain: Grain) -> str:
    """Return what identifies a grain in the digest of a query's subject.

    The factor is not part of the grain's ``repr``, so it is added if there is one.
    """
    return repr(grain) if grain.times is None else f"{grain!r} times {grain.times!r}"


def _strategy_query(
    rows: AskedRows,
    block: Block,
    strategy: "CountStrategy",
    *,
    sensitivity: Sensitivity,
    form: object,
) -> Query:
    """Return one query for the numbers that a strategy measures in place of totals.

    Args:
        rows: The exact counts. PRIVATE.
        block: The questions whose totals follow from the measured numbers.
        strategy: Linear combinations of counts, such as the nodes of a tree.
        sensitivity: How far one person moves the measured numbers.
        form: The questions in a canonical form, for the digest of the subject.
    """

    def exact() -> Ints:
        """Return the exact values that the strategy measures, shape (strategy.size,)."""
        from synth.questions import ValueTree

        # The tree is over the values of a column, which are counted apart from the workload.
        if isinstance(strategy, ValueTree):
            return strategy.measure([_by_value(rows, block, strategy.tree.cells)])
        counts_by_tally = [
            _add_up(rows, block.unit, tally, grain=Grain()) for tally in strategy.tallies
        ]
        return strategy.measure(counts_by_tally)

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
    """Return the exact rows of each value of a quantile's column, shape (cells,). PRIVATE.

    Args:
        rows: The exact counts; ``valued`` has those by value, by the question's number.
        block: One question of quantiles.
        cells: The number of values in the grid of the column.
    """
    from synth.private.queries.ranks import values_of

    # All answers of the block belong to the same question.
    (number,) = {reading.question for reading in block.readings}
    value_counts = values_of(rows.valued[number], block.workload.questions[number])
    dense = np.zeros(cells, dtype=np.int64)
    dense[value_counts.places] = value_counts.counts
    return dense


def _add_up(rows: AskedRows, unit: Unit, tally: Tally, *, grain: Grain) -> Ints:
    """Return the exact totals of a tally, shape (tally.size,). PRIVATE.

    Args:
        rows: The exact counts and sums by cell of the universe.
        unit: The protected unit.
        tally: Assigns each cell of the universe to one of its totals, or to none.
        grain: What a cell adds: its rows, or its sum in steps, times the grain's weight.
    """
    summed = rows.summed[unit]
    counts = summed.counts
    codes = [code.astype(np.int64) for code in split_cells(counts.cells, counts.domain.shape)]
    # By occupied cell: the number of its total, -1 for none; and what it adds to the total.
    total_numbers = tally.place_of(codes)
    added = counts.counts
    if grain.summand is not None:  # numbers are added, not rows
        added = summed.sums[:, rows.steps.index(grain.summand)]
    is_counted = total_numbers >= 0
    totals_of_tally = np.zeros(tally.size, dtype=np.int64)
    np.add.at(totals_of_tally, total_numbers[is_counted], added[is_counted] * grain.weight)
    return totals_of_tally
