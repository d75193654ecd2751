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
        """Return the number of cells of each column of the histogram.

        If pairs only differ or agree, there are these two cells.
        """
        if self.by_agreement:
            return (2,)
        return tuple(package.sizes(table)[column] for table, column in self.places)

    def shares(self, package: LinkedPackage) -> int:
        """Return the most rows of one root that are counted, or the most pairs of its rows.

        A root is a row of the root table with all rows below it. The numbers follow from the
        limits of rows of one parent.
        """
        # The lineage begins with the table itself and ends with the root table.
        row_limits = [package.tables[table].most for table in package.lineage(self.table)]
        if not self.others:
            return math.prod(row_limits)
        other_table = self.others[0][0]
        if other_table == self.table:
            # Each row has a pair with every other row of its parent, and none with itself.
            return math.prod(row_limits) * (row_limits[0] - 1)
        # Each row has a pair with every row of the other table below the same parent.
        return math.prod(row_limits) * package.tables[other_table].most

    def units(self, package: LinkedPackage) -> int:
        """Return the whole units of a root, which its rows or pairs of rows share.

        A root is a row of the root table with all rows below it. Its weight is cut into whole
        units so that counts are exact. They are a power of two, with at least `UNITS_A_SHARE`
        units for each row or pair.
        """
        shares = self.shares(package)
        # A single row needs no parts. The shift is the least power of two that is enough.
        return 1 if shares == 1 else 1 << (UNITS_A_SHARE * shares - 1).bit_length()

    def reach(self, package: LinkedPackage) -> int:
        """Return the most that one root adds to all cells of the histogram together.

        A root is a row of the root table with all rows below it. Its sensitivity follows from
        this number. If roots have equal weight, it is the number of whole units into which
        the weight of each root is cut. If rows have, it is the most rows of a root. Bands of
        parents have factors by which rows count more often, but never beyond the latter.
        """
        if self.law is CountLaw.ROOTS:
            return self.units(package)
        return self.shares(package)

    def sensitivity(self, package: LinkedPackage, neighbors: Neighbors) -> Sensitivity:
        """Return the sensitivity to one root with all rows below it.

        One root adds non-negative numbers of sum at most `reach`. Neighbours differ in one
        such root, or in two if one is replaced by another (docs/proofs/linked-counts.md).
        """
        reach = self.reach(package)
        changed_roots = neighbors.sensitivity
        return Sensitivity(
            l1=changed_roots * reach, squared_l2=changed_roots * reach**2, l_infinity=reach
        )

    def in_words(self, package: LinkedPackage) -> str:
        """Name the histogram in words, by its columns, their tables and what counts."""
        names = [
            f"{package.names(table)[column]} of {package.tables[table].name}"
            for table, column in self.places
        ]
        words = " and ".join(names[: len(self.columns)])
        if self.by_agreement:
            return f"pairs of rows that agree in {words}, by {self.law}"
        if self.others:
            words += f", and {' and '.join(names[len(self.columns) :])} of another row"
        return f"{words}, by {self.law}"

    def to_json(self, package: LinkedPackage) -> Document:
        """Return the histogram as JSON; `read` restores it.

        Names stand in place of the numbers of tables and columns. The whole units of a root
        follow from the package's limits; `read` refuses others.
        """

        def name_places(places: Sequence[Place]) -> list[Json]:
            """Return columns as pairs of names: of the table and of the column."""
            return [
                [package.tables[table].name, package.names(table)[column]]
                for table, column in places
            ]

        content: Document = {
            "table": package.tables[self.table].name,
            "columns": name_places(self.columns),
            "others": name_places(self.others),
            "law": self.law.value,
            "units": self.units(package),
        }
        # The usual histogram, of pairs of values, does not say it.
        if self.by_agreement:
            content["by_agreement"] = True
        return content

    @classmethod
    def read(cls, content: object, package: LinkedPackage) -> "LinkedMarginal":
        """Return the histogram that `to_json` wrote.

        Raises:
            ValueError: It is of another form, or not of this package.
        """
        if not isinstance(content, Mapping):
            raise ValueError(content)
        tables = [table.name for table in package.tables]

        def read_places(places: Any) -> tuple[Place, ...]:
            """Return columns by number; they are written as names of table and column."""
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
        # If the content has more, or is written in another way, it is refused.
        if marginal.to_json(package) != dict(content):
            raise ValueError(content)
        return marginal


def unit_of(package: LinkedPackage) -> RootUnit:
    """Return the protected unit: one root."""
    return RootUnit(package.root.root_key, table=package.root.name)
