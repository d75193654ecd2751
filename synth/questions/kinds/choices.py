"""Quantiles, and the best of several conditions. PUBLIC."""

from synth.questions.kinds.kind import QuestionKind

MEDIAN = QuestionKind(name="median", columns=(1, 1), takes=("interval",))
"""The value in the middle of a column's."""
QUANTILES = QuestionKind(
    name="quantiles", columns=(1, 1), takes=("quantiles", "interval"), needs="quantiles need"
)
"""The values of a column below which given parts of its values are."""
BEST = QuestionKind(
    name="best",
    columns=(0, 0),
    takes=("candidates",),
    noun="best of several conditions",
    unit="rows",
    choices="candidates",
)
"""The condition that most rows meet, of several."""
