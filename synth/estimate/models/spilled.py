"""Codes of more rows than fit in memory: in a file without a name. PUBLIC.

The file belongs to the system from the start: it has no name that anybody could find, and vanishes
with the process, however that ends. Its space on the disk is reserved at once, so that a full disk
is found before anything is written. Code that has finished with some rows for now releases them:
they stay in the file, and memory does not depend on their number.

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
    """Return codes that are all 0: in memory, or in a file if they are many."""
    if np.dtype(kind).itemsize * int(np.prod(shape)) <= limits.CODES_MB * 2**20:
        return np.zeros(shape, dtype=kind)
    return spill_codes(shape, kind)


def spill_codes(shape: tuple[int, ...], kind: np.dtype[Any]) -> SmallCodes:
    """Return codes that are all 0, in a file.

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
            "less room. What was paid for is kept in the ledger: make room there or name another "
            "folder by TMPDIR and ask again, or ask for fewer rows."
        )
    return np.frombuffer(held, dtype=kind, count=int(np.prod(shape))).reshape(shape)


def let_go(codes: NDArray[Any]) -> None:
    """Let the system take back the memory of codes in a file, for now.

    Args:
        codes: Shape (rows,) or (columns, rows); codes in no file are unaffected.
    """
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
