"""Fitted deviations of releases from forecasts, by `tests/bench/fit_interval.py --write`. PUBLIC.

Level and slope (by the mean log of columns' cells) of the log of measured over forecast error, at
the 10 %, 50 % and 90 % quantiles of releases.
"""

SPREADS: dict[str, dict[str, tuple[tuple[float, float], ...]]] = {
    "columns": {
        "dense": ((-0.601, 0.067), (-0.49, 0.238), (0.031, 0.16)),
        "independent": ((-0.691, 0.186), (-0.418, 0.242), (-0.209, 0.269)),
        "one-shot": ((-0.805, 0.231), (-0.409, 0.185), (0.145, 0.034)),
        "tree": ((-0.591, 0.153), (-0.357, 0.19), (0.051, 0.13)),
    },
    "pairs": {
        "dense": ((-0.637, 0.185), (-0.356, 0.196), (0.453, 0.027)),
        "independent": ((-1.14, 0.352), (-0.786, 0.348), (-0.58, 0.473)),
        "one-shot": ((-0.601, 0.124), (-0.249, 0.073), (-0.477, 0.426)),
        "tree": ((-1.33, 0.475), (-0.563, 0.23), (0.24, 0.038)),
    },
}
