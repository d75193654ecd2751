"""Work on parts of a large table by several threads at once. PUBLIC.

Threads and no processes: they start at once, also where a page asks, and share the rows; NumPy and
Arrow let go of the interpreter while they count. What comes out never depends on how many there
are: a part has its own generator, and results keep the order of the parts.

>>> list(each_part(lambda part: part * part, [1, 2, 3]))
[1, 4, 9]
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from synth import limits
from synth.errors import LimitError

_Part = TypeVar("_Part")
_Done = TypeVar("_Done")


def each_part(work: Callable[[_Part], _Done], parts: Iterable[_Part]) -> Iterator[_Done]:
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
                    yield _finished(begun.popleft())
            while begun:
                yield _finished(begun.popleft())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _finished(one: Future[_Done]) -> _Done:
    try:
        return one.result()
    except MemoryError:
        message = (
            "Memory ran out while rows were drawn. What was paid for is kept in the ledger: ask "
            "again with fewer SYNTH_WORKERS, or for fewer rows."
        )
        raise LimitError(message) from None
