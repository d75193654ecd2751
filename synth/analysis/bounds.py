"""Bounds of counts and shares whose columns were not measured together. PUBLIC.

Of rows that meet A and B there are no more than meet either, and no fewer than are left of those
that meet A when all that do not meet B are taken away (Fréchet 1935). What is known of A, B, and of
any two that were measured together, is known within noise, so that each is taken at a level that
leaves the whole bound the one that was asked for (Bonferroni).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from synth.estimate.noisy.record import Record
from synth.questions.condition import And, Condition, Not, Or, columns_of
from synth.questions.question import Question
from synth.questions.released import from_release
from synth.questions.sources import MODEL
from synth.questions.wording import refuse_question
from synth.util.arrays import Floats

MOST_PARTS = 6
"""Of a condition."""
MOST_BOUNDED = 2_000
"""Cells of a table that are bounded one by one."""


def bound_of(
    question: Question, record: Record, level: float, *, sampled: bool
) -> tuple[Floats, Floats]:
    """Least and greatest number, each of shape (numbers,).

    Raises:
        QuestionError: There is no bound that says anything.
    """
    if question.kind.lists and not question.kind.picks and question.where is None:
        return _table(question, record, level)
    if question.kind.lists or question.kind.sums or question.where is None:
        refuse_question("its columns were not measured together")
    low, high = _conjunction(question, record, level, sampled=sampled)
    if low <= 0 and (high >= 1 if question.kind.is_part else high >= record.total):
        refuse_question("its columns were not measured together, and nothing bounds it")
    return np.array([low]), np.array([high])


def _conjunction(
    question: Question, record: Record, level: float, *, sampled: bool
) -> tuple[float, float]:
    """Bounds of rows that meet all parts; of "or" by what is left."""
    where = question.where
    if isinstance(where, Or):
        parts: tuple[Condition, ...] = tuple(Not(part) for part in where.parts)
        low, high = _bounded(question, parts, record, level, sampled=sampled)
        whole = 1.0 if question.kind.is_part else _rows(record)
        return max(0.0, whole - high), whole - low
    if not isinstance(where, And):
        refuse_question("its columns were not measured together")
    return _bounded(question, where.parts, record, level, sampled=sampled)


def _rows(record: Record) -> float:
    if record.rows is None:
        refuse_question("its columns were not measured together, and the number of rows is noisy")
    return float(record.rows)


def _bounded(
    question: Question,
    parts: Sequence[Condition],
    record: Record,
    level: float,
    *,
    sampled: bool,
) -> tuple[float, float]:
    if not 2 <= len(parts) <= MOST_PARTS:
        refuse_question(f"its condition has more than {MOST_PARTS} parts")
    pairs = [
        pair
        for pair in combinations(range(len(parts)), 2)
        if _is_measured({n for i in pair for n in columns_of(parts[i])}, record)
    ]
    known = 2 * len(parts) + len(pairs)
    each = 1 - (1 - level) / known

    def within(condition: Condition) -> tuple[float, float]:
        asked = replace(question, where=condition)
        (answer,) = from_release([asked], record, each, sampled=sampled)
        if np.isnan(answer.value[0]) or MODEL in answer.remarks:
            refuse_question("its columns were not measured together")
        return float(answer.low[0]), float(answer.high[0])

    met: dict[tuple[int, ...], tuple[float, float]]
    met = {(i,): within(part) for i, part in enumerate(parts)}
    met |= {pair: within(And(tuple(parts[i] for i in pair))) for pair in pairs}
    unmet = [within(Not(part))[1] for part in parts]
    low = max(
        found[0] - sum(one for i, one in enumerate(unmet) if i not in some)
        for some, found in met.items()
    )
    return max(0.0, low), min(found[1] for found in met.values())


def _is_measured(names: set[str], record: Record) -> bool:
    return any(
        names <= {record.domain.names[column] for column in clique} for clique, _ in record.measured
    )


def _table(question: Question, record: Record, level: float) -> tuple[Floats, Floats]:
    """Every cell of a table, by the tables of its columns alone."""
    sizes = [record.domain[name].size for name in question.columns]
    if int(np.prod(sizes)) > MOST_BOUNDED:
        refuse_question(f"its columns were not measured together; over {MOST_BOUNDED:,} cells")
    each = 1 - (1 - level) / sum(sizes)
    asked = [replace(question, columns=(name,)) for name in question.columns]
    answers = from_release(asked, record, each)
    if any(np.isnan(answer.value).any() for answer in answers):
        refuse_question("its columns were not measured")
    lows, highs = ([getattr(one, end).tolist() for one in answers] for end in ("low", "high"))
    high = np.array([min(cell) for cell in product(*highs)])
    if record.rows is None:
        return np.zeros(len(high)), high
    spare = (len(sizes) - 1) * record.rows
    low = np.array([max(0.0, sum(cell) - spare) for cell in product(*lows)])
    return low, high
