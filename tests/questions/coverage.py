"""How often intervals hold the truth: many draws of the noise on fixed exact totals.

Run as a script it prints the whole table: python -m tests.questions.coverage [runs]
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import product
from random import Random

import numpy as np
import pytest
from scipy import stats

from synth.arrays import Floats, Ints
from synth.domain.domain import Categorical, Domain, Integer, Number, Outside
from synth.errors import QuestionError
from synth.noise.knorm import KNorm
from synth.noise.mechanism import Mechanism
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.questions import answers, totals
from synth.questions.answers import Answer
from synth.questions.arrangement import Portion
from synth.questions.inquiry import Inquiry
from synth.questions.language import parse
from synth.questions.laws import NoiseLaw
from synth.questions.question import Kind, Question
from synth.questions.reach import LEVEL
from synth.questions.totals import NoisyPortion, Totals
from synth.questions.way_names import WayName
from tests.questions import plain
from tests.questions.points import vectors

WRONG = 1e-6
"""Chance that a right interval is said to be below its level."""
DOMAIN = Domain(
    (
        Categorical(name="sex", categories=("F", "M"), outside=Outside.CELL),
        Categorical(name="job", categories=tuple("abcdefgh"), outside=Outside.CELL),
        Integer(name="age", minimum=17, maximum=90, bins=5),
        Integer(name="hours", minimum=0, maximum=99, bins=5, missing=True),
        Integer(name="gain", minimum=0, maximum=99999, bins=5),
        Number(name="weight", minimum=0, maximum="2.5", bins=5),
    )
)
ASKED = {
    "count": ("count where age >= 65", "count where sex = F", "count where sex = F and age < 40"),
    "share": ("share where age >= 65", "share where sex = F"),
    "table": ("table sex by job",),
    "total": ("total hours",),
    "total by group": ("total age by sex",),
    "mean": ("mean age",),
    "mean where": ("mean hours where sex = F",),
    "mean by group": ("mean hours by sex",),
    "means": ("means age, gain, weight",),
    "top with counts": ("top 2 job with counts",),
}
EPSILONS = tuple(map(Fraction, ("1/10", "1", "5")))
WAYS = {name: "pure" for name in ("laplace", "l2", "l-infinity", "histogram")} | {
    "gaussian": "delta", "elliptical": "delta"
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Case:
    """One kind of question, asked in one way."""

    kind: str
    way: str
    epsilon: Fraction
    neighbors: Neighbors

    def __str__(self) -> str:
        return f"{self.kind}, {self.way}, epsilon {float(self.epsilon)}, {self.neighbors.value}"

    @cached_property
    def inquiry(self) -> Inquiry:
        """What is asked."""
        delta = Fraction(1, 10**6) if WAYS[self.way] == "delta" else Fraction(0)
        claim = Guarantee(self.epsilon, delta)
        return Inquiry.of(ASKED[self.kind], DOMAIN, claim, self.neighbors, way=self.way)


@dataclass(frozen=True)
class Covered:
    """How often the truth was in its interval.

    Attributes:
        case: What was asked.
        runs: How often.
        least: Of all numbers of the answers, the one that was covered least.
        most: The one that was covered most, but for counts of 0: these are lost on one side only.
        answered: Which part of the runs had an answer at all.
        is_discrete: Whether the noise has so few steps that a narrower interval would be too
            narrow.
    """

    case: Case
    runs: int
    least: int
    most: int
    answered: float
    is_discrete: bool

    @property
    def is_right(self) -> bool:
        """Whether none is below its level, by a one-sided binomial test."""
        return bool(stats.binom.cdf(self.least, self.runs, LEVEL) > WRONG)

    @property
    def is_wide(self) -> bool:
        """Whether one is above 97.5 %, by the same test."""
        return bool(stats.binom.sf(self.most - 1, self.runs, 0.975) < WRONG)

    def __str__(self) -> str:
        low, high = 100 * self.least / self.runs, 100 * self.most / self.runs
        note = "" if self.is_right else " TOO NARROW"
        wide = f" wide{' (discrete)' * self.is_discrete}" * self.is_wide
        return (
            f"{self.case!s:60} {low:6.2f} to {high:6.2f} % answered {self.answered:.2f}{note}{wide}"
        )


class Runs(Totals):
    """Totals of many runs at once, one after another."""

    def of_tally(self, number: int) -> Floats:
        return np.asarray(self.values.reshape(-1, self._all)[:, self.slice_of(number)]).reshape(-1)

    def laws(self, number: int) -> list[NoiseLaw]:
        return super().laws(number) * (len(self.values) // self._all)

    @property
    def _all(self) -> int:
        return self.portion.block.size


def drawn(noise: Mechanism, runs: int, size: int) -> Ints:
    """Independent noise, shape (runs, size)."""
    if isinstance(noise, KNorm):
        return noise.draw(runs)
    return np.asarray(noise.draw(runs * size)).astype(np.int64).reshape(runs, size)


def cases(kinds: Iterable[str] = ASKED, both: Iterable[Neighbors] = Neighbors) -> Iterator[Case]:
    """All that can be asked."""
    for case in (Case(*one) for one in product(kinds, WAYS, EPSILONS, both)):
        try:
            names = {portion.way.name for portion in case.inquiry.arrangement.portions}
        except QuestionError:
            continue
        if names == {WayName(case.way)}:
            yield case


@cache
def some_rows(many: int = 3000) -> list[plain.Row]:
    """A table without a cell that is missing or outside."""
    random = Random(1)
    texts = [
        [
            random.choice("FFM"),
            random.choices("abcdefgh", (30, 30, 30, 5, 2, 1, 1, 1))[0],
            str(min(90, max(17, round(random.gauss(45, 15))))),
            str(min(99, max(0, round(random.gauss(38, 12))))),
            str(random.choice((0, 0, 0, random.randint(0, 99999)))),
            str(random.uniform(0.4, 1.9)),
        ]
        for _ in range(many)
    ]
    return plain.read(DOMAIN, texts)


@cache
def truths(asked: str, *, public: bool) -> list[float]:
    """The exact answer to a question, where the number of rows is public or not."""
    question, rows = parse(asked), some_rows()
    match question.kind:
        case Kind.COUNT | Kind.TABLE | Kind.TOP:
            return list(map(float, plain.table(question, rows, DOMAIN)))
        case Kind.SHARE:
            return [float(plain.share(question, rows, DOMAIN) or 0)]
        case Kind.TOTAL:
            return list(map(float, plain.totals(question, rows, DOMAIN, public=public)))
    found = plain.means(question, rows, DOMAIN, public=public)
    return [np.nan if one is None else float(one) for one in found]


def covered(case: Case, runs: int) -> Covered:
    """How often the intervals of a case hold the truth."""
    inquiry = case.inquiry
    rows = some_rows()
    public = len(rows) if case.neighbors is Neighbors.REPLACE_ONE else None
    hits, inner, told, discrete = [], [], [], False
    for portion in inquiry.arrangement.portions:
        names = portion.block.workload.universe.names
        noise = portion.way.mechanism
        assert noise is not None
        exact = vectors(portion.block, portion.way, [[row[n] for n in names] for row in rows]).sum(
            axis=0
        )
        noisy = exact + drawn(noise, runs, len(exact))
        for reading in portion.block.readings:
            question = inquiry.questions[reading.question]
            true = np.array(truths(str(question), public=public is not None))
            if question.kind is Kind.TOP:
                inside, has = _top(portion, noisy, public, true)
            else:
                answer = _answered(portion, reading, noisy, public)
                low, high = (_by_run(question, end, runs) for end in (answer.low, answer.high))
                has = ~np.isnan(low)
                slack = 1e-9 * np.maximum(1, np.abs(true))
                inside = ~has | ((low - slack <= true) & (true <= high + slack))
            hits += inside.sum(axis=0).tolist()
            inner += [
                n for n, one in zip(inside.sum(axis=0).tolist(), true, strict=False) if one > 0
            ]
            told.append(has.mean())
        discrete = discrete or _is_discrete(portion)
    return Covered(case, runs, min(hits), max(inner), float(np.mean(told)), discrete)


def _by_run(question: Question, ends: Floats, runs: int) -> Floats:
    """Ends of intervals, shape (runs, numbers); means come one column after another."""
    return ends.reshape(-1, runs).T if question.kind is Kind.MEANS else ends.reshape(runs, -1)


def _answered(portion: Portion, reading: object, noisy: Ints, public: int | None) -> Answer:
    """The answers of all runs, one after another."""
    members = portion.way.cells and portion.way.cells.members
    values = noisy.astype(float)
    if members:
        values = np.stack([noisy[:, one].sum(axis=1) for one in members], axis=1).astype(float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers.Totals, "of", lambda *_: Runs(portion, values.reshape(-1)))
        patch.setattr(answers, "project_to_simplex", lambda raw, _: raw)
        given = NoisyPortion(portion, noisy[0])
        return answers._answer(given, reading, public)  # type: ignore[arg-type]


def _top(portion: Portion, noisy: Ints, public: int | None, true: Floats) -> tuple[Floats, Floats]:
    """Whether the count of the first, and of the second, is in its interval."""
    (reading,) = portion.block.readings
    titles = DOMAIN["job"].titles
    reach = lru_cache(maxsize=None)(totals.reach)
    found: list[Floats] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(totals, "reach", reach)
        patch.setattr(totals, "expected_size", lambda _: 1.0)
        for values in noisy:
            answer = answers._answer(NoisyPortion(portion, values), reading, public, LEVEL)
            at = true[[titles.index(name) for name in answer.labels]]
            found.append((answer.low <= at) & (at <= answer.high))
    return np.array(found), np.ones(1, np.bool_)


def _is_discrete(portion: Portion) -> bool:
    """Whether an interval that is a step narrower would be too narrow, or the steps are few."""
    found = Totals.of(portion, np.zeros(portion.block.size if portion.way.cells is None
                                         else portion.way.cells.tally.size, np.int64))  # fmt: skip
    return any(law.deviation < 20 for n in portion.block.tallies for law in found.laws(n)[:1])


if __name__ == "__main__":
    RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    table = []
    for each in cases():
        table.append(covered(each, RUNS))
        print(table[-1], flush=True)
    print(
        "cases", len(table), "of", RUNS, "runs; too narrow:", sum(not one.is_right for one in table)
    )
    print("least", min(table, key=lambda one: one.least))
    smooth = [one for one in table if not one.is_discrete]
    print("most, where not discrete", max(smooth, key=lambda one: one.most))
    print("wide and not discrete:", sum(one.is_wide for one in smooth))
