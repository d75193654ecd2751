"""Totals and means. PUBLIC."""

from synth import limits
from synth.questions.kinds.kind import QuestionKind

TOTAL = QuestionKind(name="total", columns=(1, 1), takes=("by",), adds="numbers")
"""The sum of a column, or one in each group."""
MEAN = QuestionKind(name="mean", columns=(1, 1), takes=("by", "over"), adds="numbers", divides=True)
"""The mean of a column, or one in each group."""
MEANS = QuestionKind(
    name="means",
    columns=(1, limits.QUESTION_MEANS),
    takes=("over",),
    adds="numbers",
    divides=True,
    single=MEAN,
    labels=tuple,
    noun="mean",
)
"""The means of several columns."""
