"""Train on synthetic rows, test on real ones: Adult's income or another table's, epsilon 1.

The models are scikit-learn's, which the project does without, so that they take an
environment of their own:

    python3 -m venv learn && learn/bin/pip install "scikit-learn>=1.5" pandas
    OMP_NUM_THREADS=1 PYTHONPATH=. python tests/bench/train.py make FOLDER [--releases N]
    learn/bin/python tests/bench/train.py score FOLDER

``make`` splits the table, two thirds to train on and one third to test on, releases the first
by `auto`, add-remove, pure and with delta 1e-9, in each of the ways `WAYS`, and writes cells'
codes and how far pairs are off. ``score`` trains a logistic regression and gradient boosting
on each. Numbers are the places of cells, standardized by the real training rows; texts are
indicators. *Lost* is the AUC of as many real rows less that of synthetic ones; coefficients
are compared where at least `COMMON` of the real rows have the cell (the others are what the
penalty makes of few rows), by their mean distance. ``--table`` is one of `TARGETS`."""

import argparse
import csv
import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from synth.util import Ints

ORDERED = {
    "adult": (
        "age",
        "fnlwgt",
        "education-num",
        "capital-gain",
        "capital-loss",
        "hours-per-week",
    ),
    "bank": ("c0", "c5", "c9", "c11", "c12", "c13", "c14"),
    "nafld": ("c0", "c2", "c3", "c4", "c5"),
}
"""The numbers among the columns: the bank's are age, balance, day, duration, campaign, days
since the last contact, and contacts before; the patients' age, weight, height, BMI and
follow-up."""
TARGETS = {"adult": "income>50K", "bank": "c16", "nafld": "c6"}
"""What is predicted, yes or no: of the bank whether a deposit was subscribed, of patients
whether they died. Bank and patients are kept aside: nothing was chosen by them."""
WAYS = ("errors", "associations", "predict")
"""The default, `--favour associations`, and `--predict` of what is predicted."""
COMMON = 0.01
EPSILON = "1"


def make(folder: Path, table: str, releases: int, ways: Sequence[str]) -> None:
    """Split, release, and write codes."""
    from fractions import Fraction
    from itertools import combinations

    import numpy as np

    from synth.estimate import Favour
    from synth.plans import Plan
    from synth.privacy import Neighbors, parse_epsilon
    from synth.private.counting.counts import CodedRows
    from tests.bench.tables import TABLES
    from tests.bench.utility import DELTA, release_codes, table_error

    rows = TABLES[table]()
    names, shape = rows.domain.names, rows.domain.shape
    order = np.random.default_rng(15).permutation(rows.rows)
    parts = np.split(order, [2 * rows.rows // 3])
    train, test = ([column[part] for column in rows.codes] for part in parts)
    training_rows = CodedRows(domain=rows.domain, codes=train, rows=len(train[0]))
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "real.csv", names, train)
    _write(folder / "test.csv", names, test)
    sizes = dict(zip(names, shape, strict=True))
    (folder / "sizes.json").write_text(json.dumps({"table": table, "sizes": sizes}))
    for delta, way in product((Fraction(0), DELTA), ways):
        plan = Plan(
            domain=rows.domain,
            epsilon=parse_epsilon(EPSILON),
            neighbors=Neighbors.ADD_REMOVE,
            delta=delta,
            favour=Favour.ERRORS if way == "predict" else Favour(way),
            predict=TARGETS[table] if way == "predict" else "",
        )
        for number in range(releases):
            name = f"{'delta' if delta else 'pure'}-{way}-{number}"
            codes = release_codes(plan, training_rows)[0]
            _write(folder / f"{name}.csv", names, codes)
            target = names.index(TARGETS[table])
            pairs = [pair for pair in combinations(range(len(shape)), 2) if target in pair]
            errors = [
                table_error(train, codes, shape, 2),
                float(np.mean([_off(train, codes, shape, pair) for pair in pairs])),
            ]
            (folder / f"{name}.json").write_text(json.dumps(errors))
            print(name, flush=True)


def _off(
    real: "Sequence[Ints]",
    synthetic: "Sequence[Ints]",
    shape: Sequence[int],
    pair: tuple[int, int],
) -> float:
    """Total variation of one pair."""
    from tests.bench.utility import table_error

    a, b = pair
    return table_error(
        [real[a], real[b]], [synthetic[a], synthetic[b]], [shape[a], shape[b]], 2
    )


def _write(path: Path, names: Sequence[str], codes: "Sequence[Ints]") -> None:
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

    document = json.loads((folder / "sizes.json").read_text())
    table, sizes = document["table"], document["sizes"]
    real, test = (pd.read_csv(folder / f"{name}.csv") for name in ("real", "test"))
    target, ordered = TARGETS[table], [*ORDERED[table]]
    texts = [name for name in sizes if name not in (*ordered, target)]
    shares_by_text = {name: real[name].value_counts(normalize=True) for name in texts}
    cells = {
        name: [cell for cell in sorted(shares.index) if cell != shares.idxmax()]
        for name, shares in shares_by_text.items()
    }
    common = np.array(
        [True] * len(ordered)
        + [
            bool(shares_by_text[name][cell] >= COMMON)
            for name in texts
            for cell in cells[name]
        ]
    )

    def features(frame: pd.DataFrame) -> np.ndarray:
        middle, spread = real[ordered].mean(), real[ordered].std()
        numbers = ((frame[ordered] - middle) / spread).to_numpy()
        flags = [(frame[name] == cell).to_numpy() for name in texts for cell in cells[name]]
        return np.column_stack([numbers, *flags]).astype(float)

    def train_and_test(frame: pd.DataFrame) -> tuple[float, float, np.ndarray]:
        linear = LogisticRegression(max_iter=2000).fit(features(frame), frame[target])
        boosted = HistGradientBoostingClassifier(random_state=0)
        boosted.fit(frame[[*ordered, *texts]], frame[target])
        guesses = (
            linear.predict_proba(features(test))[:, 1],
            boosted.predict_proba(test[[*ordered, *texts]])[:, 1],
        )
        first, second = (roc_auc_score(test[target], guess) for guess in guesses)
        return first, second, linear.coef_[0][common]

    best = train_and_test(real)
    print(
        f"{table}, {len(real):,} rows to train on, {len(test):,} to test on, epsilon "
        f"{EPSILON}."
    )
    print(f"Real rows: AUC {best[0]:.4f} logistic, {best[1]:.4f} boosting.")
    print(
        "account way           logistic  lost    boosting  lost    coefficients off  pairs "
        "off  with the target   n"
    )
    for account, way in product(("pure", "delta"), WAYS):
        paths = sorted(folder.glob(f"{account}-{way}-*.csv"))
        if not paths:
            continue
        scores = [train_and_test(pd.read_csv(path)) for path in paths]
        linear, boosted = (
            np.mean([score_of_release[i] for score_of_release in scores]) for i in (0, 1)
        )
        coefficients_off = np.mean(
            [np.abs(score_of_release[2] - best[2]).mean() for score_of_release in scores]
        )
        pairs = np.mean(
            [json.loads(p.with_suffix(".json").read_text()) for p in paths], axis=0
        )
        print(
            f"{account:7} {way:12}  {linear:.4f}    {best[0] - linear:.4f}  "
            f"{boosted:.4f}    {best[1] - boosted:.4f}  {coefficients_off:16.3f}  "
            f"{pairs[0]:9.4f}  "
            f"{pairs[1]:15.4f}  {len(scores):2}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on synthetic, test on real.")
    parser.add_argument("what", choices=("make", "score"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--releases", type=int, default=2)
    parser.add_argument("--table", choices=[*TARGETS], default="adult")
    parser.add_argument("--ways", default=",".join(WAYS))
    options = parser.parse_args()
    if options.what == "make":
        make(options.folder, options.table, options.releases, options.ways.split(","))
    else:
        score(options.folder)


if __name__ == "__main__":
    main()
