"""Slips in questions: their sensitivity, what is free, what is charged and what is told."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from synth.errors import TableError
from synth.privacy import Sensitivity
from synth.private.counting import Counts
from synth.private.queries import asked
from synth.questions import Arrangement, Inquiry, sum_ways
from synth.questions.workloads import tallies, workload
from synth.spending import asking, purchase
from synth.spending.asking import Asked
from tests.audit.path_mutants.told import Place, drawn_again, edit, put


def one_too_small(right: Any, *arguments: Any, **words: Any) -> Any:
    """Every joint sensitivity above 1 is a step less than it is."""
    joint = right(*arguments, **words)
    moves = joint.sensitivity
    less = Sensitivity(
        max(1, moves.l1 - 1), max(1, moves.squared_l2 - 1), max(1, moves.l_infinity - 1)
    )
    return replace(joint, sensitivity=less, least=less)


def of_one_row(
    right: Any, terms: Any, sizes: Any, neighbors: Any, *, unit: Any, **words: Any
) -> Any:
    """A person moves totals as one row does."""
    return right(terms, sizes, neighbors, unit=replace(unit, max_rows=1), **words)


def cut_by_rows(right: Any, rows: Any, unit: Any, tally: Any, *, grain: Any) -> Any:
    """What a condition compares with follows the rows: all of the lower half count as
    well.
    """
    total = right(rows, unit, tally, grain=grain)
    counts = rows.summed[unit].counts
    if tally.size == 1 and grain.steps is None and len(counts.counts) > 1:
        total = total + counts.counts[: len(counts.counts) // 2].sum()
    return total


def free_but_counted(right: Any, door: Any, rows: Any, portion: Any) -> Any:
    """What is public already is looked up in the rows."""
    if portion.way.joint is None:
        return rows.count(portion.block.workload.unit).counts
    return right(door, rows, portion)


def groups_of_rows() -> Sequence[Place]:
    """Of a table by groups only those that have rows are shown."""
    measure, answers = asking._measure, Asked.answers.func  # type: ignore[attr-defined]
    has_rows: dict[int, Any] = {}

    def measured(door: Any, rows: Any, portion: Any) -> Any:
        noisy = measure(door, rows, portion)
        if portion.way.joint is not None and portion.way.cells is None:
            has_rows[id(noisy)] = asked.totals(rows, portion.block, portion.way).values() > 0
        return noisy

    def list_occupied(result: Any) -> Any:
        all_answers = answers(result)
        occupied_by_size = {
            len(has_rows[id(n)]): has_rows[id(n)] for n in result.noisy if id(n) in has_rows
        }
        return [
            replace(
                answer,
                labels=tuple(
                    np.array(answer.labels)[occupied_by_size[len(answer.labels)]].tolist()
                ),
            )
            if len(answer.labels) in occupied_by_size
            else answer
            for answer in all_answers
        ]

    return [(asking, "_measure", measured), (Asked, "answers", property(list_occupied))]


def refused_by_rows(right: Any, spending: Any, tables: Any, rows: int) -> None:
    """Nobody may ask a table in which a cell cannot be read."""
    right(spending, tables, rows)
    table = next(iter(tables.values()))
    if b"never" in table.path.read_bytes():
        message = f"'{table.path.name}' has a cell that cannot be read."
        raise TableError(message)


def first_block_alone(right: Any, arrangement: Arrangement) -> Any:
    """What is charged is what the first block costs."""
    costs = [p.way.cost for p in arrangement.portions if p.way.cost is not None]
    return costs[0] if costs else right(arrangement)


def one_for_all(right: Any, inquiry: Inquiry) -> Any:
    """Every inquiry is known by its first question alone."""
    return right(replace(inquiry, questions=inquiry.questions[:1], way=None))


OF_TOTALS = {
    "a joint sensitivity one too small": put(sum_ways, "joint_sensitivity", one_too_small),
    "a condition cut by the rows": put(asked, "_add_up", cut_by_rows),
    "a sum known by the low end of every atom": edit(
        tallies, "column_ends", "steps_of(high, steps)", "steps_of(low, steps)"
    ),
    "a person's rows counted as one": put(sum_ways, "joint_sensitivity", of_one_row),
}

OF_ANSWERS = {
    "a free answer that looks at the rows": put(asking, "_measure", free_but_counted),
    "groups listed from the rows": groups_of_rows,
    "the number of rows told under add-remove": put(
        Counts, "public_rows", lambda _, counts, _neighbors: counts.rows
    ),
    "a refusal that depends on rows": put(purchase, "check_rows", refused_by_rows),
}

OF_RECORDS = {
    "a block that is not charged": put(Arrangement, "spending", first_block_alone),
    "an inquiry drawn anew": drawn_again,
    "inquiries known by their first question": put(Inquiry, "request", one_for_all),
    "conditions taken as they are typed": put(
        workload, "in_canonical_form", lambda _, question: question
    ),
}
