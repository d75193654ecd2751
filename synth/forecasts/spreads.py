"""How far releases are from forecasts: made by `tests/bench/fit_interval.py --write`. PUBLIC.

Of each kind of error and method, level and slope (by the log of the error) of the log of measured
by forecast: below which one in ten releases lies, the middle one, and nine in ten.
"""

SPREADS: dict[str, dict[str, tuple[tuple[float, float], ...]]] = {
    "columns": {
        "dense": ((-0.563, -0.018), (-0.187, -0.024), (0.338, 0.013)),
        "independent": ((-0.427, -0.074), (-0.294, -0.109), (0.161, -0.059)),
        "one-shot": ((-0.284, 0.03), (0.09, 0.053), (0.096, 0.015)),
        "tree": ((-0.137, 0.128), (-0.072, 0.012), (0.064, -0.02)),
    },
    "pairs": {
        "dense": ((-0.303, 0.081), (-0.252, -0.012), (0.038, -0.0)),
        "independent": ((-0.584, -0.121), (-0.374, -0.136), (-0.143, -0.249)),
        "one-shot": ((-0.263, 0.079), (-0.445, -0.099), (-0.342, -0.165)),
        "tree": ((-0.526, -0.041), (-0.528, -0.234), (-0.385, -0.239)),
    },
}
