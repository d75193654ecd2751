"""Errors of each repair, on the simulated survey (the README's table) and the shared tables.

    PYTHONPATH=. python tests/bench/bench_repairs.py

Each line is the mean of five releases; all repairs see the same noisy counts, and rows are
drawn. Mean total variation of pairs; of triples and of whole cells on further lines. The
noise is known bytes (`tests.golden.same.fixed`), so the same code prints the same figures,
and `tests/house/test_figures.py` compares the documents with them."""

import math
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from synth.domain import Domain, Integer, read_schema
from synth.estimate import NoisyCounts, Repair, repair_counts
from synth.lessons import SURVEY_COLUMNS, survey_domain, write_example
from synth.noise import DiscreteLaplace
from synth.privacy import Neighbors
from synth.private import queries
from synth.private.comparison import compare
from synth.private.comparison.distances import CodesByColumn
from synth.private.counting import Counts, codes, count
from synth.private.counting.counts import CodedRows
from synth.private.table import open_table
from synth.rows import draw_rows
from synth.util import Floats, number_cells
from tests.bench.bench_forecast import TABLES, door
from tests.bench.tables import one_column
from tests.golden.same import fixed_noise
from tests.tables import SHARED

EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(10))
METHODS = (
    Repair.CLAMP,
    Repair.RESCALE,
    Repair.NEAREST,
    Repair.MOST_LIKELY,
    Repair.POOLED,
    Repair.AUTO,
)
METHODS_OF_A_COLUMN = (
    Repair.CLAMP,
    Repair.NEAREST,
    Repair.MOST_LIKELY,
    Repair.SMOOTHED,
    Repair.AUTO,
)
KINDS = ("pairs", "triples", "cells")
ROUNDS = 5


class Table(NamedTuple):
    """A table under its declaration: its rows by cell, and the codes of each column."""

    domain: Domain
    counts: Counts
    codes: CodesByColumn


def measure_distances(
    domain: Domain, real: CodesByColumn, synthetic: CodesByColumn
) -> list[float]:
    """The mean total variation of pairs and of triples, and the one of whole cells."""
    shares = [_cell_shares(domain, rows) for rows in (real, synthetic)]
    cells = float(np.abs(shares[0] - shares[1]).sum() / 2)
    if len(domain.columns) < 3:
        return [math.nan, math.nan, cells]
    errors = compare(domain, real, synthetic)
    return [errors.two_way.mean, errors.three_way.mean, cells]


def _cell_shares(domain: Domain, codes: CodesByColumn) -> Floats:
    cells = number_cells(list(codes), domain.shape)
    return np.bincount(cells, minlength=domain.size) / len(cells)


def measure_repairs(
    table: Table,
    epsilon: Fraction,
    neighbors: Neighbors,
    methods: Sequence[Repair] = METHODS,
    rounds: int = ROUNDS,
) -> Floats:
    """Mean errors of pairs, triples and cells, shape (kinds, methods)."""
    domain, counts, real = table
    noise = DiscreteLaplace.for_epsilon(epsilon, sensitivity=neighbors.sensitivity)
    total = np.zeros((len(KINDS), len(methods)))
    with fixed_noise(f"repairs at epsilon {epsilon}, {neighbors.value}"):
        for _ in range(rounds):
            query = queries.histogram(counts, neighbors)
            noisy = NoisyCounts.read(domain, door(epsilon, neighbors).measure(query, noise))
            for place, method in enumerate(methods):
                rows = draw_rows(repair_counts(noisy, method)).codes
                total[:, place] += measure_distances(domain, real, rows)
    return total / rounds


def read_survey() -> Table:
    """The simulated survey, its six columns of the tutorial."""
    domain = survey_domain().project(SURVEY_COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        table = open_table(write_example(folder)[0])
        return Table(domain, count(table, domain), codes(table, domain))


def read_shared(schema: str, file: str, columns: int) -> Table:
    """The first columns of a shared table."""
    declared, table = read_schema(SHARED / schema), open_table(SHARED / file)
    domain = declared.project(declared.names[:columns])
    return Table(domain, count(table, domain), codes(table, domain))


def read_column() -> Table:
    """10,000 rows of one ordered column of 5,000 cells."""
    real, last = one_column(10_000, 5_000).codes, 4_999
    domain = Domain((Integer(name="x", minimum=0, maximum=last, bins=last + 1),))
    return Table(
        domain, CodedRows(domain=domain, codes=real, rows=len(real[0])).count((0,)), real
    )


def measure_two_samples(table: Table) -> float:
    """The mean error of pairs between two samples of a table's own law."""
    return compare(table.domain, table.codes, table.codes).floor[1].mean


def show(name: str, table: Table, neighbors: Neighbors) -> None:
    """Print the errors of a table at every epsilon."""
    methods = METHODS_OF_A_COLUMN if len(table.domain.columns) == 1 else METHODS
    print(f"{name}, {table.domain.size:,} cells, {neighbors.value}")
    print(f"{'epsilon':>16}  " + "  ".join(f"{method.value:>8}" for method in methods))
    for epsilon in EPSILONS:
        errors = measure_repairs(table, epsilon, neighbors, methods)
        for kind, line in zip(KINDS, errors, strict=True):
            if np.isnan(line).all():
                continue
            numbers = "  ".join(f"{value:8.4f}" for value in line)
            print(f"{float(epsilon):7g} {kind:>8}  {numbers}", flush=True)


def main() -> None:
    survey = read_survey()
    for neighbors in Neighbors:
        show("survey", survey, neighbors)
    print(f"two samples of the survey itself: {measure_two_samples(survey):.4f}")
    show("one column", read_column(), Neighbors.ADD_REMOVE)
    for schema, file, columns in TABLES if SHARED.is_dir() else ():
        show(file.split("/")[0], read_shared(schema, file, columns), Neighbors.REPLACE_ONE)


if __name__ == "__main__":
    main()
