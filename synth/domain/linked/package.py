"""Declared tables of one package: a root table, and tables whose rows belong to a root. PUBLIC.

The numbers of rows below a row are columns too: see `LinkedPackage.sizes`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synth.domain.domain import Domain
from synth.domain.table_schema import write_schema
from synth.util import Codes, Document, Ints, Json

BANDS = 3
"""Bands of the number of rows, beside the one of no row."""
CELLS_OVER = 3
"""Cells for numbers above the limit: up to twice, up to four times, and more."""


@dataclass(frozen=True)
class LinkedTable:
    """One table of a package.

    Attributes:
        name: What it is called.
        path: Its file, relative to the package.
        domain: The columns that are modelled.
        order: Names of all columns, keys among them, as they are written.
        keys: Names and types of the key columns; of the synthetic ones, numbers are run.
        root_key: The column with the key of the root.
        link: The columns that name the parent within the root; none for a child of the root.
        key: The columns that name a row within its root; none where no table refers to it.
        parent: Number of the parent table; None for the root.
        most: Most rows of one parent that are kept.
        first_by: Columns by which the first rows are kept; none where a hash chooses.
        unique: Columns whose values do not repeat among the rows of one parent.
    """

    name: str
    path: str
    domain: Domain
    order: tuple[str, ...]
    keys: tuple[tuple[str, str], ...]
    root_key: str
    link: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    parent: int | None = None
    most: int = 1
    first_by: tuple[str, ...] = ()
    unique: tuple[str, ...] = ()

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that say whose row it is and which: the root's key first."""
        return (self.root_key, *self.link, *self.key)

    @property
    def tops(self) -> tuple[int, ...]:
        """The most rows of each band: a quarter of the limit, half of it, and all of it."""
        ends = (self.most >> BANDS - 1 - i for i in range(BANDS))
        return tuple(dict.fromkeys(max(1, one) for one in ends))

    @cached_property
    def bands(self) -> Codes:
        """The band of each number of rows, shape (numbers,): 0 of none."""
        numbers = np.minimum(np.arange(self.numbers), self.most)
        return np.where(numbers > 0, np.searchsorted(self.tops, numbers) + 1, 0).astype(np.int32)

    @property
    def numbers(self) -> int:
        """Cells of the number of rows of one parent, those above the limit among them."""
        return self.most + 1 + CELLS_OVER

    def number_of(self, rows: Ints) -> Codes:
        """The cells of numbers of rows, as they were before any was left out."""
        above = np.searchsorted([self.most, 2 * self.most, 4 * self.most], rows)
        return np.where(above, self.most + above, rows).astype(np.int32)


@dataclass(frozen=True)
class LinkedPackage:
    """All tables of a package, parents first.

    Attributes:
        name: What it is called.
        tables: The root, and the tables below it.
    """

    name: str
    tables: tuple[LinkedTable, ...]

    @property
    def root(self) -> LinkedTable:
        """The table of what is protected."""
        return self.tables[0]

    def children(self, table: int) -> list[int]:
        """The tables right below one."""
        return [i for i, one in enumerate(self.tables) if one.parent == table]

    def lineage(self, table: int) -> list[int]:
        """A table and all above it, the root last."""
        found, at = [table], self.tables[table].parent
        while at is not None:
            found.append(at)
            at = self.tables[at].parent
        return found

    def sizes(self, table: int) -> list[int]:
        """Cells of the columns of a table, then of the number and the band of each child."""
        found = list(self.tables[table].domain.shape)
        for child in self.children(table):
            one = self.tables[child]
            found += [one.numbers, len(one.tops) + 1]
        return found

    def names(self, table: int) -> list[str]:
        """What these columns are called."""
        found = list(self.tables[table].domain.names)
        for child in self.children(table):
            name = self.tables[child].name
            found += [f"number of {name}", f"band of the number of {name}"]
        return found

    def number(self, child: int) -> tuple[int, int]:
        """The parent's table, and its column with the number of rows of a child."""
        parent = self.tables[child].parent
        assert parent is not None
        place = 2 * self.children(parent).index(child)
        return parent, len(self.tables[parent].domain.shape) + place

    def to_json(self) -> Document:
        """The package as a data package; `read_package` gives back an equal one."""
        return {"name": self.name, "resources": [self._resource(one) for one in self.tables]}

    def _resource(self, one: LinkedTable) -> Json:
        written = write_schema(one.domain)
        fields: dict[str, Json] = {str(f["name"]): f for f in _objects(written["fields"])}
        fields |= {name: {"name": name, "type": kind} for name, kind in one.keys}
        schema: Document = {**written, "fields": [fields[name] for name in one.order]}
        named = [one.root_key, *one.link, *(one.key or one.unique)]
        if one.parent is None or one.key or one.unique:
            schema["primaryKey"] = list[Json](named)
        found: Document = {"name": one.name, "path": one.path}
        if one.parent is not None:
            above = self.tables[one.parent]
            link: list[Json] = [one.root_key, *one.link]
            there: list[Json] = [above.root_key, *above.key]
            reference: Json = {"resource": above.name, "fields": there}
            schema["foreignKeys"] = [{"fields": link, "reference": reference}]
            found["synth:maxRows"] = one.most
        if one.first_by:
            found |= {"synth:keep": "first", "synth:order": list[Json](one.first_by)}
        return {**found, "schema": schema}


def _objects(listed: Json) -> Sequence[Mapping[str, Json]]:
    return [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
