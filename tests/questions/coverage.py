"""How often intervals hold the truth: many draws of the noise on fixed exact totals.

Single questions in every way, many by strategies, and slopes, variances and covariances. Run
as a script it prints the whole table: python -m tests.questions.coverage [runs]"""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import product
from random import Random

import numpy as np
import pytest
from scipy import stats

from synth.domain import Domain
from synth.domain.building import Categorical, Integer, Number
from synth.errors import QuestionError
from synth.noise import LEVEL, KNorm, Mechanism, NoiseLaw
from synth.privacy import Guarantee, Neighbors
from synth.questions import (
    Answer,
    Arrangement,
    Inquiry,
    Portion,
    Question,
    WayName,
    parse,
    read_answers,
)
from synth.questions.answers import answers, totals
from synth.questions.answers.totals import Totals
from synth.questions.kinds import counts, moments, regressions, sums
from synth.util import Floats, Ints
from tests.questions import plain
from tests.questions.points import vectors

WRONG = 1e-6
"""Chance that a right interval is said to be below its level."""
DOMAIN = Domain(
    sex=Categorical(["F", "M"], outside="cell"),
    job=Categorical([*"abcdefgh"], outside="cell"),
    age=Integer(17, 90, bins=5),
    hours=Integer(0, 99, bins=5, missing=True),
    gain=Integer(0, 99999, bins=5),
    weight=Number(0, "2.5", bins=5),
    school=Integer(1, 16),
)
ASKED = {
    "count": (
        "count where age >= 65",
        "count where sex = F",
        "count where sex = F and age < 40",
    ),
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
TOGETHER = {
    "prefixes": tuple(f"count where age < {age}" for age in range(20, 90, 5)),
    "ranges": tuple(f"count where age >= {a} and age < {a + 30}" for a in range(20, 60, 4)),
    "tables": ("table sex by job", "table sex by hours", "table job by age", "table sex"),
}
"""Questions that strategies answer together."""
MOMENTS = {
    "slopes": ("regression age on hours, school",),
    "variance": ("variance age",),
    "covariance": ("covariance age, school",),
}
EPSILONS = tuple(map(Fraction, ("1/10", "1", "5")))
DELTA = Fraction(1, 10**6)
WAYS = {name: (0,) for name in ("laplace", "l2", "l-infinity", "histogram")} | {
    "gaussian": (1,),
    "elliptical": (1,),
}
"""Ways to answer one question, and whether they are asked with a delta."""
STRATEGIES = {"hierarchy": (0, 1), "fitted": (0, 1), "marginals": (1,)}


@dataclass(frozen=True, eq=False)
class Case:
    """One kind of question, asked in one way; where that is not named, in the one that is
    taken.
    """

    kind: str
    way: str
    claim: Guarantee
    neighbors: Neighbors

    def __str__(self) -> str:
        return f"{self.kind}, {self.way}, {self.claim}, {self.neighbors.value}"

    @cached_property
    def inquiry(self) -> Inquiry:
        """What is asked."""
        questions = (ASKED | TOGETHER | MOMENTS)[self.kind]
        return Inquiry.read(
            questions, DOMAIN, self.claim, neighbors=self.neighbors, way=self.way or None
        )


@dataclass(frozen=True)
class Covered:
    """How often the truth was in its interval.

    Attributes:
        case: What was asked.
        runs: How often.
        least: Of all numbers of the answers, the one that was covered least.
        most: The one that was covered most, but for counts of 0: these are lost on one side
            only.
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
            f"{self.case!s:60} {low:6.2f} to {high:6.2f} % answered "
            f"{self.answered:.2f}{note}{wide}"
        )


class Runs(Totals):
    """Totals of many runs at once, one after another."""

    def of_tally(self, number: int) -> Floats:
        return np.asarray(
            self.values.reshape(-1, self._all)[:, self.slice_of(number)]
        ).reshape(-1)

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


def cases(
    kinds: Iterable[str] = ASKED, both: Iterable[Neighbors] = Neighbors
) -> Iterator[Case]:
    """All that can be asked."""
    for kind, epsilon, neighbors in product(kinds, EPSILONS, both):
        if kind in MOMENTS:
            for claim in (Guarantee.pure(epsilon), Guarantee.zcdp(epsilon**2 / 2)):
                yield Case(kind, "", claim, neighbors)
            continue
        for way, deltas in (STRATEGIES if kind in TOGETHER else WAYS).items():
            for delta in deltas:
                case = Case(
                    kind, way, Guarantee(epsilon=epsilon, delta=DELTA * delta), neighbors
                )
                if _is_asked(case):
                    yield case


def _is_asked(case: Case) -> bool:
    """Whether it is answered in its way."""
    try:
        names = {portion.way.name for portion in case.inquiry.arrangement.portions}
    except QuestionError:
        return False
    return names == {WayName(case.way)}


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
            str(random.randint(1, 16)),
        ]
        for _ in range(many)
    ]
    return plain.read(DOMAIN, texts)


@cache
def truths(asked: str, *, public: bool) -> list[float]:
    """The exact answer to a question, where the number of rows is public or not."""
    question, rows = parse(asked), some_rows()
    match question.kind:
        case counts.COUNT | counts.TABLE | counts.TOP:
            return list(map(float, plain.table(question, rows, DOMAIN)))
        case counts.SHARE:
            return [float(plain.share(question, rows, DOMAIN) or 0)]
        case sums.TOTAL:
            return list(map(float, plain.totals(question, rows, DOMAIN, public=public)))
        case moments.VARIANCE | moments.COVARIANCE | regressions.REGRESSION:
            return _moments(question, rows)
    found = plain.means(question, rows, DOMAIN, public=public)
    return [np.nan if one is None else float(one) for one in found]


def _moments(question: Question, rows: list[plain.Row]) -> list[float]:
    """By NumPy."""
    first, *others = (
        np.array([row[name].number for row in rows], dtype=float) for name in question.columns
    )
    if question.kind is regressions.REGRESSION:
        design = np.column_stack([np.ones(len(first)), *others])
        return np.linalg.lstsq(design, first, rcond=None)[0].tolist()
    return [float(np.cov(first, (others or [first])[0], bias=True)[0, 1])]


def covered(case: Case, runs: int) -> Covered:
    """How often the intervals of a case hold the truth."""
    arrangement, rows = case.inquiry.arrangement, some_rows()
    public = len(rows) if case.neighbors is Neighbors.REPLACE_ONE else None
    hits, inner, told, discrete = [], [], [], False
    for portion in arrangement.portions:
        names, noise = portion.block.workload.universe.names, portion.way.mechanism
        lines = [[row[n] for n in names] for row in rows]
        exact = vectors(portion.block, portion.way, lines).sum(axis=0)
        noisy = exact + drawn(noise, runs, len(exact))
        alone = replace(arrangement, portions=(portion,))
        for low, high, true in _intervals(alone, noisy, public):
            has = ~np.isnan(low)
            slack = 1e-9 * np.maximum(1, np.abs(true))
            inside = ~has | ((low - slack <= true) & (true <= high + slack))
            counts = inside.sum(axis=0).tolist()
            hits += counts
            inner += [n for n, one in zip(counts, true[0].tolist(), strict=True) if one > 0]
            told.append(has.mean())
        discrete = discrete or portion.way.strategy is not None or _is_discrete(portion)
    return Covered(case, runs, min(hits), max(inner), float(np.mean(told)), discrete)


def _intervals(
    alone: Arrangement, noisy: Ints, public: int | None
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Of each question both ends and the truth, shape (runs, numbers); counts are not
    mended.
    """
    (portion,) = alone.portions
    questions = [alone.workload.questions[one.question] for one in portion.block.readings]
    true = [np.array([truths(str(q), public=public is not None)]) for q in questions]
    one_by_one = portion.way.strategy is not None or any(
        q.kind is counts.TOP or q.kind.adds_products for q in questions
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "project_to_simplex", lambda raw, _: raw)
        if not one_by_one:
            values = _cells(portion, noisy)
            patch.setattr(Totals, "read", lambda *_: Runs(portion, values.reshape(-1)))
            found = read_answers(alone, [noisy[0]], public)
            for question, answer, truth in zip(questions, found, true, strict=True):
                low, high = (
                    _by_run(question, e, len(noisy)) for e in (answer.low, answer.high)
                )
                yield low, high, truth
            return
        patch.setattr(totals, "reach", lru_cache(maxsize=None)(totals.reach))
        patch.setattr(NoiseLaw, "expected_size", 1.0)
        if portion.way.strategy is not None:
            kind = type(portion.way.strategy)
            patch.setattr(kind, "halves", _once(kind.halves))
            patch.setattr(kind, "sizes", _once(kind.sizes))
        each = [read_answers(alone, [values], public) for values in noisy]
    for place, (question, truth) in enumerate(zip(questions, true, strict=True)):
        run = [one[place] for one in each]
        low, high = (np.array([getattr(one, end) for one in run]) for end in ("low", "high"))
        yield low, high, _of_top(run, truth[0]) if question.kind is counts.TOP else truth


def _once(right: Callable[..., Floats]) -> Callable[..., Floats]:
    """What a strategy says of its noise, worked out once for all runs."""
    known: dict[tuple[float, ...], Floats] = {}

    def once(one: object, noise: object, *level: float) -> Floats:
        key = (id(one), *level)
        if key not in known:
            known[key] = right(one, noise, *level)
        return known[key]

    return once


def _cells(portion: Portion, noisy: Ints) -> Floats:
    """Totals of all runs, where they are sums of the cells that were measured."""
    members = portion.way.cells and portion.way.cells.members
    if not members:
        return noisy.astype(float)
    return np.stack([noisy[:, one].sum(axis=1) for one in members], axis=1).astype(float)


def _by_run(question: Question, ends: Floats, runs: int) -> Floats:
    """Ends of intervals, shape (runs, numbers); means come one column after another."""
    return ends.reshape(-1, runs).T if question.kind is sums.MEANS else ends.reshape(runs, -1)


def _of_top(run: list[Answer], true: Floats) -> Floats:
    """The true counts of those that each run found to be the most frequent."""
    titles = DOMAIN["job"].titles
    return np.array([true[[titles.index(name) for name in one.labels]] for one in run])


def _is_discrete(portion: Portion) -> bool:
    """Whether an interval that is a step narrower would be too narrow, or the steps are
    few.
    """
    found = Totals.read(
        portion,
        np.zeros(
            portion.block.size if portion.way.cells is None else portion.way.cells.tally.size,
            np.int64,
        ),
    )
    return any(law.deviation < 20 for n in portion.block.tallies for law in found.laws(n)[:1])


if __name__ == "__main__":
    RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    table = []
    for each in cases(ASKED | TOGETHER | MOMENTS):
        table.append(covered(each, RUNS))
        print(table[-1], flush=True)
    narrow = sum(not one.is_right for one in table)
    print(f"{len(table)} cases of {RUNS} runs; too narrow: {narrow}")
    print("least", min(table, key=lambda one: one.least))
    smooth = [one for one in table if not one.is_discrete]
    print("most, where not discrete", max(smooth, key=lambda one: one.most))
    print("wide and not discrete:", sum(one.is_wide for one in smooth))
