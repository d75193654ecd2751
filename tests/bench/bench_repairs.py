"""Errors of each repair, on the simulated survey (the README's table) and the shared tables.

    PYTHONPATH=. python tests/bench/bench_repairs.py

Each line is the mean of five releases; all repairs see the same noisy counts, and rows are
drawn. Mean total variation of pairs; of triples and of whole cells on further lines.
"""

import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np

from synth.domain import Domain, read_schema
from synth.estimate import NoisyCounts, Repair, repair_counts
from synth.lessons import SURVEY_COLUMNS, survey_domain, write_example
from synth.noise import DiscreteLaplace
from synth.privacy import Neighbors
from synth.private import queries
from synth.private.comparison import compare
from synth.private.counting import codes, count
from synth.private.table import PrivateTable, open_table
from synth.rows import draw_rows
from tests.bench.bench_forecast import TABLES, door
from tests.comparison.errors import errors_of_order
from tests.tables import SHARED

EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(10))
METHODS = (
    Repair.CLAMP, Repair.RESCALE, Repair.SIMPLEX, Repair.BAYES, Repair.POOLED, Repair.AUTO,
)  # fmt: skip
ROUNDS = 5


def errors(
    domain: Domain, table: PrivateTable, epsilon: Fraction, neighbors: Neighbors
) -> np.ndarray:
    """Mean errors of pairs, triples and cells, shape (orders, methods)."""
    counts, real = count(table, domain), codes(table, domain)
    noise = DiscreteLaplace.for_epsilon(epsilon, sensitivity=neighbors.sensitivity)
    orders = (2, 3, len(domain.columns))
    found = np.zeros((len(orders), len(METHODS)))
    for _ in range(ROUNDS):
        query = queries.histogram(counts, neighbors)
        noisy = NoisyCounts.read(domain, door(epsilon, neighbors).measure(query, noise))
        for place, method in enumerate(METHODS):
            rows = draw_rows(repair_counts(noisy, method)).codes
            found[:, place] += [errors_of_order(domain, real, rows, order).mean for order in orders]
    return found / ROUNDS


def show(name: str, domain: Domain, table: PrivateTable, neighbors: Neighbors) -> None:
    """Print the errors of a table at every epsilon."""
    print(f"{name}, {domain.size:,} cells, {neighbors.value}")
    print(f"{'epsilon':>16}  " + "  ".join(f"{method.value:>7}" for method in METHODS))
    for epsilon in EPSILONS:
        kinds = zip(
            ("pairs", "triples", "cells"),
            errors(domain, table, epsilon, neighbors),
            strict=True,
        )
        for kind, line in kinds:
            shown = "  ".join(f"{value:7.4f}" for value in line)
            print(f"{float(epsilon):7g} {kind:>8}  {shown}", flush=True)


def main() -> None:
    domain = survey_domain().project(SURVEY_COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        table = open_table(write_example(folder)[0])
        for neighbors in Neighbors:
            show("survey", domain, table, neighbors)
        real = codes(table, domain)
        floor = compare(domain, real, real).floor[1].mean
    print(f"two samples of the survey itself: {floor:.3f}")
    for schema, file, columns in TABLES if SHARED.is_dir() else ():
        declared = read_schema(SHARED / schema)
        domain = declared.project(declared.names[:columns])
        show(Path(file).stem, domain, open_table(SHARED / file), Neighbors.REPLACE_ONE)


if __name__ == "__main__":
    sys.exit(main())
