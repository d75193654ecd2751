"""Train on synthetic rows, test on real ones: Adult's income, epsilon 1, add-remove.

The models are scikit-learn's, which the project does without, so that they take an environment of
their own:

    python3 -m venv learn && learn/bin/pip install "scikit-learn>=1.5" pandas
    OMP_NUM_THREADS=1 PYTHONPATH=. python tests/bench/bench_train.py make FOLDER [--releases N]
    learn/bin/python tests/bench/bench_train.py score FOLDER

``make`` splits the table, two thirds to train on and one third to test on, releases the first by
`auto`, pure and with delta 1e-9, favouring counts and favouring associations, and writes cells'
codes. ``score`` trains a logistic regression and gradient boosting on each. Numbers are the places
of cells, standardized by the real training rows; texts are indicators. *Lost* is the AUC of as many
real rows less that of synthetic ones; coefficients are compared where at least `COMMON` of the real
rows have the cell (the others are what the penalty makes of few rows), by their mean distance.
"""

import argparse
import csv
import json
from pathlib import Path

ORDERED = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
COMMON = 0.01
EPSILON = "1"


def make(folder: Path, releases: int) -> None:
    """Split, release, and write codes."""
    from fractions import Fraction

    import numpy as np

    from synth.counting.counts import CodedRows
    from synth.models.names import Favour
    from synth.plan import Plan
    from synth.privacy.guarantee import Neighbors, parse_epsilon
    from tests.bench.bench_utility import DELTA, made
    from tests.bench.tables import adult

    rows = adult()
    order = np.random.default_rng(15).permutation(rows.rows)
    parts = np.split(order, [2 * rows.rows // 3])
    train, test = ([column[part] for column in rows.codes] for part in parts)
    known = CodedRows(rows.domain, train, len(train[0]))
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "real.csv", rows.domain.names, train)
    _write(folder / "test.csv", rows.domain.names, test)
    (folder / "sizes.json").write_text(
        json.dumps(dict(zip(rows.domain.names, rows.domain.shape, strict=True)))
    )
    for delta in (Fraction(0), DELTA):
        for favour in Favour:
            plan = Plan(
                rows.domain,
                parse_epsilon(EPSILON),
                Neighbors.ADD_REMOVE,
                delta=delta,
                favour=favour,
            )
            for number in range(releases):
                name = f"{'delta' if delta else 'pure'}-{favour.value}-{number}.csv"
                _write(folder / name, rows.domain.names, made(plan, known)[0])
                print(name, flush=True)


def _write(path, names, codes) -> None:  # type: ignore[no-untyped-def]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(zip(*(column.tolist() for column in codes), strict=True))


def score(folder: Path) -> None:
    """Train, test, and print one table."""
    import numpy as np
    import pandas as pd
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    sizes = json.loads((folder / "sizes.json").read_text())
    real, test = (pd.read_csv(folder / f"{name}.csv") for name in ("real", "test"))
    target = next(name for name in sizes if name.startswith("income"))
    ordered = [name for name in ORDERED if name in sizes]
    texts = [name for name in sizes if name not in (*ordered, target)]
    kept = {name: real[name].value_counts(normalize=True) for name in texts}
    cells = {n: [c for c in sorted(s.index) if c != s.idxmax()] for n, s in kept.items()}
    common = np.array(
        [True] * len(ordered) + [bool(kept[n][c] >= COMMON) for n in texts for c in cells[n]]
    )

    def features(frame: pd.DataFrame) -> np.ndarray:
        middle, spread = real[ordered].mean(), real[ordered].std()
        numbers = ((frame[ordered] - middle) / spread).to_numpy()
        flags = [(frame[n] == c).to_numpy() for n in texts for c in cells[n]]
        return np.column_stack([numbers, *flags]).astype(float)

    def trained(frame: pd.DataFrame) -> tuple[float, float, np.ndarray]:
        linear = LogisticRegression(max_iter=2000).fit(features(frame), frame[target])
        boosted = HistGradientBoostingClassifier(random_state=0)
        boosted.fit(frame[[*ordered, *texts]], frame[target])
        guesses = (
            linear.predict_proba(features(test))[:, 1],
            boosted.predict_proba(test[[*ordered, *texts]])[:, 1],
        )
        first, second = (roc_auc_score(test[target], guess) for guess in guesses)
        return first, second, linear.coef_[0][common]

    best = trained(real)
    print(f"Adult, {len(real):,} rows to train on, {len(test):,} to test on, epsilon {EPSILON}.")
    print(f"Real rows: AUC {best[0]:.4f} logistic, {best[1]:.4f} boosting.")
    print("account favour        logistic  lost    boosting  lost    coefficients off    n")
    for account in ("pure", "delta"):
        for favour in ("errors", "associations"):
            found = [
                trained(pd.read_csv(path))
                for path in sorted(folder.glob(f"{account}-{favour}-*.csv"))
            ]
            linear, boosted = (np.mean([one[i] for one in found]) for i in (0, 1))
            off = np.mean([np.abs(one[2] - best[2]).mean() for one in found])
            print(
                f"{account:7} {favour:12}  {linear:.4f}    {best[0] - linear:.4f}  "
                f"{boosted:.4f}    {best[1] - boosted:.4f}  {off:.3f}   {len(found):13}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on synthetic, test on real.")
    parser.add_argument("what", choices=("make", "score"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--releases", type=int, default=2)
    options = parser.parse_args()
    if options.what == "make":
        make(options.folder, options.releases)
    else:
        score(options.folder)


if __name__ == "__main__":
    main()
