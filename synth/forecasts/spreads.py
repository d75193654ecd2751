"""How far releases are from forecasts: made by `tests/bench/fit_interval.py --write`. PUBLIC.

Of each kind of error and method, level and slope (by the log of the error) of the log of measured
by forecast: below which one in ten releases lies, the middle one, and nine in ten.
"""

SPREADS: dict[str, dict[str, tuple[tuple[float, float], ...]]] = {
    "columns": {
        "dense": ((-0.676, -0.036), (-0.16, -0.036), (0.328, -0.02)),
        "independent": ((-0.25, 0.002), (-0.136, -0.045), (0.175, -0.058)),
        "one-shot": ((-0.133, 0.054), (0.179, 0.069), (0.216, 0.025)),
        "tree": ((-0.338, 0.097), (-0.144, -0.012), (0.31, 0.027)),
    },
    "pairs": {
        "dense": ((-0.739, 0.008), (-0.099, 0.001), (0.251, -0.046)),
        "independent": ((-0.473, 0.035), (-0.191, -0.007), (0.217, -0.033)),
        "one-shot": ((-0.569, 0.004), (-0.305, -0.033), (-0.051, -0.04)),
        "tree": ((-0.474, 0.026), (-0.324, -0.102), (0.076, -0.116)),
    },
}
