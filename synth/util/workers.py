"""Parts of work on a large table in several threads. PUBLIC.

Results never depend on the number of threads: a part has its own generator, and results keep the
order of the parts.

>>> list(each_part(lambda part: part * part, [1, 2, 3]))
[1, 4, 9]
"""
# Threads share the rows; NumPy and Arrow release the interpreter while they count.

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
    """Yield the result of each part, in order; few results are in memory at a time.

    ``work`` may only read what parts share; parts are created when needed.

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
    """Runs products of small matrices in one thread each."""

    # OpenBLAS spreads even products of a hundred thousand numbers over all processors, whose
    # threads then poll each other: twenty times the processor time, and more of the clock on a busy
    # machine. The result is the same. With another library behind NumPy, this does nothing.

    def __init__(self) -> None:
        self._lock, self._asking, self._before = Lock(), 0, 0

    @cached_property
    def _library(self) -> Any:
        import ctypes  # what fits no classes does without

        return ctypes.CDLL(import_module("numpy._core._multiarray_umath").__file__)

    @property
    def threads(self) -> int:
        return int(getattr(self._library, "scipy_openblas_get_num_threads64_", int)())

    @contextmanager
    def single_threaded(self) -> Iterator[None]:
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
            "Synth ran out of memory while drawing rows. The ledger stores the paid counts. "
            "Repeat the request with fewer SYNTH_WORKERS, or ask for fewer rows."
        ) from None
