"""Work on parts of a large table by several threads at once. PUBLIC.

Threads and no processes: they start at once, also where a page asks, and share the rows; NumPy and
Arrow let go of the interpreter while they count. What comes out never depends on how many there
are: a part has its own generator, and results keep the order of the parts.

>>> list(each_part(lambda part: part * part, [1, 2, 3]))
[1, 4, 9]
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from threading import Lock
from typing import Any, TypeVar

from synth import limits
from synth.errors import LimitError

_Part = TypeVar("_Part")
_Done = TypeVar("_Done")


def each_part(
    work: Callable[[_Part], _Done], parts: Iterable[_Part]
) -> Generator[_Done, None, None]:
    """What comes of each part, in their order; few results are held at a time.

    Args:
        work: What is done with a part. It may only read what other parts share.
        parts: The parts; they are asked for as they are needed.

    Yields:
        The result of each part.

    Raises:
        ArgumentError: SYNTH_WORKERS is no whole number from 1 up.
        LimitError: A part needs more memory than there is.
    """
    workers = limits.workers()
    begun: deque[Future[_Done]] = deque()
    with ThreadPoolExecutor(workers, "synth-part") as pool:
        try:
            for part in parts:
                begun.append(pool.submit(work, part))
                if len(begun) > workers:
                    yield _wait_for(begun.popleft())
            while begun:
                yield _wait_for(begun.popleft())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class SmallProducts:
    """Lets products of small matrices run in one thread each, while anybody asks for it.

    OpenBLAS deals even products of a hundred thousand numbers out to all processors, whose threads
    then wait for each other by asking again and again: twenty times the processor time, and more
    of the clock where the machine is busy. What comes out is the same. Where NumPy came with
    another library, nothing happens.
    """

    def __init__(self) -> None:
        self._lock, self._asking, self._before = Lock(), 0, 0

    @cached_property
    def _library(self) -> Any:
        import ctypes  # what fits no classes does without

        return ctypes.CDLL(import_module("numpy._core._multiarray_umath").__file__)

    @property
    def threads(self) -> int:
        """How many threads a product may have; 0 where nobody knows."""
        ask = getattr(self._library, "scipy_openblas_get_num_threads64_", int)
        return int(ask())

    @contextmanager
    def single_threaded(self) -> Iterator[None]:
        """One thread for each product, inside."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, step: int) -> None:
        with self._lock:
            if not self._asking:
                self._before = self.threads
            self._asking += step
            if self._before:
                self._library.scipy_openblas_set_num_threads64_(1 if self._asking else self._before)


small_products = SmallProducts()


def _wait_for(one: Future[_Done]) -> _Done:
    try:
        return one.result()
    except MemoryError:
        raise LimitError(
            "Memory ran out while rows were drawn. What was paid for is kept in the ledger: ask "
            "again with fewer SYNTH_WORKERS, or for fewer rows."
        ) from None
