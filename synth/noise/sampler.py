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
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from synth.noise import bits

# (start, values) of consecutive pieces; a piece is overwritten by the next.
Chunks = Iterator[tuple[int, NDArray[np.integer]]]

# Marks an ambiguous word in the table; no answer in the table has this value.
OPEN = -32_768
# Words drawn at a time: few enough that bits, answers and sums fit the processor's cache, and
# so many that Python's calls for them cost little.
CHUNK = 1 << 17
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
    """Return the value that a random word stands for, or None if it needs more bits.

    ``word`` holds the first bits of a uniform number U, as many as the thresholds have. The
    value is the least z with U < F(z). None if these bits do not decide it.
    """
    index = bisect_right(thresholds.low, word)
    if index != bisect_right(thresholds.high, word):
        return None
    # Beyond the thresholds the value may be any further one, if the law goes on there.
    if (index == 0 and thresholds.tail_below) or (
        index == len(thresholds.low) and thresholds.tail_above
    ):
        return None
    return thresholds.first + index


def invert(law: Law, word: int = 0, nbits: int = 0, *, step: int = _STEP) -> int:
    """Draw a value of the law exactly, with unbounded integers.

    The value is the least z with U < F(z), for a uniform number U in binary.

    Args:
        law: The law of the value.
        word: The first bits of U, if some are drawn already.
        nbits: How many they are.
        step: How many random bits are appended at a time until they decide.
    """
    while nbits < _STOP:
        word = word << step | _word(step)
        nbits += step
        answer = locate(law.thresholds(nbits), word)
        if answer is not None:
            return answer
    raise RuntimeError("the operating system's random bits are not random.")


def _word(nbits: int) -> int:
    """Return a uniform whole number of ``nbits`` random bits."""
    return int.from_bytes(bits.bits((nbits + 7) // 8), "big") >> (-nbits % 8)


def draw_below(count: int) -> int:
    """Draw a uniform whole number from 0 to count - 1, by rejection."""
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
        """Compute the law's thresholds for 64 bits, and the table of 16-bit words."""
        self.law = law
        exact = law.thresholds(64)
        self._first = exact.first
        self._tails = (exact.tail_below, exact.tail_above)
        self._count = len(exact.low)
        self._low = _words(exact.low)
        # By the number of lower bounds that are at most a word: up to this word, the upper
        # bound of the last of these thresholds is above it. The first entry is not used.
        self._open_until = np.array(
            [0, *(max(high - 1, 0) for high in exact.high)], np.uint64
        )
        self.table = self._table(exact)

    def _table(self, exact: Thresholds) -> NDArray[np.int16]:
        """Return the value that each 16-bit word stands for; OPEN if it needs more bits.

        ``exact`` has the thresholds for 64 bits. 16 bits decide if the least and the largest
        64-bit word that starts with them stand for the same value.
        """
        # How many thresholds are at most each word, in 16 bits: `exact` bounds each of them
        # from below and from above, and both bounds are rounded outwards.
        low = _steps([value >> 48 for value in exact.low])
        high = _steps([-(-value >> 48) for value in exact.high])
        answers = low + self._first
        # An answer must fit 16 bits and differ from OPEN, which is the least such number.
        decided = (low == high) & (np.abs(answers) < -OPEN)
        # A word before the first or behind the last threshold lies in a tail that the list
        # leaves out, where it has one.
        if exact.tail_below:
            decided &= low > 0
        if exact.tail_above:
            decided &= low < len(exact.low)
        return np.where(decided, answers, OPEN).astype(np.int16)

    def chunks(self, size: int) -> Chunks:
        """Yield pieces (start, values) until ``size`` values are drawn.

        The values are 16-bit integers unless one of the piece needs more. The next piece
        overwrites them.
        """
        buffer = np.empty(min(size, CHUNK), np.int16)
        for start in range(0, size, CHUNK):
            yield start, self.fill(buffer[: min(CHUNK, size - start)])

    def fill(self, out: NDArray[np.int16]) -> NDArray[np.integer]:
        """Draw as many independent values as an array has places.

        Args:
            out: Memory for the values, shape (k,).

        Returns:
            The array with the values; another one if one of them needs more than 16 bits.
        """
        words = np.frombuffer(bits.bits(2 * out.size), np.uint16)
        # All 16-bit words are places of the table: "wrap", the fastest way, wraps none.
        self.table.take(words, out=out, mode="wrap")
        return self._settle(words, out)

    def answer_few(self, words: memoryview) -> list[int]:
        """Return the values that a few random 16-bit words stand for.

        For few words, Python's loop is faster than NumPy. Words that do not decide get more
        random bits.
        """
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
        """Return the values with those of undecided words filled in, in place if they fit.

        Args:
            words: The random 16-bit words, shape (k,).
            out: The value of each word by the table, or OPEN where the word does not decide,
                shape (k,). 48 more random bits decide those, and still more if needed.
        """
        (where,) = (out == OPEN).nonzero()
        if where.size == 0:
            return out
        # 64-bit words: the 16 bits at the top, and 48 fresh ones below them.
        longer = words.take(where).astype(np.uint64)
        longer <<= 48
        longer |= np.frombuffer(bits.bits(8 * where.size), np.uint64) >> np.uint64(16)
        answers = self.search(longer)
        fits = OPEN < answers.min() and answers.max() < -OPEN
        wide = out if fits else out.astype(np.int64)
        wide[where] = answers
        return wide

    def search(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the values that random 64-bit words stand for, shape (k,).

        They are found by binary search in the thresholds. A word that does not decide gets
        more random bits.
        """
        # So many lower bounds are at most the word. The upper bounds of the same thresholds
        # must be, too; as they ascend, the last of them tells.
        index = np.searchsorted(self._low, words, side="right")
        answers = index + self._first
        is_open = (index > 0) & (words <= self._open_until.take(index))
        if self._tails[0]:
            is_open |= index == 0
        if self._tails[1]:
            is_open |= index == self._count
        for i in is_open.nonzero()[0]:
            answers[i] = invert(self.law, int(words[i]), 64)
        return answers

    def draw(self, size: int) -> NDArray[np.integer]:
        """Return independent values, shape (size,), int16 unless one needs more."""
        return join_chunks(self.chunks(size), size)


class Scratch:
    """Memory that each piece of a draw uses again: fresh memory would take longer.

    >>> scratch = Scratch()
    >>> piece = scratch.take("values", 3, np.dtype(np.int16))
    >>> bool(np.shares_memory(piece, scratch.take("values", 2, np.dtype(np.int16))))
    True
    """

    def __init__(self) -> None:
        """Begin without memory."""
        self._arrays: dict[tuple[str, np.dtype[Any]], NDArray[Any]] = {}

    def take(self, name: str, size: int, kind: np.dtype[Any]) -> NDArray[Any]:
        """Return memory for so many numbers of a type, shape (size,), with any content.

        Args:
            name: What they are. The next call with this name and type returns the same
                memory, if that is enough.
            size: How many numbers.
            kind: Their type.
        """
        array = self._arrays.get((name, kind))
        if array is None or array.size < size:
            array = self._arrays[name, kind] = np.empty(size, kind)
        return array[:size]


def join_chunks(chunks: Chunks, size: int) -> NDArray[np.integer]:
    """Copy pieces of noise into one array, shape (size,).

    ``chunks`` yields each piece with its start, the first one at 0. The integers are as
    narrow as the pieces allow.
    """
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
    """Return the ascending values as 64-bit words, without those at the end that are 2^64."""
    return np.array(values[: bisect_right(values, (1 << 64) - 1)], np.uint64)


def _steps(values: list[int]) -> NDArray[np.int32]:
    """Return for each 16-bit number how many of the ascending values are at most that number.

    The result has the shape (2^16,).
    """
    ends = np.minimum(np.array(values, np.int64), 1 << 16)
    times = np.diff(ends, prepend=0, append=1 << 16)
    return np.repeat(np.arange(len(times), dtype=np.int32), times)
