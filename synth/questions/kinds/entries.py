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
    """Return which sums of products a question needs, as pairs of columns (i, j) with i <= j.

    Columns are numbered from 1; number 0 is the constant 1, so (0, j) is the sum of a column.
    The number of rows, (0, 0), is not listed. Sums of columns come first, then mixed
    products, then squares. The square of an outcome, and the squares in a covariance, are not
    needed.

    Args:
        kind: The kind of question.
        columns: The number of its columns.
    """
    numbers = range(1, columns + 1)
    sums = tuple((0, j) for j in numbers)
    pairs = tuple(combinations(numbers, 2))
    squares = tuple((j, j) for j in squared_columns(kind, columns))
    return sums + pairs + squares


def squared_columns(kind: QuestionKind, columns: int) -> tuple[int, ...]:
    """Return the numbers, from 1, of the columns whose squares a kind of question needs."""
    return tuple(range(kind.squares_from, columns + 1)) if kind.squares_from else ()
