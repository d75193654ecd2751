"""The memory of this machine, and its end as libraries report it. PUBLIC.

>>> lacks_memory(MemoryError()), lacks_memory(ValueError("can't start new thread"))
(True, False)
>>> describe_lack(MemoryError())[:33]
'Memory ran out before the work wa'
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

OUT_OF_MEMORY = (
    "Memory ran out before the work was done; free some, leave out columns, or "
    "coarsen the domain."
)
# For work that ended where no spend was noted.
NOTHING_SPENT = "Nothing was spent, unless the ledger shows it."

# The part of the memory that large pieces of work share; the rest is for everything else.
LARGE_WORK = 2 / 3
# Files with the memory of a container in bytes, by the two versions of Linux's groups.
CONTAINER_FILES = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)

# What libraries say who get no memory for a thread or for their own code.
_SIGNS = {
    RuntimeError: ("can't start new thread",),
    ImportError: (
        "failed to map segment",
        "cannot allocate memory",
        "Cannot allocate memory",
    ),
}
# Classes of errors of DuckDB and Arrow, by name so that neither library has to be loaded.
_NAMES = ("OutOfMemoryException", "ArrowMemoryError")


def lacks_memory(error: BaseException) -> bool:
    """Return whether an error, or one that led to it, says that memory ran out."""
    return any(_says_so(cause) for cause in _causes(error))


def describe_lack(error: BaseException) -> str:
    """Return the sentence about the end of memory, followed by the error's notes.

    The notes tell what was spent. Without notes, it says that nothing was, unless the ledger
    shows it.
    """
    notes = getattr(error, "__notes__", ()) or [NOTHING_SPENT]
    return " ".join([OUT_OF_MEMORY, *notes])


def fitting_in_memory(megabytes: int) -> int:
    """Return how many pieces of work of so many MB fit into this machine's memory together.

    At least one does. So it is where the system does not tell its memory, as on Windows.
    """
    memory = _machine_megabytes()
    return 1 if memory is None else max(1, int(LARGE_WORK * memory) // megabytes)


def _machine_megabytes() -> int | None:
    """Return the memory of the machine, or of the container; None if it is not known."""
    try:
        sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (AttributeError, OSError, ValueError):
        return None
    for name in CONTAINER_FILES:
        try:
            sizes.append(int(Path(name).read_text(encoding="ascii")))
        except (OSError, ValueError):  # no container, or one without a limit: "max"
            continue
    return min(sizes) // 2**20


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and the errors that led to it."""
    for _ in range(10):  # a chain of errors may go round
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _says_so(error: BaseException) -> bool:
    """Return whether this very error says that memory ran out: by its type or its text.

    Libraries report it by errors of their own, and some only in words.
    """
    if isinstance(error, MemoryError) or type(error).__name__ in _NAMES:
        return True
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    # `_SIGNS` has the words to look for, by the class of the error.
    text = str(error) if isinstance(error, RuntimeError | ImportError) else ""
    return any(
        isinstance(error, kind) and any(sign in text for sign in signs)
        for kind, signs in _SIGNS.items()
    )
