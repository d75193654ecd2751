"""Random bytes from the operating system's generator. No other file reads randomness."""
# ``ssl.RAND_bytes`` is OpenSSL's generator. The system seeds it, and reseeds it after a fork;
# a caller can't. It is ten times as fast as ``os.urandom``. Callers write ``bits.bits(n)``,
# so that a test can replace it.

import ssl


def bits(nbytes: int) -> bytes:
    """Return ``nbytes`` fresh random bytes.

    >>> len(bits(16))
    16
    """
    return ssl.RAND_bytes(nbytes)
