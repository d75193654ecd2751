"""How often intervals about numbers in coarse bins hold the truth, and how wide they are.

    PYTHONPATH=. python tests/bench/bench_conclusions.py --releases 200 --epsilon 0.3,1,5

Whole releases with sums of numbers, of tables that are made up here: two numbers of a correlation
in 3 to 8 bins each, and a list that hangs together with both. By kind of question: the share of
intervals that hold the figure of the rows, refusals, and the median width over that of a 95 %
sampling interval.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd

import synth
from synth.analysis import conclusions, contrast_groups
from synth.errors import SynthError

MOMENTS = ("means", "x*y", "x*z", "y*z")
TWICE = 2 * 1.96
BINS = ((3, 8), (5, 5), (8, 4))


def made_up(correlation: float, skewed: bool, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Rows of x, y from 0 to 100, and z: whether a third number is positive."""
    mixed = [[1, correlation, 0.3], [correlation, 1, 0.3], [0.3, 0.3, 1]]
    x, y, z = rng.multivariate_normal(np.zeros(3), mixed, rows, check_valid="ignore").T
    if skewed:
        x, y = (20 * np.exp(one / 2) for one in (x, y))
    else:
        x, y = (50 + 18 * one for one in (x, y))
    return pd.DataFrame({
        "x": np.round(np.clip(x, 0, 100), 1), "y": np.round(np.clip(y, 0, 100), 1),
        "z": np.where(z > 0, "a", "b"),
    })  # fmt: skip


Figure = Callable[[pd.DataFrame], tuple[float, float]]
"""A figure of rows, and the width of its sampling interval."""


def _mean(values: pd.Series) -> tuple[float, float]:
    return float(values.mean()), TWICE * float(values.std()) / len(values) ** 0.5


def _difference(frame: pd.DataFrame) -> tuple[float, float]:
    one, other = (_mean(frame.x[frame.z == level]) for level in "ab")
    return one[0] - other[0], float(np.hypot(one[1], other[1]))


def _variance(frame: pd.DataFrame) -> tuple[float, float]:
    squares = (frame.x - frame.x.mean()) ** 2
    return _mean(squares)


def _correlation(frame: pd.DataFrame) -> tuple[float, float]:
    found = float(np.corrcoef(frame.x, frame.y)[0, 1])
    return found, TWICE * (1 - found**2) / len(frame) ** 0.5


def _slope(frame: pd.DataFrame) -> tuple[float, float]:
    found = float(np.cov(frame.x, frame.y)[0, 1] / frame.x.var())
    rest = frame.y - found * frame.x
    return found, TWICE * float(rest.std()) / float(frame.x.std()) / len(frame) ** 0.5


FIGURES: dict[str, Figure] = {
    "mean x": lambda frame: _mean(frame.x),
    "total y": lambda frame: tuple(len(frame) * one for one in _mean(frame.y)),  # type: ignore[return-value]
    "mean x where z = a": lambda frame: _mean(frame.x[frame.z == "a"]),
    "mean x where z = a less mean x where z = b": _difference,
    "variance x": _variance,
    "correlation x, y": _correlation,
    "regression y on x": _slope,
}


def asked(text: str, record: object) -> tuple[float, float]:
    """The ends of the interval of the last number."""
    if " less " in text:
        found = contrast_groups(*text.split(" less "), record)  # type: ignore[arg-type]
    else:
        (found,) = conclusions([text], record)  # type: ignore[arg-type]
    return float(found.low[-1]), float(found.high[-1])


def main() -> None:
    """Release, ask, and print a line a case and kind, and one a kind in the end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=200, help="of each case")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--epsilon", default="0.3,1,5")
    parser.add_argument("--correlations", default="0,0.5,0.95")
    parser.add_argument("--method", default="dense")
    options = parser.parse_args()
    rng, whole = np.random.default_rng(33), defaultdict(list)
    correlations = map(float, options.correlations.split(","))
    cases = product(options.epsilon.split(","), ("replace-one", "add-remove"), correlations)
    for number, (epsilon, neighbors, correlation) in enumerate(cases):
        frame = made_up(correlation, bool(number % 2), options.rows, rng)
        bins = BINS[number % len(BINS)]
        domain = synth.Domain(
            x=synth.Number(0, 100, bins=bins[0], decimals=1),
            y=synth.Number(0, 100, bins=bins[1], decimals=1),
            z=["a", "b"],
        )
        held, ratios = defaultdict(list), defaultdict(list)
        rows = defaultdict(list)
        for _ in range(options.releases):
            made = synth.release(
                frame, domain, epsilon=epsilon, neighbors=neighbors, method=options.method,
                moments=MOMENTS,
            )  # fmt: skip
            for name, figure in FIGURES.items():
                truth, width = figure(frame)
                try:
                    low, high = asked(name, made.result.record)
                except SynthError:
                    held[name].append(np.nan)
                    continue
                held[name].append(float(low <= truth <= high))
                ratios[name].append((high - low) / width)
            rows["correlation"].append(float(made.table[["x", "y"]].corr().iloc[0, 1]))
            rows["mean"].append(float(made.table.x.mean()))
        for name, each in held.items():
            whole[name] += each
            refused = float(np.isnan(each).mean())
            print(
                f"{epsilon:4} {neighbors:11} r {correlation:4} bins {bins} {name:43} held "
                f"{np.nanmean(each):.3f} refused {refused:.3f} width "
                f"{np.median(ratios[name] or [np.nan]):.2f}",
                flush=True,
            )
        print(
            f"{epsilon:4} {neighbors:11} r {correlation:4} rows: correlation off by "
            f"{np.mean(rows['correlation']) - _correlation(frame)[0]:+.3f}, mean x by "
            f"{np.mean(rows['mean']) - frame.x.mean():+.3f}",
            flush=True,
        )
    for name, each in whole.items():
        print(f"all {name:43} held {np.nanmean(each):.3f} of {len(each)}")


if __name__ == "__main__":
    main()
