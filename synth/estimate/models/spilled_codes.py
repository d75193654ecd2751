"""Codes of more rows than fit in memory, in a file without a name. PUBLIC.

Nobody can find the file, and it vanishes with the process, however that ends. Its disk space
is reserved at once. Memory does not depend on the rows, as code releases those it has
finished with.

>>> codes = spill_codes((2, 3), np.dtype(np.uint8))
>>> codes[1] = 7
>>> let_go(codes[:, 1:])
>>> codes.tolist()
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
    """Return an array of 0, in memory, or in a file if it is large.

    Args:
        shape: The array's shape.
        kind: The type of the numbers in the array.

    Raises:
        LimitError: There is no space for the file.
        TableError: No private folder can be made for it.
    """
    size = np.dtype(kind).itemsize * int(np.prod(shape))
    if size <= limits.CODES_MB * 2**20:
        return np.zeros(shape, dtype=kind)
    return spill_codes(shape, kind)


def spill_codes(shape: tuple[int, ...], kind: np.dtype[Any]) -> SmallCodes:
    """Return an array of 0 that is a mapping of a file without a name.

    Args:
        shape: The array's shape.
        kind: The type of the numbers in the array.

    Raises:
        LimitError: There is no space for it.
        TableError: No private folder can be made.
    """
    count = int(np.prod(shape))
    size = max(1, kind.itemsize * count)
    has_no_space = False
    try:
        with open_unnamed() as file:
            _take_room(file, size)
            mapped = mmap.mmap(file.fileno(), size)
    except OSError:
        has_no_space = True
    if has_no_space:  # outside the handler, so that no path is chained to the sentence
        raise LimitError(
            f"The rows take {size / 2**20:,.0f} MB in the system's temporary folder, which "
            "has less space. Free some space or set TMPDIR to another folder, then repeat "
            "the request; or ask for fewer rows."
        )
    return np.frombuffer(mapped, dtype=kind, count=count).reshape(shape)


def let_go(codes: NDArray[Any]) -> None:
    """Let the system take back the memory of an array in a file, which stays readable.

    An array that is not in a file is left as it is.

    Args:
        codes: Part of an array of `room_for`; each of its lines is contiguous.
    """
    mapped = _file_of(codes)
    if mapped is None or not hasattr(mapped, "madvise"):
        return
    file_start = np.frombuffer(mapped, dtype=np.uint8).ctypes.data
    for line in np.atleast_2d(codes):
        start = line.ctypes.data - file_start
        # Whole pages only: neighbours may need what is before and behind the line.
        # The start is rounded up to a page, and the end down.
        first_page = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        end = (start + line.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
        if end > first_page:
            mapped.madvise(mmap.MADV_DONTNEED, first_page, end - first_page)


def _take_room(file: IO[bytes], size: int) -> None:
    """Make a file this many bytes long, and reserve its disk space where the system can.

    Raises:
        OSError: There is no space for it.
    """
    file.truncate(size)
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)


def _file_of(codes: NDArray[Any]) -> mmap.mmap | None:
    """Return the mapped file that holds an array; None if it is in ordinary memory."""
    # An array may be a view of another one, and so on down to the mapping.
    base: Any = codes
    while isinstance(base, np.ndarray | memoryview):
        base = base.obj if isinstance(base, memoryview) else base.base
    return base if isinstance(base, mmap.mmap) else None
