"""The only seam to randomness: bytes from the operating system's generator.

``ssl.RAND_bytes`` is OpenSSL's generator. It is seeded, and reseeded after a fork, by the
system, cannot be seeded by a caller, and is ten times as fast as ``os.urandom``.
Callers reach it as ``bits.bits(n)`` so that a test can put known bytes in its place.
"""

import ssl


def bits(nbytes: int) -> bytes:
    """Return ``nbytes`` fresh random bytes.

    >>> len(bits(16))
    16
    """
    return ssl.RAND_bytes(nbytes)
