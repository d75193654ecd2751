"""Regressions on Adult: how often intervals hold the slopes of the table, and signs are right.

    PYTHONPATH=. python tests/bench/bench_regressions.py --releases 200

Beside each: the fit to synthetic rows as if they were rows (as synthpop's naive fits). Coverage is
clustered by release, and the test one-sided at 1e-6. Slopes alone, without intercepts.
"""

import argparse
import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist

import numpy as np
import pandas as pd

from synth.analysis.conclusion import About
from synth.analysis.engine import conclusions
from synth.counting.counts import count
from synth.domain.table_schema import read_schema
from synth.errors import SynthError
from synth.face.frames import frame_of
from synth.noise.laplace import DiscreteLaplace
from synth.noisy.counts import NoisyCounts
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.repair.histogram import Repair, repair
from synth.repair.record import HistogramRecord
from synth.rows.draw import draw
from synth.table.private_table import open_table
from tests.analysis.cases import SHARED

WRONG, NORMAL = 1e-6, 1.96
PATH = SHARED / "adult/adult_train.csv"


@dataclass(frozen=True)
class Regression:
    """A question, and how a frame is read for it."""

    text: str
    columns: tuple[str, ...]
    outcome: str
    numbers: tuple[str, ...]
    lists: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def is_logistic(self) -> bool:
        return self.text.startswith("logistic")

    def fit(self, frame: pd.DataFrame, domain: object) -> tuple[np.ndarray, np.ndarray]:
        """Slopes and their usual standard errors."""
        for name in self.lists:
            frame = frame[~frame[name].astype(str).isin(self.left_out)]
        columns = [np.ones(len(frame)), *(frame[n].to_numpy(float) for n in self.numbers)]
        for name in self.lists:
            levels = [v for v in domain[name].labels if v not in self.left_out]  # type: ignore[index]
            columns += [(frame[name].astype(str) == v).to_numpy(float) for v in levels[1:]]
        x = np.stack(columns, axis=1)
        if self.is_logistic:
            return _logistic(x, (frame[self.outcome].astype(str) == ">50K").to_numpy(float))
        return _linear(x, frame[self.outcome].to_numpy(float))


RARE = ("Prof-school", "9th", "7th-8th", "12th", "1st-4th", "10th", "Doctorate", "5th-6th",
        "Preschool", "11th")  # fmt: skip
REGRESSIONS = [
    Regression(
        'regression "hours-per-week" on age, "education-num", sex',
        ("age", "education-num", "sex", "hours-per-week"),
        "hours-per-week", ("age", "education-num"), ("sex",),
    ),
    Regression(
        'logistic income on age, "education-num", sex',
        ("age", "education-num", "sex", "income"),
        "income", ("age", "education-num"), ("sex",),
    ),
    Regression(
        "logistic income on age, sex, education where education not in "
        f"({', '.join(map(repr, RARE))})",
        ("age", "education", "sex", "income"),
        "income", ("age",), ("sex", "education"), RARE,
    ),
]  # fmt: skip


def _linear(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    slopes, *_ = np.linalg.lstsq(x, y, rcond=None)
    left = ((y - x @ slopes) ** 2).sum() / max(1, len(y) - x.shape[1])
    return slopes, np.sqrt(np.maximum(0, left * np.diag(np.linalg.pinv(x.T @ x))))


def _logistic(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    slopes = np.zeros(x.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(x @ slopes, -30, 30)))
        slope = x.T @ (x * (chance * (1 - chance))[:, None])
        step = np.linalg.pinv(slope) @ (x.T @ (y - chance))
        slopes = slopes + step
        if np.abs(step).max() < 1e-8:
            break
    return slopes, np.sqrt(np.maximum(0, np.diag(np.linalg.pinv(slope))))


class Source:
    """Adult's columns of one regression."""

    def __init__(self, regression: Regression) -> None:
        schema = read_schema((SHARED / "adult/domain.schema.json").read_bytes())
        names = tuple(n for n in schema.names if n in regression.columns)
        self.regression, self.domain = regression, schema.project(names)
        self.frame = pd.read_csv(PATH, skipinitialspace=True)[list(names)]

    @cached_property
    def counts(self) -> np.ndarray:
        return count(open_table(PATH), self.domain).dense()

    @cached_property
    def truth(self) -> np.ndarray:
        return self.regression.fit(self.frame, self.domain)[0][1:]

    def release(self, epsilon: Fraction, neighbors: Neighbors) -> HistogramRecord:
        """Noisy counts with the law that a release would have."""
        scale = neighbors.sensitivity / epsilon
        noisy = self.counts + np.asarray(DiscreteLaplace(scale).draw(self.domain.size))
        rows = int(self.counts.sum()) if neighbors is Neighbors.REPLACE_ONE else None
        paid = Guarantee.pure(epsilon)
        made = NoisyCounts(self.domain, noisy, scale, neighbors, paid, rows)
        return HistogramRecord(made, repair(made, Repair.AUTO))


def one(source: Source, epsilon: Fraction, neighbors: Neighbors) -> dict[str, float]:
    """One release: shares of slopes held, of signs right, by the kit and by rows."""
    record, asked = source.release(epsilon, neighbors), source.regression
    rows = frame_of(draw(repair(record.histogram, Repair.AUTO)))
    slopes, errors = asked.fit(rows, source.domain)
    truth, slopes, errors = source.truth, slopes[1:], errors[1:]
    naive = np.abs(slopes - truth) <= NORMAL * errors
    told = {"naive": float(naive.mean()), "rows_sign": float((slopes * truth > 0).mean())}
    try:
        (found,) = conclusions([asked.text], record, about=About.ROWS)
    except SynthError:
        return told
    held = (found.low[1:] <= truth) & (truth <= found.high[1:])
    signs = found.estimate[1:] * truth > 0
    sure = (found.low[1:] > 0) | (found.high[1:] < 0)
    wrong = sure & ~signs
    return told | {
        "held": float(held.mean()), "sign": float(signs.mean()), "sure": float(sure.mean()),
        "wrong": float(wrong.mean()), "both_rows_sign": told["rows_sign"],
        "width": float(np.median(found.high[1:] - found.low[1:])),
        "naive_width": float(np.median(2 * NORMAL * errors)),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=200)
    parser.add_argument("--epsilon", default="0.3,1,5")
    parser.add_argument("--neighbors", choices=[one.value for one in Neighbors], nargs="*")
    options = parser.parse_args()
    low = cases = 0
    for regression in REGRESSIONS:
        source = Source(regression)
        for epsilon in options.epsilon.split(","):
            for neighbors in map(Neighbors, options.neighbors or Neighbors):
                found = defaultdict(list)
                for _ in range(options.releases):
                    for name, value in one(source, Fraction(epsilon), neighbors).items():
                        found[name].append(value)
                held = np.array(found["held"])
                spread = held.std(ddof=1) / math.sqrt(len(held)) if len(held) > 1 else 1.0
                is_low = len(held) and held.mean() - NormalDist().inv_cdf(WRONG) * spread < 0.95
                low, cases = low + bool(is_low), cases + 1
                means = {name: round(float(np.mean(v)), 3) for name, v in found.items()}
                print(regression.text[:52], epsilon, neighbors.value, len(held), means, flush=True)
    print(f"{cases} cases; slopes held in less than 95 %: {low}")


if __name__ == "__main__":
    main()
