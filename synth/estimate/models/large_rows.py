"""Rows of large tables, drawn and settled in parts. PUBLIC.

The number of rows alone decides the parts, and each has its own generator. So rows do not
depend on threads, and any process may settle a part (`synth.estimate.models.spark_rows`).

Codes of more rows than fit in memory: in a file without a name.

Nobody can find the file, and it vanishes with the process, however that ends. Its disk space
is reserved at once. Memory does not depend on the rows, as code releases those it has
finished with.

>>> held = spill_codes((2, 3), np.dtype(np.uint8))
>>> held[1] = 7
>>> let_go(held[:, 1:])
>>> held.tolist()
[[0, 0, 0], [7, 7, 7]]
"""

import mmap
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from synth import limits
from synth.errors import LimitError
from synth.estimate.models.evidence import Evidence
from synth.estimate.models.junction import Clique
from synth.estimate.models.refine_parts import settle_part, share_of
from synth.estimate.models.rules import Rules
from synth.foreign import open_unnamed
from synth.util import Floats, SmallCodes, each_part, small_type, sums_by_cell


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
            f"The rows take {size / 2**20:,.0f} MB in the system's temporary folder, which "
            "has less space. The ledger stores the paid counts. Free some space or set "
            "TMPDIR to another folder, then repeat the request; or ask for fewer rows."
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
        page = (
            -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        )  # neighbours may need what is before
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


# Approximate rows of a part: fewer are slower, more need more memory.
PART = 2**20

# Draws so many rows, shape (rows, columns).
Draw = Callable[[int, np.random.Generator], SmallCodes]
# Draws a column given another's codes, both of shape (rows,).
Follow = Callable[[SmallCodes, np.random.Generator], SmallCodes]
# Wanted counts and weights, in the columns' shape.
Targets = Mapping[Clique, tuple[Floats, Floats]]
# Changes a part's rows, shape (columns, rows), in place.
Step = Callable[[SmallCodes, slice, np.random.Generator], None]

_Made = TypeVar("_Made")


def row_parts(rows: int) -> list[slice]:
    """Return the places of a table's parts, at least one.

    >>> row_parts(3_000_000)
    [slice(0, 1000000, None), slice(1000000, 2000000, None), slice(2000000, 3000000, None)]
    """
    count = max(1, round(rows / PART))
    ends = [rows * part // count for part in range(count + 1)]
    return [slice(*ends) for ends in pairwise(ends)]


class PartedRows(ABC):
    """Rows of a table, in parts, each held by some process.

    Args:
        shape: Cells of every column.
        generator: Every step spawns a generator for each part, in order.
    """

    def __init__(
        self, rows: int, shape: tuple[int, ...], generator: np.random.Generator
    ) -> None:
        self.rows, self.shape, self.parts = rows, shape, row_parts(rows)
        self._generator = generator

    @abstractmethod
    def change(self, step: Step, generators: list[np.random.Generator]) -> None:
        """Run a step on each part with its own generator."""

    @abstractmethod
    def count(self, cliques: Iterable[Clique]) -> dict[Clique, Floats]:
        """Count rows by the columns' cells, in their shape."""

    @abstractmethod
    def each_piece(self, size: int, work: Callable[[int, SmallCodes], _Made]) -> list[_Made]:
        """Return the results of consecutive pieces, in order; an empty piece's for no rows.

        Args:
            size: Rows of a piece; the last may have fewer. Parts end elsewhere.
            work: Gets the piece's first row, and codes of shape (columns, rows).
        """

    def fill(self, columns: Iterable[int], draw: Draw) -> None:
        self._apply(partial(_fill, columns=list(columns), draw=draw))

    def follow(self, column: int, leader: int, draw: Follow) -> None:
        self._apply(partial(_follow, column=column, leader=leader, draw=draw))

    def settle(self, targets: Targets) -> None:
        """Settle every part on its share of the gaps, then on the rest."""
        for _ in range(min(2, len(self.parts)) if self.rows else 0):
            counts = self.count(targets)
            gaps = {
                clique: wanted - counts[clique] for clique, (wanted, _) in targets.items()
            }
            self._apply(
                partial(
                    _settle,
                    whole=_Whole(
                        rows=self.rows, shape=self.shape, targets=targets, gaps=gaps
                    ),
                )
            )

    def enforce(self, rules: Rules) -> None:
        if rules.allowed or rules.order:
            self._apply(partial(_enforce, rules=rules))

    def _apply(self, step: Step) -> None:
        self.change(step, self._generator.spawn(len(self.parts)))


class LargeRows(PartedRows):
    """Rows in this process, shape (columns, rows), changed in place."""

    def __init__(
        self, codes: SmallCodes, shape: tuple[int, ...], generator: np.random.Generator
    ) -> None:
        super().__init__(codes.shape[1], shape, generator)
        self.codes = codes

    def change(self, step: Step, generators: list[np.random.Generator]) -> None:
        def run_part(one: tuple[slice, np.random.Generator]) -> None:
            part, generator = one
            step(self.codes[:, part], part, generator)
            let_go(self.codes[:, part])

        for _ in each_part(run_part, zip(self.parts, generators, strict=True)):
            pass

    def count(self, cliques: Iterable[Clique]) -> dict[Clique, Floats]:
        return count_rows(self.codes, self.shape, cliques)

    def each_piece(self, size: int, work: Callable[[int, SmallCodes], _Made]) -> list[_Made]:
        def run_part(start: int) -> _Made:
            piece = self.codes[:, start : start + size]
            made = work(start, piece)
            let_go(piece)
            return made

        return list(each_part(run_part, range(0, max(1, self.rows), size)))


# Returns rows of this shape, all codes 0, in the place that draws and settles large tables.
RowStore = Callable[[int, tuple[int, ...], np.random.Generator], PartedRows]


def place_here(
    rows: int, shape: tuple[int, ...], generator: np.random.Generator
) -> LargeRows:
    return LargeRows(blank(rows, shape), shape, generator)


def place_rows(
    evidence: Evidence, rows: int | None, generator: np.random.Generator, *, place: RowStore
) -> PartedRows:
    """Place rows to draw, all codes 0.

    Args:
        rows: How many; None for as many as the table has.
        place: Where many rows are held; few are held here.
    """
    # Noise may have raised a paid number of rows beyond the limit, and it is not lost.
    wanted = min(int(evidence.total), limits.ROWS_MAX) if rows is None else rows
    held = place if wanted > limits.ROWS_AT_A_TIME else place_here
    return held(wanted, evidence.shape, generator)


def blank(rows: int, shape: tuple[int, ...]) -> SmallCodes:
    """Return small codes to fill, shape (columns, rows)."""
    return room_for((len(shape), rows), small_type(shape))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Whole:
    """Numbers of the whole table that a part needs to settle its share.

    Attributes:
        targets: The wanted counts.
        gaps: Wanted minus present counts.
    """

    rows: int
    shape: tuple[int, ...]
    targets: Targets
    gaps: Mapping[Clique, Floats]

    def share(self, codes: SmallCodes, part: slice) -> dict[Clique, Floats]:
        # A cell that should be empty loses all rows of the part.
        ends = (part.start / self.rows, part.stop / self.rows)
        own = {clique: share_of(gap, *ends) for clique, gap in self.gaps.items()}
        nowhere = {
            c: wanted == 0 for c, (wanted, _) in self.targets.items() if not wanted.all()
        }
        for clique, counts in sums_by_cell(list(codes), self.shape, nowhere).items():
            empty = nowhere[clique]
            own[clique][empty] = -counts[empty]
        return own


def _fill(
    codes: SmallCodes,
    _: slice,
    generator: np.random.Generator,
    *,
    columns: list[int],
    draw: Draw,
) -> None:
    codes[columns] = draw(codes.shape[1], generator).T


def _follow(
    codes: SmallCodes,
    _: slice,
    generator: np.random.Generator,
    *,
    column: int,
    leader: int,
    draw: Follow,
) -> None:
    codes[column] = draw(codes[leader], generator)


def _settle(
    codes: SmallCodes, part: slice, generator: np.random.Generator, *, whole: _Whole
) -> None:
    weights = {clique: weight for clique, (_, weight) in whole.targets.items()}
    settle_part(
        codes, whole.shape, whole.share(codes, part), weights=weights, generator=generator
    )


def _enforce(
    codes: SmallCodes, _: slice, generator: np.random.Generator, *, rules: Rules
) -> None:
    codes[:] = rules.enforce(codes.T, generator).T


def count_rows(
    codes: SmallCodes, shape: tuple[int, ...], cliques: Iterable[Clique]
) -> dict[Clique, Floats]:
    """Count rows, shape (columns, rows), by the columns' cells, in their shape."""
    wanted = list(cliques)

    def count_part(part: slice) -> dict[Clique, Floats]:
        counts = sums_by_cell(list(codes[:, part]), shape, wanted)
        let_go(codes[:, part])
        return counts

    parts = row_parts(codes.shape[1])
    if len(parts) == 1:
        return count_part(parts[0])
    found = {clique: np.zeros([shape[column] for column in clique]) for clique in wanted}
    for own in each_part(count_part, parts):
        for clique, counts in own.items():
            found[clique] += counts
    return found
