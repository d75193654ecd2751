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
    (mean_inside, variance_inside), (mean_outside, variance_outside) = (
        _mean(values[group]),
        _mean(values[~group]),
    )
    return mean_inside - mean_outside, variance_inside + variance_outside


def _correlation(codes: Sequence[np.ndarray]) -> tuple[float, float]:
    x, y = (
        (column - column.mean()) / max(column.std(), 1e-12)
        for column in map(np.asarray, codes)
    )
    correlation = float((x * y).mean())
    return correlation, float(
        ((x * y - correlation * (x**2 + y**2) / 2) ** 2).mean() / len(x)
    )


def _slope(codes: Sequence[np.ndarray]) -> tuple[float, float]:
    """Of the first regressor, with the error that needs no equal variances."""
    y, x, *regressors = (column - column.mean() for column in map(np.asarray, codes))
    for regressor in regressors:
        x = x - regressor * ((x @ regressor) / (regressor @ regressor))
        y = y - regressor * ((y @ regressor) / (regressor @ regressor))
    size = float(x @ x)
    slope = float(x @ y) / size
    return slope, float((x**2) @ (y - slope * x) ** 2) / size**2


def list_questions(rows: CodedRows, numbers: Sequence[int], widest: int) -> list[Question]:
    """The same each time; groups are the two that are nearest to half of the rows."""
    rng, questions_of_table, shape = np.random.default_rng(16), [], rows.domain.shape
    for _ in range(SHARES):
        columns = rng.choice(len(shape), int(rng.integers(1, widest + 1)), replace=False)
        ends = []
        for column in map(int, columns):
            width = int(rng.integers(1, max(2, shape[column])))
            low = int(rng.integers(0, shape[column] - width + 1))
            ends.append((low, low + width))
        questions_of_table.append(
            Question("share", tuple(map(int, columns)), lambda c, e=ends: _share(c, e))
        )
    for x in numbers:
        questions_of_table.append(Question("mean", (x,), lambda c: _mean(c[0].astype(float))))
        for g in (g for g in range(len(shape)) if g != x):
            below = np.bincount(rows.codes[g], minlength=shape[g]).cumsum()[:-1]
            cut = int(np.abs(below / rows.rows - 0.5).argmin()) + 1
            questions_of_table.append(
                Question("difference", (x, g), lambda c, t=cut: _difference(c, t))
            )
    questions_of_table += [
        Question("correlation", p, _correlation) for p in combinations(numbers, 2)
    ]
    questions_of_table += [Question("slope", p, _slope) for p in permutations(numbers, 2)]
    questions_of_table += [
        Question("two slopes", p, _slope) for p in permutations(numbers, 3)
    ]
    return questions_of_table


def measure_figures(
    codes: Sequence[np.ndarray], questions_asked: Sequence[Question]
) -> np.ndarray:
    """Figures and variances, shape (questions, 2)."""
    return np.array(
        [
            question.figure([codes[column] for column in question.columns])
            for question in questions_asked
        ]
    )


def load_case(name: str) -> tuple[CodedRows, tuple[int, ...]]:
    """The rows of a case, and its columns that are numbers."""
    source_name, _, columns, numbers = CASES[name]
    if source_name == "survey":
        rows = coded(open_table(source("survey").path), source("survey").domain)
    else:
        rows = TABLES[source_name]()
    names = [rows.domain.names[column] for column in columns]
    projected = replace(
        rows,
        domain=rows.domain.project(names),
        codes=[rows.codes[column] for column in columns],
    )
    return projected, tuple(columns.index(column) for column in numbers)


def release_rows(plan: Plan, rows: CodedRows) -> Result:
    """With all that a release does besides reading the table."""
    with ExitStack() as patched:
        patched.enter_context(
            patch(
                "synth.spending.pipeline.count_and_add",
                lambda *_, **_named: (rows.count(range(len(rows.codes))), None),
            )
        )
        patched.enter_context(
            patch("synth.spending.pipeline.read_rows", lambda *_, **_named: (rows, None))
        )
        return synthesize(plan, source("survey").path)


def sample_rows(rows: CodedRows) -> CodedRows:
    """As many rows, drawn from the population that the rows are taken for."""
    chosen = np.random.default_rng().integers(rows.rows, size=rows.rows)
    return replace(rows, codes=[column[chosen] for column in rows.codes])


def combine(figures_of_tables: np.ndarray, about: About) -> Numbers:
    """Estimates and half widths, of an array of shape (tables, questions, 2)."""
    tables = len(figures_of_tables)
    estimate, variance_within = (
        figures_of_tables[..., 0].mean(axis=0),
        figures_of_tables[..., 1].mean(axis=0),
    )
    between = figures_of_tables[..., 0].var(axis=0, ddof=1) * (1 + 1 / tables)
    total = between + variance_within * (about is About.PEOPLE)
    freedom = (tables - 1) * (total / np.maximum(between, 1e-300)) ** 2
    return estimate, stats.t.ppf(0.975, np.clip(freedom, 1, 1e6)) * np.sqrt(total) + 1e-12


def combine_one_release(
    plan: Plan,
    rows_of_case: CodedRows,
    questions_asked: Sequence[Question],
    tables: int,
    about: About,
) -> dict[str, np.ndarray]:
    """One release: a number a question of each kind."""
    truth = measure_figures(rows_of_case.codes, questions_asked)
    result = release_rows(
        plan, sample_rows(rows_of_case) if about is About.PEOPLE else rows_of_case
    )
    rows = measure_figures(result.synthetic.codes, questions_asked)
    figures_of_tables = np.array(
        [measure_figures(codes, questions_asked) for codes in _tables(result, tables)]
    )
    mean, half = combine(figures_of_tables, about)
    return {
        "held": np.abs(mean - truth[:, 0]) <= half,
        "naive": np.abs(rows[:, 0] - truth[:, 0]) <= NORMAL * np.sqrt(rows[:, 1]),
        "width": half / (NORMAL * np.sqrt(truth[:, 1])),
        "measured": np.array(
            [_is_measured(question, result) for question in questions_asked]
        ),
        "truth": truth[:, 0],
        "off": mean - truth[:, 0],
        "between": figures_of_tables[..., 0].var(axis=0, ddof=1),
    }


def _tables(result: Result, tables: int) -> Any:
    for seed in fresh_seeds(tables):
        synthetic: SyntheticTable = replicate(
            result.plan, result.record, result.synthetic.rows, seed=seed
        )
        yield synthetic.codes


def _is_measured(question: Question, result: Result) -> bool:
    """Whether every two of a question's columns are in a histogram; of a share, all of
    them.
    """
    cliques = [set(clique) for clique, _ in result.record.measured]
    wide = len(question.columns) if question.kind == "share" else 2
    parts = combinations(question.columns, min(wide, len(question.columns)))
    return not cliques or all(any({*part} <= clique for clique in cliques) for part in parts)


def describe(
    results: dict[str, np.ndarray], questions_asked: Sequence[Question]
) -> list[str]:
    """A line for each kind; arrays are of shape (releases, questions)."""
    spread, lines = np.sqrt(results["between"].mean(axis=0) + 1e-300), []
    hidden = spread > np.abs(results["truth"][0]) / 2
    kinds = np.array(
        [
            "small share" if index.kind == "share" and is_hidden else index.kind
            for index, is_hidden in zip(questions_asked, hidden, strict=True)
        ]
    )
    bias = results["off"].mean(axis=0) / spread
    ratio = results["between"].mean(axis=0) / results["off"].var(axis=0, ddof=1)
    for kind, measured in (
        (kind_name, m) for kind_name in dict.fromkeys(kinds) for m in (True, False)
    ):
        selected = (kinds == kind)[None] & (results["measured"] == measured)
        if not selected.any():
            continue
        shares_by_question = [
            results["held"][selected[:, index], index].mean()
            for index in np.flatnonzero(selected.any(axis=0))
        ]
        hits, these = results["held"][selected], selected.any(axis=0)
        lines.append(
            f"{kind:12}{'' if measured else ' unmeasured':11} held {hits.mean():.3f} of "
            f"{hits.size:6} worst {min(shares_by_question):.2f} "
            f"rows {results['naive'][selected].mean():.2f} "
            f"width {np.median(results['width'][selected]):.2f} bias "
            f"{np.abs(bias[these]).mean():.2f} spread {np.median(ratio[these]):.2f}"
        )
    return lines


def main() -> None:
    """Release, make tables, combine, and print a line a case and kind."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=40)
    parser.add_argument("--tables", type=int, default=5)
    parser.add_argument("--epsilon", default="0.3,1,5")
    parser.add_argument("--cases", default="|".join(CASES))
    parser.add_argument("--about", choices=[member.value for member in About], nargs="*")
    parser.add_argument(
        "--neighbors", choices=[member.value for member in Neighbors], nargs="*"
    )
    options = parser.parse_args()
    for name in options.cases.split("|"):
        rows, numbers = load_case(name)
        method = CASES[name][1]
        questions_asked = list_questions(rows, numbers, 3 if method == Method.DENSE else 2)
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
            results_of_releases = [
                combine_one_release(plan, rows, questions_asked, options.tables, about)
                for _ in range(options.releases)
            ]
            results = {
                key: np.array(
                    [result_of_release[key] for result_of_release in results_of_releases]
                )
                for key in results_of_releases[0]
            }
            for line in describe(results, questions_asked):
                print(
                    f"{name:14} {epsilon:4} {neighbors.value} {about.value:6} {line}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
