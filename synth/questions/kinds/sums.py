"""Totals and means. PUBLIC."""

from synth import limits
from synth.questions.kinds.families import SumKind

TOTAL = SumKind(name="total", example="income by sex", columns=(1, 1), takes=("by",))
MEAN = SumKind(
    name="mean",
    example="age by sex",
    columns=(1, 1),
    takes=("by", "over"),
    divides=True,
)
MEANS = SumKind(
    name="means",
    example="age, income",
    columns=(1, limits.QUESTION_MEANS),
    takes=("over",),
    divides=True,
    single=MEAN,
    labels=tuple,
    noun="mean",
)
