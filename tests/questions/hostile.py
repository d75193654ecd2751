"""Questions, conditions, names and values that look for trouble."""

from fractions import Fraction

from hypothesis import strategies as st

from synth.questions import (
    COMPARED,
    KINDS,
    And,
    ClaimedFigure,
    Condition,
    Missing,
    Not,
    Or,
    Question,
    columns_of,
)
from synth.questions.kinds import choices, counts, regressions
from synth.questions.wording.condition import Compare, OneOf, Sign, sorted_condition

ODD = (
    'a"b',
    "it's",
    "by",
    "select",
    "count",
    "null",
    " padded ",
    "a\nb",
    "größe",
    "--",
    "/*",
    "{#x#}",
    "{{",
    "%s",
    "\\",
    "a\\'b",
    "''",
    '""',
    "1",
    "-1",
    "1e5",
    "2020-01-31",
    "x y",
    "\t",
    "\r\n",
    "\x00",
    "not",
    "(missing)",
    "$1",
    "`",
    ";",
    "🙂",
    "e\u0301",
    "\u00a0",
    "0x1F",
    "true",
    "N'a'",
    "日本",
)
TEXTS = st.sampled_from(ODD) | st.text(
    st.characters(exclude_categories=("Cs",)), min_size=0, max_size=12
)
NAMES = TEXTS.filter(str.strip)

LEAVES = st.one_of(
    st.builds(Compare, NAMES, st.sampled_from(Sign), TEXTS),
    st.builds(OneOf, NAMES, st.lists(TEXTS, min_size=1, max_size=4).map(tuple)),
    st.builds(Missing, NAMES),
)


def _joined(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(And, several) | st.builds(Or, several) | st.builds(Not, inner)


CONDITIONS = st.recursive(LEAVES, _joined, max_leaves=6).filter(
    lambda condition: condition.depth <= 10
)


def _spelled(condition: Condition) -> str:
    return str(sorted_condition(condition))


# Figures as they may be claimed; a share's tolerance of 0.5 is allowed, if useless.
FIGURES = st.builds(
    ClaimedFigure,
    of=st.sampled_from(COMPARED),
    figure=st.integers(0, 10**6).map(lambda millionths: Fraction(millionths, 10**6)),
    within=st.integers(1, 10**6).map(lambda millionths: Fraction(millionths, 10**6)),
)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    kind = draw(st.sampled_from(list(KINDS.values())))
    least, largest = kind.columns
    count = draw(st.integers(least, min(largest, 4)))
    groups = draw(st.integers(0, 3)) if "by" in kind.takes else 0
    names = draw(
        st.lists(NAMES, min_size=count + groups, max_size=count + groups, unique=True)
    )
    is_top = kind is counts.TOP
    quantile = st.fractions(0, 1, max_denominator=99).filter(lambda q: 0 < q < 1)
    quantiles = (
        draw(st.sets(quantile, min_size=1, max_size=4)) if kind is choices.QUANTILES else ()
    )
    outcome = draw(CONDITIONS) if kind is regressions.LOGISTIC else None
    names = [f"{name}~" if name in columns_of(outcome) else name for name in names]
    regressors = names[kind is regressions.REGRESSION : count] if "on" in kind.takes else []
    references = tuple((name, draw(TEXTS)) for name in regressors if draw(st.booleans()))
    several = st.lists(CONDITIONS, min_size=2, max_size=3, unique_by=_spelled)
    return Question(
        kind=kind,
        columns=tuple(names[:count]),
        by=tuple(names[count:]),
        where=draw(CONDITIONS if kind.needs_condition else st.none() | CONDITIONS),
        k=draw(st.integers(1, 99)) if is_top else 1,
        counts=is_top and draw(st.booleans()),
        over=draw(st.sampled_from(("rows", "persons"))) if kind.is_mean else "rows",
        weight=draw(
            st.just(Fraction(1)) | st.fractions(Fraction(1, 99), 99, max_denominator=99)
        ),
        quantiles=tuple(sorted(quantiles)),
        interval=kind.is_ranked and draw(st.booleans()),
        candidates=tuple(draw(several)) if kind is choices.BEST else (),
        claimed=draw(FIGURES) if kind is choices.CLOSE else None,
        outcome=outcome,
        reference=references,
    )
