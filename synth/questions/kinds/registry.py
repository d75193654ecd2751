"""All kinds of question, by name. PUBLIC.

>>> KINDS["share"].example
'where sex = female'
"""

from synth.questions.kinds.choices import BEST, CLOSE, MEDIAN, QUANTILES
from synth.questions.kinds.counts import COUNT, SHARE, TABLE, TOP
from synth.questions.kinds.kind import QuestionKind
from synth.questions.kinds.moments import COMPONENTS, CORRELATION, COVARIANCE, VARIANCE
from synth.questions.kinds.regressions import LOGISTIC, REGRESSION
from synth.questions.kinds.sums import MEAN, MEANS, TOTAL

KINDS: dict[str, QuestionKind] = {
    kind.name: kind
    for kind in (
        *(COUNT, SHARE, TABLE, TOTAL, MEAN, MEANS, TOP, VARIANCE, COVARIANCE, REGRESSION),
        *(COMPONENTS, MEDIAN, QUANTILES, BEST, CLOSE, CORRELATION, LOGISTIC),
    )
}


def kinds_of_tables() -> list[QuestionKind]:
    """Return the kinds that may be asked of a table itself, and not only of a release."""
    return [kind for kind in KINDS.values() if not kind.not_asked]
