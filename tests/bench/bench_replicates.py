"""Intervals from replicates by Rubin's rules for missing data: how often they hold the truth.

    PYTHONPATH=. python tests/bench/bench_replicates.py --releases 40 --epsilon 0.3,1,5

Random shares of one to three columns (of one or two, where a model joins pairs) and two means of
the example survey, 95 %. Beside each: the release's rows taken for rows, and tables that are drawn
from the same noisy counts with no noise once more. Measured and unmeasured: questions of columns
that a histogram of the release has together, and others. Worst: the question that
was held least often.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from unittest.mock import patch

import numpy as np
from scipy import stats

from synth.analysis import About, fresh_seeds, replicate
from synth.bundle import Result
from synth.plans import Method, Plan
from synth.privacy import Neighbors
from synth.private.counting import Counts
from synth.private.counting.counts import CodedRows
from synth.rows import SyntheticTable, draw_rows
from synth.spending import synthesize
from tests.analysis.cases import counted, source

QUESTIONS = 100
NORMAL = 1.96


@dataclass(frozen=True)
class Question:
    """The mean over rows of the product of one number for each of some columns."""

    numbers: dict[int, np.ndarray]

    def mean(self, codes: Sequence[np.ndarray], weights: np.ndarray) -> tuple[float, float]:
        """With its variance, as if the rows were a random sample."""
        values = np.ones(len(weights))
        for column, own in self.numbers.items():
            values = values * own[codes[column]]
        rows = weights.sum()
        mean = float(values @ weights) / rows
        return mean, float((values - mean) ** 2 @ weights) / rows**2


def questions(shape: Sequence[int], widest: int) -> list[Question]:
    """The same each time: intervals of codes, and the codes of the longest columns as numbers."""
    rng, found = np.random.default_rng(16), []
    for _ in range(QUESTIONS):
        columns = rng.choice(len(shape), int(rng.integers(1, widest + 1)), replace=False)
        numbers = {}
        for column in map(int, columns):
            wide = int(rng.integers(1, max(2, shape[column])))
            low = int(rng.integers(0, shape[column] - wide + 1))
            numbers[column] = np.zeros(shape[column])
            numbers[column][low : low + wide] = 1
        found.append(Question(numbers))
    longest = np.argsort(shape)[-2:]
    return found + [Question({int(c): np.arange(shape[c], dtype=float)}) for c in longest]


def numbers_of(table: SyntheticTable, asked: Sequence[Question]) -> np.ndarray:
    """Means and variances, shape (questions, 2)."""
    weights = np.ones(table.rows)
    return np.array([one.mean(table.codes, weights) for one in asked])


def release(plan: Plan, counts: Counts) -> Result:
    """With all that a release does besides reading the table."""
    codes = [np.repeat(own, counts.counts).astype(np.int32) for own in _split(counts)]
    rows = CodedRows(plan.domain, codes, int(counts.counts.sum()))
    with ExitStack() as patched:
        patched.enter_context(patch("synth.spending.pipeline.count", lambda *_: counts))
        patched.enter_context(patch("synth.spending.pipeline._rows", lambda *_: rows))
        return synthesize(plan, source("survey").path)


def _split(counts: Counts) -> Sequence[np.ndarray]:
    return np.unravel_index(np.asarray(counts.cells), counts.domain.shape)


def sampled(whole: Counts) -> Counts:
    """As many rows, drawn from the population that the rows are taken for."""
    rng = np.random.default_rng()
    counts = rng.multinomial(whole.rows, whole.counts / whole.counts.sum())
    kept = counts > 0
    return replace(whole, cells=whole.cells[kept], counts=counts[kept])


def held(found: np.ndarray, truth: np.ndarray, about: About) -> np.ndarray:
    """Which truths the combined intervals hold, of an array of shape (tables, questions, 2)."""
    many = len(found)
    mean, within = found[..., 0].mean(axis=0), found[..., 1].mean(axis=0)
    between = found[..., 0].var(axis=0, ddof=1) * (1 + 1 / many)
    total = between + within * (about is About.PEOPLE)
    freedom = (many - 1) * (total / np.maximum(between, 1e-12)) ** 2
    times = stats.t.ppf(0.975, np.clip(freedom, 1, 1000))
    return np.abs(mean - truth) <= times * np.sqrt(total) + 1e-12


def as_they_stand(result: Result, many: int) -> list[SyntheticTable]:
    """Tables drawn from the mended counts of a histogram, with no noise once more."""
    mended = getattr(result.record, "distribution", None)
    return [] if mended is None else [draw_rows(mended, result.synthetic.rows) for _ in range(many)]


def one(plan: Plan, asked: Sequence[Question], many: int, about: About) -> dict[str, np.ndarray]:
    """One release: what is held by each way, a bool a question; and errors over the rows'."""
    whole = counted("survey")
    assert isinstance(whole, Counts)
    truth = np.array([q.mean(_split(whole), whole.counts.astype(float))[0] for q in asked])
    result = release(plan, sampled(whole) if about is About.PEOPLE else whole)
    rows = numbers_of(result.synthetic, asked)
    found = {"naive": np.abs(rows[:, 0] - truth) <= NORMAL * np.sqrt(rows[:, 1])}
    made = np.array([
        numbers_of(replicate(result.plan, result.record, result.synthetic.rows, seed), asked)
        for seed in fresh_seeds(many)
    ])  # fmt: skip
    found["replicates"] = held(made, truth, about)
    measured = np.array([_is_measured(q, result) for q in asked])
    found["measured"] = found["replicates"][measured]
    found["unmeasured"] = found["replicates"][~measured]
    off = np.abs(made[..., 0].mean(axis=0) - truth).mean()
    found["error"] = off / np.abs(rows[:, 0] - truth).mean()
    if again := as_they_stand(result, many):
        stand = np.array([numbers_of(table, asked) for table in again])
        found["no noise"] = held(stand, truth, about)
    return found


def _is_measured(question: Question, result: Result) -> bool:
    """Whether a histogram has all columns of a question."""
    cliques = [set(clique) for clique, _ in result.record.measured]
    return not cliques or any({*question.numbers} <= clique for clique in cliques)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=40)
    parser.add_argument("--tables", type=int, default=5)
    parser.add_argument("--epsilon", default="0.3,1,5")
    parser.add_argument("--methods", default="dense,one-shot")
    parser.add_argument("--about", choices=[one.value for one in About], nargs="*")
    options = parser.parse_args()
    domain = source("survey").domain
    for method in map(Method, options.methods.split(",")):
        asked = questions(domain.shape, 3 if method == Method.DENSE else 2)
        for epsilon in options.epsilon.split(","):
            for about in map(About, options.about or About):
                plan = Plan(domain, Fraction(epsilon), Neighbors.REPLACE_ONE, method=method)
                found = defaultdict(list)
                for _ in range(options.releases):
                    for name, value in one(plan, asked, options.tables, about).items():
                        found[name].append(value)
                told = {
                    name: f"{float(np.mean(np.hstack(values))):.3f}"
                    for name, values in found.items()
                }
                worst = np.mean(found["replicates"], axis=0)
                tenth = float(np.quantile(worst, 0.1))
                told |= {"worst": f"{worst.min():.2f}", "tenth": f"{tenth:.2f}"}
                print(method, epsilon, about, options.releases, told, flush=True)


if __name__ == "__main__":
    main()
