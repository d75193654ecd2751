"""What the rows favour: counts or associations, beside each other.

    OMP_NUM_THREADS=1 PYTHONPATH=. python tests/bench/bench_favour.py [TABLE ...] [--releases N]

Means over releases by `auto`, add-remove: total variation over pairs and triples, slopes of
synthetic on real Pearson correlation (of codes) and Cramer's V over the pairs that were measured.
"""

import argparse
from fractions import Fraction
from itertools import product

import numpy as np

from synth.models.names import Favour, Method
from synth.plan import Plan
from synth.privacy.guarantee import Neighbors, parse_epsilon
from tests.bench.bench_utility import DELTA, made, slopes, table_error
from tests.bench.tables import TABLES


def main() -> None:
    parser = argparse.ArgumentParser(description="Counts or associations.")
    parser.add_argument("tables", nargs="*", default=["ma2019", "adult"])
    parser.add_argument("--epsilons", default="1,10")
    parser.add_argument("--releases", type=int, default=1)
    options = parser.parse_args()
    print("table       eps  account  favour        pairs  triples  Pearson     V")
    for table in options.tables:
        rows = TABLES[table]()
        real, shape = [column.astype(np.int64) for column in rows.codes], rows.domain.shape
        for epsilon, delta, favour in product(
            options.epsilons.split(","), (Fraction(0), DELTA), Favour
        ):
            plan = Plan(
                rows.domain,
                parse_epsilon(epsilon),
                Neighbors.ADD_REMOVE,
                method=Method.AUTO,
                delta=delta,
                favour=favour,
            )
            found = []
            for _ in range(options.releases):
                codes, pairs, _ = made(plan, rows)
                errors = [table_error(real, codes, shape, order) for order in (2, 3)]
                found.append([*errors, *slopes(real, codes, shape, pairs)])
            pair, triple, pearson, cramer = np.mean(found, axis=0)
            print(
                f"{table:11} {epsilon:4} {'delta' if delta else 'pure':8} {favour.value:12} "
                f"{pair:.4f}   {triple:.4f}   {pearson:6.3f} {cramer:6.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
