"""Principal directions from noisy sums, each with a bound on its angle, or none. PUBLIC.

All bounds hold at once (Weyl; Davis, Kahan 1970).
"""
# Columns are scaled to half of their ranges. The spectral norm of the noise in the scatter matrix
# is bounded at the level of the intervals. Eigenvalues are off by at most that norm (Weyl), a
# direction by an angle whose sine is at most that norm over the distance to the next eigenvalue
# (Davis, Kahan).

from dataclasses import dataclass

import numpy as np

from synth.noise import norm_reach
from synth.questions.moments.noisy import NoisySums
from synth.questions.numbers import Numbers
from synth.util import Floats

SCALED = "columns are scaled to half of their ranges; all intervals and angles hold at once"
NONE = "no direction where the noise could turn it into another one"


@dataclass(frozen=True, eq=False)
class _Scatter:
    # norm bounds the error of the matrix; rows are the least and greatest number of rows.
    matrix: Floats
    norm: float
    rows: tuple[float, float]


def directions(of: NoisySums, level: float) -> Numbers:
    """Return the variance of each direction, its coordinates, and a bound on its angle in degrees.
    """
    scatter = _scatter(of, level)
    values, vectors = np.linalg.eigh(scatter.matrix)
    values, vectors = values[::-1], vectors[:, ::-1]
    parts = [
        _direction(float(value), vector, float(sine), scatter)
        for value, vector, sine in zip(values, vectors.T, _sines(values, scatter.norm), strict=True)
    ]
    value, low, high = (np.concatenate(one) for one in zip(*parts, strict=True))
    error = np.full(len(value), of.size / max(1.0, float(of.counts[0])))
    remarks = (SCALED, *(NONE,) * bool(np.isnan(value).any()), *of.remarks())
    return Numbers(value, low, high, error, remarks=remarks)


def _scatter(of: NoisySums, level: float) -> _Scatter:
    # With P = (-m, I), m being the noisy means, P (G + E) P' is off by P E P', and by n times the
    # square of the error of m.
    matrix, n = of.matrix[0], float(of.counts[0])
    norm = norm_reach(of.law, of.noisy, level) / of.weight**2
    least, most = (n, n) if of.rows_are_public else (n - norm, n + norm)
    scale = of.weight / np.array([one.most for one in of.steps])
    if least <= 0:
        return _Scatter(np.diag(scale**2), np.inf, (0.0, np.inf))
    means = matrix[0, 1:] / n
    found = matrix[1:, 1:] - n * np.outer(means, means)
    off = (1 + float(means @ means)) * (norm + norm**2 / least)
    return _Scatter(found * np.outer(scale, scale), off * float(scale.max()) ** 2, (least, most))


def _sines(values: Floats, norm: float) -> Floats:
    # Above 1 if there is no bound.
    gaps = np.concatenate(([np.inf], values[:-1] - values[1:], [np.inf]))
    left = np.minimum(gaps[:-1], gaps[1:]) - norm
    return np.asarray(np.divide(norm, left, out=np.full(len(left), np.inf), where=left > 0))


def _direction(
    value: float, vector: Floats, sine: float, scatter: _Scatter
) -> tuple[Floats, Floats, Floats]:
    nothing = np.full(len(vector) + 1, np.nan)
    spread = _variance(value, scatter)
    if not sine < 1:
        return tuple(np.concatenate(([one], nothing)) for one in spread)  # type: ignore[return-value]
    vector = vector * (1 if vector[np.abs(vector).argmax()] > 0 else -1)
    angle = float(np.arcsin(sine))
    apart = 2 * np.sin(angle / 2)  # the chord between two unit vectors
    degrees = np.degrees(angle)
    low, high = np.clip(vector - apart, -1, 1), np.clip(vector + apart, -1, 1)
    return (
        np.concatenate(([spread[0]], vector, [degrees])),
        np.concatenate(([spread[1]], low, [np.nan])),
        np.concatenate(([spread[2]], high, [np.nan])),
    )


def _variance(value: float, scatter: _Scatter) -> tuple[float, float, float]:
    least, most = scatter.rows
    if not np.isfinite(scatter.norm):
        return np.nan, np.nan, np.nan
    ends = (max(0.0, value - scatter.norm) / most, (value + scatter.norm) / least)
    top = float(len(scatter.matrix))
    low, high = (min(one, top) for one in ends)
    return min(max(2 * value / (least + most), low), high), low, high
