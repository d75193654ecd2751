"""How often conclusions hold the truth, how wide they are, and what rows alone would say.

    python -m tests.analysis.coverage survey adult5 --releases 200 --out coverage.jsonl
    python -m tests.analysis.coverage --read coverage.jsonl

Each release answers some random questions of every kind; one line of JSON a release and kind, so
that runs add up. Coverage is clustered by release: the test is of the mean of the releases' shares,
one-sided at 1e-6. Naive intervals are of the synthetic rows as if they were rows.
"""

import argparse
import json
import math
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from synth.analysis.conclusion import About
from synth.analysis.engine import conclusions
from synth.arrays import Floats
from synth.domain.bins import Binned
from synth.errors import SynthError
from synth.face.analysing import Analysis
from synth.face.frames import frame_of
from synth.noisy.record import Place, Record
from synth.privacy.guarantee import Neighbors
from tests.analysis.cases import Case, cases, conjunction, source

WRONG = 1e-6
EACH = 6
"""Questions of each kind to a release."""
NORMAL = 1.96
SHOWN = ("held", "naive", "error", "rows_error", "width")


def places(record: Record, rng: np.random.Generator) -> list[str]:
    """One to three columns that were measured together."""
    names = record.domain.names
    measured = [[names[i] for i in clique] for clique, _ in record.measured]
    cliques = measured or [list(names)]
    chosen = cliques[int(rng.integers(len(cliques)))]
    return list(rng.choice(chosen, min(len(chosen), int(rng.integers(1, 4))), replace=False))


def asked(record: Record, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """Questions with their truths and naive answers from rows, as functions of a frame."""
    domain = record.domain
    exact = [n for n in domain.names if _is_exact(domain[n])]
    for _ in range(EACH):
        names = places(record, rng)
        text, holds = conjunction(domain, names, rng)
        yield f"share where {text}", lambda f, holds=holds: _share(holds(f))
        if not record.measured or len(names) < 2:
            yield f"count where {text}", lambda f, holds=holds: _count(holds(f))
    for name in exact:
        others = [n for n in places(record, rng) if n != name][:1]
        if others and _are_together(record, (name, *others)):
            text, holds = conjunction(domain, others, rng)
            where, rows = f" where {text}", holds
        else:
            where, rows = "", lambda f: np.ones(len(f), bool)
        yield f'mean "{name}"{where}', lambda f, n=name, r=rows: _mean(_valued(f, n, domain)[r(f)])
        yield (
            f'median "{name}"{where}',
            lambda f, n=name, r=rows: _median(_valued(f, n, domain)[r(f)]),
        )
        yield (
            f'variance "{name}"{where}',
            lambda f, n=name, r=rows: _variance(_valued(f, n, domain)[r(f)]),
        )
    yield from _pairs(record, exact, domain)


def _pairs(record: Record, exact: list[str], domain: Any) -> Iterator[tuple[str, Any]]:
    for i, one in enumerate(exact):
        for other in exact[:i]:
            if _are_together(record, (one, other)):
                yield (
                    f'regression "{one}" on "{other}"',
                    lambda f, a=one, b=other: _slope(_valued(f, a, domain), _valued(f, b, domain)),
                )


def _are_together(record: Record, names: Sequence[str]) -> bool:
    numbers = {record.domain.names.index(name) for name in names}
    measured = record.measured
    return not measured or any(numbers <= set(clique) for clique, _ in measured)


def _is_exact(column: Any) -> bool:
    """Columns of numbers without a cell that holds none."""
    return isinstance(column, Binned) and column.adds_up and not column.missing


def _valued(frame: pd.DataFrame, name: str, domain: Any) -> pd.Series:
    low, high = map(float, domain[name].bounds)
    return frame[name].astype(float).clip(low, high)


def _share(held: Any) -> tuple[float, float]:
    p = float(np.mean(held))
    return p, math.sqrt(p * (1 - p) / len(held))


def _count(held: Any) -> tuple[float, float]:
    p, error = _share(held)
    return p * len(held), error * len(held)


def _mean(values: pd.Series) -> tuple[float, float]:
    return float(values.mean()), float(values.std() / math.sqrt(max(1, len(values))))


def _median(values: pd.Series) -> tuple[float, float]:
    ordered, n = np.sort(values.to_numpy()), len(values)
    if n < 8:
        return math.nan, math.nan
    reach = NORMAL * math.sqrt(n) / 2
    ends = [ordered[int(np.clip(n / 2 + s * reach, 0, n - 1))] for s in (-1, 1)]
    return float(ordered[math.ceil(n / 2) - 1]), float(ends[1] - ends[0]) / 2 / NORMAL


def _variance(values: pd.Series) -> tuple[float, float]:
    x = values.to_numpy() - values.mean()
    return float((x**2).mean()), float((x**2).std() / math.sqrt(max(1, len(x))))


def _slope(y: pd.Series, x: pd.Series) -> tuple[float, float]:
    a, b = x - x.mean(), y - y.mean()
    slope = float((a * b).sum() / (a**2).sum())
    return slope, math.sqrt(float(((b - slope * a) ** 2).mean() / (a**2).sum()))


def one_release(
    case: Case, rng: np.random.Generator, about: About, *, quick: bool
) -> list[dict[str, Any]]:
    """Lines of one release, one a kind; quick ones have noisy counts alone, and no rows."""
    frame, start, rows, mended = source(case.table).frame, time.perf_counter(), None, None
    record: Record
    if quick:
        record = case.quick()
        mended = partial(_nothing, record)
    else:
        result = case.release()
        record, mended = result.record, Analysis(result).mended
        rows = frame_of(result.synthetic)
        rows = rows.astype({n: object for n in rows if str(rows[n].dtype) == "category"})
    made = time.perf_counter() - start
    found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    refused: dict[str, int] = defaultdict(int)
    for text, measure in asked(record, rng):
        kind = text.split()[0]
        if about is About.PEOPLE and kind == "count":
            continue
        truth = measure(frame)[0]
        naive, error = (math.nan, math.nan) if rows is None else measure(rows)
        try:
            (one,) = conclusions([text], record, about=about, mended=mended)
        except SynthError:
            refused[kind] += 1
            continue
        at = 1 if kind == "regression" else 0
        ends = float(one.low[at]), float(one.high[at])
        if math.isnan(truth) or math.isnan(ends[0]):
            continue
        slack = 1e-9 * max(1, abs(truth))
        held = ends[0] - slack <= truth <= ends[1] + slack
        plain = abs(naive - truth) <= NORMAL * error
        found[kind].append(
            (held, plain, abs(one.estimate[at] - truth), abs(naive - truth), ends[1] - ends[0])
        )
    return [
        {
            "case": str(case), "about": about.value, "kind": kind,
            "strategy": record.strategy, "asked": len(lines), "refused": refused[kind],
            "seconds": round(made, 2),
            **{n: float(np.mean([line[i] for line in lines])) for i, n in enumerate(SHOWN)},
            "better": float(np.mean([line[2] <= line[3] + 1e-12 for line in lines])),
        }
        for kind, lines in found.items()
    ]  # fmt: skip


def _nothing(record: Record, place: Place) -> Floats:
    """No mended counts, so that estimates are sums."""
    return np.full([record.domain.shape[column] for column in place], np.nan)


def table_of(lines: list[dict[str, Any]]) -> list[str]:
    """A line a case and kind: coverage, whether it is too low, naive coverage, errors."""
    grouped: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        grouped[line["case"], line["about"], line["kind"]].append(line)
    out = [f"{'case':42} {'kind':11} {'n':>4} {'held':>6} {'naive':>6} {'error/rows':>10} better"]
    low = 0
    for (case, about, kind), each in sorted(grouped.items()):
        held = np.array([line["held"] for line in each])
        spread = max(held.std(ddof=1) / math.sqrt(len(held)) if len(held) > 1 else 1.0, 1e-9)
        reach = -NormalDist().inv_cdf(WRONG) * spread
        is_low = held.mean() + reach < 0.95
        low += is_low
        rows_error = sum(line["rows_error"] for line in each)
        ratio = sum(line["error"] for line in each) / rows_error if rows_error else math.nan
        naive, better = (np.mean([line[n] for line in each]) for n in ("naive", "better"))
        note = " TOO LOW" if is_low else " wide" if held.mean() - reach > 0.975 else ""
        out.append(
            f"{case + (', people' if about == 'people' else ''):42} {kind:11} {len(each):4} "
            f"{held.mean():6.3f} {naive:6.3f} {ratio:10.2f} {better:6.2f}{note}"
        )
    out.append(f"{len(grouped)} cases and kinds; below 95 %: {low}")
    return out


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", default=[])
    parser.add_argument("--releases", type=int, default=20)
    parser.add_argument("--epsilon", default=None)
    parser.add_argument("--neighbors", choices=[one.value for one in Neighbors], default=None)
    parser.add_argument("--about", choices=[one.value for one in About], default="rows")
    parser.add_argument("--out", type=Path, default=Path("coverage.jsonl"))
    parser.add_argument("--quick", action="store_true", help="noisy counts alone, no rows")
    parser.add_argument("--read", type=Path)
    options = parser.parse_args()
    if options.read:
        lines = [json.loads(line) for line in options.read.read_text().splitlines()]
        print("\n".join(table_of(lines)))
        return
    rng = np.random.default_rng()
    for number in range(options.releases):
        for case in cases(options.tables):
            if options.epsilon not in (None, case.epsilon):
                continue
            if options.neighbors not in (None, case.neighbors.value):
                continue
            lines = one_release(case, rng, About(options.about), quick=options.quick)
            with options.out.open("a") as file:
                file.writelines(json.dumps(line) + "\n" for line in lines)
            print(number, case, flush=True)


if __name__ == "__main__":
    main()
