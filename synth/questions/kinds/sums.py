"""Totals and means. PUBLIC."""

from synth import limits
from synth.questions.kinds.kind import QuestionKind

TOTAL = QuestionKind(name="total", columns=(1, 1), takes=("by",), adds="numbers")
MEAN = QuestionKind(name="mean", columns=(1, 1), takes=("by", "over"), adds="numbers", divides=True)
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
