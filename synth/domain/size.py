"""Universes that may be enumerated. PUBLIC."""

from synth import limits
from synth.domain.domain import Domain, coarsening_advice
from synth.errors import LimitError


def check_dense(domain: Domain) -> None:
    """Refuse a universe too large to enumerate, before any memory is allocated.

    The universe has a cell for each combination of the columns' cells.

    Raises:
        LimitError: Names the number of cells, the memory and the column to coarsen.
    """
    if domain.size <= limits.dense_cells():
        return
    raise LimitError(
        f"The universe has {domain.size:,} cells; a dense histogram of them would take "
        f"about {_memory(domain.size * limits.BYTES_PER_CELL)} of memory, and the limit is "
        f"{limits.dense_cells():,} cells. {coarsening_advice(domain, limits.dense_cells())}"
    )


def _memory(size: int) -> str:
    """Write a number of bytes in the largest unit that it reaches, rounded down."""
    for unit in ("bytes", "kB", "MB", "GB", "TB", "PB"):
        if size < 1000 or unit == "PB":
            # Only petabytes, the last unit, may be so many.
            return f"{size:,} {unit}" if size < 10**6 else f"more than 10^6 {unit}"
        size //= 1000
    return ""  # not reached, as the loop returns at its last unit
