"""Fitted deviations of releases from forecasts, by `tests/bench/fit_interval.py --write`. PUBLIC.

Level and slope (by the mean log of columns' cells) of the log of measured over forecast error, at
the 10 %, 50 % and 90 % quantiles of releases.
"""

SPREADS: dict[str, dict[str, tuple[tuple[float, float], ...]]] = {
    "columns": {
        "dense": ((-0.881, 0.273), (-0.659, 0.346), (0.031, 0.16)),
        "independent": ((-0.691, 0.186), (-0.418, 0.242), (-0.209, 0.269)),
        "one-shot": ((-0.76, 0.192), (-0.399, 0.178), (0.147, 0.032)),
        "tree": ((-0.614, 0.159), (-0.347, 0.191), (0.051, 0.13)),
    },
    "pairs": {
        "dense": ((-0.699, 0.219), (-0.328, 0.186), (0.467, 0.02)),
        "independent": ((-1.14, 0.352), (-0.786, 0.348), (-0.58, 0.473)),
        "one-shot": ((-0.473, 0.053), (-0.27, 0.074), (-0.512, 0.44)),
        "tree": ((-1.328, 0.473), (-0.578, 0.238), (0.258, 0.027)),
    },
}
