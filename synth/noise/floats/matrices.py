"""Upper bound for the norm of a symmetric noise matrix. PUBLIC."""

import math
from functools import lru_cache

import numpy as np

from synth.noise.floats.law import NoiseLaw
from synth.util import Floats, Mask

# Width of a bin of squares of noise, in variances.
BIN = 1 / 8


def norm_reach(law: NoiseLaw, noisy: Mask, level: float) -> float:
    """Return a bound for the spectral norm of a noise matrix at this level, in steps.

    ``noisy`` marks the entries with noise; both entries of a pair have the same noise.
    """
    # The smaller of two bounds: the Frobenius norm at its own law, and the largest entry at
    # its own law times the norm of the matrix of ones (a matrix with smaller entries has a
    # smaller norm).
    singles = int(np.trace(noisy))
    doubles = (int(noisy.sum()) - singles) // 2
    largest, frobenius = _reaches(law, singles, doubles, level=level)
    return min(largest * float(np.linalg.norm(noisy.astype(float), 2)), frobenius)


@lru_cache(maxsize=256)
def _reaches(
    law: NoiseLaw, singles: int, doubles: int, *, level: float
) -> tuple[float, float]:
    """Return bounds of a noisy matrix's error: for its largest entry and for its L2 norm.

    ``singles`` entries count once (the diagonal), ``doubles`` twice.
    """
    entry_beyond = 1 - level ** (1 / max(1, singles + doubles))
    squares = _squares(law, singles, doubles, beyond=1 - level)
    return _least_size(law, entry_beyond), law.deviation * math.sqrt(squares)


def _least_size(law: NoiseLaw, beyond: float) -> float:
    """Return the least size that noise exceeds with at most this probability, by
    bisection.
    """
    low = 0.0
    high = law.extent
    while high - low > law.deviation * 1e-6:
        middle = (low + high) / 2
        small = float(law.tail(np.array([middle]))[0]) <= beyond
        low, high = (low, middle) if small else (middle, high)
    return high


def _squares(law: NoiseLaw, singles: int, doubles: int, *, beyond: float) -> float:
    """Return a quantile of the sum of squares of a noisy matrix's entries.

    A bound for the sum of squares, in variances; each square is rounded up to a bin.
    """
    longest = (law.extent / law.deviation) ** 2
    bins = int(2 * longest * (singles + doubles) / BIN) + 4
    spectrum = _spectrum(law, 1, bins) ** singles * _spectrum(law, 2, bins) ** doubles
    chances = np.cumsum(np.fft.irfft(spectrum, bins))
    left_out = (singles + doubles) * 1e-9
    at = int(np.searchsorted(chances, 1 - beyond + left_out))
    return min(at, bins) * BIN


def _spectrum(law: NoiseLaw, times: int, bins: int) -> Floats:
    """Return the Fourier transform of the law of times X^2, X one noise value.

    In variances, by bins of width BIN; each square is rounded up to the next bin.
    """
    edges = np.sqrt(np.arange(bins + 1) * BIN / times) * law.deviation
    beyond = np.where(edges < law.extent, law.tail(edges), 0.0)
    mass = np.concatenate(([0.0], beyond[:-1] - beyond[1:]))[:bins]
    mass[1] += 1 - mass.sum()
    return np.asarray(np.fft.rfft(mass))
