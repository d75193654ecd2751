"""Codes of more rows than fit in memory: in a file without a name. PUBLIC.

Nobody can find the file, and it vanishes with the process, however that ends. Its disk space is
reserved at once. Memory does not depend on the rows, as code releases those it has finished with.

>>> held = spill_codes((2, 3), np.dtype(np.uint8))
>>> held[1] = 7
>>> let_go(held[:, 1:])
>>> held.tolist()
[[0, 0, 0], [7, 7, 7]]
"""

import mmap
import os
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from synth import limits
from synth.errors import LimitError
from synth.foreign import open_unnamed
from synth.util import SmallCodes


def room_for(shape: tuple[int, ...], kind: np.dtype[Any]) -> SmallCodes:
    """Return codes of 0, in a file if they are many."""
    if np.dtype(kind).itemsize * int(np.prod(shape)) <= limits.CODES_MB * 2**20:
        return np.zeros(shape, dtype=kind)
    return spill_codes(shape, kind)


def spill_codes(shape: tuple[int, ...], kind: np.dtype[Any]) -> SmallCodes:
    """Return codes of 0, in a file.

    Raises:
        LimitError: There is no space for it.
        TableError: No private folder can be made.
    """
    size = max(1, kind.itemsize * int(np.prod(shape)))
    short = False
    try:
        with open_unnamed() as file:
            _take_room(file, size)
            held = mmap.mmap(file.fileno(), size)
    except OSError:
        short = True
    if short:  # outside the handler, so that no path is chained to the sentence
        raise LimitError(
            f"The rows take {size / 2**20:,.0f} MB in the system's temporary folder, which has "
            "less space. The ledger stores the paid counts. Free some space or set TMPDIR to "
            "another folder, then repeat the request; or ask for fewer rows."
        )
    return np.frombuffer(held, dtype=kind, count=int(np.prod(shape))).reshape(shape)


def let_go(codes: NDArray[Any]) -> None:
    """Let the system take back the memory of codes in a file, for now."""
    held = _file_of(codes)
    if held is None or not hasattr(held, "madvise"):
        return
    first = np.frombuffer(held, dtype=np.uint8).ctypes.data
    for line in np.atleast_2d(codes):
        start = line.ctypes.data - first
        page = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE  # neighbours may need what is before
        end = (start + line.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
        if end > page:
            held.madvise(mmap.MADV_DONTNEED, page, end - page)


def _take_room(file: IO[bytes], size: int) -> None:
    file.truncate(size)
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)


def _file_of(codes: NDArray[Any]) -> mmap.mmap | None:
    base: Any = codes
    while isinstance(base, np.ndarray | memoryview):
        base = base.obj if isinstance(base, memoryview) else base.base
    return base if isinstance(base, mmap.mmap) else None
