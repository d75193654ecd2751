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
    """Return Fréchet bounds of an answer whose columns were not measured together.

    The bounds hold with the probability ``view.level``, by the release's noise. They are in
    rows, or in shares of all rows for a question about a share.

    Returns:
        The smallest and the largest possible numbers, each of shape (numbers,): one number
        for a condition, or one for each cell of a table of counts.

    Raises:
        QuestionError: There is no useful bound.
    """
    kind = question.kind
    where = question.where
    # A kind that takes "with counts" asks for the most frequent values, which get no bounds.
    is_table = "counts" not in kind.takes and bool(question.listed_columns)
    if is_table and where is None:
        return _table(question, view)
    # What is left must be a number of the rows, or their share, under a condition.
    if question.columns or where is None:
        refuse_question("its columns were not measured together")
    low, high = _conjunction(question, where, view)
    # From no row to all rows is always true, so it would be no answer.
    if low <= 0 and (high >= 1 if kind.is_share else high >= view.record.total):
        refuse_question("its columns were not measured together, and nothing bounds it")
    return np.array([low]), np.array([high])


def _conjunction(
    question: Question, where: Condition, view: ReleaseView
) -> tuple[float, float]:
    """Return the least and the most rows that meet a condition joined by "and" or "or".

    Both are in rows, or in shares of all rows if the question is about a share.

    Args:
        question: A count or a share of the rows that meet the condition.
        where: The condition.
        view: The release, and the probability with which the bounds hold.

    Raises:
        QuestionError: The condition is neither, or there is no bound.
    """
    if isinstance(where, Or):
        # "a or b" are all rows but those of "not a and not b", which is bounded instead.
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
    """Return the least and the most rows that meet all conditions of ``parts``.

    By the Fréchet bounds, from the release's answers about single conditions and about pairs
    that were measured together. Both are in the unit of the question: rows, or shares of all
    rows.

    Args:
        question: A count or a share of rows.
        parts: The conditions that are joined by "and".
        view: The release, and the probability with which the bounds hold.

    Raises:
        QuestionError: There are too many conditions, or one of them has no answer.
    """
    if not 2 <= len(parts) <= MOST_PARTS:
        refuse_question(f"its condition has more than {MOST_PARTS} parts")
    pairs = _pairs_measured_together(parts, view)
    # Bonferroni: each condition, each negation and each pair has its own interval.
    intervals = 2 * len(parts) + len(pairs)
    part_view = replace(view, level=1 - (1 - view.level) / intervals)

    def within(condition: Condition) -> tuple[float, float]:
        """Return the interval of the rows that meet a condition: its low and high end.

        Raises:
            QuestionError: The columns of the condition were not measured together.
        """
        (answer,) = from_release([replace(question, where=condition)], part_view)
        # A model's estimate has no interval by the noise, so it bounds nothing.
        if np.isnan(answer.value[0]) or MODEL in answer.remarks:
            refuse_question("its columns were not measured together")
        return float(answer.low[0]), float(answer.high[0])

    # The least and the most rows that meet one condition, or two together, by the positions
    # of these conditions; and the most rows that do not meet each condition.
    met: dict[ColumnSet, tuple[float, float]] = {}
    most_unmet: list[float] = []
    for i, part in enumerate(parts):
        met[i,] = within(part)
        _, most = within(Not(part))
        most_unmet.append(most)
    for i, j in pairs:
        met[i, j] = within(And((parts[i], parts[j])))

    def least_of_all(numbers: ColumnSet) -> float:
        """Return a lower bound of the rows that meet all, from those that meet ``numbers``.

        It is the least rows that meet the conditions of these numbers, less all rows that may
        not meet one of the other conditions.

        Args:
            numbers: One condition, or two that were measured together, by position.
        """
        least_met, _ = met[numbers]
        others = set(range(len(parts))) - set(numbers)
        return least_met - sum(most_unmet[i] for i in sorted(others))

    greatest_low = max(map(least_of_all, met))
    least_high = min(high for _, high in met.values())
    return max(0.0, greatest_low), least_high


def _pairs_measured_together(
    parts: Sequence[Condition], view: ReleaseView
) -> list[tuple[int, int]]:
    """Return the pairs of conditions, by position, whose columns one histogram has."""
    names = view.domain.names
    cliques = [clique for clique, _ in view.record.measured]
    measured_names = [{names[column] for column in clique} for clique in cliques]
    pairs: list[tuple[int, int]] = []
    for i, j in combinations(range(len(parts)), 2):
        used_names = {*columns_of(parts[i]), *columns_of(parts[j])}
        if any(used_names <= clique_names for clique_names in measured_names):
            pairs.append((i, j))
    return pairs


def _table(question: Question, view: ReleaseView) -> tuple[Floats, Floats]:
    """Return the least and the most rows of each cell of a table that was not measured.

    By the Fréchet bounds: a cell has at most the least of the counts of its columns' values.
    It has at least their sum less (columns - 1) times all rows, and at least 0.

    Args:
        question: The table of counts by some columns.
        view: The release, and the probability with which the bounds hold.

    Returns:
        Both as arrays of shape (cells,), the last column of the question varying fastest.
    """
    record = view.record
    sizes = [record.domain[name].size for name in question.columns]
    if int(np.prod(sizes)) > MOST_BOUNDED:
        refuse_question(
            f"its columns were not measured together; over {MOST_BOUNDED:,} cells"
        )
    # Bonferroni: every count of every single column has its own interval.
    level = 1 - (1 - view.level) / sum(sizes)
    single_questions = [replace(question, columns=(name,)) for name in question.columns]
    answers = from_release(single_questions, ReleaseView(record=record, level=level))
    if any(np.isnan(answer.value).any() for answer in answers):
        refuse_question("its columns were not measured")
    lows = [answer.low.tolist() for answer in answers]
    highs = [answer.high.tolist() for answer in answers]
    # `product` gives, for each cell of the table, the counts of its value in every column.
    high = np.array([min(cell) for cell in product(*highs)])
    if record.rows is None:  # without a public number of rows, a cell may be empty
        return np.zeros(len(high)), high
    spare = (len(sizes) - 1) * record.rows
    low = np.array([max(0.0, sum(cell) - spare) for cell in product(*lows)])
    return low, high
