"""How far releases are from forecasts: made by `tests/bench/fit_interval.py --write`. PUBLIC.

Of each kind of error and method, level and slope (by the log of the error) of the log of measured
by forecast: below which one in ten releases lies, the middle one, and nine in ten.
"""

SPREADS: dict[str, dict[str, tuple[tuple[float, float], ...]]] = {
    "columns": {
        "dense": ((-0.469, 0.056), (-0.105, 0.009), (0.437, 0.043)),
        "independent": ((-0.657, -0.076), (-0.034, -0.014), (0.27, 0.009)),
        "one-shot": ((-0.098, 0.065), (0.237, 0.091), (0.26, 0.049)),
        "tree": ((0.392, 0.298), (0.247, 0.142), (0.35, 0.093)),
    },
    "pairs": {
        "dense": ((-0.774, 0.027), (-0.013, 0.049), (0.475, 0.056)),
        "independent": ((-0.212, 0.213), (-0.097, 0.077), (-0.049, -0.127)),
        "one-shot": ((-0.563, 0.003), (-0.139, 0.017), (0.202, -0.006)),
        "tree": ((0.069, 0.332), (-0.091, 0.02), (-0.178, -0.226)),
    },
}
