"""Upper bound for the norm of a symmetric noise matrix. PUBLIC."""

import math
from functools import lru_cache

import numpy as np

from synth.noise.floats.law import NoiseLaw
from synth.util import Floats, Mask

# Width of a bin of squares of noise, in variances.
BIN = 1 / 8


def norm_reach(law: NoiseLaw, noisy: Mask, level: float) -> float:
    """Return a bound that the spectral norm of a symmetric noise matrix keeps with ``level``.

    Args:
        law: The law of the noise on each entry. The result is in its steps.
        noisy: Which entries have noise, a symmetric mask. Entries (i, j) and (j, i) have the
            same noise.
        level: The least probability that the norm is within the bound.
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
    """Return bounds of a noise matrix: for its largest entry, and for its Frobenius norm.

    Each one holds with probability ``level``. The matrix has ``singles`` entries with noise
    on the diagonal, and ``doubles`` pairs of equal entries off it.
    """
    # The largest of n independent entries is within the bound with level = (1 - beyond)^n.
    entry_beyond = 1 - level ** (1 / max(1, singles + doubles))
    squares = _squares(law, singles, doubles, beyond=1 - level)
    return _least_size(law, entry_beyond), law.deviation * math.sqrt(squares)


def _least_size(law: NoiseLaw, beyond: float) -> float:
    """Return the least t with P(|Z| >= t) <= ``beyond``, by bisection, for noise Z."""
    low = 0.0
    high = law.extent
    while high - low > law.deviation * 1e-6:
        middle = (low + high) / 2
        is_rare = float(law.tail(np.array([middle]))[0]) <= beyond
        if is_rare:
            high = middle
        else:
            low = middle
    return high


def _squares(law: NoiseLaw, singles: int, doubles: int, *, beyond: float) -> float:
    """Return a bound of the sum of squares of a noise matrix's entries, in variances.

    The sum exceeds it with a probability of at most ``beyond``. ``singles`` squares count
    once and ``doubles`` twice. Their law is a convolution, by Fourier transforms, of squares
    that are rounded up to bins.
    """
    longest = (law.extent / law.deviation) ** 2  # the largest square, in variances
    # Room for a sum of the largest squares; some more for those that are rounded up.
    bins = int(2 * longest * (singles + doubles) / BIN) + 4
    spectrum = _spectrum(law, 1, bins) ** singles * _spectrum(law, 2, bins) ** doubles
    chances = np.cumsum(np.fft.irfft(spectrum, bins))
    left_out = (singles + doubles) * 1e-9  # errors of the tails and of the transforms
    first_bin = int(np.searchsorted(chances, 1 - beyond + left_out))
    return min(first_bin, bins) * BIN


def _spectrum(law: NoiseLaw, times: int, bins: int) -> Floats:
    """Return the Fourier transform of the law of ``times`` X^2, X one noise value.

    X^2 is in variances and rounded up to a multiple of the bin width BIN. ``bins`` is the
    number of these multiples, from 0 up.
    """
    edges = np.sqrt(np.arange(bins + 1) * BIN / times) * law.deviation
    beyond = np.where(edges < law.extent, law.tail(edges), 0.0)
    mass = np.concatenate(([0.0], beyond[:-1] - beyond[1:]))[:bins]
    mass[1] += 1 - mass.sum()  # for errors of floats: the sum is 1
    return np.asarray(np.fft.rfft(mass))
