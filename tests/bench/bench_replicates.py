"""Intervals from replicates by Rubin's rules for missing data: how often they hold the truth.

    PYTHONPATH=. python tests/bench/bench_replicates.py --releases 200 --epsilon 0.3,1,5

Shares, means, differences of means, correlations and slopes of the coded columns, 95 %, of
the tables below; no constant was chosen by what comes of `ASIDE`. By kind of question and
whether the release measured its columns together: the share of intervals that hold the truth,
how many they are, the same of the release's rows taken for rows, the median width over that
of a sampling interval, the question that was held least often, the mean's bias in deviations
of the spread, and the spread over the variance of the error. Small shares are below twice
their deviation."""

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy import stats

from synth.analysis import About, fresh_seeds, replicate
from synth.bundle import Result
from synth.plans import Method, Plan
from synth.privacy import Neighbors
from synth.private.counting.counts import CodedRows
from synth.private.table import open_table
from synth.rows import SyntheticTable
from synth.spending import synthesize
from tests.analysis.cases import source
from tests.bench.tables import TABLES
from tests.counting.coding import coded

CASES: dict[str, tuple[str, Method, tuple[int, ...], tuple[int, ...]]] = {
    "survey": ("survey", Method.DENSE, (0, 1, 2, 3, 4), (0, 2, 4)),
    "survey, few": ("survey", Method.DENSE, (1, 2, 4), (2,)),
    "adult5": ("adult5", Method.DENSE, (0, 1, 2, 3, 4), (0, 1)),
    "survey, pairs": ("survey", Method.ONE_SHOT, (0, 1, 2, 3, 4), (0, 2, 4)),
    "adult8": ("adult_train", Method.AUTO, (0, 4, 5, 6, 7, 9, 12, 14), (0, 4, 12)),
    "bank4": ("bank", Method.DENSE, (0, 2, 5, 11), (0, 5, 11)),
    "bank8": ("bank", Method.AUTO, (0, 1, 2, 3, 5, 11, 12, 16), (0, 5, 11, 12)),
    "nafld": ("nafld", Method.AUTO, (0, 1, 2, 3, 4, 5, 6), (0, 2, 3, 4)),
}
"""A table, a method, columns, and those of them whose codes are numbers."""
ASIDE = ("bank4", "bank8", "nafld")
SHARES = 40
NORMAL = 1.96

Numbers = tuple[np.ndarray, np.ndarray]
"""Figures, and their variances as if the rows were a random sample."""


@dataclass(frozen=True)
class Question:
    """A figure of some columns."""

    kind: str
    columns: tuple[int, ...]
    figure: Callable[[Sequence[np.ndarray]], tuple[float, float]]


def _mean(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.var() / max(1, len(values)))


def _share(
    codes: Sequence[np.ndarray], ends: Sequence[tuple[int, int]]
) -> tuple[float, float]:
    pairs = zip(codes, ends, strict=True)
    return _mean(
        np.logical_and.reduce([(a <= c) & (c < b) for c, (a, b) in pairs]).astype(float)
    )


def _difference(codes: Sequence[np.ndarray], cut: int) -> tuple[float, float]:
    values, group = codes[0].astype(float), codes[1] < cut
    (one, v), (other, w) = _mean(values[group]), _mean(values[~group])
    return one - other, v + w


def _correlation(codes: Sequence[np.ndarray]) -> tuple[float, float]:
    x, y = ((one - one.mean()) / max(one.std(), 1e-12) for one in map(np.asarray, codes))
    r = float((x * y).mean())
    return r, float(((x * y - r * (x**2 + y**2) / 2) ** 2).mean() / len(x))


def _slope(codes: Sequence[np.ndarray]) -> tuple[float, float]:
    """Of the first regressor, with the error that needs no equal variances."""
    y, x, *others = (one - one.mean() for one in map(np.asarray, codes))
    for other in others:
        x = x - other * ((x @ other) / (other @ other))
        y = y - other * ((y @ other) / (other @ other))
    size = float(x @ x)
    found = float(x @ y) / size
    return found, float((x**2) @ (y - found * x) ** 2) / size**2


def questions(whole: CodedRows, numbers: Sequence[int], widest: int) -> list[Question]:
    """The same each time; groups are the two that are nearest to half of the rows."""
    rng, found, shape = np.random.default_rng(16), [], whole.domain.shape
    for _ in range(SHARES):
        columns = rng.choice(len(shape), int(rng.integers(1, widest + 1)), replace=False)
        ends = []
        for column in map(int, columns):
            wide = int(rng.integers(1, max(2, shape[column])))
            low = int(rng.integers(0, shape[column] - wide + 1))
            ends.append((low, low + wide))
        found.append(
            Question("share", tuple(map(int, columns)), lambda c, e=ends: _share(c, e))
        )
    for x in numbers:
        found.append(Question("mean", (x,), lambda c: _mean(c[0].astype(float))))
        for g in (g for g in range(len(shape)) if g != x):
            below = np.bincount(whole.codes[g], minlength=shape[g]).cumsum()[:-1]
            cut = int(np.abs(below / whole.rows - 0.5).argmin()) + 1
            found.append(Question("difference", (x, g), lambda c, t=cut: _difference(c, t)))
    found += [Question("correlation", p, _correlation) for p in combinations(numbers, 2)]
    found += [Question("slope", p, _slope) for p in permutations(numbers, 2)]
    found += [Question("two slopes", p, _slope) for p in permutations(numbers, 3)]
    return found


def figures(codes: Sequence[np.ndarray], asked: Sequence[Question]) -> np.ndarray:
    """Figures and variances, shape (questions, 2)."""
    return np.array([one.figure([codes[column] for column in one.columns]) for one in asked])


def table(name: str) -> tuple[CodedRows, tuple[int, ...]]:
    """The rows of a case, and its columns that are numbers."""
    of, _, columns, numbers = CASES[name]
    if of == "survey":
        whole = coded(open_table(source("survey").path), source("survey").domain)
    else:
        whole = TABLES[of]()
    names = [whole.domain.names[column] for column in columns]
    kept = replace(
        whole, domain=whole.domain.project(names), codes=[whole.codes[c] for c in columns]
    )
    return kept, tuple(columns.index(column) for column in numbers)


def release(plan: Plan, rows: CodedRows) -> Result:
    """With all that a release does besides reading the table."""
    with ExitStack() as patched:
        patched.enter_context(
            patch(
                "synth.spending.pipeline.count", lambda *_: rows.count(range(len(rows.codes)))
            )
        )
        patched.enter_context(patch("synth.spending.pipeline.rows_for", lambda *_: rows))
        return synthesize(plan, source("survey").path)


def sampled(whole: CodedRows) -> CodedRows:
    """As many rows, drawn from the population that the rows are taken for."""
    chosen = np.random.default_rng().integers(whole.rows, size=whole.rows)
    return replace(whole, codes=[column[chosen] for column in whole.codes])


def combine(found: np.ndarray, about: About) -> Numbers:
    """Estimates and half widths, of an array of shape (tables, questions, 2)."""
    many = len(found)
    mean, within = found[..., 0].mean(axis=0), found[..., 1].mean(axis=0)
    between = found[..., 0].var(axis=0, ddof=1) * (1 + 1 / many)
    total = between + within * (about is About.PEOPLE)
    freedom = (many - 1) * (total / np.maximum(between, 1e-300)) ** 2
    return mean, stats.t.ppf(0.975, np.clip(freedom, 1, 1e6)) * np.sqrt(total) + 1e-12


def one(
    plan: Plan, whole: CodedRows, asked: Sequence[Question], many: int, about: About
) -> dict[str, np.ndarray]:
    """One release: a number a question of each kind."""
    truth = figures(whole.codes, asked)
    result = release(plan, sampled(whole) if about is About.PEOPLE else whole)
    rows = figures(result.synthetic.codes, asked)
    made = np.array([figures(codes, asked) for codes in _tables(result, many)])
    mean, half = combine(made, about)
    return {
        "held": np.abs(mean - truth[:, 0]) <= half,
        "naive": np.abs(rows[:, 0] - truth[:, 0]) <= NORMAL * np.sqrt(rows[:, 1]),
        "width": half / (NORMAL * np.sqrt(truth[:, 1])),
        "measured": np.array([_is_measured(q, result) for q in asked]),
        "truth": truth[:, 0],
        "off": mean - truth[:, 0],
        "between": made[..., 0].var(axis=0, ddof=1),
    }


def _tables(result: Result, many: int) -> Any:
    for seed in fresh_seeds(many):
        made: SyntheticTable = replicate(
            result.plan, result.record, result.synthetic.rows, seed=seed
        )
        yield made.codes


def _is_measured(question: Question, result: Result) -> bool:
    """Whether every two of a question's columns are in a histogram; of a share, all of
    them.
    """
    cliques = [set(clique) for clique, _ in result.record.measured]
    wide = len(question.columns) if question.kind == "share" else 2
    parts = combinations(question.columns, min(wide, len(question.columns)))
    return not cliques or all(any({*part} <= clique for clique in cliques) for part in parts)


def tell(found: dict[str, np.ndarray], asked: Sequence[Question]) -> list[str]:
    """A line for each kind; arrays are of shape (releases, questions)."""
    spread, told = np.sqrt(found["between"].mean(axis=0) + 1e-300), []
    hidden = spread > np.abs(found["truth"][0]) / 2
    kinds = np.array(
        [
            "small share" if q.kind == "share" and one else q.kind
            for q, one in zip(asked, hidden, strict=True)
        ]
    )
    bias = found["off"].mean(axis=0) / spread
    ratio = found["between"].mean(axis=0) / found["off"].var(axis=0, ddof=1)
    for kind, measured in ((k, m) for k in dict.fromkeys(kinds) for m in (True, False)):
        some = (kinds == kind)[None] & (found["measured"] == measured)
        if not some.any():
            continue
        each = [found["held"][some[:, q], q].mean() for q in np.flatnonzero(some.any(axis=0))]
        held, these = found["held"][some], some.any(axis=0)
        told.append(
            f"{kind:12}{'' if measured else ' unmeasured':11} held {held.mean():.3f} of "
            f"{held.size:6} worst {min(each):.2f} rows {found['naive'][some].mean():.2f} "
            f"width {np.median(found['width'][some]):.2f} bias "
            f"{np.abs(bias[these]).mean():.2f} spread {np.median(ratio[these]):.2f}"
        )
    return told


def main() -> None:
    """Release, make tables, combine, and print a line a case and kind."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=40)
    parser.add_argument("--tables", type=int, default=5)
    parser.add_argument("--epsilon", default="0.3,1,5")
    parser.add_argument("--cases", default="|".join(CASES))
    parser.add_argument("--about", choices=[one.value for one in About], nargs="*")
    parser.add_argument("--neighbors", choices=[one.value for one in Neighbors], nargs="*")
    options = parser.parse_args()
    for name in options.cases.split("|"):
        rows, numbers = table(name)
        method = CASES[name][1]
        asked = questions(rows, numbers, 3 if method == Method.DENSE else 2)
        for epsilon, neighbors, about in product(
            options.epsilon.split(","),
            map(Neighbors, options.neighbors or Neighbors),
            list(map(About, options.about or About)),
        ):
            plan = Plan(
                domain=rows.domain,
                epsilon=Fraction(epsilon),
                neighbors=neighbors,
                method=method,
            )
            each = [
                one(plan, rows, asked, options.tables, about) for _ in range(options.releases)
            ]
            found = {key: np.array([made[key] for made in each]) for key in each[0]}
            for line in tell(found, asked):
                print(
                    f"{name:14} {epsilon:4} {neighbors.value} {about.value:6} {line}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
