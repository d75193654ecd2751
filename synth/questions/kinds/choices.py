"""Quantiles, and the best of several conditions. PUBLIC."""

from synth.questions.kinds.kind import QuestionKind

MEDIAN = QuestionKind(name="median", columns=(1, 1), takes=("interval",))
QUANTILES = QuestionKind(
    name="quantiles", columns=(1, 1), takes=("quantiles", "interval"), needs="quantiles need"
)
BEST = QuestionKind(
    name="best",
    columns=(0, 0),
    takes=("candidates",),
    noun="best of several conditions",
    unit="rows",
    choices="candidates",
)
