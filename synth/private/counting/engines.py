"""The engines that read and count rows, by name. PRIVATE.

To add one, add its object here: `docs/extending/engine.md`.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from synth.domain import Domain, Summand
from synth.errors import ArgumentError
from synth.estimate import MomentSum
from synth.privacy import Unit
from synth.private.counting.adding import Marginals
from synth.private.table import Format, PrivateTable, open_table
from synth.util import Cells, Ints

if TYPE_CHECKING:
    from synth.estimate import RowStore
    from synth.private.counting.linked import LinkedCounter

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
        """Return occupied cells in ascending order, counts, sums and the rows left out.

        Sums have the shape (cells, sums).
        """

    def moments(
        self, table: PrivateTable, domain: Domain, sums: Sequence[MomentSum], *, unit: Unit
    ) -> list[Ints]:
        """Return the codes of the columns that sums are by, -1 for none, and the sums."""

    def marginals(
        self,
        table: PrivateTable,
        domain: Domain,
        groups: Sequence[tuple[int, ...]],
        *,
        unit: Unit,
    ) -> tuple[Marginals, int]:
        """Return occupied cells and their counts by group of columns, and all rows.

        All rows are those of the table, left out or not; with a person column, the used ones.
        """


def _open_file(name: str, form: Format, master: str) -> PrivateTable:
    if master or name.startswith(CATALOG_START):
        raise ArgumentError(
            f"A master, and tables called {CATALOG_START}..., are for the engine spark."
        )
    return open_table(name, form)


def _open_for_spark(name: str, form: Format, master: str) -> PrivateTable:
    from synth.private.counting.spark import connect, open_catalog

    if master:
        connect(master)
    if name.startswith(CATALOG_START):
        return open_catalog(name.removeprefix(CATALOG_START))
    return open_table(name, form)


def _draw_here(_master: str, _folder: Path | None) -> "RowStore":
    from synth.estimate import place_here

    return place_here


def _draw_by_workers(master: str, folder: Path | None) -> "RowStore":
    from synth.estimate import SparkRows, check_workers
    from synth.private.counting.spark import connect

    context = connect(master).sparkContext
    check_workers(context, folder)
    return partial(SparkRows, context)


def _count_in_duckdb() -> AbstractContextManager[RowCounter]:
    from synth.private.counting.duckdb import DuckDB

    return DuckDB()


def _link_in_duckdb() -> "AbstractContextManager[LinkedCounter]":
    from synth.private.counting.linked import LinkedDuckDB

    return LinkedDuckDB()


def _count_on_spark() -> AbstractContextManager[RowCounter]:
    from synth.private.counting.spark import Spark

    return nullcontext(Spark())


def _link_on_spark() -> "AbstractContextManager[LinkedCounter]":
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
    link: Callable[[], AbstractContextManager["LinkedCounter"]] = _link_in_duckdb
    open: Callable[[str, Format, str], PrivateTable] = _open_file
    place: Callable[[str, Path | None], "RowStore"] = _draw_here
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
