"""Counts, shares, tables, and the most frequent values. PUBLIC."""

from synth import limits
from synth.questions.kinds.families import CountKind, TopKind

COUNT = CountKind(
    name="count", example="where age >= 65 and sex = female", columns=(0, 0), unit="rows"
)
SHARE = CountKind(
    name="share",
    example="where sex = female",
    columns=(0, 0),
    needs_condition=True,
    divides=True,
    unit="share",
    error_unit="percentage points",
)
TABLE = CountKind(
    name="table",
    example="sex by smoker",
    columns=(1, limits.QUESTION_COLUMNS),
    joined="by",
    lists=True,
    unit="rows",
)
TOP = TopKind(
    name="top",
    example="2 smoker with counts",
    columns=(1, 1),
    takes=("counts",),
    lists=True,
    unit="rows",
    choices="most frequent values",
)
