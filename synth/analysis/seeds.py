"""Seeds of simulations: the same release and question give the same interval. PUBLIC.

After the door everything is public, so a seed that anyone can compute reveals nothing.
"""

import hashlib

import numpy as np


def generator(digest: str, *words: str) -> np.random.Generator:
    """Return a random generator that is the same for the same release and words.

    If the digest of the bundle is empty, the system gives a fresh seed.

    >>> bool(generator("ab", "count").random() == generator("ab", "count").random())
    True
    """
    if not digest:
        return np.random.default_rng()
    hashed = hashlib.sha256("\n".join((digest, *words)).encode()).digest()
    return np.random.default_rng(int.from_bytes(hashed, "big"))
