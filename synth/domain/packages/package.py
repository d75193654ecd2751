"""Declared tables of one package: a root, and tables whose rows belong to it. PUBLIC.

The numbers of rows below a row are columns too: see `LinkedPackage.sizes`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from synth.domain.domain import Domain
from synth.domain.identifiers import Identifier
from synth.domain.origin import Provenance, join_provenances
from synth.domain.table_schema import write_schema
from synth.util import Codes, Document, Ints, Json

# Bands of the number of rows, beside the one of no row.
BANDS = 3
# Cells for numbers above the limit: up to twice, up to four times, and more.
CELLS_OVER = 3


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """A public table, whose columns stand in rows in place of the key.

    Attributes:
        column: The key's column in the rows, and its type.
        table: The public table's name.
        path: Its file, relative to the package.
        key: The key's column in the public table, and its type.
        domain: The columns of the public table without its key.
    """

    column: tuple[str, str]
    table: str
    path: str
    key: tuple[str, str]
    domain: Domain

    def to_json(self) -> Document:
        """Return the public table as a resource of a data package, with its key first."""
        schema = write_schema(self.domain)
        fields = [_key_field(*self.key), *_objects(schema["fields"])]
        schema = {**schema, "fields": list[Json](fields), "primaryKey": self.key[0]}
        return {"name": self.table, "path": self.path, "synth:public": True, "schema": schema}


@dataclass(frozen=True, kw_only=True)
class LinkedTable:
    """One table of a package.

    Attributes:
        name: The table's name.
        path: Its file, relative to the package.
        domain: The columns that are modelled.
        order: Names of all columns, with keys, as they are written.
        keys: Names and types of the key columns; synthetic keys of numbers count up.
        root_key: The column with the key of the root.
        link: The columns that name the parent within the root; none for a child of the root.
        key: The columns that name a row within its root; none if no table refers to it.
        parent: Number of the parent table; None for the root.
        most: Most rows of one parent that are kept.
        first_by: Columns by which the first rows are kept; none if a hash chooses.
        unique: Columns whose values do not repeat among the rows of one parent.
        patterns: Patterns of synthetic keys; keys without one count up.
        lookups: Their columns are the domain's last.
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
    patterns: tuple[Identifier, ...] = ()
    lookups: tuple[Lookup, ...] = ()

    @property
    def own(self) -> Domain:
        """The domain of the table's own columns, without those of public tables."""
        looked_up_names: set[str] = set()
        for lookup in self.lookups:
            looked_up_names.update(lookup.domain.names)
        columns = tuple(
            column for column in self.domain.columns if column.name not in looked_up_names
        )
        return replace(self.domain, columns=columns)

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that name the root, the parent and the row."""
        return (self.root_key, *self.link, *self.key)

    @property
    def tops(self) -> tuple[int, ...]:
        """The most rows of each band, ascending: a quarter of the limit, half, and all of it.

        A band groups parents by their number of rows in this table; the limit is `most`.
        """
        halvings = range(BANDS - 1, -1, -1)
        fractions = (self.most >> halving for halving in halvings)
        # For a small limit two bands may have the same end; then one of them is enough.
        return tuple(dict.fromkeys(max(1, rows) for rows in fractions))

    @property
    def times(self) -> tuple[int, ...]:
        """How often a row counts in each band of its parent's number of rows.

        With few rows each counts more often, so that one root adds at most `most` in any
        band. The first band is for no row.
        """
        return (1, *(self.most // top for top in self.tops))

    @property
    def primary_key(self) -> tuple[str, ...]:
        """Names of the columns in which no two rows are equal; empty where rows may repeat.

        The root's rows are named by the root's key alone. Other rows are named by it and a
        key within the root, or by it, the parent and the values that do not repeat there.
        """
        if self.parent is None or self.key:
            return (self.root_key, *self.key)
        return (self.root_key, *self.link, *self.unique) if self.unique else ()

    @cached_property
    def bands(self) -> Codes:
        """The band of each cell for the number of rows of one parent, shape (numbers,).

        Band 0 is for no row. Cells above the limit are in the last band.
        """
        rows = np.minimum(np.arange(self.numbers), self.most)
        # The first band whose most rows are at least so many.
        band_of_some = np.searchsorted(self.tops, rows) + 1
        return np.where(rows > 0, band_of_some, 0).astype(np.int32)

    @property
    def numbers(self) -> int:
        """The number of cells for the number of rows of one parent."""
        return self.most + 1 + CELLS_OVER

    def number_of(self, rows: Ints) -> Codes:
        """Return the cell of each parent's number of rows, in the shape of `rows`.

        Up to the limit the cell is the number. Three cells follow: up to twice the limit, up
        to four times, and more.
        """
        # 0 up to the limit, else the place among the cells above it, from 1.
        cells_above = np.searchsorted([self.most, 2 * self.most, 4 * self.most], rows)
        return np.where(cells_above, self.most + cells_above, rows).astype(np.int32)


@dataclass(frozen=True)
class LinkedPackage:
    """The protected tables of a package, with the public tables that they refer to.

    Attributes:
        name: The package's name.
        tables: The protected tables, the root first and each after its parent.
    """

    name: str
    tables: tuple[LinkedTable, ...]

    @property
    def root(self) -> LinkedTable:
        """The table to whose rows all others belong."""
        return self.tables[0]

    @property
    def paths(self) -> dict[str, str]:
        """The file of each table by the table's name, public tables last."""
        paths = {table.name: table.path for table in self.tables}
        return paths | {lookup.table: lookup.path for lookup in self._lookups()}

    def _lookups(self) -> list[Lookup]:
        return [lookup for table in self.tables for lookup in table.lookups]

    @property
    def provenance(self) -> Provenance:
        """What the declarations of all protected tables owe to the rows, at the worst."""
        return join_provenances([table.domain.provenance for table in self.tables])

    def with_domains(self, change: Callable[[LinkedTable], Domain]) -> "LinkedPackage":
        """Return the package with another domain of each table.

        `change` returns the new domain of a table, which must have the same columns.
        """
        tables = tuple(replace(table, domain=change(table)) for table in self.tables)
        return replace(self, tables=tables)

    def children(self, table: int) -> list[int]:
        """Return the numbers of the tables whose parent is a table."""
        return [number for number, child in enumerate(self.tables) if child.parent == table]

    def lineage(self, table: int) -> list[int]:
        """Return the numbers of a table, of its parent, and so on up to the root."""
        numbers = [table]
        parent = self.tables[table].parent
        while parent is not None:
            numbers.append(parent)
            parent = self.tables[parent].parent
        return numbers

    def pattern(self, table: int, column: str) -> Identifier | None:
        """Return the pattern of the synthetic keys in a key column; None if they count up.

        A pattern is declared where the key names rows, so a column that refers to a parent
        has the pattern of the column there.

        Args:
            table: The table's number.
            column: The name of one of its key columns.
        """
        declared = self.tables[table]
        link = (declared.root_key, *declared.link)
        if declared.parent is not None and column in link:
            # The columns of a link name the parent's key, and are in its order.
            parent = self.tables[declared.parent]
            parent_key = (parent.root_key, *parent.key)
            return self.pattern(declared.parent, parent_key[link.index(column)])
        return next(
            (pattern for pattern in declared.patterns if pattern.name == column), None
        )

    def sizes(self, table: int) -> list[int]:
        """Return the number of cells of each column of a table, by the table's number.

        After the declared columns come two for each child table: the number of rows there,
        and the band of this number.
        """
        sizes = list(self.tables[table].domain.shape)
        for number in self.children(table):
            child = self.tables[number]
            sizes += [child.numbers, len(child.tops) + 1]
        return sizes

    def names(self, table: int) -> list[str]:
        """Return the names of a table's columns, by the table's number.

        After the declared columns come two for each child table: the number of rows there,
        and the band of this number.
        """
        names = list(self.tables[table].domain.names)
        for number in self.children(table):
            child = self.tables[number].name
            names += [f"number of {child}", f"band of the number of {child}"]
        return names

    def number(self, child: int) -> tuple[int, int]:
        """Return where the number of rows of a child table stands.

        That is the number of its parent's table, and the number of the column there. The next
        column is the band of the number.
        """
        parent = self.tables[child].parent
        assert parent is not None
        # Each child has two columns: the number of its rows, and the band of this number.
        columns_before = 2 * self.children(parent).index(child)
        return parent, len(self.tables[parent].domain.shape) + columns_before

    def to_json(self) -> Document:
        """Return the package as the object of a ``datapackage.json``."""
        # A public table is written once, though several tables may refer to it.
        public = {lookup.table: lookup.to_json() for lookup in self._lookups()}
        resources = [*map(self._resource, self.tables), *public.values()]
        return {"name": self.name, "resources": list[Json](resources)}

    def _resource(self, table: LinkedTable) -> Document:
        """Return a table as a resource of a data package, with the rule for rows to keep."""
        resource: Document = {"name": table.name, "path": table.path}
        if table.parent is not None:
            resource["synth:maxRows"] = table.most
        if table.first_by:
            resource["synth:keep"] = "first"
            resource["synth:order"] = list[Json](table.first_by)
        return {**resource, "schema": self._schema(table)}

    def _schema(self, table: LinkedTable) -> Document:
        """Return the Table Schema of a table, with its keys and its links to other tables."""
        schema = write_schema(table.own)
        fields: dict[str, Json] = {
            str(field["name"]): field for field in _objects(schema["fields"])
        }
        fields |= {name: _key_field(name, kind) for name, kind in table.keys}
        fields |= {pattern.name: pattern.write_field() for pattern in table.patterns}
        public_links: list[Json] = []
        for lookup in table.lookups:
            # In `table.order` the first column of the public table stands for the one that
            # links to it; the others have no field here, and are left out below.
            fields |= dict.fromkeys(lookup.domain.names[:1], _key_field(*lookup.column))
            reference: Document = {"resource": lookup.table, "fields": lookup.key[0]}
            public_links.append({"fields": lookup.column[0], "reference": reference})
        constraints = self.key_constraints(table)
        if public_links:
            links = constraints.get("foreignKeys", [])
            assert isinstance(links, list)
            constraints["foreignKeys"] = links + public_links
        ordered_fields = [fields[name] for name in table.order if name in fields]
        return {**schema, "fields": ordered_fields, **constraints}

    def key_constraints(
        self, table: LinkedTable, spell: Callable[[str], str] = str
    ) -> Document:
        """Return the ``primaryKey`` and ``foreignKeys`` of a table's schema.

        Links to public tables are not among them. `spell` writes the names of the columns.
        """
        constraints: Document = {}
        if table.primary_key:
            constraints["primaryKey"] = [spell(name) for name in table.primary_key]
        if table.parent is not None:
            parent = self.tables[table.parent]
            reference: Document = {
                "resource": parent.name,
                "fields": [spell(name) for name in (parent.root_key, *parent.key)],
            }
            link: list[Json] = [spell(name) for name in (table.root_key, *table.link)]
            constraints["foreignKeys"] = [{"fields": link, "reference": reference}]
        return constraints


def _key_field(name: str, kind: str) -> Document:
    return {"name": name, "type": kind}


def _objects(values: Json) -> Sequence[Mapping[str, Json]]:
    entries = values if isinstance(values, list) else []
    return [entry for entry in entries if isinstance(entry, Mapping)]
