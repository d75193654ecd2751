"""Histograms of linked rows, and the most that one root adds to them. PUBLIC.

One root adds non-negative whole numbers, of sum at most `LinkedMarginal.reach`. All
sensitivities follow from this (docs/proofs/linked-counts.md)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from synth.domain import LinkedPackage
from synth.privacy import Neighbors, RootUnit, Sensitivity
from synth.util import Document, Json

# A table, and the number of one of its columns (`LinkedPackage.sizes`).
Place = tuple[int, int]
# Whole units of a root for each possible share: shares differ by a 64th at most.
UNITS_A_SHARE = 64


class CountLaw(StrEnum):
    """Units of equal weight."""

    ROOTS = "roots"
    """Each root: its rows share whole units."""
    ROWS = "rows"
    BANDS = "bands"
    """Each row, by band of its parent's number of rows: few rows count more often."""


@dataclass(frozen=True, kw_only=True)
class LinkedMarginal:
    """A histogram of a table's rows with columns of all above them, or of pairs of rows.

    Attributes:
        table: Number of the table whose rows are counted.
        columns: Columns of these rows, or of the rows above them.
        others: Columns of another row under the same parent, of any table.
        law: What has equal weight: rows, roots or bands.
        by_agreement: Whether pairs only count as differing or agreeing in the column, a cell
            each.
    """

    table: int
    columns: tuple[Place, ...]
    others: tuple[Place, ...] = ()
    law: CountLaw = CountLaw.ROOTS
    by_agreement: bool = False

    @property
    def places(self) -> tuple[Place, ...]:
        """All columns, with those of the other row last."""
        return (*self.columns, *self.others)

    def shape(self, package: LinkedPackage) -> tuple[int, ...]:
        """Return the cells of each column, or the two of differing and agreeing pairs."""
        if self.by_agreement:
            return (2,)
        return tuple(package.sizes(table)[column] for table, column in self.places)

    def shares(self, package: LinkedPackage) -> int:
        """Return the most pieces of one root: its rows, or its pairs of rows."""
        row_limits = [package.tables[table].most for table in package.lineage(self.table)]
        if not self.others:
            return math.prod(row_limits)
        other_table = self.others[0][0]
        if other_table == self.table:
            return math.prod(row_limits) * (row_limits[0] - 1)
        return math.prod(row_limits) * package.tables[other_table].most

    def units(self, package: LinkedPackage) -> int:
        """Return the whole units shared by a root's pieces: a power of two."""
        shares = self.shares(package)
        return 1 if shares == 1 else 1 << (UNITS_A_SHARE * shares - 1).bit_length()

    def reach(self, package: LinkedPackage) -> int:
        """Return the most that one root adds."""
        return self.units(package) if self.law is CountLaw.ROOTS else self.shares(package)

    def sensitivity(self, package: LinkedPackage, neighbors: Neighbors) -> Sensitivity:
        """Return the distance of neighbours, which differ in one root with all below it."""
        reach = self.reach(package)
        rows_moved = neighbors.sensitivity
        return Sensitivity(rows_moved * reach, rows_moved * reach**2, reach)

    def in_words(self, package: LinkedPackage) -> str:
        """Name the histogram."""
        names = [f"{package.names(t)[c]} of {package.tables[t].name}" for t, c in self.places]
        words = " and ".join(names[: len(self.columns)])
        if self.by_agreement:
            return f"pairs of rows that agree in {words}, by {self.law}"
        if self.others:
            words += f", and {' and '.join(names[len(self.columns) :])} of another row"
        return f"{words}, by {self.law}"

    def to_json(self, package: LinkedPackage) -> Document:
        """Return the histogram as JSON, with names in the place of numbers."""

        def name_places(places: Sequence[Place]) -> list[Json]:
            return [[package.tables[t].name, package.names(t)[c]] for t, c in places]

        return {
            "table": package.tables[self.table].name,
            "columns": name_places(self.columns),
            "others": name_places(self.others),
            "law": self.law.value,
            "units": self.units(package),
            **({"by_agreement": True} if self.by_agreement else {}),
        }

    @classmethod
    def read(cls, content: object, package: LinkedPackage) -> "LinkedMarginal":
        """Read the output of `to_json`.

        Raises:
            ValueError: It is not of this package.
        """
        if not isinstance(content, Mapping):
            raise ValueError(content)
        tables = [table.name for table in package.tables]

        def read_places(places: Any) -> tuple[Place, ...]:
            """Read columns written as pairs of table and name."""
            numbered = [(tables.index(table), name) for table, name in places]
            return tuple(
                (number, package.names(number).index(name)) for number, name in numbered
            )

        columns = read_places(content["columns"])
        others = read_places(content["others"])
        law = CountLaw(content["law"])
        marginal = cls(
            table=tables.index(content["table"]),
            columns=columns,
            others=others,
            law=law,
            by_agreement=content.get("by_agreement") is True,
        )
        if marginal.to_json(package) != dict(content):
            raise ValueError(content)
        return marginal


def unit_of(package: LinkedPackage) -> RootUnit:
    """Return the protected unit: one root."""
    return RootUnit(package.root.root_key, table=package.root.name)
