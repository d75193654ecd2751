"""The constants of `synth.estimate.repair.assumed_table`, fitted to tables that no bench looks at.

    PYTHONPATH=. python tests/bench/fit_typical.py [--fit]

Six choices of three to six columns of each of six tables, at three epsilons; numbers in ten bins
as a steward would cut them. Without ``--fit`` it prints how far off the forecast is on them, with
it, after some minutes, the constants that are least off: by the mean log of the factor, which
counts half as much again where the release is worse than forecast. Data and noise are the same
in every run.
"""

import csv
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from synth.domain import Categorical, Domain
from synth.estimate import NoisyCounts, Repair, repair_counts
from synth.estimate.repair import assumed_table
from synth.forecasts.histogram import _order
from synth.privacy import Guarantee, Neighbors
from synth.rows import draw_rows
from tests.tables import SHARED

# Each table, and what names a row or a place and so is no column to count.
TABLES = {
    "bank_marketing/bank.csv": (),
    "birdstrikes/birdstrikes.csv": ("Airport Name",),
    "ebola_sl/ebola_sierraleone_2014_confirmed.csv": ("ID",),
    "german_credit/german_credit.csv": (),
    "horse_colic/horse_colic.csv": (),
    "salaries_ai/salaries.csv": (),
}
EPSILONS = tuple(Fraction(e) for e in ("0.1", "1", "10"))
FITTED = ("IMPOSSIBLE", "UNPAIRED")
ORDERS = {1: 0.25, 2: 0.5, 3: 0.25}
CHOICES, RELEASES, TOO_GOOD = 6, 3, 1.5


class Case(NamedTuple):
    """Mean total variation of the columns, pairs and triples of one table's releases."""

    table: str
    shape: tuple[int, ...]
    rows: int
    epsilon: Fraction
    measured: list[float]


def columns(file: str, left_out: tuple[str, ...]) -> tuple[list[np.ndarray], list[int]]:
    """The codes of the columns of few values or of numbers, and their sizes."""
    with (SHARED / file).open(encoding="utf-8-sig", newline="") as opened:
        names, *rows = csv.reader(opened)
    if "horse" in file:  # it has no header
        names, rows = [str(i) for i in range(len(names))], [names, *rows]
    cells = [row for row in rows if len(row) == len(names)]
    found = [
        _coded([row[i].strip() for row in cells])
        for i, name in enumerate(names)
        if name not in left_out
    ]
    kept = [(codes, size) for codes, size in found if 1 < size <= 50]
    return [codes for codes, _ in kept], [size for _, size in kept]


def _coded(texts: list[str]) -> tuple[np.ndarray, int]:
    values, codes = np.unique(texts, return_inverse=True)
    numbers = np.array([_number(text) for text in texts])
    known = np.isfinite(numbers)
    if len(values) <= 12 or known.mean() <= 0.5:
        return codes, len(values)
    low, high = min(0.0, numbers[known].min()), np.quantile(numbers[known], 0.99)
    round_to = 10 ** math.floor(math.log10(max(high, low + 1)))
    high = math.ceil(max(high, low + 1) / round_to) * round_to
    bins = np.floor((np.where(known, numbers, low) - low) / (high - low) * 10).clip(0, 9)
    return np.where(known, bins, 10).astype(int), 10 if known.all() else 11


def _number(text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return math.nan


def cubes() -> Iterator[tuple[str, np.ndarray]]:
    """The counts of every choice of columns."""
    rng = np.random.default_rng(11)
    for file, left_out in TABLES.items():
        codes, sizes = columns(file, left_out)
        chosen: set[tuple[int, ...]] = set()
        for _ in range(200):
            some = rng.choice(len(sizes), min(int(rng.integers(3, 7)), len(sizes)), replace=False)
            choice = tuple(sorted(some.tolist()))
            shape = [sizes[i] for i in choice]
            if choice in chosen or len(chosen) == CHOICES or not 300 <= math.prod(shape) <= 250_000:
                continue
            chosen.add(choice)
            cells = np.ravel_multi_index([codes[i] for i in choice], shape)
            yield file, np.bincount(cells, minlength=math.prod(shape)).reshape(shape)


def cases() -> Iterator[Case]:
    """What releases of them show."""
    for table, counts in cubes():
        rows = int(counts.sum())
        for epsilon in EPSILONS:
            found = [_errors(counts, _released(counts, epsilon, r)) for r in range(RELEASES)]
            measured = np.mean(found, axis=0).tolist()
            yield Case(table, counts.shape, rows, epsilon, measured)


def _released(counts: np.ndarray, epsilon: Fraction, seed: int) -> np.ndarray:
    rng, keep = np.random.default_rng((7, seed)), 1 - math.exp(-float(epsilon) / 2)
    noise = rng.geometric(keep, counts.size) - rng.geometric(keep, counts.size)
    columns = (
        Categorical(name=f"c{i}", categories=tuple(map(str, range(size))))
        for i, size in enumerate(counts.shape)
    )
    noisy = NoisyCounts(
        Domain(tuple(columns)),
        counts.ravel() + noise,
        2 / epsilon,
        Neighbors.REPLACE_ONE,
        Guarantee.pure(epsilon),
        int(counts.sum()),
    )
    drawn = draw_rows(repair_counts(noisy, Repair.AUTO), seed=seed).codes
    cells = np.ravel_multi_index([codes.astype(np.int64) for codes in drawn], counts.shape)
    return np.bincount(cells, minlength=counts.size).reshape(counts.shape)


def _errors(real: np.ndarray, made: np.ndarray) -> list[float]:
    apart, axes = (made - real) / real.sum(), range(real.ndim)
    return [
        float(np.mean([_size(apart, others) for others in combinations(axes, real.ndim - order)]))
        for order in ORDERS
    ]


def _size(apart: np.ndarray, others: tuple[int, ...]) -> float:
    return float(np.abs(apart.sum(axis=others)).sum() / 2)


def logs(found: list[Case]) -> dict[str, np.ndarray]:
    """Logs of forecast by measured error of each table, shape (cases, orders)."""
    by_table: dict[str, list[list[float]]] = {}
    for case in found:
        model = assumed_table.typical(case.shape, case.rows, 2 / float(case.epsilon))
        expected = [_order(model, order)[0].mean for order in ORDERS]
        by_table.setdefault(case.table, []).append(np.log(np.divide(expected, case.measured)))
    return {table: np.array(each) for table, each in by_table.items()}


def loss(values: np.ndarray, found: list[Case]) -> float:
    """How far off the forecast is with these constants."""
    if values.min() < 0:
        return math.inf
    for name, value in zip(FITTED, values, strict=True):
        setattr(assumed_table, name, float(value))
    off = [np.where(each < 0, -TOO_GOOD * each, each) for each in logs(found).values()]
    weights = list(ORDERS.values())
    return float(np.mean([np.minimum(each, 1).mean(axis=0) @ weights for each in off]))


def main() -> None:
    if not SHARED.is_dir():
        print("fit_typical: the shared tables are not here, so nothing was fitted.")
        return
    found = list(cases())
    start = np.array([getattr(assumed_table, name) for name in FITTED])
    if "--fit" in sys.argv:
        steps = np.vstack([start, start + np.diag(0.25 * start)])
        options = {"initial_simplex": steps, "maxfev": 60, "xatol": 1e-3, "fatol": 2e-4}
        best = minimize(loss, start, (found,), method="Nelder-Mead", options=options)
        print({name: round(float(v), 4) for name, v in zip(FITTED, best.x, strict=True)})
        start = best.x
    print(f"loss {loss(start, found):.4f} over {len(found)} cases")
    every = np.concatenate(list(logs(found).values()))
    for place, what in enumerate(("columns", "pairs", "triples")):
        factor = math.exp(np.median(np.abs(every[:, place])))
        print(f"{what}: off by a factor of {factor:.2f} in the median")


if __name__ == "__main__":
    main()
