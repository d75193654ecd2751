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

from synth.domain import Domain
from synth.domain.building import Categorical, Integer, Number
from synth.errors import QuestionError
from synth.estimate import WayName
from synth.noise import KNorm, Mechanism, NoiseLaw
from synth.privacy import Guarantee, Neighbors
from synth.questions import (
    Answer,
    Arrangement,
    Inquiry,
    Portion,
    Question,
    parse,
    read_answers,
)
from synth.questions.answers import answers, totals
from synth.questions.answers.totals import Totals
from synth.questions.kinds import counts, moments, regressions, sums
from synth.util import Floats, Ints
from tests.coverage import hold_truth, is_below_level, is_wide
from tests.questions import plain
from tests.questions.points import vectors

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
class Coverage:
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
        return not is_below_level(self.least, self.runs)

    @property
    def is_wide(self) -> bool:
        """Whether one is above 97.5 %, by the same test."""
        return is_wide(self.most, self.runs)

    def __str__(self) -> str:
        low, high = 100 * self.least / self.runs, 100 * self.most / self.runs
        line = f"{self.case!s:60} {low:6.2f} to {high:6.2f} % answered {self.answered:.2f}"
        if not self.is_right:
            line += " TOO NARROW"
        if self.is_wide:
            line += " wide (discrete)" if self.is_discrete else " wide"
        return line


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


def draw_noise(noise: Mechanism, runs: int, size: int) -> Ints:
    """Independent noise, shape (runs, size)."""
    if isinstance(noise, KNorm):
        return noise.draw(runs)
    return np.asarray(noise.draw(runs * size)).astype(np.int64).reshape(runs, size)


def cases(
    kinds: Iterable[str] = ASKED, both_neighbors: Iterable[Neighbors] = Neighbors
) -> Iterator[Case]:
    """All that can be asked."""
    for kind, epsilon, neighbors in product(kinds, EPSILONS, both_neighbors):
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
        way_names = {portion.way.name for portion in case.inquiry.arrangement.portions}
    except QuestionError:
        return False
    return way_names == {WayName(case.way)}


@cache
def some_rows(number: int = 3000) -> list[plain.Row]:
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
        for _ in range(number)
    ]
    return plain.read_rows(DOMAIN, texts)


@cache
def truths(text: str, *, public: bool) -> list[float]:
    """The exact answer to a question, where the number of rows is public or not."""
    question, rows = parse(text), some_rows()
    match question.kind:
        case counts.COUNT | counts.TABLE | counts.TOP:
            return list(map(float, plain.table(question, rows, DOMAIN)))
        case counts.SHARE:
            return [float(plain.share_of(question, rows, DOMAIN) or 0)]
        case sums.TOTAL:
            return list(map(float, plain.totals(question, rows, DOMAIN, public=public)))
        case moments.VARIANCE | moments.COVARIANCE | regressions.REGRESSION:
            return _moments(question, rows)
        case sums.MEAN | sums.MEANS:
            means = plain.means(question, rows, DOMAIN, public=public)
            return [np.nan if mean is None else float(mean) for mean in means]
    raise NotImplementedError(f"The exact answer of '{question.kind.name}' is to be written.")


def _moments(question: Question, rows: list[plain.Row]) -> list[float]:
    """By NumPy."""
    first, *others = (
        np.array([row[name].number for row in rows], dtype=float) for name in question.columns
    )
    if question.kind is regressions.REGRESSION:
        design = np.column_stack([np.ones(len(first)), *others])
        return np.linalg.lstsq(design, first, rcond=None)[0].tolist()
    return [float(np.cov(first, (others or [first])[0], bias=True)[0, 1])]


def measure_coverage(case: Case, runs: int) -> Coverage:
    """How often the intervals of a case hold the truth."""
    arrangement, rows = case.inquiry.arrangement, some_rows()
    public = len(rows) if case.neighbors is Neighbors.REPLACE_ONE else None
    hits, inner, shares_answered, discrete = [], [], [], False
    for portion in arrangement.portions:
        names, noise = portion.block.workload.universe.names, portion.way.mechanism
        lines = [[row[hits_of_number] for hits_of_number in names] for row in rows]
        exact = vectors(portion.block, portion.way, lines).sum(axis=0)
        noisy = exact + draw_noise(noise, runs, len(exact))
        one_portion = replace(arrangement, portions=(portion,))
        for low, high, true in _intervals(one_portion, noisy, public):
            has = ~np.isnan(low)
            inside = ~has | hold_truth(low, high, true)
            counts = inside.sum(axis=0).tolist()
            hits += counts
            inner += [
                hits_of_number
                for hits_of_number, true_number in zip(counts, true[0].tolist(), strict=True)
                if true_number > 0
            ]
            shares_answered.append(has.mean())
        discrete = discrete or portion.way.strategy is not None or _is_discrete(portion)
    return Coverage(
        case, runs, min(hits), max(inner), float(np.mean(shares_answered)), discrete
    )


def _intervals(
    arrangement: Arrangement, noisy: Ints, public: int | None
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Of each question both ends and the truth, shape (runs, numbers); counts are not
    mended.
    """
    (portion,) = arrangement.portions
    questions = [
        arrangement.workload.questions[reading.question] for reading in portion.block.readings
    ]
    true = [np.array([truths(str(q), public=public is not None)]) for q in questions]
    is_run_by_run = portion.way.strategy is not None or any(
        q.kind is counts.TOP or q.kind.adds_products for q in questions
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "project_to_simplex", lambda raw, _: raw)
        if not is_run_by_run:
            values = _cells(portion, noisy)
            patch.setattr(Totals, "read", lambda *_: Runs(portion, values.reshape(-1)))
            answers_of_runs = read_answers(arrangement, [noisy[0]], public)
            for question, answer, truth in zip(questions, answers_of_runs, true, strict=True):
                low, high = (
                    _by_run(question, ends, len(noisy)) for ends in (answer.low, answer.high)
                )
                yield low, high, truth
            return
        patch.setattr(totals, "reach", lru_cache(maxsize=None)(totals.reach))
        patch.setattr(NoiseLaw, "expected_size", 1.0)
        if portion.way.strategy is not None:
            kind = type(portion.way.strategy)
            patch.setattr(kind, "halves", _once(kind.halves))
            patch.setattr(kind, "sizes", _once(kind.sizes))
        answers_by_run = [read_answers(arrangement, [values], public) for values in noisy]
    for index, (question, truth) in enumerate(zip(questions, true, strict=True)):
        run = [answer[index] for answer in answers_by_run]
        low, high = (
            np.array([getattr(answer, end) for answer in run]) for end in ("low", "high")
        )
        yield low, high, _of_top(run, truth[0]) if question.kind is counts.TOP else truth


def _once(function: Callable[..., Floats]) -> Callable[..., Floats]:
    """What a strategy says of its noise, worked out once for all runs."""
    worked_out: dict[tuple[float, ...], Floats] = {}

    def once(strategy: object, noise: object, *level: float) -> Floats:
        key = (id(strategy), *level)
        if key not in worked_out:
            worked_out[key] = function(strategy, noise, *level)
        return worked_out[key]

    return once


def _cells(portion: Portion, noisy: Ints) -> Floats:
    """Totals of all runs, where they are sums of the cells that were measured."""
    members = portion.way.cells and portion.way.cells.members
    if not members:
        return noisy.astype(float)
    return np.stack(
        [noisy[:, cells_of_member].sum(axis=1) for cells_of_member in members], axis=1
    ).astype(float)


def _by_run(question: Question, ends: Floats, runs: int) -> Floats:
    """Ends of intervals, shape (runs, numbers); means come one column after another."""
    return ends.reshape(-1, runs).T if question.kind is sums.MEANS else ends.reshape(runs, -1)


def _of_top(run: list[Answer], true: Floats) -> Floats:
    """The true counts of those that each run found to be the most frequent."""
    titles = DOMAIN["job"].titles
    return np.array([true[[titles.index(name) for name in answer.labels]] for answer in run])


def _is_discrete(portion: Portion) -> bool:
    """Whether an interval that is a step narrower would be too narrow, or the steps are
    few.
    """
    read_totals = Totals.read(
        portion,
        np.zeros(
            portion.block.size if portion.way.cells is None else portion.way.cells.tally.size,
            np.int64,
        ),
    )
    return any(
        law.deviation < 20
        for tally in portion.block.tallies
        for law in read_totals.laws(tally)[:1]
    )


if __name__ == "__main__":
    RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    table = []
    for case_asked in cases(ASKED | TOGETHER | MOMENTS):
        table.append(measure_coverage(case_asked, RUNS))
        print(table[-1], flush=True)
    narrow = sum(not line.is_right for line in table)
    print(f"{len(table)} cases of {RUNS} runs; too narrow: {narrow}")
    print("least", min(table, key=lambda line: line.least))
    smooth = [line for line in table if not line.is_discrete]
    print("most, where not discrete", max(smooth, key=lambda line: line.most))
    print("wide and not discrete:", sum(line.is_wide for line in smooth))
