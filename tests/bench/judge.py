"""The k-marginal judge of NIST's package sdnist on Massachusetts 2019, ten columns, epsilon 1.

It wants versions of its own of what we use, and so an environment of its own:

    python3.11 -m venv judge && judge/bin/pip install "sdnist==2.4"
    PYTHONPATH=. python tests/bench/judge.py make FOLDER
    judge/bin/python tests/bench/judge.py score FOLDER

``make`` releases the table by `auto` and by columns alone, both with delta 1e-9 and add-remove,
and writes them and the table as codes of the declared cells. ``score`` gives them to the judge:
1000 (1 - mean total variation of pairs), over all pairs that hold neither PUMA nor INDP.
"""

import sys
from pathlib import Path


def make(folder: Path) -> None:
    """Release, and write codes."""
    from fractions import Fraction

    import pyarrow as pa
    from pyarrow import csv

    from synth.door import Door
    from synth.ledger.ledger import Ledger
    from synth.models.choice import Choice
    from synth.models.names import Strategy
    from synth.models.run import release_model
    from synth.privacy.guarantee import Neighbors
    from tests.bench.bench_utility import DELTA
    from tests.bench.tables import TABLES

    rows = TABLES["ma2019"]()
    made = {"real": rows.codes}
    for strategy in (Strategy.AUTO, Strategy.INDEPENDENT):
        choice = Choice(strategy, DELTA)
        door = Door(
            ledger=Ledger(),
            dataset="judge",
            neighbors=Neighbors.ADD_REMOVE,
            guarantee=choice.guarantee(Fraction(1)),
            purpose="judge",
        )
        made[strategy.value] = release_model(choice, rows, door, wanted=None)[1]
    folder.mkdir(parents=True, exist_ok=True)
    for name, codes in made.items():
        table = pa.table(list(map(pa.array, codes)), names=list(rows.domain.names))
        csv.write_csv(table, folder / f"{name}.csv")


def score(folder: Path) -> None:
    """Ask the judge."""
    import pandas as pd
    import sdnist.report  # noqa: F401 - first: the package imports itself in a circle
    from sdnist.metrics.kmarginal import KMarginal

    real = pd.read_csv(folder / "real.csv")
    print(f"k-marginal score of sdnist on {len(real):,} rows, {len(real.columns)} columns")
    for name in ("auto", "independent"):
        judged = KMarginal(real, pd.read_csv(folder / f"{name}.csv")).compute_score()
        print(f"  {name:12} {judged:6.1f}")
    half = real.sample(frac=0.5, random_state=0)
    print(f"  half the rows {KMarginal(real, half).compute_score():5.1f}")
    print("  published on national2019 (27,253 rows): AIM 976, MST 958")


if __name__ == "__main__":
    {"make": make, "score": score}[sys.argv[1]](Path(sys.argv[2]))
