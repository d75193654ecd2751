"""Bounds of counts and shares of columns that were not measured together. PUBLIC.

The bounds are those of Fréchet (1935). Each noisy part has a level at which all of them
together have the requested one (Bonferroni).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from synth.analysis.linear import from_release
from synth.analysis.release_view import ReleaseView
from synth.analysis.sources import MODEL
from synth.estimate import ColumnSet, Record
from synth.questions import And, Condition, Not, Or, Question, columns_of, refuse_question
from synth.util import Floats

MOST_PARTS = 6


# Most cells of a table that get bounds one by one.
MOST_BOUNDED = 2_000


def bound_of(question: Question, view: ReleaseView) -> tuple[Floats, Floats]:
    """Return the smallest and largest number, each of shape (numbers,).

    Raises:
        QuestionError: There is no useful bound.
    """
    kind = question.kind
    where = question.where
    if "counts" not in kind.takes and question.listed_columns and where is None:
        return _table(question, view)
    if question.columns or where is None:
        refuse_question("its columns were not measured together")
    low, high = _conjunction(question, where, view)
    if low <= 0 and (high >= 1 if kind.is_share else high >= view.record.total):
        refuse_question("its columns were not measured together, and nothing bounds it")
    return np.array([low]), np.array([high])


def _conjunction(
    question: Question, where: Condition, view: ReleaseView
) -> tuple[float, float]:
    """Return the ends of the rows that meet a joined condition.

    Bounds the rows that meet all parts; for "or", the rows outside.
    """
    if isinstance(where, Or):
        low, high = _bound_parts(question, tuple(map(Not, where.parts)), view)
        all_rows = 1.0 if question.kind.is_share else _rows(view.record)
        return max(0.0, all_rows - high), all_rows - low
    if not isinstance(where, And):
        refuse_question("its columns were not measured together")
    return _bound_parts(question, where.parts, view)


def _rows(record: Record) -> float:
    """Return the public number of rows; refuse if it is noisy."""
    if record.rows is None:
        refuse_question(
            "its columns were not measured together, and the number of rows is noisy"
        )
    return float(record.rows)


def _bound_parts(
    question: Question, parts: Sequence[Condition], view: ReleaseView
) -> tuple[float, float]:
    """Return the least and the most rows that meet all parts of a condition.

    By the Frechet bounds, from answers about single parts and pairs of parts that were
    measured together.
    """
    if not 2 <= len(parts) <= MOST_PARTS:
        refuse_question(f"its condition has more than {MOST_PARTS} parts")
    names = view.domain.names
    cliques = [clique for clique, _ in view.record.measured]
    measured_names = [{names[column] for column in clique} for clique in cliques]

    def are_measured_together(pair: tuple[int, ...]) -> bool:
        used = {name for number in pair for name in columns_of(parts[number])}
        return any(used <= clique_names for clique_names in measured_names)

    pairs = [*filter(are_measured_together, combinations(range(len(parts)), 2))]
    part_view = replace(view, level=1 - (1 - view.level) / (2 * len(parts) + len(pairs)))

    def within(condition: Condition) -> tuple[float, float]:
        """Return the ends of the interval of the rows that meet a condition, if it was
        measured.
        """
        (answer,) = from_release([replace(question, where=condition)], part_view)
        if np.isnan(answer.value[0]) or MODEL in answer.remarks:
            refuse_question("its columns were not measured together")
        return float(answer.low[0]), float(answer.high[0])

    met: dict[ColumnSet, tuple[float, float]] = {(i,): within(p) for i, p in enumerate(parts)}
    met |= {pair: within(And(tuple(parts[i] for i in pair))) for pair in pairs}
    most_unmet = [within(Not(part))[1] for part in parts]

    def least_of_all(numbers: ColumnSet) -> float:
        # Rows that meet these parts, without all that may not meet one of the others.
        others = set(range(len(parts))) - set(numbers)
        return met[numbers][0] - sum(most_unmet[i] for i in sorted(others))

    low = max(map(least_of_all, met))
    return max(0.0, low), min(high for _, high in met.values())


def _table(question: Question, view: ReleaseView) -> tuple[Floats, Floats]:
    """Return the least and the most rows of each cell of a table that was not measured.

    By the Frechet bounds: a cell has at most the least of its columns' counts, and at least
    their sum less all rows but one.
    """
    record = view.record
    sizes = [record.domain[name].size for name in question.columns]
    if int(np.prod(sizes)) > MOST_BOUNDED:
        refuse_question(
            f"its columns were not measured together; over {MOST_BOUNDED:,} cells"
        )
    level = 1 - (1 - view.level) / sum(sizes)
    single_questions = [replace(question, columns=(name,)) for name in question.columns]
    answers = from_release(single_questions, ReleaseView(record=record, level=level))
    if any(np.isnan(answer.value).any() for answer in answers):
        refuse_question("its columns were not measured")
    lows, highs = (
        [getattr(answer, end).tolist() for answer in answers] for end in ("low", "high")
    )
    high = np.array([min(cell) for cell in product(*highs)])
    if record.rows is None:
        return np.zeros(len(high)), high
    spare = (len(sizes) - 1) * record.rows
    low = np.array([max(0.0, sum(cell) - spare) for cell in product(*lows)])
    return low, high
