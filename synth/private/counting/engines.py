"""The engines that read and count rows, by name. PRIVATE.

To add one, add its object here: `docs/extending/engine.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from synth.errors import ArgumentError

if TYPE_CHECKING:
    from synth.domain import Domain, Summand
    from synth.estimate import MomentSum, RowStore
    from synth.privacy import Unit
    from synth.private.counting.adding import Added
    from synth.private.counting.linked import LinkedCounter
    from synth.private.table import Format, PrivateTable
    from synth.util import Cells, Ints

# Prefix of the name of a table in Spark's catalog.
CATALOG_START = "spark:"


class Engine(StrEnum):
    """The names of the engines."""

    DUCKDB = "duckdb"
    SPARK = "spark"


class RowCounter(Protocol):
    """What counts rows, for the time of a ``with`` block."""

    def sums(
        self, table: PrivateTable, domain: Domain, sums: Sequence[Summand], *, unit: Unit
    ) -> tuple[Cells, Ints, Ints, int]:
        """Count rows by cell, and add numbers. PRIVATE.

        Args:
            table: The confidential rows.
            domain: The columns to count by.
            sums: For each sum, the grid of its column, or two grids for a product.
            unit: The protected unit.

        Returns the occupied cells, ascending; their rows, shape (cells,); their sums in steps
        of the grids, shape (cells, sums); and the rows that a rule leaves out.
        """

    def marginals(
        self,
        table: PrivateTable,
        domain: Domain,
        groups: Sequence[tuple[int, ...]],
        *,
        sums: Sequence[MomentSum],
        unit: Unit,
    ) -> Added:
        """Count the marginals of groups of columns, and add offsets and products. PRIVATE.

        Args:
            table: The confidential rows.
            domain: The declared columns.
            groups: The columns of each marginal, by number, ascending.
            sums: The definitions of the sums, each with the columns that it is by.
            unit: The protected unit.
        """


def _open_file(name: str, form: Format, master: str) -> PrivateTable:
    """Open a file of this machine.

    Args:
        name: A file, or a folder of Parquet files.
        form: How it is read.
        master: Must be '', as it is the address of a cluster.

    Raises:
        ArgumentError: A cluster is named, or a table of Spark's catalog.
    """
    if master or name.startswith(CATALOG_START):
        raise ArgumentError(
            f"A master, and tables called {CATALOG_START}..., are for the engine spark."
        )
    from synth.private.table import open_table

    return open_table(name, form)


def _open_for_spark(name: str, form: Format, master: str) -> PrivateTable:
    """Open a file, or a table of Spark's catalog, after connecting to a cluster.

    Args:
        name: A file, a folder of Parquet files, or ``spark:database.table``.
        form: How a file is read.
        master: The cluster's address; '' for the current session or this machine.
    """
    from synth.private.counting.spark import connect, open_catalog
    from synth.private.table import open_table

    if master:
        connect(master)
    if name.startswith(CATALOG_START):
        from synth.private.table import check_options

        check_options(f"'{name}'", "catalog", form)
        return open_catalog(name.removeprefix(CATALOG_START))
    return open_table(name, form)


def _draw_here(_master: str, _folder: Path | None) -> RowStore:
    from synth.estimate import place_here

    return place_here


def _draw_by_workers(master: str, folder: Path | None) -> RowStore:
    """Return what draws and stores synthetic rows on the workers of a cluster.

    Args:
        master: The cluster's address; '' for the current session or this machine.
        folder: A folder that the workers must be able to use, or None.
    """
    from synth.estimate import SparkRows, check_workers
    from synth.private.counting.spark import connect

    context = connect(master).sparkContext
    check_workers(context, folder)
    return partial(SparkRows, context)


def _count_in_duckdb() -> AbstractContextManager[RowCounter]:
    from synth.private.counting.duckdb import DuckDB

    return DuckDB()


def _link_in_duckdb() -> AbstractContextManager[LinkedCounter]:
    from synth.private.counting.linked import LinkedDuckDB

    return LinkedDuckDB()


def _count_on_spark() -> AbstractContextManager[RowCounter]:
    from synth.private.counting.spark import Spark

    return nullcontext(Spark())


def _link_on_spark() -> AbstractContextManager[LinkedCounter]:
    from synth.private.counting.linked import LinkedSpark

    return nullcontext(LinkedSpark())


@dataclass(frozen=True, kw_only=True)
class CountingEngine:
    """An engine.

    Attributes:
        name: What people type.
        start: Starts it, for the time of a ``with`` block.
        link: The same for linked tables.
        open: Opens a table by its name and format, on a cluster or ''.
        place: Where the rows of a large table are drawn and settled, by cluster and folder.
        holds_rows: Whether rows that fit in this process's memory are held there.
    """

    name: str
    start: Callable[[], AbstractContextManager[RowCounter]]
    link: Callable[[], AbstractContextManager[LinkedCounter]] = _link_in_duckdb
    open: Callable[[str, Format, str], PrivateTable] = _open_file
    place: Callable[[str, Path | None], RowStore] = _draw_here
    holds_rows: bool = True


# Engines in order of display.
ENGINES: dict[str, CountingEngine] = {
    engine.name: engine
    for engine in (
        CountingEngine(name=Engine.DUCKDB, start=_count_in_duckdb),
        CountingEngine(
            name=Engine.SPARK,
            start=_count_on_spark,
            link=_link_on_spark,
            open=_open_for_spark,
            place=_draw_by_workers,
            holds_rows=False,
        ),
    )
}
