"""How often intervals of slopes, variances and covariances hold the number of the rows.

Many draws of the noise on fixed exact totals. Run as a script it prints the whole table, with
widths beside those of a fit without noise: python -m tests.questions.moments.coverage [runs]
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from synth.arrays import Floats
from synth.domain.domain import Domain, Integer
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.questions.inquiry import Inquiry
from synth.questions.moments.entries import entries_of
from synth.questions.moments.noisy import NoisySums
from synth.questions.moments.regression import lines
from synth.questions.moments.spread import MomentNumbers, spreads
from synth.questions.reach import LEVEL
from synth.questions.totals import Totals
from tests.tables import SHARED

WRONG = 1e-6
"""Chance that a right interval is said to be below its level."""
NAMES = ("hours", "age", "education")
DOMAIN = Domain(
    (
        Integer(name="hours", minimum=1, maximum=99),
        Integer(name="age", minimum=17, maximum=90),
        Integer(name="education", minimum=1, maximum=16),
    )
)
ASKED = ("regression hours on age, education", "variance age", "covariance age, hours")
EPSILONS = tuple(map(Fraction, ("1/10", "1", "5")))
CLAIMS = [claim for one in EPSILONS for claim in (Guarantee.pure(one), Guarantee.zcdp(one**2 / 2))]
"""Laplace noise, and Gaussian noise of a rho that pure epsilons imply."""


@dataclass(frozen=True)
class Case:
    """One question under one guarantee, of so many rows."""

    asked: str
    claim: Guarantee
    neighbors: Neighbors
    rows: int

    def __str__(self) -> str:
        return f"{self.asked}, {self.claim}, {self.neighbors.value}, {self.rows:,} rows"


@dataclass(frozen=True)
class Covered:
    """How often the truth was in its interval, of the number for which it was least often.

    Attributes:
        case: What was asked.
        runs: How often.
        least: How often the interval held, or there was none.
        told: Which part of the runs had intervals.
        width: Median widths, one a number.
        plain: Widths of a fit without noise, about a population; NaN where there is none.
    """

    case: Case
    runs: int
    least: int
    told: float
    width: tuple[float, ...]
    plain: tuple[float, ...]

    @property
    def is_right(self) -> bool:
        """Whether none is below its level, by a one-sided binomial test."""
        return bool(stats.binom.cdf(self.least, self.runs, LEVEL) > WRONG)

    def __str__(self) -> str:
        widths = ", ".join(
            f"{one:.3g}" + (f" ({other:.3g})" if other == other else "")
            for one, other in zip(self.width, self.plain, strict=True)
        )
        note = "" if self.is_right else " TOO NARROW"
        return (
            f"{self.case!s:105} {100 * self.least / self.runs:6.2f} % told {self.told:.2f} "
            f"width {widths}{note}"
        )


def cases() -> Iterator[Case]:
    """All questions under all guarantees."""
    for asked, claim, neighbors, rows in product(ASKED, CLAIMS, Neighbors, (2_000, 32_561)):
        yield Case(asked, claim, neighbors, rows)


@cache
def table(rows: int) -> Floats:
    """Adult's columns where they are at hand, else others like them; shape (rows, 3)."""
    path = SHARED / "adult" / "adult_train.csv"
    if path.exists():
        read = pd.read_csv(path, skipinitialspace=True)
        found = read[["hours-per-week", "age", "education-num"]].to_numpy(float)[:rows]
        return np.clip(found, [1, 17, 1], [99, 90, 16])
    random = np.random.default_rng(1)
    age, education = random.integers(17, 91, rows), random.integers(1, 17, rows)
    hours = np.clip(np.round(30 + 0.1 * age + education + random.normal(0, 12, rows)), 1, 99)
    return np.stack([hours, age, education], axis=1)


def covered(case: Case, runs: int) -> Covered:
    """How often the intervals of a case hold the truth."""
    values = table(case.rows)
    inquiry = Inquiry.of([case.asked], DOMAIN, case.claim, case.neighbors)
    (portion,) = inquiry.arrangement.portions
    public = len(values) if case.neighbors is Neighbors.REPLACE_ONE else None
    zeros = Totals(portion, np.zeros(portion.block.size))
    exact = _exact(NoisySums.of(zeros, portion.block.readings[0], public), values)
    noise = portion.way.mechanism
    assert noise is not None
    draws = noise.draw(runs * portion.block.size).reshape(runs, -1) / exact.weight**2
    read = lines if "regression" in case.asked else spreads
    found = [read(_with(exact, draw), LEVEL) for draw in draws]
    return _counted(case, found, *_true(case.asked, values))


def _exact(of: NoisySums, values: Floats) -> NoisySums:
    """The exact sums of rows."""
    columns = [NAMES.index(name) for name in of.question.columns]
    scaled = (values[:, columns] - of.middles) / of.units
    rows = np.column_stack([np.ones(len(values)), scaled])
    return replace(of, matrix=(rows.T @ rows)[None])


def _with(of: NoisySums, draw: Floats) -> NoisySums:
    """The sums with noise."""
    matrix = of.matrix.copy()
    entries = entries_of(of.question.kind, len(of.question.columns))
    for (i, j), one in zip(entries, draw, strict=False):
        matrix[0, i, j] += one
        matrix[0, j, i] = matrix[0, i, j]
    if not of.rows_are_public:
        matrix[0, 0, 0] += draw[-1]
    return replace(of, matrix=matrix)


def _true(asked: str, values: Floats) -> tuple[Floats, Floats]:
    """The numbers of these rows, and the widths of the usual intervals without noise."""
    if "variance age" == asked:
        return np.array([values[:, 1].var()]), np.array([np.nan])
    if "covariance" in asked:
        return np.cov(values[:, 1], values[:, 0], bias=True)[:1, 1], np.array([np.nan])
    lines = np.column_stack([np.ones(len(values)), values[:, 1:]])
    slopes, left, *_ = np.linalg.lstsq(lines, values[:, 0], rcond=None)
    spread = left[0] / (len(values) - 3) * np.diag(np.linalg.inv(lines.T @ lines))
    return slopes, 2 * 1.96 * np.sqrt(spread)


def _counted(case: Case, found: list[MomentNumbers], true: Floats, plain: Floats) -> Covered:
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    told = ~np.isnan(low)
    inside = ~told | ((low <= true) & (true <= high))
    width = [float(np.median(one[~np.isnan(one)])) if not np.isnan(one).all() else np.nan
             for one in (high - low).T]  # fmt: skip
    least = int(inside.sum(axis=0).min())
    return Covered(case, len(found), least, float(told.mean()), tuple(width), tuple(plain))


if __name__ == "__main__":
    RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    listed = []
    for each in cases():
        listed.append(covered(each, RUNS))
        print(listed[-1], flush=True)
    wrong = sum(not one.is_right for one in listed)
    least = min(100 * one.least / one.runs for one in listed)
    print(f"{len(listed)} cases of {RUNS:,} runs; too narrow: {wrong}; least {least:.2f} %")
