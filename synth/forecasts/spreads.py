"""Fitted deviations of releases from forecasts, by `tests/bench/fit_interval.py --write`. PUBLIC.

Level and slope (by the log of the error) of the log of measured over forecast error, at the 10 %,
50 % and 90 % quantiles of releases.
"""

SPREADS: dict[str, dict[str, tuple[tuple[float, float], ...]]] = {
    "columns": {
        "dense": ((-0.678, -0.011), (0.013, 0.011), (0.349, 0.012)),
        "independent": ((-0.3, -0.033), (-0.165, -0.05), (0.223, -0.028)),
        "one-shot": ((-0.487, 0.022), (0.149, 0.077), (0.282, 0.03)),
        "tree": ((-0.413, 0.035), (-0.165, 0.013), (0.126, 0.006)),
    },
    "pairs": {
        "dense": ((-0.887, -0.028), (-0.017, 0.04), (0.272, -0.012)),
        "independent": ((-0.484, 0.03), (-0.148, 0.023), (0.21, -0.032)),
        "one-shot": ((-0.594, 0.003), (-0.303, -0.014), (0.008, -0.03)),
        "tree": ((-0.453, 0.089), (-0.323, -0.075), (0.197, -0.129)),
    },
}
