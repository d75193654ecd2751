"""Parts of work on a large table in several threads. PUBLIC.

Results never depend on the number of threads: a part has its own generator, results keep the
order of the parts, and linear algebra has one thread wherever its result decides anything.

>>> list(each_part(lambda part: part * part, [1, 2, 3]))
[1, 4, 9]
"""
# Threads share the rows; NumPy and Arrow release the interpreter while they count.

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ContextDecorator
from functools import cached_property
from importlib import import_module
from threading import Lock
from typing import Any, TypeVar

from synth import limits
from synth.errors import LimitError
from synth.util.deadline import check_deadline

_Part = TypeVar("_Part")
_Done = TypeVar("_Done")


def each_part(
    work: Callable[[_Part], _Done], parts: Iterable[_Part]
) -> Generator[_Done, None, None]:
    """Yield the result of ``work`` for each part of a task, in the order of the parts.

    The parts run in several threads, so ``work`` may read what they share but not change it.
    Parts are taken from the iterable only when a thread is free, and few results wait in
    memory at a time.

    Raises:
        ArgumentError: SYNTH_WORKERS is no whole number from 1 up.
        LimitError: A part needs more memory than there is.
        ReleaseError: The steward stopped the work; see `check_deadline`.
    """
    workers = limits.workers()
    begun: deque[Future[_Done]] = deque()
    with ThreadPoolExecutor(workers, "synth-part") as pool:
        try:
            for part in parts:
                begun.append(pool.submit(work, part))
                # One part more than threads, so that no thread waits for the caller.
                if len(begun) > workers:
                    yield _wait_for(begun.popleft())
                check_deadline()
            while begun:
                yield _wait_for(begun.popleft())
        finally:  # also if the caller takes no more results
            pool.shutdown(wait=True, cancel_futures=True)


class OneThread(ContextDecorator):
    """Runs NumPy's linear algebra in one thread, in a block or in a decorated function.

    The other threads come back when the last such block of the process ends.
    """

    # OpenBLAS, the library behind NumPy, rounds otherwise in two threads than in one: it cuts
    # a product into parts, and how a part is added up depends on its shape. Whatever a
    # release or its check computes from noisy counts therefore runs in one thread, so that
    # neither rows nor what is asked next depend on the number of processors or on
    # OMP_NUM_THREADS. It is quicker too: OpenBLAS spreads even products of a hundred thousand
    # numbers over all processors, whose threads then poll each other: twenty times the
    # processor time, and more of the clock on a busy machine. With another library behind
    # NumPy, this does nothing.

    def __init__(self) -> None:
        """Begin without any block."""
        self._lock = Lock()
        self._open_blocks = 0
        self._threads_before = 0

    @cached_property
    def _library(self) -> Any:
        """The library with NumPy's linear algebra, whose C functions set its threads."""
        import ctypes  # only here: programs without linear algebra need not load it

        return ctypes.CDLL(import_module("numpy._core._multiarray_umath").__file__)

    @property
    def threads(self) -> int:
        """The threads of a product; 0 if another library is behind NumPy."""
        return int(getattr(self._library, "scipy_openblas_get_num_threads64_", int)())

    @threads.setter
    def threads(self, number: int) -> None:
        if self.threads:
            self._library.scipy_openblas_set_num_threads64_(number)

    def __enter__(self) -> None:
        """Limit linear algebra to one thread, if no other such block is open."""
        with self._lock:
            if not self._open_blocks:
                self._threads_before = self.threads
                self.threads = 1
            self._open_blocks += 1

    def __exit__(self, *_: object) -> None:
        """Restore the former number of threads, if no other such block is open."""
        with self._lock:
            self._open_blocks -= 1
            if not self._open_blocks:
                self.threads = self._threads_before


one_thread: OneThread = OneThread()


def _wait_for(future: Future[_Done]) -> _Done:
    """Return the result of a part; raise LimitError if the part ran out of memory."""
    try:
        return future.result()
    except MemoryError:
        raise LimitError(
            "Synth ran out of memory while drawing rows. Repeat the request with fewer "
            "SYNTH_WORKERS, or ask for fewer rows."
        ) from None
