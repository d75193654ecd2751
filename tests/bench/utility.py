"""Utility of every strategy, table by table, beside what peers reach: one table.

    PYTHONPATH=. python tests/bench/utility.py --tables adult,ma2019 --epsilons 0.1,1,10

Mean total variation over pairs and triples of columns, slopes of synthetic on real
associations over the measured pairs, CPU seconds and peak memory, means over the releases.
Each release is a line of a JSON file (``--results``), so that a run may be stopped and
continued, and several may share the file. ``--show`` prints the table of what is there.
Tables are `tests.bench.tables` and, with public guesses, `tests.bench.guesses`: there *auto
with old* is a release around the guess of that name, and *public old* the guess as it stands.
Those kept aside come last, apart."""

import argparse
import json
import math
import resource
import time
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from synth.estimate import Favour, NoisyCounts, PublicGuess, repair_counts
from synth.noise import DiscreteLaplace
from synth.plans import Method, Plan
from synth.privacy import Guarantee, Neighbors, parse_epsilon
from synth.private import queries
from synth.private.counting.counts import CodedRows
from synth.rows import draw_rows
from tests.bench import guesses, tables
from tests.bench.tables import SHARED_TABLES, TABLES
from tests.models.doors import open_door, release_model
from tests.tables import SHARED

DELTA = Fraction(1, 10**9)
WITH, STANDS = "auto with ", "public "
"""What is released around a public guess, and the guess as it stands; its name follows."""
FAVOURED = "auto favoured"
"""By `--favour associations`."""
GUESSES = ("right", "old", "part", "unlinked")
METHODS = (
    *("independent", "tree", "one-shot", "adaptive", "auto", FAVOURED),
    *(way + kind for kind in GUESSES for way in (WITH, STANDS)),
)
SIMPLE = ("independent", "tree", "one-shot")
"""The strategies that auto has to be as good as; adaptive takes long and is asked for
apart.
"""
TRIPLES, TRIPLE_CELLS = 60, 10**6
"""Most triples that are looked at, and most cells of one."""
LEVEL = 0.001
"""Errors below it, a row in a thousand, are level: at epsilon 10 a column is off by a row or
two, whatever repaired it."""
WEAK = 0.05
"""Associations below this are noise in the table itself, and stay out of the slopes."""
PEERS = {
    ("adult", "0.1"): "MST .148",
    ("adult", "1"): "AIM .0442, MST .0527",
    ("adult", "10"): "MST .0409",
    ("adult_train", "1"): "AIM .0297, MST .0378",
    ("ma2019", "0.1"): "AIM .173, MST .181",
    ("ma2019", "1"): "AIM .0427, MST .0501",
    ("ma2019", "10"): "AIM .0155, MST .0267",
}
"""Pairs at delta 1e-9, add-remove: private-pgm's MST and AIM as measured in November 2026
with the authors' code; for adult_train AIM rewritten on a NumPy junction tree."""

Codes = Sequence[npt.NDArray[np.integer]]
GUESSED = {
    "ma2019" if name == "ma" else f"{name}_half": load
    for name, load in guesses.TABLES.items()
}
"""Tables with public guesses; a half of the others is the guess for the other half."""
NAMES = (*TABLES, *(name for name in GUESSED if name not in TABLES))
ASIDE = (*tables.ASIDE, *(f"{name}_half" for name in guesses.ASIDE))


class Case(NamedTuple):
    """What is released, and how."""

    table: str
    method: str
    epsilon: str
    delta: bool
    neighbors: str


class Table(NamedTuple):
    """Confidential rows, and public guesses by name."""

    rows: CodedRows
    guesses: dict[str, Codes]

    @classmethod
    def load(cls, name: str) -> Self:
        """A table by its name."""
        if name in GUESSED:
            return cls(*GUESSED[name]())
        return cls(TABLES[name](), {})

    def has(self, method: str) -> bool:
        """Whether there is the guess that a method asks for."""
        kind = method.split()[-1]
        return kind not in GUESSES or kind in self.guesses


def measure_release(case: Case, table: Table) -> dict[str, Any]:
    """One release, and how far it is off."""
    rows, guess = table.rows, table.guesses.get(case.method.split()[-1])
    start = time.process_time()
    if guess is not None and case.method.startswith(STANDS):
        everything = list(combinations(range(len(rows.domain.columns)), 2))
        codes, pairs, followed = guess, everything, case.method
    else:
        codes, pairs, followed = release_codes(_plan(case, rows), rows, guess)
    seconds = time.process_time() - start
    shape = rows.domain.shape
    real = [column.astype(np.int64) for column in rows.codes]
    errors = {
        "pairs": table_error(real, codes, shape, 2 if len(shape) > 1 else 1),
        "triples": table_error(real, codes, shape, min(3, len(shape))),
        "slopes": slopes(real, codes, shape, pairs),
        "all_slopes": slopes(real, codes, shape, list(combinations(range(len(shape)), 2))),
        "measured": len(pairs),
        "followed": followed,
        "seconds": seconds,
        "rows": len(codes[0]),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    return {**case._asdict(), **errors}


def _plan(case: Case, rows: CodedRows) -> Plan:
    return Plan(
        domain=rows.domain,
        epsilon=parse_epsilon(case.epsilon),
        neighbors=Neighbors(case.neighbors),
        method=Method(case.method.split()[0]),
        delta=DELTA if case.delta else Fraction(0),
        favour=Favour.ASSOCIATIONS if case.method == FAVOURED else Favour.ERRORS,
    )


def release_codes(
    plan: Plan, rows: CodedRows, guess: Codes | None = None
) -> tuple[Codes, list[tuple[int, ...]], str]:
    """Codes of the synthetic rows, the pairs that were measured, and what was followed."""
    claim = plan.guarantee(plan.epsilon) if plan.by_model else Guarantee.pure(plan.epsilon)
    door = open_door(claim, plan.neighbors)
    everything = list(combinations(range(len(plan.domain.columns)), 2))
    if plan.by_model:
        public = None
        if guess is not None:
            codes_by_column = {
                column: np.asarray(codes, np.int32) for column, codes in enumerate(guess)
            }
            public = PublicGuess(plan.domain.shape, codes_by_column, len(guess[0]))
        record, codes, _ = release_model(plan, rows, door, wanted=None, public=public)
        pairs = [clique for clique, _ in record.measured if len(clique) == 2]
        return codes, pairs or everything, record.strategy
    counts = rows.count(range(len(plan.domain.columns)))
    assert plan.cell_noise is not None
    measured = door.measure(queries.histogram(counts, plan.neighbors), plan.cell_noise)
    share = plan.total_epsilon
    noise = DiscreteLaplace(plan.unit.max_rows / share) if share else None
    total = noise and door.measure(queries.rows(counts, plan.neighbors), noise)
    noisy = NoisyCounts.read(plan.domain, measured, total)
    return draw_rows(repair_counts(noisy, plan.repair), seed=None).codes, everything, "dense"


def table_error(real: Codes, synthetic: Codes, shape: Sequence[int], order: int) -> float:
    """Mean total variation over tables of some order; of triples some, the same each time."""
    places = list(combinations(range(len(shape)), order))
    if order == 3 and len(places) > TRIPLES:
        places = [
            places[i] for i in np.random.default_rng(3).permutation(len(places))[:TRIPLES]
        ]
    small = [p for p in places if np.prod([shape[a] for a in p]) <= TRIPLE_CELLS]
    return mean(_distance(real, synthetic, shape, place) for place in small) if small else 0.0


def _distance(
    real: Codes, synthetic: Codes, shape: Sequence[int], place: Sequence[int]
) -> float:
    sizes = tuple(shape[a] for a in place)
    shares = []
    for side in (real, synthetic):
        cells = np.ravel_multi_index(tuple(side[a].astype(np.int64) for a in place), sizes)
        shares.append(np.bincount(cells, minlength=int(np.prod(sizes))) / max(len(cells), 1))
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def slopes(
    real: Codes, synthetic: Codes, shape: Sequence[int], pairs: Sequence[tuple[int, ...]]
) -> list[float]:
    """Slope through 0 of synthetic on real Pearson correlation of codes, and on Cramer's
    V.
    """
    if not pairs or not len(synthetic[0]):
        return [0.0, 0.0]
    sides = [
        [associations(side, shape, pair) for pair in pairs] for side in (real, synthetic)
    ]
    x, y = (np.array(side) for side in sides)
    x = np.where(np.abs(x) >= WEAK, x, 0.0)
    return [float((x[:, i] @ y[:, i]) / max(x[:, i] @ x[:, i], 1e-12)) for i in (0, 1)]


def associations(
    side: Codes, shape: Sequence[int], pair: tuple[int, ...]
) -> tuple[float, float]:
    """Pearson correlation of the codes of two columns, and Cramer's V without bias."""
    sizes = (shape[pair[0]], shape[pair[1]])
    cells = side[pair[0]].astype(np.int64) * sizes[1] + side[pair[1]]
    table = np.bincount(cells, minlength=sizes[0] * sizes[1]).reshape(sizes).astype(float)
    rows = table.sum()
    row_shares, column_shares = table.sum(axis=1) / rows, table.sum(axis=0) / rows
    x, y = (
        np.arange(sizes[0]) - row_shares @ np.arange(sizes[0]),
        np.arange(sizes[1]) - column_shares @ np.arange(sizes[1]),
    )
    spread = np.sqrt((row_shares @ x**2) * (column_shares @ y**2))
    pearson = float(x @ table @ y / rows / spread) if spread > 0 else 0.0
    expected = np.outer(row_shares, column_shares) * rows
    chi = (
        float(((table - expected) ** 2 / np.maximum(expected, 1e-300))[expected > 0].sum())
        / rows
    )
    r, k = int((row_shares > 0).sum()), int((column_shares > 0).sum())
    phi = max(0.0, chi - (r - 1) * (k - 1) / max(rows - 1, 1))
    r_, k_ = r - (r - 1) ** 2 / max(rows - 1, 1), k - (k - 1) ** 2 / max(rows - 1, 1)
    least = min(r_, k_) - 1
    return pearson, float(np.sqrt(min(1.0, phi / least))) if least > 0 else 0.0


def read(path: Path) -> list[tuple[Case, dict[str, Any]]]:
    """All releases in a file of results."""
    lines = path.read_text().splitlines() if path.is_file() else []
    lines = [json.loads(line) for line in lines]
    return [(Case(*[line[name] for name in Case._fields]), line) for line in lines]


def run(cases: Sequence[Case], path: Path, releases: int) -> None:
    """Release what the file of results lacks, one line each."""
    load = lru_cache(maxsize=1)(Table.load)
    done = Counter(case_done for case_done, _ in read(path))
    for case in cases:
        for _ in range(done[case], releases):
            if not load(case.table).has(case.method):
                break
            line = json.dumps(measure_release(case, load(case.table)))
            with path.open("a") as file:
                file.write(line + "\n")


def show(path: Path) -> None:
    """One line a case, and how auto stands to the best of the others."""
    cases: dict[Case, list[dict[str, Any]]] = {}
    for case, line in read(path):
        cases.setdefault(case, []).append(line)
    print(
        "table       eps  account   strategy            pairs  triples Pearson   V  CPU s   "
        "MB"
        "   n  peers"
    )
    for case in sorted(cases, key=_order):
        print(_line(case, cases[case]))
    errors = {case: [line["pairs"] for line in lines] for case, lines in cases.items()}
    for is_aside in (False, True):
        errors_of_part = {c: e for c, e in errors.items() if (c.table in ASIDE) is is_aside}
        _judge(errors_of_part, aside=is_aside)
        _judge_guesses(errors_of_part, aside=is_aside)


def _order(case: Case) -> tuple[Any, ...]:
    return (
        case.table in ASIDE,
        NAMES.index(case.table),
        float(case.epsilon),
        *case[3:],
        case[1],
    )


def _line(case: Case, lines: list[dict[str, Any]]) -> str:
    errors = {
        name: mean(line[name] for line in lines) for name in ("pairs", "triples", "seconds")
    }
    pearson, cramer = (mean(line["slopes"][i] for line in lines) for i in (0, 1))
    followed = "/".join(sorted({line["followed"] for line in lines} - {case.method}))
    peak = max(line["peak"] for line in lines)
    return (
        f"{case.table:11} {case.epsilon:4} {'delta' if case.delta else 'pure':5} "
        f"{case.neighbors[:3]} {case.method:18} {errors['pairs']:.4f} "
        f"{errors['triples']:.4f}  "
        f"{pearson:6.2f} {cramer:6.2f} {errors['seconds']:6.1f} {peak:5.0f} {len(lines):3} "
        f"{PEERS.get((case.table, case.epsilon), ''):22} {followed}"
    )


def _judge(errors: dict[Case, list[float]], *, aside: bool) -> None:
    """auto over the best of the simple strategies, by table, epsilon and accounting."""
    ratios, sure = {}, []
    for case, case_errors in errors.items():
        errors_of_simple = [
            errors[simple_case]
            for method in SIMPLE
            if (simple_case := case._replace(method=method)) in errors
        ]
        if case.method == "auto" and errors_of_simple:
            best = min(errors_of_simple, key=mean)
            ratios[case] = max(mean(case_errors), LEVEL) / max(mean(best), LEVEL)
            least = ratios[case] * (1 - 2 * math.hypot(_unsure(case_errors), _unsure(best)))
            sure += [case] * (least > 1.05)
    if not ratios:
        return
    ordered = sorted(ratios.values())
    high = ordered[min(len(ordered) - 1, int(np.ceil(0.95 * len(ordered))) - 1)]
    worst = sorted(ratios, key=lambda case: -ratios[case])[:5]
    print(
        f"{'kept aside: ' if aside else ''}auto over the best simple strategy in "
        f"{len(ratios)} cases: median {median(ordered):.2f}, 95 % below {high:.2f}; worst "
        f"{_listed(worst, ratios)}; above 1.05 by more than chance (two standard errors) "
        f"{len(sure)}: {_listed(sure, ratios)}"
    )


def _judge_guesses(errors: dict[Case, list[float]], *, aside: bool) -> None:
    """Releases around a guess over the better of the guess as it stands and a release
    without.
    """
    for kinds, title in ((GUESSES[:2], "good guesses"), (GUESSES[2:], "wrong guesses")):
        ratios = {}
        for case, case_errors in errors.items():
            kind = case.method.removeprefix(WITH)
            other_cases = [case._replace(method=STANDS + kind), case._replace(method="auto")]
            if kind in kinds and errors.keys() >= set(other_cases):
                name = (
                    f"{case.table} {case.epsilon} {'delta' if case.delta else 'pure'} {kind}"
                )
                ratios[name] = mean(case_errors) / min(
                    mean(errors[other_case]) for other_case in other_cases
                )
        guesses.print_ratios(f"{title}{', kept aside' * aside}", ratios)


def _listed(cases: Sequence[Case], ratios: dict[Case, float]) -> str:
    return ", ".join(
        f"{c.table} {c.epsilon} {'delta' if c.delta else 'pure'} {ratios[c]:.2f}"
        for c in cases
    )


def _unsure(errors: Sequence[float]) -> float:
    """The standard error of a mean, relative to it; of a single release 1."""
    if len(errors) < 2:
        return 1.0
    return stdev(errors) / math.sqrt(len(errors)) / max(mean(errors), LEVEL)


def main() -> None:
    parser = argparse.ArgumentParser(description="Utility of strategies, table by table.")
    parser.add_argument("--tables", default=",".join(NAMES))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--epsilons", default="0.1,1,10")
    parser.add_argument("--accounts", default="pure,delta")
    parser.add_argument("--neighbors", default="add-remove")
    parser.add_argument("--releases", type=int, default=5)
    parser.add_argument("--results", type=Path, default=Path("utility.jsonl"))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    needed = SHARED_TABLES.keys() | GUESSED.keys()
    there = [t for t in options.tables.split(",") if SHARED.exists() or t not in needed]
    deltas = [name == "delta" for name in options.accounts.split(",")]
    every = product(there, options.epsilons.split(","), deltas, options.methods.split(","))
    cases = [Case(t, m, e, d, options.neighbors) for t, e, d, m in every]
    if not options.show:
        run(cases, options.results, options.releases)
    show(options.results)


if __name__ == "__main__":
    main()
