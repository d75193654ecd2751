"""A survey with a column of every kind and rule, and hostile texts and questions for it."""

from random import Random

from synth.domain import Column, Domain, building
from synth.errors import SynthError
from synth.privacy import ROW, Unit
from synth.questions import KINDS, And, Condition, Missing, Not, Or, Question, check_question
from synth.questions.kinds import counts, sums
from synth.questions.wording.condition import Compare, OneOf, Sign

PERSON = "pid"
SURVEY = Domain(
    sex=building.Categorical(["F", "M", "x y"], missing={"x y": "refused", "NA": ""}),
    grade=building.Categorical(["low", "mid", "top"], ordered=True, outside="cell"),
    smoker=building.Boolean(true_values=["yes", "1"], false_values=["no"]),
    age=building.Integer(
        0, 90, bins=4, spikes=(40, 999, -1), missing={"999": "refused", "NA": ""}
    ),
    hours=building.Integer(-5, 20, edges=(-5, 0, 7, 20), spikes=(7,)),
    weight=building.Number(0, "2.5", bins=3, spikes=("0.5", 9), outside="cell"),
    income=building.Number(-1, 3, edges=(-1, 0, "0.1", 3), missing=True, outside="drop"),
    day=building.Date(
        "2024-01-10", "2024-06-20", period="quarter", missing=True, outside="missing"
    ),
    seen=building.Date("2024-01-01", "2024-01-01T00:00:59", bins=3, time=True),
    missing_values=("", "NA"),
)

KINDS = tuple(
    kind for kind in KINDS.values() if not (kind.adds_products or kind.is_single_choice)
)
"""Kinds whose sensitivity is searched cell by cell; the others have tests of their own."""

ODD = ("", "NA", "abc", "nan", " ")
TEXTS = {
    "sex": ("F", "M", "x y", " F ", "X", *ODD),
    "grade": ("low", "mid", "top", "none", *ODD),
    "smoker": ("yes", "1", "no", "maybe", *ODD),
    "age": (
        "0",
        "1",
        "39",
        "39.5",
        "40",
        "40.5",
        "41",
        "65",
        "90",
        "90.5",
        "91",
        "-1",
        "-0.5",
        "-2",
        "999",
        "1000",
        "1e9",
        "-inf",
        *ODD,
    ),
    "hours": (
        "-5",
        "-4.5",
        "-6",
        "-0.5",
        "0",
        "6",
        "7",
        "7.9",
        "8",
        "20",
        "20.5",
        "21",
        *ODD,
    ),
    "weight": (
        "0",
        "0.1",
        "0.5",
        "0.50000001",
        "0.8333333333333334",
        "0.8333333333333333",
        "1",
        "2.5",
        "2.6",
        "-1",
        "9",
        "inf",
        *ODD,
    ),
    "income": (
        "-1",
        "0",
        "-0.0001",
        "0.1",
        "0.09999999999999999",
        "0.1000000000000001",
        "3",
        "2.9",
        "4",
        "-1.5",
        *ODD,
    ),
    "day": (
        "2024-01-10",
        "2024-01-09",
        "2024-03-31",
        "2024-04-01",
        "2024-06-20",
        "2024-06-21",
        "2024-02-30",
        *ODD,
    ),
    "seen": (
        "2024-01-01T00:00:00",
        "2024-01-01T00:00:19",
        "2024-01-01T00:00:20",
        "2024-01-01T00:00:59",
        "2023-12-31T23:59:59",
        "2024-01-01T00:01:00",
        *ODD,
    ),
}
"""What cells hold: values inside and outside, spikes, next to edges, missing and
unreadable.
"""

VALUES = {
    "sex": ("F", "M", "x y"),
    "grade": ("low", "mid", "top", "(other)"),
    "smoker": ("yes", "no"),
    "age": ("0", "17", "39", "39.5", "40", "41", "65", "90", "999", "-1"),
    "hours": ("-5", "-1", "0", "6.5", "7", "8", "20"),
    "weight": ("0", "0.1", "0.5", "5/6", "1", "2.5", "9", "(other)"),
    "income": ("-1", "0", "0.1", "1/3", "3"),
    "day": ("2024-01-10", "2024-02-01", "2024-03-31", "2024-03-31 12:00", "2024-06-20"),
    "seen": ("2024-01-01T00:00:00", "2024-01-01T00:00:07.5", "2024-01-01T00:00:20"),
}
"""What conditions compare with: bounds, spikes, and what cuts a bin in two."""


def some_rows(random: Random, number: int) -> list[list[str]]:
    """Rows of a survey, every fifth cell from the strange end of its list."""
    return [[random.choice(TEXTS[name]) for name in SURVEY.names] for _ in range(number)]


def some_condition(random: Random, domain: Domain = SURVEY, depth: int = 2) -> Condition:
    """A condition as somebody may type it; the domain may refuse it."""
    if depth and random.random() < 0.5:
        if random.random() < 0.3:
            return Not(some_condition(random, domain, depth - 1))
        parts = tuple(
            some_condition(random, domain, depth - 1) for _ in range(random.randint(2, 3))
        )
        return random.choice((And, Or))(parts)
    column = domain[random.choice(domain.names)]
    if random.random() < 0.15:
        return Missing(column.name)
    if random.random() < 0.25:
        return OneOf(column.name, tuple(random.choices(VALUES[column.name], k=2)))
    return Compare(column.name, _sign(random, column), random.choice(VALUES[column.name]))


def _sign(random: Random, column: Column) -> Sign:
    signs = [sign for sign in Sign if column.extent is not None or not sign.orders]
    return random.choice(signs)


def some_question(random: Random, unit: Unit = ROW, domain: Domain = SURVEY) -> Question:
    """A checked question."""
    while True:
        try:
            return check_question(_question(random, unit, domain), domain, unit)
        except SynthError:
            continue


def _question(random: Random, unit: Unit, domain: Domain) -> Question:
    kind = random.choice(KINDS)
    least, largest = kind.columns
    names = list(domain.names)
    if kind.adds_numbers:
        names = [name for name in names if domain[name].summable is not None]
        names = [name for name in names if kind is not sums.TOTAL or domain[name].adds_up]
    columns = tuple(
        random.sample(names, min(len(names), random.randint(least, min(largest, 3))))
    )
    other_names = [name for name in domain.names if name not in columns]
    groups = random.choice((0, 1, 1, 2)) if "by" in kind.takes else 0
    asks = kind is counts.SHARE or random.random() < 0.6
    is_top = kind is counts.TOP
    over = "persons" if unit.person and kind.is_mean and random.random() < 0.5 else "rows"
    return Question(
        kind=kind,
        columns=columns,
        by=tuple(random.sample(other_names, min(groups, len(other_names)))),
        where=some_condition(random, domain) if asks else None,
        k=random.randint(1, 3) if is_top else 1,
        counts=is_top and random.random() < 0.5,
        over=over,
    )
