"""How this machine rounds. PUBLIC."""

import hashlib
from functools import cache

import numpy as np

from synth.util import one_thread


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
    wide = np.modf(np.arange(1, 12_289) * (5**0.5 - 1) / 2)[0].reshape(96, 128) + 1e-3
    narrow = wide.astype(np.float32)
    digest = hashlib.sha256()
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
