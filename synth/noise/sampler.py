"""One exact sampler for every discrete law: lazy inversion.

Let F be the distribution function and U = 0.b1 b2 ... uniform, given by independent fair
bits. Z = min{z : U < F(z)} has the law F exactly. From the first k bits, u = floor(2^k U),
and certified integers L(z) <= 2^k F(z) <= H(z),

    u + 1 <= L(z)  shows U < F(z);     u >= H(z)  shows U >= F(z).

A word u that leaves Z open is *ambiguous*: more bits are appended and L, H computed again.
Nothing is ever rounded; k only decides the speed."""
# 16 bits: a table of 65,536 answers with a mark for ambiguous words. 64 bits: a binary search
# in the thresholds. Beyond: unbounded Python integers, 64 bits at a time.

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from synth.noise import bits

# (start, values) of consecutive pieces; a piece is overwritten by the next.
Chunks = Iterator[tuple[int, NDArray[np.integer]]]

# Marks an ambiguous word in the table; no answer in the table has this value.
OPEN = -32_768
# Words drawn at a time, so that bits, answers and sums fit the processor's cache.
CHUNK = 1 << 16
_STEP = 64
# After this many bits a word can't be random (probability about 2^-1000).
_STOP = 1 << 10


class Thresholds(NamedTuple):
    """Integers with ``low[i] <= 2^bits F(first + i) <= high[i]``, both ascending.

    Beyond the list the law has a tail below, a tail above, or nothing at all.

    Attributes:
        first: The number that the first of the integers are about.
        low: Certified lower bounds of 2^bits F.
        high: Certified upper bounds of 2^bits F.
        tail_below: Whether the law goes on below ``first``.
        tail_above: Whether the law goes on above the last of the integers.
    """

    first: int
    low: list[int]
    high: list[int]
    tail_below: bool
    tail_above: bool


class Law(Protocol):
    """A law on the integers that knows its distribution function to any number of bits."""

    def thresholds(self, nbits: int) -> Thresholds:
        """Certified enclosures of ``2^nbits F``."""


def locate(thresholds: Thresholds, word: int) -> int | None:
    """Return the answer of one word, or None if the word is ambiguous."""
    index = bisect_right(thresholds.low, word)
    if index != bisect_right(thresholds.high, word):
        return None
    if (index == 0 and thresholds.tail_below) or (
        index == len(thresholds.low) and thresholds.tail_above
    ):
        return None
    return thresholds.first + index


def invert(law: Law, word: int = 0, nbits: int = 0, *, step: int = _STEP) -> int:
    """Draw Z with unbounded integers, given that U starts with the ``nbits`` bits of
    ``word``.
    """
    while nbits < _STOP:
        word = word << step | _word(step)
        nbits += step
        answer = locate(law.thresholds(nbits), word)
        if answer is not None:
            return answer
    raise RuntimeError("the operating system's random bits are not random.")


def _word(nbits: int) -> int:
    return int.from_bytes(bits.bits((nbits + 7) // 8), "big") >> (-nbits % 8)


def draw_below(count: int) -> int:
    """Draw a uniform whole number below the count, by rejection."""
    nbits = (count - 1).bit_length()
    while True:
        word = _word(nbits)
        if word < count:
            return word


class Sampler:
    """Draws many values of one law by table, built in a few milliseconds.

    `sampler` caches tables. A law with private parameters must not be cached: use `invert`
    for it.

    Attributes:
        law: The law of the values.
        table: The answer of each 16-bit word; `OPEN` where 16 bits do not decide.
    """

    def __init__(self, law: Law) -> None:
        self.law = law
        exact = law.thresholds(64)
        self._first = exact.first
        self._tails = (exact.tail_below, exact.tail_above)
        self._count = len(exact.low)
        self._low = _words(exact.low)
        self._high = _words(exact.high)
        self.table = self._table(exact)

    def _table(self, exact: Thresholds) -> NDArray[np.int16]:
        """Return the answer for each leading 16 bits of a word, or OPEN if they do not
        decide.

        They decide if the least and the largest word with these bits have the same answer.
        """
        low = _steps([value >> 48 for value in exact.low])
        high = _steps([-(-value >> 48) for value in exact.high])
        answers = low + self._first
        decided = (low == high) & (np.abs(answers) < -OPEN)
        if exact.tail_below:
            decided &= low > 0
        if exact.tail_above:
            decided &= low < len(exact.low)
        return np.where(decided, answers, OPEN).astype(np.int16)

    def chunks(self, size: int) -> Chunks:
        """Yield (start, values) until ``size`` values are drawn.

        The values are 16-bit integers unless one needs more. The next step overwrites them.
        """
        buffer = np.empty(min(size, CHUNK), np.int16)
        for start in range(0, size, CHUNK):
            count = min(CHUNK, size - start)
            words = np.frombuffer(bits.bits(2 * count), np.uint16)
            out = buffer[:count]
            self.table.take(words, out=out, mode="clip")
            yield start, self._settle(words, out)

    def answer_few(self, words: memoryview) -> list[int]:
        """Return the answers of a few 16-bit words; faster one by one."""
        answers: list[int] = list(map(self.table.item, words))
        if OPEN not in answers:
            return answers
        settled: list[int] = self._settle(
            np.array(words), np.array(answers, np.int16)
        ).tolist()
        return settled

    def _settle(
        self, words: NDArray[np.uint16], out: NDArray[np.int16]
    ) -> NDArray[np.integer]:
        """Return the answers with those of undecided words filled in.

        48 more bits decide the marks, and more if needed.
        """
        where = np.flatnonzero(out == OPEN)
        if where.size == 0:
            return out
        further_bits = np.frombuffer(bits.bits(8 * where.size), np.uint64) >> np.uint64(16)
        longer = words[where].astype(np.uint64) << np.uint64(48) | further_bits
        answers = self.search(longer)
        wide = out if np.abs(answers).max() < -OPEN else out.astype(np.int64)
        wide[where] = answers
        return wide

    def search(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the answers of 64-bit words, shape (k,), by binary search in the
        thresholds.
        """
        index = np.searchsorted(self._low, words, side="right")
        decided = index == np.searchsorted(self._high, words, side="right")
        if self._tails[0]:
            decided &= index > 0
        if self._tails[1]:
            decided &= index < self._count
        answers = index + self._first
        for i in np.flatnonzero(~decided):
            answers[i] = invert(self.law, int(words[i]), 64)
        return answers

    def draw(self, size: int) -> NDArray[np.integer]:
        """Return independent values, shape (size,), int16 unless one needs more."""
        return join_chunks(self.chunks(size), size)


def join_chunks(chunks: Chunks, size: int) -> NDArray[np.integer]:
    """Copy chunks into one array of shape (size,), as narrow as the chunks."""
    result: NDArray[np.integer] = np.empty(0, np.int16)
    for start, values in chunks:
        if start == 0:
            result = np.empty(size, values.dtype)
        elif values.dtype != result.dtype:
            result = result.astype(np.result_type(values, result), copy=False)
        result[start : start + values.size] = values
    return result


@lru_cache(maxsize=64)
def sampler(law: Law) -> Sampler:
    """Return the sampler of a law with public parameters, cached."""
    return Sampler(law)


def _words(values: list[int]) -> NDArray[np.uint64]:
    return np.array(values[: bisect_right(values, (1 << 64) - 1)], np.uint64)


def _steps(values: list[int]) -> NDArray[np.int32]:
    """Return the number of reached thresholds by leading bits.

    How many of the ascending values each number below CHUNK has reached.
    """
    ends = np.minimum(np.array(values, np.int64), CHUNK)
    times = np.diff(ends, prepend=0, append=CHUNK)
    return np.repeat(np.arange(len(times), dtype=np.int32), times)
