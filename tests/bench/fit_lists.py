"""Forecasts of tables with a long list, against releases of lists of many shapes.

    PYTHONPATH=. SECONDS=480 python tests/bench/fit_lists.py --measure CASES.jsonl
    PYTHONPATH=. python tests/bench/fit_lists.py CASES.jsonl

The first releases made lists, alone and beside small columns, and writes what each release
was off. The second forecasts the same plans once more and prints in how many cases the error
lay in the range: for the shapes that the range was chosen by, and for those kept aside.

Four lists are kept aside, and were before the first release was measured: lognormal counts,
counts in ten steps, and the files `f25_icd.csv` and `f37_jobs.csv`. Another ``SEED`` makes
other lists."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from synth.domain import Categorical, Domain
from synth.errors import SynthError
from synth.forecasts import Range, outlook
from synth.plans import Method, Plan
from synth.spending import synthesize
from synth.util import Floats
from tests.bench.fit_interval import WHAT, Held, errors_of_rows
from tests.tables import SHARED

SIZES = (100, 250, 600, 1_000, 2_600, 5_000, 10_000)
LONG = 600
"""Codes of a list that counts as long; shorter ones show what does not change."""
ROWS = (3_000, 100_000)
EPSILONS = ("0.1", "0.3", "1", "3", "10")
BESIDE = ((), (2,), (2,), (2, 5), (2, 5, 9), (3, 8, 20, 4, 2, 6))
"""Cells of the small columns beside a list."""
METHODS = (Method.AUTO, Method.DENSE, Method.INDEPENDENT, Method.ONE_SHOT, Method.TREE)
MOST_CELLS = 400_000
"""Cells of the largest table of which all cells are counted here."""
MOST_SECONDS = 12
"""Forecast time of the longest release here."""
ALONG = 0.1
"""Standard deviation, from code to code, of the shares of a small column beside the list."""

Shape = Callable[[Floats, np.random.Generator], Floats]
"""Returns expected rows by rank, up to a factor."""

FITTED: dict[str, Shape] = {
    "even": lambda ranks, _: ranks**0.0,
    "power .8": lambda ranks, _: ranks**-0.8,
    "power 1": lambda ranks, _: ranks**-1.0,
    "power 1.3": lambda ranks, _: ranks**-1.3,
    # The last code has a thousandth of the rows of the first.
    "geometric": lambda ranks, _: 1e-3 ** (ranks / len(ranks)),
    # A tenth of the codes has nine tenths of the rows.
    "two groups": lambda ranks, _: np.where(ranks <= len(ranks) / 10, 81.0, 1.0),
    # One code has six of ten rows.
    "giant": lambda ranks, _: np.where(ranks == 1, 1.5 * (len(ranks) - 1), 1.0),
}
ASIDE: dict[str, Shape] = {
    "aside lognormal": lambda ranks, rng: np.exp(rng.normal(0, 1.5, len(ranks))),
    # Each of ten steps has half the rows of the step before.
    "aside steps": lambda ranks, _: 0.5 ** np.floor(10 * (ranks - 1) / len(ranks)),
}
ASIDE_FILES = ("f25_icd.csv", "f37_jobs.csv")


def make_list(shape: Shape, rng: np.random.Generator) -> Held:
    """The codes and sizes of a list of this shape, and of small columns beside it."""
    size = int(rng.choice(SIZES))
    rows = int(np.exp(rng.uniform(*np.log(ROWS))))
    weights = shape(np.arange(1.0, size + 1), rng)
    # Three of four lists are in an order that has nothing to do with their counts.
    if rng.random() < 0.75:
        weights = rng.permutation(weights)
    beside = BESIDE[rng.integers(len(BESIDE))]
    is_linked = bool(rng.random() < 0.5)
    return draw_codes(weights, rows, beside, rng=rng, is_linked=is_linked)


def draw_codes(
    weights: Floats,
    rows: int,
    beside: Sequence[int],
    *,
    rng: np.random.Generator,
    is_linked: bool,
) -> Held:
    """Rows of a list and of small columns, by the list's weights.

    Args:
        weights: Expected rows of each code, up to a factor.
        rows: The number of rows.
        beside: The number of cells of each small column.
        rng: Draws the rows.
        is_linked: Whether small columns depend on the list.
    """
    size = len(weights)
    sizes = [size, *beside]
    codes = [rng.choice(size, rows, p=weights / weights.sum())]
    for cells in beside:
        shares = rng.dirichlet(np.full(cells, 3.0), size=1)
        if is_linked:
            noise = rng.normal(0, ALONG, (size, cells))
            shares = np.maximum(0.01, shares + noise)
        ends = np.cumsum(shares / shares.sum(1, keepdims=True), axis=1)[:, :-1]
        of_row = ends[codes[0]] if is_linked else ends
        codes.append((rng.random(rows)[:, None] > of_row).sum(1))
    return codes, sizes


def read_list(file: str, rng: np.random.Generator) -> Held:
    """The codes and sizes of the list of a file, alone or with its other column."""
    frame = pd.read_csv(SHARED / "field" / file, dtype=str, keep_default_na=False)
    names = list(frame)[: int(rng.integers(1, 3))]
    codes, sizes = [], []
    for name in names:
        values, codes_of_rows = np.unique(frame[name], return_inverse=True)
        codes.append(codes_of_rows)
        sizes.append(len(values))
    return codes, sizes


def domain_of(sizes: Sequence[int]) -> Domain:
    """Columns c0, c1, ... of so many cells each."""
    return Domain(
        tuple(
            Categorical(name=f"c{i}", categories=tuple(map(str, range(size))))
            for i, size in enumerate(sizes)
        )
    )


def draw_cases() -> Iterator[tuple[str, Held, Plan]]:
    """Lists and plans, every shape in turn; the same in every run with a seed."""
    seed = int(os.environ.get("SEED", "53"))
    for turn in range(10_000):
        for name in [*FITTED, *ASIDE, *ASIDE_FILES]:
            rng = np.random.default_rng((seed, turn, *name.encode()))
            if name in ASIDE_FILES:
                held, label = read_list(name, rng), f"aside {name}"
            else:
                held, label = make_list({**FITTED, **ASIDE}[name], rng), name
            epsilon = Fraction(str(rng.choice(EPSILONS)))
            for method in (Method.AUTO, Method(rng.choice(METHODS[1:]))):
                is_large = np.prod(held[1]) > MOST_CELLS
                if method == Method.DENSE and is_large:
                    continue
                delta = Fraction(rng.choice(["0", "1e-9"])) * (method != Method.DENSE)
                domain = domain_of(held[1])
                plan = Plan(domain=domain, epsilon=epsilon, method=method, delta=delta)
                if outlook(plan, len(held[0][0])).seconds < MOST_SECONDS:
                    yield label, held, plan


def measure(path: Path, seconds: float) -> None:
    """Release every case once and write a line of what it was off."""
    started = monotonic()
    with path.open("a", encoding="utf-8") as file:
        for name, (codes, sizes), plan in draw_cases():
            if monotonic() - started > seconds:
                break
            arrays = [pa.array(column.astype(str)) for column in codes]
            table = pa.table(arrays, list(plan.domain.names))
            try:
                result = synthesize(plan, table)
            except SynthError:
                continue
            line = {
                "table": name,
                "shape": [int(size) for size in sizes],
                "rows": table.num_rows,
                "epsilon": str(plan.epsilon),
                "delta": str(plan.delta),
                "method": plan.method,
                "errors": errors_of_rows(table, result.synthetic.codes, plan.domain.shape),
                "used": result.record.strategy,
            }
            file.write(json.dumps(line) + "\n")
            file.flush()


class Tried(NamedTuple):
    """A release of a list: what it was off, and the range that is forecast for its plan.

    Attributes:
        name: The shape of the list.
        shape: The number of cells of each column.
        method: The method that was asked for.
        errors: The mean errors of columns and of pairs; one of pairs only if there are any.
        ranges: Their ranges.
    """

    name: str
    shape: tuple[int, ...]
    method: str
    errors: tuple[float, ...]
    ranges: tuple[Range, ...]

    @property
    def is_aside(self) -> bool:
        """Whether the list was kept aside."""
        return self.name.startswith("aside")


def read_tried(path: Path) -> Iterator[Tried]:
    """The releases that were measured, with today's forecast of each."""
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        plan = Plan(
            domain=domain_of(line["shape"]),
            epsilon=Fraction(line["epsilon"]),
            method=Method(line["method"]),
            delta=Fraction(line["delta"]),
        )
        expected = outlook(plan, line["rows"])
        quantities = 2 if len(line["shape"]) > 1 else 1
        yield Tried(
            name=line["table"],
            shape=tuple(line["shape"]),
            method=line["method"],
            errors=tuple(line["errors"][:quantities]),
            ranges=(expected.columns, expected.pairs)[:quantities],
        )


def share_within(releases: Sequence[Tried]) -> float:
    """The share of errors, of columns and of pairs alike, that lie in their range."""
    return float(
        np.mean(
            [
                errors.low <= error <= errors.high
                for release in releases
                for error, errors in zip(release.errors, release.ranges, strict=True)
            ]
        )
    )


def print_shares(releases: Sequence[Tried], describe: Callable[[Tried], str]) -> None:
    """A line on each group of releases: how many errors lie below, in and above the range."""
    groups: dict[str, list[Tried]] = {}
    for release in releases:
        groups.setdefault(describe(release), []).append(release)
    for name, group in sorted(groups.items()):
        print(f"{name:24} {len(group):5}", end="")
        for order, quantity in enumerate(WHAT):
            print(describe_shares(group, order, quantity), end="")
        print()


def describe_shares(releases: Sequence[Tried], order: int, quantity: str) -> str:
    """The shares of errors of columns (0) or pairs (1) below, above and in their ranges."""
    relevant = [release for release in releases if len(release.errors) > order]
    if not relevant:
        return ""
    below = np.mean([trial.errors[order] < trial.ranges[order].low for trial in relevant])
    above = np.mean([trial.errors[order] > trial.ranges[order].high for trial in relevant])
    # A millionth stands for an end of 0.
    factors = [
        (trial.ranges[order].high + 1e-6) / (trial.ranges[order].low + 1e-6)
        for trial in relevant
    ]
    return (
        f"  {quantity}: {below:4.0%} below, {above:4.0%} above, {1 - below - above:4.0%} "
        f"within; factor of the ends {np.median(factors):.1f}"
    )


def main() -> None:
    path = Path(next(word for word in sys.argv[1:] if not word.startswith("--")))
    if "--measure" in sys.argv:
        measure(path, float(os.environ.get("SECONDS", "inf")))
        return
    releases = list(read_tried(path))
    long_lists = [release for release in releases if release.shape[0] >= LONG]
    print_shares(releases, lambda release: f"{release.shape[0]:6} codes")
    print_shares(long_lists, lambda release: release.name)
    print_shares(long_lists, lambda release: f"method {release.method}")
    print_shares(long_lists, lambda release: f"{len(release.shape) - 1} columns beside")
    print_shares(long_lists, lambda release: "ASIDE" if release.is_aside else "FITTED")


if __name__ == "__main__":
    main()
