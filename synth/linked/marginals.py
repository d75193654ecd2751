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
        columns: Columns of these rows, or of the rows above them. others: Columns of another
        row under the same parent, of any table. by_agreement: Whether pairs only count as
        differing or agreeing in the column, a cell each.
    """

    table: int
    columns: tuple[Place, ...]
    others: tuple[Place, ...] = ()
    law: CountLaw = CountLaw.ROOTS
    by_agreement: bool = False

    @property
    def places(self) -> tuple[Place, ...]:
        return (*self.columns, *self.others)

    def shape(self, package: LinkedPackage) -> tuple[int, ...]:
        """Return the cells of each column, or the two of differing and agreeing pairs."""
        if self.by_agreement:
            return (2,)
        return tuple(package.sizes(table)[column] for table, column in self.places)

    def shares(self, package: LinkedPackage) -> int:
        """Return the most pieces of one root: its rows, or its pairs of rows."""
        most = [package.tables[one].most for one in package.lineage(self.table)]
        if not self.others:
            return math.prod(most)
        other = self.others[0][0]
        same = other == self.table
        return math.prod(most) * (most[0] - 1 if same else package.tables[other].most)

    def units(self, package: LinkedPackage) -> int:
        """Return the whole units shared by a root's pieces: a power of two."""
        shares = self.shares(package)
        return 1 if shares == 1 else 1 << (UNITS_A_SHARE * shares - 1).bit_length()

    def reach(self, package: LinkedPackage) -> int:
        """Return the most that one root adds."""
        return self.units(package) if self.law is CountLaw.ROOTS else self.shares(package)

    def sensitivity(self, package: LinkedPackage, neighbors: Neighbors) -> Sensitivity:
        """Return the distance of neighbours, which differ in one root with all below it."""
        most, times = self.reach(package), neighbors.sensitivity
        return Sensitivity(times * most, times * most**2, most)

    def in_words(self, package: LinkedPackage) -> str:
        told = [f"{package.names(t)[c]} of {package.tables[t].name}" for t, c in self.places]
        what = " and ".join(told[: len(self.columns)])
        if self.by_agreement:
            return f"pairs of rows that agree in {what}, by {self.law}"
        if self.others:
            what += f", and {' and '.join(told[len(self.columns) :])} of another row"
        return f"{what}, by {self.law}"

    def to_json(self, package: LinkedPackage) -> Document:
        def told(places: Sequence[Place]) -> list[Json]:
            return [[package.tables[t].name, package.names(t)[c]] for t, c in places]

        return {
            "table": package.tables[self.table].name,
            "columns": told(self.columns),
            "others": told(self.others),
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
        tables = [one.name for one in package.tables]

        def places(listed: Any) -> tuple[Place, ...]:
            found = [(tables.index(table), name) for table, name in listed]
            return tuple((t, package.names(t).index(name)) for t, name in found)

        columns, others = places(content["columns"]), places(content["others"])
        law, agree = CountLaw(content["law"]), content.get("by_agreement") is True
        one = cls(
            table=tables.index(content["table"]),
            columns=columns,
            others=others,
            law=law,
            by_agreement=agree,
        )
        if one.to_json(package) != dict(content):
            raise ValueError(content)
        return one


def unit_of(package: LinkedPackage) -> RootUnit:
    """Return the protected unit: one root."""
    return RootUnit(package.root.root_key, table=package.root.name)
