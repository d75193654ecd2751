"""Tables that differ in one record: read, they are at most one row apart.

A case is some rows that all its tables share, and versions of one more row: any two of its
tables are neighbours. Every table must be read, all must have the number of rows that was
written, and any two histograms of cells, with one for rows that are left out, may differ by
one row (an L1 of 2).

A kind of input joins by one entry in ``INPUTS`` of `tests.fuzz.test_neighbours`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, Self

from duckdb import Error

from synth.domain import Domain
from synth.private.counting import Counts, DuckDB, Engine, count
from synth.private.table import PrivateTable, list_remarks, look_through
from tests.counting.coding import coded

Row = Any
"""The bytes of a line, or a tuple of values."""
Histogram = Counter[int]
"""Rows by cell; those that are left out have the cell `LEFT_OUT`."""
LEFT_OUT = -1


@dataclass(frozen=True)
class Case:
    """Tables that differ in one row.

    Attributes:
        domain: The declared columns.
        rows: The rows that all tables share; the first of them is never dropped.
        place: How many of these stand above the row that differs.
        versions: What that row is, one for each table.
        save: Writes rows into an empty folder, and opens what was written.
        about: How it is written, for messages.
    """

    domain: Domain
    rows: tuple[Row, ...]
    place: int
    versions: tuple[Row, ...]
    save: Callable[[Sequence[Row], Path], PrivateTable]
    about: str = ""

    @property
    def tables(self) -> list[list[Row]]:
        """The rows of each table."""
        above, below = self.rows[: self.place], self.rows[self.place :]
        return [[*above, version, *below] for version in self.versions]

    @property
    def pairs(self) -> int:
        """How many pairs of neighbours it holds."""
        return len(self.versions) * (len(self.versions) - 1) // 2

    def without(self, start: int, stop: int) -> Self:
        """The case without some of the shared rows."""
        place = self.place - max(0, min(stop, self.place) - start)
        return replace(self, rows=self.rows[:start] + self.rows[stop:], place=place)


@dataclass(frozen=True)
class Input:
    """A kind of input.

    Attributes:
        draw: Makes a case from a generator.
        share: Pairs of this kind, as a part of those that are asked for.
        in_files: Whether it is in files, which other engines may read.
    """

    draw: Callable[[Random], Case]
    share: float
    in_files: bool = True


class Reader(DuckDB):
    """An engine that reads one table after the other; to make one anew takes longest."""

    def _allow_files(self, table: PrivateTable) -> None:
        if table.held is not None:
            self._connection.register("held", table.held)

    def _renew(self) -> None:
        """Go on with the same database, unless an error has broken it."""
        try:
            self._connection.execute("SELECT 1").fetchall()
        except Error:
            super()._renew()

    def histogram(self, table: PrivateTable, domain: Domain) -> Histogram:
        """Rows by cell."""
        try:
            cells, counts, _, left_out = self.sums(table, domain, ())
        finally:
            self._renew()
        pairs = zip(cells.tolist(), counts.tolist(), strict=True)
        return Counter(dict(pairs)) + Counter({LEFT_OUT: left_out})


def histogram_of(counts: Counts) -> Histogram:
    """What was counted, with the rows that were left out."""
    pairs = zip(counts.cells.tolist(), counts.counts.tolist(), strict=True)
    left_out = counts.rows - int(counts.counts.sum())
    return Counter(dict(pairs)) + Counter({LEFT_OUT: left_out})


def usual_histogram(table: PrivateTable, domain: Domain) -> Histogram:
    """Rows by cell, counted as releases count them: after a look, by the cell, and row by
    row.
    """
    look_through(table)
    assert all(isinstance(remark, str) for remark in list_remarks(table))
    histogram = histogram_of(count(table, domain))
    assert histogram == histogram_of(coded(table, domain).count(range(len(domain.columns))))
    return histogram


def spark_histogram(table: PrivateTable, domain: Domain) -> Histogram:
    """Rows by cell, counted on Spark."""
    return histogram_of(count(table, domain, engine=Engine.SPARK))


Read = Callable[[PrivateTable, Domain], Histogram]
Draw = Callable[[Random], Case]
FindFault = Callable[[Case, Path], str]


def find_fault(case: Case, folder: Path, count_table: Read) -> str:
    """What is wrong with a case; nothing if it is as it should be."""
    histograms: list[Histogram] = []
    for number, rows in enumerate(case.tables):
        version_folder = folder / f"{number}"
        version_folder.mkdir(exist_ok=True)
        try:
            histograms.append(count_table(case.save(rows, version_folder), case.domain))
        except Exception as error:  # noqa: BLE001 - none may be raised, whatever it is
            return f"version {number} is refused: {type(error).__name__}: {error}"
    return find_gap(case, histograms)


def save_tables(case: Case, folder: Path) -> list[PrivateTable]:
    """The tables of a case, each in a folder of its own."""
    tables = []
    for number, rows in enumerate(case.tables):
        version_folder = folder / f"{number}"
        version_folder.mkdir(exist_ok=True)
        tables.append(case.save(rows, version_folder))
    return tables


def find_gap(case: Case, histograms: Sequence[Histogram]) -> str:
    """What is wrong with the counts of a case's tables; nothing if they are as they should
    be.
    """
    for number, rows in enumerate(case.tables):
        if histograms[number].total() != len(rows):
            return f"version {number} has {histograms[number].total()} rows, not {len(rows)}"
    for first, second in combinations(range(len(histograms)), 2):
        if (gap := histogram_distance(histograms[first], histograms[second])) > 2:
            return f"versions {first} and {second} are {gap} apart"
    return ""


def histogram_distance(first: Histogram, second: Histogram) -> int:
    """The L1 distance of two histograms."""
    return sum(abs(first[cell] - second[cell]) for cell in first.keys() | second.keys())


def shrink(case: Case, folder: Path, count_table: Read) -> Case:
    """The case with fewer versions and rows, still at fault."""
    for few_versions in (*((v,) for v in case.versions), *combinations(case.versions, 2)):
        smaller = replace(case, versions=few_versions)
        if find_fault(smaller, folder, count_table):
            case = smaller
            break
    step = len(case.rows)
    while step := step // 2:
        for start in range(len(case.rows) - step, 0, -step):
            smaller = case.without(start, start + step)
            if find_fault(smaller, folder, count_table):
                case = smaller
    return case


def find_failures(
    draw: Draw,
    seeds: Iterable[int],
    folder: Path,
    count_table: Read,
    find_first: FindFault | None = None,
) -> Iterator[str]:
    """A message for each case that is at fault; its tables stay in a folder of their own.

    Args:
        draw: Makes a case.
        seeds: The seeds of the cases.
        folder: Where files are written.
        count_table: Counts a table.
        find_first: A faster way to find a fault, which is asked first.
    """
    for seed in seeds:
        case = draw(Random(seed))
        fault = find_first(case, folder) if find_first else ""
        if fault or not find_first:
            fault = find_fault(case, folder, count_table) or fault
        if fault:
            kept_folder = folder / f"seed-{seed}"
            kept_folder.mkdir(exist_ok=True)
            case = shrink(case, kept_folder, count_table)
            yield (
                f"SYNTH_FUZZ_SEED={seed}: {fault}; "
                f"in {kept_folder}\n  "
                f"{case.about}\n"
                f"  above {case.rows[: case.place]!r:.600}\n  below "
                f"{case.rows[case.place :]!r:.600}\n  {case.domain!r:.600}"
                + "".join(f"\n  version {i}: {v!r:.400}" for i, v in enumerate(case.versions))
            )
