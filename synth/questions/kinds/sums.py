"""Totals and means. PUBLIC."""

from synth import limits
from synth.questions.kinds.kind import QuestionKind

TOTAL = QuestionKind(
    name="total", example="income by sex", columns=(1, 1), takes=("by",), adds="numbers"
)
MEAN = QuestionKind(
    name="mean",
    example="age by sex",
    columns=(1, 1),
    takes=("by", "over"),
    adds="numbers",
    divides=True,
)
MEANS = QuestionKind(
    name="means",
    example="age, income",
    columns=(1, limits.QUESTION_MEANS),
    takes=("over",),
    adds="numbers",
    divides=True,
    single=MEAN,
    labels=tuple,
    noun="mean",
)
