"""Ten two-column counts of the survey at epsilon 1: read off a release, or asked.

    PYTHONPATH=. python tests/bench/bench_released.py

The largest of the ten errors in rows, a mean over runs; beside it the largest expected error, and
in how many of all answers the interval held the truth. A release pays for a whole table and is
then free; asking pays for the ten counts alone.
"""

import tempfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

from synth.arrays import Floats
from synth.asking import ask
from synth.lessons.survey import survey_domain, write_example
from synth.pipeline import synthesize
from synth.plan import Method, Plan
from synth.privacy.guarantee import Guarantee
from synth.questions.answers import Answer
from synth.questions.inquiry import Inquiry
from synth.questions.released import from_release
from synth.repair.histogram import Repair
from tests.bench.bench_ask import COUNTS, counted

RUNS = 20
ONE = Fraction(1)


def measure(name: str, runs: int, truth: Floats, answer: Callable[[], Sequence[Answer]]) -> None:
    """Print a line of the table."""
    worst, held, expected, start = [], [], 0.0, perf_counter()
    for _ in range(runs):
        answers = answer()
        value, low, high = (
            np.concatenate([getattr(one, end) for one in answers])
            for end in ("value", "low", "high")
        )
        worst.append(np.abs(value - truth).max())
        held.append(((low <= truth) & (truth <= high)).mean())
        expected = max(one.expected_error for one in answers)
    each = (perf_counter() - start) / runs
    spread = np.std(worst) / np.sqrt(runs)
    print(
        f"{name:44} {np.mean(worst):8.1f} +- {spread:5.1f}  expected {expected:7.1f}  "
        f"held {np.mean(held):5.3f}  {each:5.2f} s"
    )


def main() -> None:
    domain = survey_domain()
    with tempfile.TemporaryDirectory() as folder:
        table: Path = write_example(folder)[0]
        rows = pd.read_csv(table)
        truth = counted(rows)
        inquiry = Inquiry.of(COUNTS, domain, Guarantee.pure(1))
        measure("asked", RUNS, truth, lambda: ask(inquiry, table).answers)

        def release(names: Sequence[str], method: Method, repair: Repair) -> list[Answer]:
            plan = Plan(domain.project(names), ONE, method=method, repair=repair)
            record = synthesize(plan, table).record
            return from_release(inquiry.questions, record)

        few, more = ("age", "sex"), ("age", "sex", "employment", "health", "smoker")
        for what, names, method, runs in (
            ("histogram of age and sex", few, Method.DENSE, RUNS),
            ("histogram of five columns, 2,880 cells", more, Method.DENSE, RUNS),
            ("model of five columns, one-shot", more, Method.ONE_SHOT, RUNS),
            ("model of all eleven columns, one-shot", domain.names, Method.ONE_SHOT, 4),
        ):
            measure(
                what,
                runs,
                truth,
                lambda names=names, method=method: release(names, method, Repair.CLAMP),
            )


if __name__ == "__main__":
    main()
