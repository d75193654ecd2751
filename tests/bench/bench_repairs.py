"""Mean two-way error of each repair on the simulated survey: the README's table.

    PYTHONPATH=. python tests/bench/bench_repairs.py

Each line is the mean of five releases; all repairs see the same noisy counts.
"""

import tempfile
from fractions import Fraction

import numpy as np

from synth.counts import codes
from synth.draw import draw
from synth.example import COLUMNS, survey_domain, write_example
from synth.pipeline import synthesize
from synth.plan import Method, Plan
from synth.repair import Repair, repair
from synth.table import open_table
from synth.utility import compare, distances

EPSILONS = ("1/10", "1", "10")
METHODS = (Repair.CLAMP, Repair.RESCALE, Repair.SIMPLEX, Repair.BAYES, Repair.AUTO)
ROUNDS = 5


def main() -> None:
    domain = survey_domain().project(COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        table = open_table(write_example(folder)[0])
        real = codes(table, domain)
        print("epsilon   " + "  ".join(f"{method.value:>8}" for method in METHODS))
        for epsilon in EPSILONS:
            errors: list[list[float]] = []
            for _ in range(ROUNDS):
                plan = Plan(domain, Fraction(epsilon), method=Method.HISTOGRAM)
                noisy = synthesize(plan, table).noisy
                drawn = (draw(repair(noisy, method)).codes for method in METHODS)
                errors.append([distances(domain, real, rows, 2).mean for rows in drawn])
            shown = "  ".join(f"{value:8.3f}" for value in np.mean(errors, axis=0))
            print(f"{epsilon:8}  {shown}")
        floor = compare(domain, real, real).floor[1].mean
    print(f"two samples of the survey itself: {floor:.3f}")


if __name__ == "__main__":
    main()
