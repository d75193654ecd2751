"""Quantiles, and the best of several conditions. PUBLIC."""

from synth.questions.kinds.families import BestKind, RankKind

MEDIAN = RankKind(
    name="median", example="age with interval", columns=(1, 1), takes=("interval",)
)
QUANTILES = RankKind(
    name="quantiles",
    example="0.1, 0.9 of age",
    columns=(1, 1),
    takes=("quantiles", "interval"),
    needs="quantiles need",
)
BEST = BestKind(
    name="best",
    example="of [age < 30; age > 60] by count",
    columns=(0, 0),
    takes=("candidates",),
    noun="best of several conditions",
    unit="rows",
    choices="candidates",
)
