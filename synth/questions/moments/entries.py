"""Which sums of numbers and of products a question needs. PUBLIC.

Of X'X, X being a column of ones and then the columns of the question, only the upper triangle is
asked for, and of it only what the answer depends on.

>>> from synth.questions.kinds.regressions import REGRESSION
>>> entries_of(REGRESSION, 2)
((0, 1), (0, 2), (1, 2), (2, 2))
"""

from itertools import combinations

from synth.questions.kinds.kind import QuestionKind

ColumnPair = tuple[int, int]
"""Two columns by number, 0 being the column of ones."""


def entries_of(kind: QuestionKind, columns: int) -> tuple[ColumnPair, ...]:
    """The entries of the upper triangle but for the number of rows, sums of one column first.

    The square of an outcome, and those of a covariance, are not needed.

    Args:
        kind: What is asked.
        columns: How many columns it names.
    """
    own = range(1, columns + 1)
    sums = tuple((0, j) for j in own)
    pairs = tuple(combinations(own, 2))
    return sums + pairs + tuple((j, j) for j in own if j in squared_columns(kind, columns))


def squared_columns(kind: QuestionKind, columns: int) -> tuple[int, ...]:
    """The columns whose squares are added up, by number."""
    return tuple(range(kind.squares_from, columns + 1)) if kind.squares_from else ()
