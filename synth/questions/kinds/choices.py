"""Quantiles, the best of several conditions, and checks of a figure. PUBLIC."""

from synth.questions.kinds.families import BestKind, CheckKind, RankKind

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
CLOSE = CheckKind(
    name="close",
    example="to 0.2 within 0.05: share where age >= 65",
    columns=(0, 0),
    takes=("claimed",),
    needs_condition=True,
    noun="comparison with a claimed figure",
    unit="yes or no",
    error_unit="as a probability",
    choices="checks",
)
