"""Utility of every strategy on two public tables, beside what peers reach.

Mean total variation over all pairs of columns, neighbours add-remove (``--neighbors`` for the
other relation), mean of the releases. Run as ``python tests/bench/utility.py [adult] [ma]``; it
needs the tables in ``../shared/data``.
"""

import argparse
import json
import resource
import time
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np

from synth.counting.counts import CodedRows, coded
from synth.domain.domain import Categorical, Domain
from synth.domain.table_schema import read_schema
from synth.door import Door
from synth.ledger.ledger import Ledger
from synth.models.choice import Choice
from synth.models.names import Strategy
from synth.models.run import release_model
from synth.privacy.guarantee import Neighbors, parse_epsilon
from synth.table.private_table import open_table

SHARED = Path(__file__).parents[2] / ".." / "shared" / "data"
DELTA = Fraction(1, 10**9)
PURE, LOOSE = "pure eps", "delta 1e-9"
STRATEGIES = ("independent", "tree", "one-shot", "adaptive", "auto")
PEERS = {
    ("adult", "0.1"): "MST .148 (138 CPU s, 2.7 GB)",
    ("adult", "1"): "MST .0527 (110 CPU s, 2.7 GB), AIM .0442 (970 CPU s, 4.2 GB)",
    ("adult", "10"): "MST .0409",
    ("ma", "0.1"): "MST .181, AIM .173",
    ("ma", "1"): "MST .0501, AIM .0427 (215 CPU s, 2.8 GB)",
    ("ma", "10"): "MST .0267, AIM .0155 (1,080 CPU s)",
}
SECONDS = {"tree": 3, "one-shot": 15, "adaptive": 60}
GOALS = {
    ("adult", "0.1"): (0.125, 0.110),
    ("adult", "1"): (0.045, 0.040),
    ("adult", "10"): (0.020, 0.020),
    ("ma", "0.1"): (0.160, 0.150),
    ("ma", "1"): (0.045, 0.038),
    ("ma", "10"): (0.013, 0.013),
}


def adult() -> CodedRows:
    sizes = json.loads((SHARED / "adult/adult_coded-domain.json").read_text())
    columns = [Categorical(name=n, categories=tuple(map(str, range(k)))) for n, k in sizes.items()]
    return coded(open_table(SHARED / "adult/adult_coded.csv"), Domain(tuple(columns)))


def ma() -> CodedRows:
    domain = read_schema(SHARED / "sdnist_ma/domain_10col.schema.json")
    return coded(open_table(SHARED / "sdnist_ma/ma2019.csv"), domain)


def distance(rows: CodedRows, codes: list[np.ndarray]) -> float:
    """Mean total variation over all pairs."""
    shape, found = rows.domain.shape, []
    for a, b in combinations(range(len(shape)), 2):
        p, q = (
            np.bincount(c[a].astype(np.int64) * shape[b] + c[b], minlength=shape[a] * shape[b])
            / max(len(c[a]), 1)
            for c in (rows.codes, codes)
        )
        found.append(np.abs(p - q).sum() / 2)
    return float(np.mean(found))


def release(
    rows: CodedRows, strategy: str, epsilon: str, delta: Fraction, neighbors: Neighbors
) -> tuple[float, float, int]:
    """Error, CPU seconds, things measured."""
    choice = Choice(Strategy(strategy), delta)
    door = Door(
        ledger=Ledger(),
        dataset="bench",
        neighbors=neighbors,
        guarantee=choice.guarantee(parse_epsilon(epsilon)),
        purpose="bench",
    )
    start = time.process_time()
    modelled, codes, _ = release_model(choice, rows, door, wanted=None)
    seconds = time.process_time() - start
    return distance(rows, codes), seconds, len(modelled.spends)


def judge(errors: dict[tuple[str, str, str], dict[str, float]]) -> None:
    """Say in one line how auto stands to the others, the worst row first."""
    ratios = {
        row: (found["auto"] / min(found.values()), found["auto"] / found["independent"])
        for row, found in errors.items()
        if {"auto", "independent"} <= found.keys()
    }
    if not ratios:
        return
    best, alone = (max(ratios, key=lambda row: ratios[row][i]) for i in (0, 1))
    print(
        f"auto over the best strategy: at most {ratios[best][0]:.2f} ({' '.join(best)}); over "
        f"independent: at most {ratios[alone][1]:.2f} ({' '.join(alone)}). Five releases differ "
        "by about a percent."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=["adult", "ma"])
    parser.add_argument("--releases", type=int, default=5)
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--epsilons", default="0.1,1,10")
    parser.add_argument("--neighbors", type=Neighbors, default=Neighbors.ADD_REMOVE)
    options = parser.parse_args()
    if not SHARED.exists():
        print("The tables are not there; nothing was measured.")
        return
    errors: dict[tuple[str, str, str], dict[str, float]] = {}
    times: dict[str, float] = {}
    print("table  eps  accounting  strategy     error   (goal)  CPU s  spends  peers")
    for name in options.tables:
        rows = {"adult": adult, "ma": ma}[name]()
        for epsilon in options.epsilons.split(","):
            for delta, goal in zip((Fraction(0), DELTA), GOALS[name, epsilon], strict=True):
                for strategy in options.strategies.split(","):
                    made = [
                        release(rows, strategy, epsilon, delta, options.neighbors)
                        for _ in range(options.releases)
                    ]
                    error, seconds, spends = np.mean(made, axis=0)
                    kind = LOOSE if delta else PURE
                    errors.setdefault((name, epsilon, kind), {})[strategy] = float(error)
                    times[strategy] = max(times.get(strategy, 0.0), float(seconds))
                    print(
                        f"{name:6} {epsilon:4} {kind:11} {strategy:11} {error:.4f}  ({goal:.3f})"
                        f" {seconds:6.2f} {spends:7.1f}  {PEERS[name, epsilon]}",
                        flush=True,
                    )
    judge(errors)
    if options.neighbors is Neighbors.ADD_REMOVE:
        missed = [
            " ".join(row)
            for row, found in errors.items()
            if found.get("auto", 0.0) > GOALS[row[:2]][row[2] != PURE]
        ]
        print(f"Goals missed by auto: {', '.join(missed) or 'none'}.")
    limits = ", ".join(f"{s} {times[s]:.1f} ({most})" for s, most in SECONDS.items() if s in times)
    print(f"Most CPU seconds of a release, reading and writing aside (goal): {limits}.")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"Peak memory {peak:,.0f} MB.")


if __name__ == "__main__":
    main()
