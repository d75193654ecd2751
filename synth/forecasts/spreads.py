"""How far releases are from forecasts: made by `tests/bench/fit_interval.py --write`. PUBLIC.

Of each kind of error and method, level and slope (by the log of the error) of the log of measured
by forecast: below which one in ten releases lies, the middle one, and nine in ten.
"""

SPREADS: dict[str, dict[str, tuple[tuple[float, float], ...]]] = {
    "columns": {
        "dense": ((-0.638, -0.067), (-0.633, -0.112), (0.344, 0.035)),
        "independent": ((-0.497, -0.082), (-0.06, -0.012), (0.331, 0.028)),
        "one-shot": ((0.029, 0.122), (-0.057, 0.04), (0.619, 0.135)),
        "tree": ((-0.274, 0.003), (0.102, 0.02), (0.305, 0.025)),
    },
    "pairs": {
        "dense": ((-0.321, 0.079), (-0.377, -0.019), (0.036, -0.009)),
        "independent": ((-0.494, -0.035), (-0.315, -0.102), (-0.125, -0.236)),
        "one-shot": ((-0.6, -0.008), (-0.428, -0.08), (-0.373, -0.14)),
        "tree": ((-0.489, -0.021), (-0.506, -0.207), (-0.108, -0.157)),
    },
}
