"""Declared tables of one package: a root table, and tables whose rows belong to a root.
PUBLIC.

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
        column: The key's column in the rows, and its type; ``key`` is that of the public
        table.
    """

    column: tuple[str, str]
    table: str
    path: str
    key: tuple[str, str]
    domain: Domain

    def to_json(self) -> Document:
        fields = [_key_field(*self.key), *_objects(write_schema(self.domain)["fields"])]
        schema = {**write_schema(self.domain), "fields": list[Json](fields)}
        schema |= {"primaryKey": self.key[0]}
        return {"name": self.table, "path": self.path, "synth:public": True, "schema": schema}


@dataclass(frozen=True, kw_only=True)
class LinkedTable:
    """One table of a package.

    Attributes:
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
        joined = {name for one in self.lookups for name in one.domain.names}
        columns = tuple(c for c in self.domain.columns if c.name not in joined)
        return replace(self.domain, columns=columns)

    @property
    def key_columns(self) -> tuple[str, ...]:
        return (self.root_key, *self.link, *self.key)

    @property
    def tops(self) -> tuple[int, ...]:
        """The most rows of each band: a quarter of the limit, half of it, and all of it."""
        ends = (self.most >> BANDS - 1 - i for i in range(BANDS))
        return tuple(dict.fromkeys(max(1, one) for one in ends))

    @property
    def times(self) -> tuple[int, ...]:
        """How often a row counts in each band so that roots move all alike: first of no
        row.
        """
        return (1, *(self.most // top for top in self.tops))

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The columns in which no two rows are equal; none where rows may repeat."""
        if self.parent is None or self.key:
            return (self.root_key, *self.key)
        return (self.root_key, *self.link, *self.unique) if self.unique else ()

    @cached_property
    def bands(self) -> Codes:
        """The band of each number of rows, shape (numbers,): 0 of none."""
        numbers = np.minimum(np.arange(self.numbers), self.most)
        return np.where(numbers > 0, np.searchsorted(self.tops, numbers) + 1, 0).astype(
            np.int32
        )

    @property
    def numbers(self) -> int:
        return self.most + 1 + CELLS_OVER

    def number_of(self, rows: Ints) -> Codes:
        above = np.searchsorted([self.most, 2 * self.most, 4 * self.most], rows)
        return np.where(above, self.most + above, rows).astype(np.int32)


@dataclass(frozen=True)
class LinkedPackage:
    name: str
    tables: tuple[LinkedTable, ...]

    @property
    def root(self) -> LinkedTable:
        return self.tables[0]

    @property
    def paths(self) -> dict[str, str]:
        found = {one.name: one.path for one in self.tables}
        return found | {look.table: look.path for one in self.tables for look in one.lookups}

    @property
    def provenance(self) -> Provenance:
        """What the declarations of all protected tables owe to the rows, each time the
        worst.
        """
        return join_provenances([one.domain.provenance for one in self.tables])

    def with_domains(self, change: Callable[[LinkedTable], Domain]) -> "LinkedPackage":
        """Return the package with another domain of each table, of the same columns."""
        tables = tuple(replace(one, domain=change(one)) for one in self.tables)
        return replace(self, tables=tables)

    def children(self, table: int) -> list[int]:
        return [i for i, one in enumerate(self.tables) if one.parent == table]

    def lineage(self, table: int) -> list[int]:
        found, at = [table], self.tables[table].parent
        while at is not None:
            found.append(at)
            at = self.tables[at].parent
        return found

    def pattern(self, table: int, column: str) -> Identifier | None:
        """The pattern of the synthetic keys in a key column, declared where the key is
        primary.
        """
        one = self.tables[table]
        named = (one.root_key, *one.link)
        if one.parent is not None and column in named:
            above = self.tables[one.parent]
            return self.pattern(one.parent, (above.root_key, *above.key)[named.index(column)])
        return next((each for each in one.patterns if each.name == column), None)

    def sizes(self, table: int) -> list[int]:
        """Cells of the columns of a table, then of the number and the band of each child."""
        found = list(self.tables[table].domain.shape)
        for child in self.children(table):
            one = self.tables[child]
            found += [one.numbers, len(one.tops) + 1]
        return found

    def names(self, table: int) -> list[str]:
        found = list(self.tables[table].domain.names)
        for child in self.children(table):
            name = self.tables[child].name
            found += [f"number of {name}", f"band of the number of {name}"]
        return found

    def number(self, child: int) -> tuple[int, int]:
        parent = self.tables[child].parent
        assert parent is not None
        place = 2 * self.children(parent).index(child)
        return parent, len(self.tables[parent].domain.shape) + place

    def to_json(self) -> Document:
        public = {look.table: look.to_json() for one in self.tables for look in one.lookups}
        resources = [*(self._resource(one) for one in self.tables), *public.values()]
        return {"name": self.name, "resources": list[Json](resources)}

    def _resource(self, one: LinkedTable) -> Document:
        written = write_schema(one.own)
        fields: dict[str, Json] = {str(f["name"]): f for f in _objects(written["fields"])}
        fields |= {name: _key_field(name, kind) for name, kind in one.keys}
        fields |= {each.name: each.write_field() for each in one.patterns}
        links: list[Json] = []
        for look in one.lookups:
            fields |= dict.fromkeys(look.domain.names[:1], _key_field(*look.column))
            reference: Document = {"resource": look.table, "fields": look.key[0]}
            links.append({"fields": look.column[0], "reference": reference})
        shown = [fields[name] for name in one.order if name in fields]
        schema: Document = {**written, "fields": shown}
        schema |= self.key_constraints(one)
        if links:
            above = schema.get("foreignKeys", [])
            schema["foreignKeys"] = [*(above if isinstance(above, list) else []), *links]
        found: Document = {"name": one.name, "path": one.path}
        if one.parent is not None:
            found["synth:maxRows"] = one.most
        if one.first_by:
            found |= {"synth:keep": "first", "synth:order": list[Json](one.first_by)}
        return {**found, "schema": schema}

    def key_constraints(
        self, one: LinkedTable, spell: Callable[[str], str] = str
    ) -> Document:
        """The ``primaryKey`` and ``foreignKeys`` of a table's schema, names as `spell` has
        them.
        """
        found: Document = {}
        if one.primary_key:
            found["primaryKey"] = [spell(name) for name in one.primary_key]
        if one.parent is not None:
            above = self.tables[one.parent]
            reference: Document = {
                "resource": above.name,
                "fields": [spell(name) for name in (above.root_key, *above.key)],
            }
            link: list[Json] = [spell(name) for name in (one.root_key, *one.link)]
            found["foreignKeys"] = [{"fields": link, "reference": reference}]
        return found


def _key_field(name: str, kind: str) -> Document:
    return {"name": name, "type": kind}


def _objects(listed: Json) -> Sequence[Mapping[str, Json]]:
    return (
        [one for one in listed if isinstance(one, Mapping)]
        if isinstance(listed, list)
        else []
    )
