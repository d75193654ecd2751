"""Error bars of models against the real error: how many pairs stay below their bar.

    PYTHONPATH=. python tests/bench/bench_bars.py [EPSILON ...]

It needs the tables in ``../shared/data``.
"""

import sys
from fractions import Fraction

import numpy as np

from synth.estimate import Choice, Method
from synth.privacy import Neighbors
from synth.private.counting.counts import CodedRows
from tests.bench.tables import TABLES, adult
from tests.comparison.errors import errors_of_order
from tests.models.doors import open_door, release_model
from tests.tables import SHARED

EPSILONS = ("1/10", "1", "10")
DELTAS = (Fraction(0), Fraction(1, 10**9))


def ratios(
    rows: CodedRows, choice: Choice, epsilon: Fraction
) -> list[tuple[float, float, bool]]:
    """Real error over expected error and over the bar's reach, and whether it was
    measured.
    """
    door = open_door(choice.guarantee(epsilon), Neighbors.REPLACE_ONE)
    modelled, codes, _ = release_model(choice, rows, door, wanted=None)
    real = errors_of_order(rows.domain, rows.codes, codes, 2).by_table
    pairs = [bar for bar in modelled.bars if len(bar.names) == 2]
    return [(real[b.names] / b.expected, real[b.names] / b.reach, b.measured) for b in pairs]


def main() -> None:
    """One line a case; then all together."""
    if not SHARED.is_dir():
        print("bench_bars: the shared tables are not here, so nothing was measured.")
        return
    everything = []
    print(f"{'table':8}{'epsilon':>8}{'delta':>8}{'pairs':>7}{'median':>8}{'covered':>9}")
    for name, rows in (("adult", adult()), ("ma", TABLES["ma2019"]())):
        for epsilon in sys.argv[1:] or EPSILONS:
            for delta in DELTAS:
                ratios_of_pairs = ratios(
                    rows, Choice(method=Method.ONE_SHOT, delta=delta), Fraction(epsilon)
                )
                everything += ratios_of_pairs
                if ratios_of_pairs:
                    print(
                        f"{name:8}{epsilon:>8}{float(delta):8.0e}{_line(ratios_of_pairs)}",
                        flush=True,
                    )
    for measured in (True, False):
        chosen = [ratio for ratio in everything if ratio[2] is measured]
        print(f"{'measured' if measured else 'not measured':24}{_line(chosen)}")


def _line(ratios_of_pairs: list[tuple[float, float, bool]]) -> str:
    median = np.median([ratio for ratio, _, _ in ratios_of_pairs])
    covered = np.mean([reach <= 1 for _, reach, _ in ratios_of_pairs])
    return f"{len(ratios_of_pairs):>7}{median:8.2f}{covered:9.0%}"


if __name__ == "__main__":
    main()
