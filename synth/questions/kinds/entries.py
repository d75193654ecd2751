"""The sums of numbers and of products that a question needs. PUBLIC.

X is a column of ones and then the columns of the question; only the needed entries of the
upper triangle of X'X are measured.

>>> from synth.questions.kinds.regressions import REGRESSION
>>> entries_of(REGRESSION, 2)
((0, 1), (0, 2), (1, 2), (2, 2))
"""

from itertools import combinations

from synth.questions.kinds.kind import QuestionKind

# Two columns by number, 0 being the column of ones.
ColumnPair = tuple[int, int]


def entries_of(kind: QuestionKind, columns: int) -> tuple[ColumnPair, ...]:
    """Return the needed entries of the upper triangle, without rows; sums of one column
    first.

    The square of an outcome, and the squares in a covariance, are not needed.
    """
    numbers = range(1, columns + 1)
    sums = tuple((0, j) for j in numbers)
    pairs = tuple(combinations(numbers, 2))
    return (
        sums + pairs + tuple((j, j) for j in numbers if j in squared_columns(kind, columns))
    )


def squared_columns(kind: QuestionKind, columns: int) -> tuple[int, ...]:
    """Return the numbers of the columns whose squares a kind needs."""
    return tuple(range(kind.squares_from, columns + 1)) if kind.squares_from else ()
