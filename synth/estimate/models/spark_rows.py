"""Rows of large tables, drawn and settled by Spark's workers. PUBLIC.

Workers hold the parts and get public, noisy evidence; this process holds only counts. If a
worker dies, another makes its part again from its generators, with the same rows."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from synth.errors import ArgumentError, LimitError
from synth.estimate.models.junction import Clique
from synth.estimate.models.large_rows import PartedRows, Step
from synth.util import Floats, SmallCodes, small_type, sums_by_cell
from synth.util.version import __version__

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

_Made = TypeVar("_Made")

FAILED = (
    "Spark's workers could not finish the rows: one of them stopped, or its disk is full. If "
    "you used a ledger, repeat the request: that spends nothing more."
)


class SparkRows(PartedRows):
    """Rows on Spark's workers, one part each, in memory or on their disks."""

    def __init__(  # noqa: PLR0917 - a `RowStore` is called with the last three by position
        self,
        context: "SparkContext",
        rows: int,
        shape: tuple[int, ...],
        generator: np.random.Generator,
    ) -> None:
        """Plan rows of code 0 on the workers.

        Args:
            context: The connection to Spark.
            rows: Number of rows.
            shape: Number of cells of every column.
            generator: Source of randomness; every step spawns a generator for each part.
        """
        super().__init__(rows, shape, generator)
        part_count = len(self.parts)
        make_part = partial(_blank, parts=self.parts, shape=shape)
        numbers = context.parallelize(range(part_count), part_count)
        # The rows after the last planned step, and as they were before steps whose results
        # are not computed yet.
        self._held: RDD[SmallCodes] = numbers.map(make_part)
        self._before: list[RDD[SmallCodes]] = []

    def change(self, step: Step, generators: list[np.random.Generator]) -> None:
        """Plan a step on the workers; it runs when its result is needed.

        See `PartedRows.change`.
        """
        # The rows before it can be dropped once a later result has been computed.
        self._before.append(self._held)
        changed = partial(_change_rows, step=step, parts=self.parts, generators=generators)
        self._held = _keep_rows(self._held.mapPartitionsWithIndex(changed))

    def count(self, cliques: Iterable[Clique]) -> dict[Clique, Floats]:
        """Return, for each set of columns, the number of rows in each of their cells.

        Workers add up their counts before they send them.

        Raises:
            LimitError: The workers failed.
        """
        counted = self._held.map(
            partial(_count_cells, shape=self.shape, cliques=list(cliques))
        )
        counts: dict[Clique, Floats] = _run_job(lambda: counted.treeReduce(_sum))
        self._forget()
        return counts

    def each_piece(self, size: int, work: Callable[[int, SmallCodes], _Made]) -> list[_Made]:
        """Return the results of consecutive pieces, in order; see `PartedRows.each_piece`.

        Raises:
            LimitError: The workers failed.
        """
        cut = partial(_cut, parts=self.parts, size=size)
        piece_count = max(1, -(-self.rows // size))  # rounded up
        # One Spark partition for each piece, by its number.
        pieces = self._held.mapPartitionsWithIndex(cut).groupByKey(piece_count, int)
        results = _run_job(
            lambda: pieces.map(partial(_join_pieces, size=size, work=work)).collect()
        )
        self._forget()
        return [result for _, result in sorted(results, key=lambda pair: pair[0])]

    def _forget(self) -> None:
        """Let workers drop rows as they were before steps that are done."""
        for rows in self._before:
            rows.unpersist()
        self._before = []


def check_workers(context: "SparkContext", folder: Path | None = None) -> None:
    """Check that workers can run this code and see a folder, before anything is spent.

    Args:
        context: The connection to Spark.
        folder: Where workers will write; None if they will write nothing.

    Raises:
        ArgumentError: They can't, or have other versions of packages that rows depend on.
    """
    _prepare(context)
    # A task for each core, at least two, so that most workers probably answer.
    task_count = max(2, context.defaultParallelism)
    reports: list[tuple[dict[str, str], bool]] = []
    try:
        job = context.parallelize(range(task_count), task_count).map(
            partial(_report_worker, folder=folder)
        )
        reports = job.collect()
    except Exception:  # noqa: BLE001 - its messages are pages long
        reports = []  # which is refused below
    needed = ", ".join(f"{name} {number}" for name, number in needed_versions().items())
    if not reports or any(versions != needed_versions() for versions, _ in reports):
        raise ArgumentError(
            f"Spark's workers need {needed} installed, as they are here: rows depend on them."
        )
    if not all(can_write for _, can_write in reports):
        raise ArgumentError(
            f"Spark's workers cannot write to '{folder}'; name a folder that all of them see."
        )


def needed_versions() -> dict[str, str]:
    """Return the versions on which rows depend, by package."""
    return {"synth": __version__} | {name: version(name) for name in ("numpy", "pyarrow")}


def _prepare(context: "SparkContext") -> None:
    """Set the environment of Spark's workers.

    Each task runs in one thread, as every core has a task of its own. Workers on this machine
    use this Python and this copy of Synth.
    """
    context.environment["SYNTH_WORKERS"] = "1"
    if context.master.startswith("local"):
        # The folder that holds the package, whatever folder the program was started in.
        context.environment["PYTHONPATH"] = str(Path(__file__).parents[3])
        if "PYSPARK_PYTHON" not in os.environ:
            context.pythonExec = sys.executable


def _report_worker(_: int, folder: Path | None) -> tuple[dict[str, str], bool]:
    """Return a worker's versions by package, and whether it can write to the folder."""
    return needed_versions(), folder is None or os.access(folder, os.W_OK)


def _keep_rows(rows: "RDD[SmallCodes]") -> "RDD[SmallCodes]":
    """Return rows that workers store once computed, on their disks if memory is short."""
    from pyspark import StorageLevel

    return rows.persist(StorageLevel.MEMORY_AND_DISK)


def _run_job(job: Callable[[], _Made]) -> _Made:
    """Return the result of a job of Spark.

    Raises:
        LimitError: It failed. Spark's own text is pages long; one sentence replaces it.
    """
    try:
        return job()
    except Exception:  # noqa: BLE001 - see above
        pass  # the sentence is raised below, so that Spark's text is not chained to it
    raise LimitError(FAILED)


def _blank(number: int, parts: list[slice], shape: tuple[int, ...]) -> SmallCodes:
    """Return codes of 0 for the part of this number, shape (columns, rows)."""
    rows = parts[number].stop - parts[number].start
    return np.zeros((len(shape), rows), dtype=small_type(shape))


def _change_rows(
    number: int,
    rows: Iterator[SmallCodes],
    step: Step,
    *,
    parts: list[slice],
    generators: list[np.random.Generator],
) -> Iterator[SmallCodes]:
    """Yield a part's rows after one step, with the part's own random numbers.

    Args:
        number: Number of the part.
        rows: Its codes, shape (columns, rows): a single array, as Spark iterates.
        step: Changes the rows in place.
        parts: The slices of all parts.
        generators: One for each part.
    """
    for codes in rows:
        step(codes, parts[number], generators[number])
        yield codes


def _count_cells(
    codes: SmallCodes, shape: tuple[int, ...], cliques: list[Clique]
) -> dict[Clique, Floats]:
    """Return, for each set of columns, a part's number of rows in each of their cells."""
    return sums_by_cell(list(codes), shape, cliques)


def _sum(first: dict[Clique, Floats], second: dict[Clique, Floats]) -> dict[Clique, Floats]:
    """Return the summed counts of two parts, for the same sets of columns."""
    return {clique: counts + second[clique] for clique, counts in first.items()}


def _cut(
    number: int, rows: Iterator[SmallCodes], parts: list[slice], *, size: int
) -> Iterator[tuple[int, tuple[int, SmallCodes]]]:
    """Yield the rows of a part, cut where pieces of equal size begin in the whole table.

    Args:
        number: Number of the part.
        rows: Its codes, shape (columns, rows): a single array, as Spark iterates.
        parts: The slices of all parts.
        size: Rows of a piece.

    Yields:
        The number of the piece; and the number of the first row here, with the codes. A table
        without rows gives one empty piece.
    """
    part = parts[number]
    for codes in rows:
        for piece in range(part.start // size, max(part.start, part.stop - 1) // size + 1):
            first = max(part.start, piece * size)
            last = min(part.stop, (piece + 1) * size)
            if last > first or part.stop == 0:
                yield piece, (first, codes[:, first - part.start : last - part.start])


def _join_pieces(
    numbered: tuple[int, Any], size: int, work: Callable[[int, SmallCodes], _Made]
) -> tuple[int, _Made]:
    """Return the number of a piece, and the result of some work on it.

    Args:
        numbered: Its number, and what `_cut` gave of it in any order.
        size: Rows of a piece.
        work: Gets the piece's first row, and codes of shape (columns, rows).
    """
    piece, pieces = numbered
    rows = [codes for _, codes in sorted(pieces, key=lambda pair: pair[0])]
    return piece, work(piece * size, np.concatenate(rows, axis=1))
