"""The intervals of the forecast, fitted to releases of some tables and tried on others.

    PYTHONPATH=. SECONDS=480 python tests/bench/fit_interval.py --measure CASES.jsonl
    PYTHONPATH=. python tests/bench/fit_interval.py CASES.jsonl --write
    ruff format synth/forecasts

The first makes releases of choices of columns of every table, by `auto` and by other methods,
and writes what each was off. The second forecasts the same plans once more and prints how the
intervals do: on the tables that they are fitted to; on each of these, fitted to the others;
and on the tables kept aside. With ``--write`` it writes the constants into
`synth.forecasts.spreads`. Tables kept aside are the CSV files of the folder named by
``FOLDER``. Another ``SEED`` chooses other columns. What long lists add to the intervals is
left out here; `fit_lists.py` tries that."""

import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly
import pyarrow as pa
from scipy.special import ndtr

from synth.domain import Categorical, Domain, read_schema
from synth.errors import SynthError
from synth.estimate import LikelyErrors
from synth.forecasts import spreads
from synth.forecasts.interval import describe_point, widen
from synth.forecasts.methods import expected_points
from synth.plans import Method, Plan
from synth.private.counting import codes as codes_of
from synth.private.table import open_table
from synth.spending import synthesize
from tests.bench import tables as bench_tables
from tests.tables import SHARED

Held = tuple[list[np.ndarray], list[int]]
"""The codes of a table's columns, and their numbers of cells."""
TABLES = {
    "bank_marketing/bank.csv": (),
    "birdstrikes/birdstrikes.csv": (),
    "ebola_sl/ebola_sierraleone_2014_confirmed.csv": ("ID",),
    "german_credit/german_credit.csv": (),
    "horse_colic/horse_colic.csv": (),
    "linked/lahman/seasons.csv": ("playerID",),
    "linked/nafld/events.csv": ("id",),
    "salaries_ai/salaries.csv": (),
}
"""Each table, and what names a row and so is no column to count."""
OWN = {
    "adult": ("adult/domain.schema.json", "adult/adult_train.csv"),
    "ma2018": ("sdnist_ma/domain_10col.schema.json", "sdnist_ma/ma2018.csv"),
    "ma2019": ("sdnist_ma/domain_10col.schema.json", "sdnist_ma/ma2019.csv"),
}
OTHER_TABLES = (
    "pums",
    "taxis",
    "titanic",
    "penguins",
    "teacher",
    "lahman",
    "nafld",
    "fulton",
)
SOURCES = {"ma2018": "ma2019", "seasons": "lahman", "events": "nafld", "fulton": "pums"}
"""Tables of one source, which are left out together."""
BUNDLED = Path(plotly.__file__).parent / "package_data" / "datasets"
BUNDLED_TABLES = ("gapminder", "tips", "election")
KINDS = ("loose", "chained", "common", "tight", "repeated")
"""How columns of simulated tables are linked: not; to an earlier one; by one hidden factor;
nearly all by it; by it, with every row there 4 to 16 times."""
WHAT = ("columns", "pairs")
EPSILONS = ("0.03", "0.1", "0.3", "1", "3", "10")
METHODS = (Method.DENSE, Method.INDEPENDENT, Method.ONE_SHOT, Method.TREE)
ROWS, TURNS, MOST_CELLS = 30_000, 60, 250
"""Bounds that keep a release quick, and turns that no budget of seconds outlasts."""
QUANTILES = {"columns": (0.14, 0.5, 0.86), "pairs": (0.13, 0.5, 0.90)}
"""With the weights that rare tables get, ends at these quantiles hold four of five
releases.
"""
ROUNDS, RISE, ENOUGH = 15, 2.0, 0.76
"""In every round a real table weighs more, by how much it is held less often than is
enough.
"""
RIDGE, SMOOTH = 0.03, 0.02
"""A weak pull of slopes to 0, and a log ratio too small to matter, which rounds the loss."""


def read_columns(file: str | Path, left_out: tuple[str, ...] = ()) -> Held:
    """The codes of the columns of few values or of numbers, and their sizes."""
    frame = pd.read_csv(
        SHARED / file,
        dtype=str,
        keep_default_na=False,
        header=None if "horse" in str(file) else 0,
    )
    coded_columns = [
        _coded([text.strip() for text in frame[name]])
        for name in frame.drop(columns=[*left_out])
    ]
    usable_columns = [
        (codes, size) for codes, size in coded_columns if 1 < size <= MOST_CELLS
    ]
    return [codes for codes, _ in usable_columns], [size for _, size in usable_columns]


def _coded(texts: list[str]) -> tuple[np.ndarray, int]:
    values, codes = np.unique(texts, return_inverse=True)
    numbers = np.array([_number(text) for text in texts])
    is_number = np.isfinite(numbers)
    if len(values) <= 12 or is_number.mean() <= 0.5:
        return codes, len(values)
    low, high = min(0.0, numbers[is_number].min()), np.quantile(numbers[is_number], 0.99)
    span = (high - low) or 1
    round_to = 10 ** math.floor(math.log10(span))
    high = low + math.ceil(span / round_to) * round_to
    bins = np.floor((np.where(is_number, numbers, low) - low) / (high - low) * 10).clip(0, 9)
    return np.where(is_number, bins, 10).astype(int), 10 if is_number.all() else 11


def _number(text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return math.nan


def simulate(kind: str, seed: int) -> Held:
    """A table of columns by laws of rank, linked as strongly as its kind says."""
    rng = np.random.default_rng((36, seed, *kind.encode()))
    rows, count = int(10 ** rng.uniform(2.3, 4.6)), int(np.exp(rng.uniform(1.1, 3.4)))
    widest, slope = float(rng.choice([6, 40, MOST_CELLS])), rng.uniform(0, 2.2)
    sizes = np.exp(rng.uniform(np.log(2), np.log(widest), count)).astype(int).tolist()
    laws = [np.arange(1, n + 1) ** -max(0, slope + rng.uniform(-0.7, 0.7)) for n in sizes]
    copies = int(rng.integers(4, 17)) if kind == "repeated" else 1
    fresh = -(-rows // copies)
    strength = {"loose": 0.0, "tight": rng.uniform(0.8, 1.0)}.get(kind, rng.uniform(0.0, 0.8))
    hidden = rng.normal(size=fresh)
    codes: list[np.ndarray] = []
    for i, law in enumerate(laws):
        tie = strength * rng.uniform(0.5, 1.0)
        score = tie * hidden + math.sqrt(1 - tie**2) * rng.normal(size=fresh)
        cells = np.searchsorted(np.cumsum(law / law.sum())[:-1], ndtr(score))
        cells = rng.permutation(len(law))[cells]
        if kind == "chained" and i:
            parent = int(rng.integers(0, i))
            follows = rng.choice(len(law), sizes[parent], p=law / law.sum())[codes[parent]]
            cells = np.where(rng.random(fresh) < rng.beta(0.7, 1.5), follows, cells)
        codes.append(cells)
    return [np.repeat(column, copies)[:rows] for column in codes], sizes


def load_tables() -> Iterator[tuple[str, Held]]:
    """Every real table as codes and sizes, those kept aside last."""
    for file, left_out in TABLES.items():
        yield file.split("/")[-1].split(".")[0], read_columns(file, left_out)
    for name, (schema, file) in OWN.items():
        domain = read_schema(SHARED / schema)
        yield name, (codes_of(open_table(SHARED / file), domain), list(domain.shape))
    for name in OTHER_TABLES:
        rows = bench_tables.TABLES[name]()
        yield name, (list(rows.codes), list(rows.domain.shape))
    for name in BUNDLED_TABLES:
        yield name, read_columns((BUNDLED / f"{name}.csv.gz").absolute())
    if "FOLDER" in os.environ:
        for path in sorted(Path(os.environ["FOLDER"]).glob("*.csv")):
            yield f"aside {path.stem}", read_columns(path.absolute())


def draw_cases() -> Iterator[tuple[str, pa.Table, Plan]]:
    """Tables and plans, every table in turn; the same in every run with a seed."""
    real_tables, seed = list(load_tables()), int(os.environ.get("SEED", "5"))
    for turn in range(TURNS):
        simulated_tables = [
            (f"simulated {kind} {turn}", simulate(kind, 100 * seed + turn)) for kind in KINDS
        ]
        for name, (codes, sizes) in [*real_tables, *simulated_tables]:
            rng = np.random.default_rng((seed, turn, *name.encode()))
            width, rows = len(sizes), min(ROWS, len(codes[0]))
            if turn % 2:  # else the whole table
                width = min(int(rng.choice([3, 5, 8, 14])), width)
                rows = min(rows, int(10 ** rng.uniform(2.7, 4.7)))
            chosen = sorted(rng.choice(len(sizes), width, replace=False))
            domain = Domain(
                tuple(
                    Categorical(name=f"c{i}", categories=tuple(map(str, range(sizes[i]))))
                    for i in chosen
                )
            )
            chosen_rows = rng.permutation(len(codes[0]))[:rows]
            arrays = [pa.array(codes[i][chosen_rows].astype(str)) for i in chosen]
            table = pa.table(arrays, list(domain.names))
            for epsilon in rng.choice(EPSILONS, 3, replace=False):
                for method in (Method.AUTO, Method(rng.choice(METHODS))):
                    delta = Fraction(rng.choice(["0", "1e-9"])) * (method != Method.DENSE)
                    yield (
                        name,
                        table,
                        Plan(
                            domain=domain,
                            epsilon=Fraction(epsilon),
                            method=method,
                            delta=delta,
                        ),
                    )


def measure(path: Path, seconds: float) -> None:
    """Release every case once and write a line of what it was off."""
    started = monotonic()
    with path.open("a", encoding="utf-8") as file:
        for name, table, plan in draw_cases():
            if monotonic() - started > seconds:
                break
            try:
                result = synthesize(plan, table)
            except SynthError:
                continue
            line = {
                "table": name,
                "shape": [int(size) for size in plan.domain.shape],
                "rows": table.num_rows,
                "epsilon": str(plan.epsilon),
                "delta": str(plan.delta),
                "method": plan.method,
                "errors": errors_of_rows(table, result.synthetic.codes, plan.domain.shape),
            }
            file.write(json.dumps(line) + "\n")
            file.flush()


def errors_of_rows(
    table: pa.Table, synthetic: list[np.ndarray], shape: tuple[int, ...]
) -> list[float]:
    """Mean total variation of columns and of pairs, without columns of one cell."""
    wide = [i for i, size in enumerate(shape) if size > 1]
    real = [table.column(i).to_numpy().astype(np.int32) for i in range(len(shape))]

    def distance(columns: tuple[int, ...]) -> float:
        sizes = [shape[i] for i in columns]
        cells_of_both = [
            np.ravel_multi_index([rows[i] for i in columns], sizes)
            for rows in (real, synthetic)
        ]
        real_shares, synthetic_shares = (
            np.bincount(cells, minlength=math.prod(sizes)) / len(cells)
            for cells in cells_of_both
        )
        return float(np.abs(real_shares - synthetic_shares).sum() / 2)

    several = [list(combinations(wide, order)) for order in (1, 2)]
    return [
        float(np.mean([*map(distance, columns)])) if columns else 0.0 for columns in several
    ]


class Case(NamedTuple):
    """One release: what was forecast at a point, and what it was off."""

    table: str
    method: str
    shape: tuple[int, ...]
    rows: int
    points: LikelyErrors
    measured: tuple[float, float]

    @property
    def group(self) -> str:
        """The table; simulated ones of a kind count as one."""
        return " ".join(self.table.split()[:2])


def forecast_again(path: Path) -> Iterator[Case]:
    """The cases that were measured, with today's forecast of each."""
    for line in path.read_text(encoding="utf-8").splitlines():
        measured = json.loads(line)
        parts = [
            Categorical(name=f"c{i}", categories=tuple(map(str, range(size))))
            for i, size in enumerate(measured["shape"])
        ]
        plan = Plan(
            domain=Domain(tuple(parts)),
            epsilon=Fraction(measured["epsilon"]),
            method=Method(measured["method"]),
            delta=Fraction(measured["delta"]),
        )
        method, points = expected_points(plan, measured["rows"])
        shape = plan.domain.shape
        yield Case(
            measured["table"],
            str(method),
            shape,
            measured["rows"],
            points,
            tuple(measured["errors"]),
        )


def fit(cases: list[Case]) -> None:
    """Fit the three quantiles of each kind of error and method, and set them in the table."""
    spreads.LIMITS.clear()
    spreads.SPREADS.clear()
    for order, quantity in enumerate(WHAT):
        usable = [case for case in cases if case.points[order]]
        descriptions = np.array(
            [describe_point(quantity, case.points, case.shape) for case in usable]
        )
        spreads.LIMITS[quantity] = tuple(
            (round(float(low), 3), round(float(high), 3))
            for low, high in zip(descriptions.min(0), descriptions.max(0), strict=True)
        )
        logs = np.array([_log(case, order) for case in usable])
        groups, times = (
            np.array([case.group for case in usable]),
            Counter(case.group for case in usable),
        )
        weights = np.array([1 / times[case.group] for case in usable])
        for _ in range(ROUNDS):
            spreads.SPREADS[quantity] = {
                method.value: tuple(
                    _quantile(descriptions[rows], logs[rows], weights[rows], share)
                    for rows in [[case.method == method.value for case in usable]]
                    for share in QUANTILES[quantity]
                )
                for method in METHODS
            }
            is_held = np.array(are_within(usable, order))
            for group in [
                group_name for group_name in times if not group_name.startswith("simulated")
            ]:
                missing = max(0.0, ENOUGH - is_held[groups == group].mean())
                weights[groups == group] *= math.exp(RISE * missing)


def _quantile(
    descriptions: np.ndarray, logs: np.ndarray, weights: np.ndarray, share: float
) -> tuple[float, ...]:
    """Level and slopes with the least pinball loss, by least squares again and again."""
    middle, scale = descriptions.mean(0), descriptions.std(0) + 1e-9
    terms = np.column_stack([np.ones(len(descriptions)), (descriptions - middle) / scale])
    pull = np.diag([0.0, *[RIDGE * weights.sum()] * descriptions.shape[1]])
    line = np.zeros(terms.shape[1])
    for _ in range(60):
        part = weights / (2 * np.hypot(logs - terms @ line, SMOOTH))
        pushed = terms.T @ (part * logs + (share - 0.5) * weights)
        line = np.linalg.solve((terms.T * part) @ terms + pull, pushed)
    slopes = line[1:] / scale
    return tuple(round(float(term), 3) for term in (line[0] - slopes @ middle, *slopes))


def _log(case: Case, order: int) -> float:
    least = 0.5 / case.rows
    return math.log((case.measured[order] + least) / (case.points[order] + least))


def are_within(cases: list[Case], order: int) -> list[bool]:
    """Whether each release is within its interval."""
    intervals = [
        widen(WHAT[order], case.method, case.points, shape=case.shape, rows=case.rows)
        for case in cases
    ]
    return [
        r.low <= case.measured[order] <= r.high
        for r, case in zip(intervals, cases, strict=True)
    ]


class Tried(NamedTuple):
    """Of one release: per kind of error, whether it was held, and the ends' and middle's
    ratios.
    """

    group: str
    are_within: tuple[bool, bool]
    widths: tuple[float, float]
    rosy: tuple[float, float]


def try_intervals(cases: list[Case]) -> list[Tried]:
    """How the intervals of the table in place do."""
    trials = []
    for case in cases:
        least = 0.5 / case.rows
        ranges = [
            widen(quantity, case.method, case.points, shape=case.shape, rows=case.rows)
            for quantity in WHAT
        ]
        trials.append(
            Tried(
                case.group,
                tuple(
                    r.low <= measured <= r.high
                    for r, measured in zip(ranges, case.measured, strict=True)
                ),
                tuple((r.high + 1e-9) / (r.low + 1e-9) for r in ranges),
                tuple(
                    (measured + least) / (r.likely + least)
                    for r, measured in zip(ranges, case.measured, strict=True)
                ),
            )
        )
    return trials


def print_line(trials: list[Tried], name: str) -> None:
    """A line of how the intervals do on some releases."""
    hits, widths, rosy = (np.array([trial[i] for trial in trials]) for i in (1, 2, 3))
    hit_shares, median = hits.mean(0), np.median(widths, 0)
    print(
        f"{name:44} {len(trials):5} {100 * hits.mean():6.0f} {100 * hit_shares[0]:6.0f} "
        f"{100 * hit_shares[1]:6.0f} {median[0]:8.2f} {median[1]:6.2f} {rosy.max(0)[0]:8.1f} "
        f"{rosy.max(0)[1]:6.1f} {1 / rosy.min(0)[0]:7.1f} {1 / rosy.min(0)[1]:6.1f}"
    )


def print_lines_by_table(trials: list[Tried], title: str) -> None:
    """Lines of how the intervals do on each table, the worst first, and on all."""
    groups = {
        group_name: [trial for trial in trials if trial.group == group_name]
        for group_name in {trial.group for trial in trials}
    }
    print(
        f"\n{title}\n{'':44} cases within: columns pairs; factor of the ends; too rosy; too "
        "grim"
    )
    for group in sorted(
        groups,
        key=lambda group_name: np.mean([trial.are_within for trial in groups[group_name]]),
    ):
        print_line(groups[group], f"  {group}")
    print_line(trials, f"{len(groups)} tables")


def main() -> None:
    path = Path(next(word for word in sys.argv[1:] if not word.startswith("--")))
    if "--measure" in sys.argv:
        measure(path, float(os.environ.get("SECONDS", "inf")))
        return
    all_cases = list(forecast_again(path))
    aside = [case for case in all_cases if case.table.startswith("aside")]
    fitted_cases = [case for case in all_cases if not case.table.startswith("aside")]
    real = [case for case in fitted_cases if not case.table.startswith("simulated")]
    left_out_trials = []
    for source in sorted({_source(case) for case in real}):
        fit([case for case in fitted_cases if _source(case) != source])
        left_out_trials += try_intervals([case for case in real if _source(case) == source])
    print_lines_by_table(left_out_trials, "Each table, by intervals fitted to the others")
    fit(fitted_cases)
    print_lines_by_table(
        try_intervals([case for case in fitted_cases if case not in real]),
        "Simulated tables, fitted to",
    )
    print_lines_by_table(try_intervals(real), "Real tables, fitted to")
    print_lines_by_table(try_intervals(aside), "Tables kept aside")
    if "--write" in sys.argv:
        path_of_table = Path(spreads.__file__)
        head = path_of_table.read_text(encoding="utf-8").split("LIMITS:")[0]
        path_of_table.write_text(
            f"{head}LIMITS: dict[str, tuple[tuple[float, float], ...]] = "
            f"{spreads.LIMITS!r}\n\n"
            "SPREADS: dict[str, dict[str, tuple[tuple[float, ...], ...]]] = "
            f"{spreads.SPREADS!r}\n",
            encoding="utf-8",
        )


def _source(case: Case) -> str:
    return SOURCES.get(case.table, case.table)


if __name__ == "__main__":
    main()
