"""The k-marginal judge of NIST's package sdnist on Massachusetts 2019, ten columns, epsilon 1.

It wants versions of its own of what we use, and so an environment of its own:

    python3.11 -m venv judge && judge/bin/pip install "sdnist==2.4"
    PYTHONPATH=. python tests/bench/judge.py make FOLDER [RELEASES]
    judge/bin/python tests/bench/judge.py score FOLDER

``make`` releases the table under add-remove by columns alone and by `auto`, without and with the
year before as its public guess, pure and with delta 1e-9, and writes codes of the declared cells.
``score`` gives them to the judge: 1000 (1 - mean total variation of pairs), over all pairs that
hold neither PUMA nor INDP.
"""

import sys
from itertools import product
from pathlib import Path

WAYS = ("independent", "auto", "guess")


def make(folder: Path, releases: int) -> None:
    """Release, and write codes."""
    from fractions import Fraction

    from synth.plan import Method, Plan
    from synth.privacy.guarantee import Neighbors
    from tests.bench.bench_utility import DELTA, made
    from tests.bench.tables import TABLES

    rows, before = TABLES["ma2019"](), TABLES["ma2018"]()
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "real.csv", rows.domain.names, rows.codes)
    _write(folder / "before.csv", rows.domain.names, before.codes)
    for delta, way, number in product((Fraction(0), DELTA), WAYS, range(releases)):
        method = Method.INDEPENDENT if way == "independent" else Method.AUTO
        plan = Plan(rows.domain, Fraction(1), Neighbors.ADD_REMOVE, method=method, delta=delta)
        codes = made(plan, rows, before.codes if way == "guess" else None)[0]
        name = f"{'delta' if delta else 'pure'}-{way}-{number}.csv"
        _write(folder / name, rows.domain.names, codes)


def _write(path, names, codes) -> None:  # type: ignore[no-untyped-def]
    import pyarrow as pa
    from pyarrow import csv

    csv.write_csv(pa.table(list(map(pa.array, codes)), names=list(names)), path)


def score(folder: Path) -> None:
    """Ask the judge."""
    import pandas as pd
    import sdnist.report  # noqa: F401 - first: the package imports itself in a circle
    from sdnist.metrics.kmarginal import KMarginal

    real = pd.read_csv(folder / "real.csv")

    def judged(path: Path) -> float:
        return float(KMarginal(real, pd.read_csv(path)).compute_score())

    print(f"k-marginal score of sdnist on {len(real):,} rows, {len(real.columns)} columns")
    for account, way in product(("pure", "delta"), WAYS):
        found = [judged(path) for path in sorted(folder.glob(f"{account}-{way}-*.csv"))]
        listed = ", ".join(f"{one:.1f}" for one in found)
        if found:
            print(f"  {account:5} {way:12} {sum(found) / len(found):6.1f}   of {listed}")
    half = real.sample(frac=0.5, random_state=0)
    print(f"  half the rows {KMarginal(real, half).compute_score():.1f}")
    print(f"  the year before, as it stands {judged(folder / 'before.csv'):.1f}")
    print("  published on national2019 (27,253 rows): AIM 976, MST 958")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 3)
    else:
        score(Path(sys.argv[2]))
