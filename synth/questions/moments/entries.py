"""Which sums of numbers and of products a question needs. PUBLIC.

With X a column of ones and then the columns of the question, only the upper triangle of X'X is
measured, and of it only the entries that the answer depends on.

>>> from synth.questions.kinds.regressions import REGRESSION
>>> entries_of(REGRESSION, 2)
((0, 1), (0, 2), (1, 2), (2, 2))
"""

from itertools import combinations

from synth.questions.kinds.kind import QuestionKind

ColumnPair = tuple[int, int]
"""Two columns by number, 0 being the column of ones."""


def entries_of(kind: QuestionKind, columns: int) -> tuple[ColumnPair, ...]:
    """Return the entries of the upper triangle without the number of rows, sums of one column
    first.

    The square of an outcome, and the squares in a covariance, are not needed.

    Args:
        kind: The kind of question.
        columns: Number of its columns.
    """
    own = range(1, columns + 1)
    sums = tuple((0, j) for j in own)
    pairs = tuple(combinations(own, 2))
    return sums + pairs + tuple((j, j) for j in own if j in squared_columns(kind, columns))


def squared_columns(kind: QuestionKind, columns: int) -> tuple[int, ...]:
    """Return the columns whose squares are added, by number."""
    return tuple(range(kind.squares_from, columns + 1)) if kind.squares_from else ()
