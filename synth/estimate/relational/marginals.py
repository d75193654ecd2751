"""Histograms of linked rows, and the most that one root adds to them. PUBLIC.

One root adds whole numbers that are not negative, and whose sum is at most `LinkedMarginal.reach`.
All sensitivities follow from this (docs/proofs/linked-counts.md).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from synth.domain import LinkedPackage
from synth.privacy import Neighbors, RootUnit, Sensitivity
from synth.util import Document, Json

Place = tuple[int, int]
"""A table, and the number of one of its columns (`LinkedPackage.sizes`)."""
UNITS_A_SHARE = 64
"""Whole units of a root for each share that it can be cut into: shares differ by a 64th at most."""


class CountLaw(StrEnum):
    """What weighs alike."""

    ROOTS = "roots"
    """Each root: its rows share whole units."""
    ROWS = "rows"
    """Each row."""
    BANDS = "bands"
    """Each row, by the band of the number of rows of its parent: few rows count more times."""


@dataclass(frozen=True)
class LinkedMarginal:
    """A histogram of the rows of a table with columns of all above them, or of pairs of rows.

    Attributes:
        table: The table whose rows are counted.
        columns: Columns of these rows, or of the rows above them.
        others: Columns of another row under the same parent, of the same table or of another one.
        law: What weighs alike.
    """

    table: int
    columns: tuple[Place, ...]
    others: tuple[Place, ...] = ()
    law: CountLaw = CountLaw.ROOTS

    @property
    def places(self) -> tuple[Place, ...]:
        """All columns, in order."""
        return (*self.columns, *self.others)

    def shape(self, package: LinkedPackage) -> tuple[int, ...]:
        """Cells of each column."""
        return tuple(package.sizes(table)[column] for table, column in self.places)

    def shares(self, package: LinkedPackage) -> int:
        """The most pieces that one root is cut into: its rows, or its pairs of rows."""
        most = [package.tables[one].most for one in package.lineage(self.table)]
        if not self.others:
            return math.prod(most)
        other = self.others[0][0]
        same = other == self.table
        return math.prod(most) * (most[0] - 1 if same else package.tables[other].most)

    def units(self, package: LinkedPackage) -> int:
        """The whole units that the pieces of one root share: a power of two."""
        shares = self.shares(package)
        return 1 if shares == 1 else 1 << (UNITS_A_SHARE * shares - 1).bit_length()

    def reach(self, package: LinkedPackage) -> int:
        """The most that one root adds, in all."""
        return self.units(package) if self.law is CountLaw.ROOTS else self.shares(package)

    def sensitivity(self, package: LinkedPackage, neighbors: Neighbors) -> Sensitivity:
        """How far neighbours are apart, which differ in one root with all below it."""
        most, times = self.reach(package), neighbors.sensitivity
        return Sensitivity(times * most, times * most**2, most)

    def in_words(self, package: LinkedPackage) -> str:
        """What is counted."""
        told = [f"{package.names(t)[c]} of {package.tables[t].name}" for t, c in self.places]
        what = " and ".join(told[: len(self.columns)])
        if self.others:
            what += f", and {' and '.join(told[len(self.columns) :])} of another row"
        return f"{what}, by {self.law}"

    def to_json(self, package: LinkedPackage) -> Document:
        """All that it is, by names; `read` gives it back."""

        def told(places: Sequence[Place]) -> list[Json]:
            return [[package.tables[t].name, package.names(t)[c]] for t, c in places]

        return {
            "table": package.tables[self.table].name,
            "columns": told(self.columns),
            "others": told(self.others),
            "law": self.law.value,
            "units": self.units(package),
        }

    @classmethod
    def read(cls, content: object, package: LinkedPackage) -> "LinkedMarginal":
        """The histogram that `to_json` wrote.

        Raises:
            ValueError: It is none of this package.
        """
        if not isinstance(content, Mapping):
            raise ValueError(content)
        tables = [one.name for one in package.tables]

        def places(listed: Any) -> tuple[Place, ...]:
            found = [(tables.index(table), name) for table, name in listed]
            return tuple((t, package.names(t).index(name)) for t, name in found)

        columns, others = places(content["columns"]), places(content["others"])
        one = cls(tables.index(content["table"]), columns, others, CountLaw(content["law"]))
        if one.to_json(package) != dict(content):
            raise ValueError(content)
        return one


def unit_of(package: LinkedPackage) -> RootUnit:
    """Whose data is protected: one root."""
    return RootUnit(package.root.root_key, table=package.root.name)
