"""How this machine rounds. PUBLIC."""

import hashlib
import math
from functools import cache

import numpy as np

from synth.util import one_thread

# Shape of the table of numbers from 0 to 1 that is summed up and multiplied.
_SHAPE = (96, 128)
# Multiples of it fill the numbers from 0 to 1 evenly, without repeats.
_GOLDEN_RATIO = (5**0.5 - 1) / 2
# Added to each number, so that no logarithm is that of about 0.
_MIN_NUMBER = 1e-3


@cache
@one_thread
def rounding_digest() -> str:
    """Return a digest of fixed sums on this machine, 16 hexadecimal digits.

    Processors and versions of NumPy round differently. Machines with equal digests draw equal
    rows, whatever their numbers of threads: what decides rows runs in one thread, and so do
    these sums.

    >>> len(rounding_digest()), rounding_digest() == rounding_digest()
    (16, True)
    """
    multiples = np.arange(1, math.prod(_SHAPE) + 1) * _GOLDEN_RATIO
    wide = np.modf(multiples)[0].reshape(_SHAPE) + _MIN_NUMBER
    narrow = wide.astype(np.float32)
    digest = hashlib.sha256()
    # Products of matrices, also of odd sizes, functions and sums: what draws rows uses them.
    for part in (wide, narrow):
        digest.update((part @ part.T).tobytes())
        digest.update((part[:7, :33] @ part[:33, :5]).tobytes())
        digest.update((part @ part[0]).tobytes())
        for result in (
            np.log(part),
            np.exp(part),
            part**0.4,
            part.sum(axis=0),
            part.sum(axis=1),
        ):
            digest.update(np.ascontiguousarray(result).tobytes())
    return digest.hexdigest()[:16]
