"""A data package of linked tables, read and checked before any row is. PUBLIC.

The standard's ``primaryKey`` and ``foreignKeys``, and four keys of our own in a resource; a
key column may have a pattern of synthetic keys under ``synth:identifier``
(`synth.domain.identifiers`):

================== ====================================================================
``synth:maxRows``  the most rows of one parent that are kept
``synth:keep``     which ones: ``random``, by a hash of their content, or ``first``
``synth:order``    the columns by which rows are first
``synth:public``   a table that is no secret: it is not released. A column that links to it
                   is a category if it declares values; else the table's columns are joined
================== ====================================================================
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from synth import limits
from synth.domain.codebooks.contents import load_bytes
from synth.domain.column import refuse
from synth.domain.domain import Domain
from synth.domain.identifiers import ID_KEY, Identifier, read_identifier
from synth.domain.packages.package import LinkedPackage, LinkedTable, Lookup
from synth.domain.table_schema import read_schema
from synth.errors import DomainError
from synth.util import Document, Json, read_json

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
# Names of other files of a release.
_TAKEN = ("noisy_counts", "datapackage", "certificate", "plan", "statement")
KEEP = ("random", "first")


class _Link(NamedTuple):
    here: tuple[str, ...]
    table: str
    there: tuple[str, ...]


@dataclass(kw_only=True)
class _Declared:
    name: str
    resource: Mapping[str, Json]
    schema: Mapping[str, Json]
    fields: dict[str, Mapping[str, Json]]
    primary: tuple[str, ...]
    links: list[_Link] = field(default_factory=list)

    @property
    def is_public(self) -> bool:
        return self.resource.get("synth:public") is True


def read_package(source: str | Path | Mapping[str, Json]) -> LinkedPackage:
    """Read a package of linked tables from its ``datapackage.json``, or the parsed JSON
    object.

    Raises:
        DomainError: With one sentence that names the table or the column.

    >>> sex = {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}}
    >>> key = {"name": "id", "type": "integer"}
    >>> to = {"fields": "id", "reference": {"resource": "people", "fields": "id"}}
    >>> visits = {"fields": [key, {**sex, "name": "seen by"}], "foreignKeys": [to]}
    >>> package = read_package(
    ...     {
    ...         "resources": [
    ...             {
    ...                 "name": "people",
    ...                 "path": "p.csv",
    ...                 "schema": {"primaryKey": "id", "fields": [key, sex]},
    ...             },
    ...             {"name": "visits", "path": "v.csv", "synth:maxRows": 4, "schema": visits},
    ...         ]
    ...     }
    ... )
    >>> package.root.name, package.sizes(0), package.tables[1].domain.names
    ('people', [3, 8, 4], ('seen by',))
    """
    if isinstance(source, Mapping):
        document: Json = dict(source)
    else:
        document = read_json(load_bytes(source), f"'{Path(source).name}'", kind=DomainError)
    listed = document.get("resources") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(listed, list):
        refuse(
            "This is no data package: expected a JSON object with a list under 'resources'."
        )
    declared = {one.name: one for one in _resources(listed)}
    for one in declared.values():
        _check_links(one, declared)
    return LinkedPackage(str(document.get("name", "package")), tuple(_tables(declared)))


def _resources(listed: Sequence[Json]) -> Iterator[_Declared]:
    seen: set[str] = set()
    if len(listed) > limits.LINKED_TABLES:
        refuse(
            f"The package has {len(listed):,} tables; the limit is {limits.LINKED_TABLES}."
        )
    for number, one in enumerate(listed, 1):
        name = one.get("name") if isinstance(one, Mapping) else None
        if (
            not isinstance(one, Mapping)
            or not isinstance(name, str)
            or not _NAME.fullmatch(name)
        ):
            refuse(f"Table {number} needs a 'name' of letters, digits, '_' and '-'.")
        if name.lower() in seen or name.lower() in _TAKEN:
            refuse(f"The name '{name}' is taken; call the table something else.")
        seen.add(name.lower())
        schema = one.get("schema")
        fields = schema.get("fields") if isinstance(schema, Mapping) else None
        if not isinstance(schema, Mapping) or not isinstance(fields, list):
            refuse(f"Table '{name}' has no 'schema' with a list under 'fields'.")
        path = one.get("path")
        if not isinstance(path, str) or not path or path.startswith("/") or ".." in path:
            refuse(
                f"Table '{name}' needs the 'path' of one file in the folder of the package."
            )
        named = {str(f.get("name")): f for f in fields if isinstance(f, Mapping)}
        if len(named) < len(fields):
            refuse(f"Table '{name}' has a field without a name, or two of one name.")
        primary = _texts(schema.get("primaryKey", []), f"The primary key of '{name}'")
        found = _Declared(
            name=name, resource=one, schema=schema, fields=named, primary=primary
        )
        found.links = list(_links(found))
        yield found


def _links(one: _Declared) -> Iterator[_Link]:
    listed = one.schema.get("foreignKeys", [])
    for said in listed if isinstance(listed, list) else [None]:
        what = f"A foreign key of '{one.name}'"
        to = said.get("reference") if isinstance(said, Mapping) else None
        if not isinstance(said, Mapping) or not isinstance(to, Mapping):
            refuse(f"{what} needs 'fields' and a 'reference' with 'resource' and 'fields'.")
        here, there = _texts(said.get("fields"), what), _texts(to.get("fields"), what)
        if not here or len(here) != len(there):
            refuse(f"{what} names {len(here)} columns here and {len(there)} there.")
        yield _Link(here, str(to.get("resource") or one.name), there)


def _texts(said: Json, what: str) -> tuple[str, ...]:
    listed = [said] if isinstance(said, str) else said
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        refuse(f"{what} must name columns.")
    if len({*map(str, listed)}) < len(listed):
        refuse(f"{what} names a column twice.")
    return tuple(map(str, listed))


def _check_links(one: _Declared, declared: Mapping[str, _Declared]) -> None:
    for name in one.primary:
        if name not in one.fields:
            refuse(
                f"The primary key of '{one.name}' names '{name}', which is no field of it."
            )
    for link in one.links:
        there = declared.get(link.table)
        if there is None:
            refuse(f"'{one.name}' links to the table '{link.table}', which is not declared.")
        for name, table in (
            *((n, one) for n in link.here),
            *((n, there) for n in link.there),
        ):
            if name not in table.fields:
                refuse(
                    f"'{one.name}' links to '{link.table}' by the column '{name}', which "
                    f"'{table.name}' does not declare."
                )
    above = [link.table for link in one.links if not declared[link.table].is_public]
    if len(above) > 1 and not one.is_public:
        refuse(
            f"'{one.name}' has two protected parents, '{above[0]}' and '{above[1]}': leave "
            "out one "
            'link, or declare a table that is no secret as public ("synth:public": true).'
        )
    if one.is_public and above:
        refuse(f"The public table '{one.name}' links to the protected table '{above[0]}'.")


def _tables(declared: Mapping[str, _Declared]) -> Iterator[LinkedTable]:
    secret = {name: one for name, one in declared.items() if not one.is_public}
    parents = {
        name: next((link for link in one.links if link.table in secret), None)
        for name, one in secret.items()
    }
    roots = [name for name, link in parents.items() if link is None]
    if len(roots) != 1:
        named = ", ".join(f"'{name}'" for name in roots)
        refuse(
            f"The package needs one table without a parent; it has {len(roots)}: {named}."
            if roots
            else "The links of the package go in a circle: no table is without a parent."
        )
    done: dict[str, LinkedTable] = {}
    level = roots
    for depth in range(1, limits.LINKED_DEPTH + 2):
        for name in level:
            if depth > limits.LINKED_DEPTH:
                refuse(
                    f"'{name}' is below level {limits.LINKED_DEPTH} of the links, the limit."
                )
            keys = [
                link for link in parents.values() if link is not None and link.table == name
            ]
            one = _table(secret[name], parents[name], keys, done=done, declared=declared)
            done[name] = one
            yield one
        level = [n for n, link in parents.items() if link is not None and link.table in level]
    if lost := sorted(secret.keys() - done.keys()):
        refuse(f"The links of '{lost[0]}' go in a circle, and lead to no root table.")


def _table(
    one: _Declared,
    link: _Link | None,
    below: Sequence[_Link],
    *,
    done: Mapping[str, LinkedTable],
    declared: Mapping[str, _Declared],
) -> LinkedTable:
    here: tuple[str, ...] = ()
    most = 1
    if link is None:
        if len(one.primary) != 1:
            refuse(f"The root table '{one.name}' needs a primary key of one column.")
        root_key = one.primary[0]
    else:
        root_key, here = _link_columns(one, link, done[link.table])
        most = _most(one)
    number = None if link is None else [*done].index(link.table)
    own = _own_key(one, root_key, below) if link is not None else ()
    _check_referred(one, below, (root_key, *own))
    rest = [name for name in one.primary if name not in (root_key, *here, *own)]
    unique = tuple(name for name in rest if "constraints" in one.fields[name])
    hidden = {root_key, *here, *own, *rest} - {*unique}
    lookups = tuple(_lookups(one, hidden, declared))
    patterns = _patterns(one, hidden, link, rows=_most_keys(most, link, done))
    kinds = {name: field.get("type", "string") for name, field in one.fields.items()}
    kinds |= {each.name: each.write_field()["type"] for each in patterns}
    keys = tuple((name, str(kind)) for name, kind in kinds.items() if name in hidden)
    domain, order = _join_lookups(one, hidden, lookups)
    if any(
        each.derived or each.identifiers for each in (domain, *(k.domain for k in lookups))
    ):
        refuse(f"Linked tables have no derived columns or IDs yet: see '{one.name}'.")
    for name in unique:
        if domain[name].cutting is not None:
            refuse(
                f"Column '{name}' of the primary key of '{one.name}' is cut into bins; what "
                "does not repeat must be a list of categories."
            )
    first = _first_by(one, domain)
    path = str(one.resource["path"])
    return LinkedTable(
        name=one.name,
        path=path,
        domain=domain,
        order=tuple(order),
        keys=keys,
        root_key=root_key,
        link=here,
        key=own,
        parent=number,
        most=most,
        first_by=first,
        unique=unique,
        patterns=patterns,
        lookups=lookups,
    )


def _join_lookups(
    declared: _Declared, hidden: set[str], lookups: Sequence[Lookup]
) -> tuple[Domain, list[str]]:
    """Return a table's domain with the columns of its public tables, and the order of all
    columns.

    The columns of a public table take the place of the column that links to it.
    """
    domain = _domain(declared, hidden | {lookup.column[0] for lookup in lookups})
    order = [*declared.fields]
    for lookup in lookups:
        for name in lookup.domain.names:
            if name in order:
                refuse(
                    f"'{declared.name}' and the public table '{lookup.table}' both declare "
                    f"'{name}'."
                )
        domain = replace(domain, columns=(*domain.columns, *lookup.domain.columns))
        place = order.index(lookup.column[0])
        order[place : place + 1] = lookup.domain.names
    return domain, order


def _lookups(
    one: _Declared, keys: Set[str], declared: Mapping[str, _Declared]
) -> Iterator[Lookup]:
    # The public tables to which columns without declared values link.
    for link in one.links:
        there = declared[link.table]
        bare = [
            name
            for name in link.here
            if {*one.fields[name]} <= {"name", "type"}
            and one.fields[name].get("type") != "boolean"
        ]
        if not there.is_public or not bare:
            continue
        if len(link.here) > 1 or there.primary != link.there or bare[0] in keys:
            refuse(
                f"'{one.name}' links to the public table '{there.name}' by '{bare[0]}': to "
                f"join its columns, link by one column that is no key of '{one.name}' to the "
                f"primary key of '{there.name}'; or declare its values."
            )
        domain = _domain(there, {*link.there})
        kinds = [
            str(t.fields[n].get("type", "string"))
            for t, n in ((one, bare[0]), (there, link.there[0]))
        ]
        path = str(there.resource["path"])
        yield Lookup(
            column=(bare[0], kinds[0]),
            table=there.name,
            path=path,
            key=(link.there[0], kinds[1]),
            domain=domain,
        )


def _most_keys(most: int, link: _Link | None, done: Mapping[str, LinkedTable]) -> int:
    # The most keys that a table may need: one root's rows, or all roots.
    if link is None:
        return limits.ROWS_MAX
    tables, above = [*done.values()], done[link.table]
    while above.parent is not None:
        most, above = most * above.most, tables[above.parent]
    return most


def _patterns(
    one: _Declared, keys: Set[str], link: _Link | None, *, rows: int
) -> tuple[Identifier, ...]:
    # The patterns of the synthetic keys that a table declares, of which it may need so many.
    found = [
        read_identifier(dict(field), 1)
        for name, field in one.fields.items()
        if name in keys and ID_KEY in field
    ]
    for each in found:
        if link is not None and each.name in link.here:
            refuse(
                f"Column '{each.name}' of '{one.name}' refers to '{link.table}': declare the "
                "pattern of its keys there."
            )
        if each.available < rows:
            refuse(
                f"Column '{each.name}' of '{one.name}' may need {rows:,} keys, and its "
                f"pattern has {each.available:,}: make the pattern longer."
            )
    return tuple(found)


def _link_columns(
    one: _Declared, link: _Link, parent: LinkedTable
) -> tuple[str, tuple[str, ...]]:
    # The root's key in a table, and the other columns that name its parent.
    to = dict(zip(link.there, link.here, strict=True))
    if parent.root_key not in to:
        refuse(
            f"'{one.name}' links to '{parent.name}' by {link.here[0]!r} alone. Below the "
            "first level a link needs the root's key as well: add the column "
            f"'{parent.root_key}' to '{one.name}', and name both in its foreign key and in "
            f"the key of '{parent.name}'."
        )
    if {*to} != {parent.root_key, *parent.key}:
        named = " and ".join(f"'{name}'" for name in (parent.root_key, *parent.key))
        refuse(f"'{one.name}' must link to '{parent.name}' by its key, {named}.")
    return to[parent.root_key], tuple(to[name] for name in parent.key)


def _own_key(one: _Declared, root_key: str, below: Sequence[_Link]) -> tuple[str, ...]:
    if not below:
        return ()
    if root_key not in one.primary:
        refuse(
            f"'{one.name}' has tables below it: its primary key needs the root's key, "
            f"'{root_key}', and the column that names a row within it."
        )
    own = tuple(name for name in one.primary if name != root_key)
    if not own:
        refuse(
            f"The primary key of '{one.name}' needs a column that names a row within its "
            "root."
        )
    return own


def _check_referred(one: _Declared, below: Sequence[_Link], key: Sequence[str]) -> None:
    for link in below:
        if strange := [name for name in link.there if name not in key]:
            refuse(
                f"A table links to '{one.name}' by '{strange[0]}', which is not of its "
                "primary key."
            )


def _most(one: _Declared) -> int:
    most = one.resource.get("synth:maxRows")
    if (
        isinstance(most, bool)
        or not isinstance(most, int)
        or not 1 <= most <= limits.LINKED_ROWS
    ):
        refuse(
            f"Table '{one.name}' needs 'synth:maxRows', the most rows of one parent that are "
            f"kept: a whole number from 1 to {limits.LINKED_ROWS:,}."
        )
    return most


def _first_by(one: _Declared, domain: Domain) -> tuple[str, ...]:
    order = _texts(one.resource.get("synth:order", []), f"'synth:order' of '{one.name}'")
    keep = one.resource.get("synth:keep", KEEP[0])
    if keep not in KEEP:
        refuse(f"'synth:keep' of '{one.name}' must be one of {', '.join(KEEP)}.")
    if keep == "first" and not order:
        refuse(
            f"Table '{one.name}' keeps the first rows; say by which columns in 'synth:order'."
        )
    for name in order:
        if name not in domain.names:
            refuse(
                f"'synth:order' of '{one.name}' names '{name}', which is no column with "
                "values."
            )
    return order if keep == "first" else ()


def _domain(one: _Declared, hidden: set[str]) -> Domain:
    kept: list[Json] = [dict(f) for name, f in one.fields.items() if name not in hidden]
    document: Document = {
        k: v for k, v in one.schema.items() if k not in ("primaryKey", "foreignKeys")
    } | {"fields": kept}
    if not kept:
        refuse(f"Table '{one.name}' has keys only; declare a column with values.")
    try:
        return read_schema(document)
    except DomainError as error:
        raise DomainError(f"Table '{one.name}': {error}") from None
