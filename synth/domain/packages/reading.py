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
from dataclasses import dataclass, replace
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
from synth.util import Json, read_json

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
# Names of other files of a release.
_TAKEN = ("noisy_counts", "datapackage", "certificate", "plan", "statement", "open")
KEEP = ("random", "first")


class _Link(NamedTuple):
    """A foreign key: columns of a table, and the columns of another that they name."""

    columns: tuple[str, ...]
    target: str
    target_columns: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class _DeclaredTable:
    """One resource of the package, before the tables are put in order.

    Attributes:
        name: The table's name.
        resource: The resource.
        schema: Its schema.
        fields: The fields of the schema by name.
        primary: The columns of the primary key.
        links: The foreign keys.
    """

    name: str
    resource: Mapping[str, Json]
    schema: Mapping[str, Json]
    fields: dict[str, Mapping[str, Json]]
    primary: tuple[str, ...]
    links: tuple[_Link, ...]

    @property
    def is_public(self) -> bool:
        return self.resource.get("synth:public") is True

    @property
    def path(self) -> str:
        return str(self.resource["path"])

    def type_of(self, column: str) -> str:
        return str(self.fields[column].get("type", "string"))


@dataclass(frozen=True, kw_only=True)
class _Keys:
    """The columns of a table that name rows.

    Attributes:
        root_key: The column with the key of the root.
        link: The columns that name the parent within the root.
        key: The columns that name a row within its root.
        unique: Columns of the primary key that have values of their own.
        hidden: All columns that are keys only, so that they have no values to declare.
    """

    root_key: str
    link: tuple[str, ...]
    key: tuple[str, ...]
    unique: tuple[str, ...]
    hidden: frozenset[str]


def read_package(source: str | Path | Mapping[str, Json]) -> LinkedPackage:
    """Return the linked tables that a package declares; no row is read.

    `source` is the path of the ``datapackage.json``, or the parsed JSON object.

    Raises:
        DomainError: The package is refused, in one sentence that names the table or the
            column.

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
    resources = document.get("resources") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(resources, list):
        refuse(
            "This is no data package: expected a JSON object with a list under 'resources'."
        )
    declared = {table.name: table for table in _declared_tables(resources)}
    for table in declared.values():
        _check_links(table, declared)
    name = str(document.get("name", "package"))
    return LinkedPackage(name, tuple(_linked_tables(declared)))


def _declared_tables(resources: Sequence[Json]) -> Iterator[_DeclaredTable]:
    """Yield the tables of a package's resources, in their order.

    Raises:
        DomainError: There are too many, or a name is missing, unusable or taken.
    """
    if len(resources) > limits.LINKED_TABLES:
        refuse(
            f"The package has {len(resources):,} tables; the limit is {limits.LINKED_TABLES}."
        )
    # `_TAKEN` are the names of a release's other files.
    used_names = {*_TAKEN}
    for number, resource in enumerate(resources, 1):
        name = resource.get("name") if isinstance(resource, Mapping) else None
        if (
            not isinstance(resource, Mapping)
            or not isinstance(name, str)
            or not _NAME.fullmatch(name)
        ):
            refuse(f"Table {number} needs a 'name' of letters, digits, '_' and '-'.")
        if name.lower() in used_names:
            refuse(f"The name '{name}' is taken; call the table something else.")
        used_names.add(name.lower())
        yield _declared_table(name, resource)


def _declared_table(name: str, resource: Mapping[str, Json]) -> _DeclaredTable:
    """Return a resource of a data package as a table with its keys and links.

    Raises:
        DomainError: It has no schema, no path of a file in the package's folder, fields that
            cannot be told apart, or keys of a wrong form.
    """
    schema = resource.get("schema")
    fields = schema.get("fields") if isinstance(schema, Mapping) else None
    if not isinstance(schema, Mapping) or not isinstance(fields, list):
        refuse(f"Table '{name}' has no 'schema' with a list under 'fields'.")
    path = resource.get("path")
    if not isinstance(path, str) or not path or path.startswith("/") or ".." in path:
        refuse(f"Table '{name}' needs the 'path' of one file in the folder of the package.")
    fields_by_name = {
        str(field.get("name")): field for field in fields if isinstance(field, Mapping)
    }
    if len(fields_by_name) < len(fields):
        refuse(f"Table '{name}' has a field without a name, or two of one name.")
    return _DeclaredTable(
        name=name,
        resource=resource,
        schema=schema,
        fields=fields_by_name,
        primary=_column_names(schema.get("primaryKey", []), f"The primary key of '{name}'"),
        links=tuple(_links(name, schema)),
    )


def _links(name: str, schema: Mapping[str, Json]) -> Iterator[_Link]:
    """Yield the foreign keys of a table's schema; DomainError if one has a wrong form.

    `name` is the table's name. A foreign key without a table refers to its own table.
    """
    foreign_keys = schema.get("foreignKeys", [])
    subject = f"A foreign key of '{name}'"
    # Something else than a list is refused below, as an entry of a wrong form is.
    for foreign_key in foreign_keys if isinstance(foreign_keys, list) else [None]:
        reference = foreign_key.get("reference") if isinstance(foreign_key, Mapping) else None
        if not isinstance(foreign_key, Mapping) or not isinstance(reference, Mapping):
            refuse(
                f"{subject} needs 'fields' and a 'reference' with 'resource' and 'fields'."
            )
        columns = _column_names(foreign_key.get("fields"), subject)
        target_columns = _column_names(reference.get("fields"), subject)
        if not columns or len(columns) != len(target_columns):
            refuse(
                f"{subject} names {len(columns)} columns here and {len(target_columns)} "
                "there."
            )
        yield _Link(columns, str(reference.get("resource") or name), target_columns)


def _column_names(names: Json, subject: str) -> tuple[str, ...]:
    """Return the names of columns in a key, which may be one text or a list of texts.

    `subject` says in words what names them, and begins the message of a DomainError: names
    are no texts, or one occurs twice.
    """
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        refuse(f"{subject} must name columns.")
    texts = tuple(map(str, names))
    if len({*texts}) < len(texts):
        refuse(f"{subject} names a column twice.")
    return texts


def _check_links(table: _DeclaredTable, declared: Mapping[str, _DeclaredTable]) -> None:
    """Refuse a table whose keys or links do not fit the declared tables.

    Its keys may name declared columns only. A protected table has at most one protected
    parent, and a public table has none.

    Args:
        table: The table.
        declared: All tables of the package by name.

    Raises:
        DomainError: A link is wrong; the message names the table and what is wrong.
    """
    for name in table.primary:
        if name not in table.fields:
            refuse(
                f"The primary key of '{table.name}' names '{name}', which is no field of it."
            )
    for link in table.links:
        target = declared.get(link.target)
        if target is None:
            refuse(
                f"'{table.name}' links to the table '{link.target}', which is not declared."
            )
        subject = f"'{table.name}' links to '{link.target}'"
        _check_columns(table, link.columns, subject)
        _check_columns(target, link.target_columns, subject)
    parents = [link.target for link in table.links if not declared[link.target].is_public]
    if len(parents) > 1 and not table.is_public:
        refuse(
            f"'{table.name}' has two protected parents, '{parents[0]}' and '{parents[1]}': "
            "leave out one link, or declare a table that is no secret as public "
            '("synth:public": true).'
        )
    if table.is_public and parents:
        refuse(
            f"The public table '{table.name}' links to the protected table '{parents[0]}'."
        )


def _check_columns(table: _DeclaredTable, names: Sequence[str], subject: str) -> None:
    """Raise DomainError if a table does not declare one of a link's columns.

    `subject` says in words which table links to which, and begins the message.
    """
    for name in names:
        if name not in table.fields:
            refuse(
                f"{subject} by the column '{name}', which '{table.name}' does not declare."
            )


def _linked_tables(declared: Mapping[str, _DeclaredTable]) -> Iterator[LinkedTable]:
    """Yield the protected tables, the root first and each after its parent.

    `declared` holds all tables of the package by name, public ones included. DomainError is
    raised if there is not exactly one root, or if links go in a circle or too deep.
    """
    protected = {name: table for name, table in declared.items() if not table.is_public}
    links: dict[str, _Link] = {}  # the link of each table to its protected parent
    for name, table in protected.items():
        for link in table.links:
            if link.target in protected:
                links[name] = link
    # Tables are visited level by level from the root.
    level = [_root_name(protected.keys() - links.keys(), protected)]
    tables: dict[str, LinkedTable] = {}
    # One level more than allowed, to refuse the tables that are in it.
    for depth in range(1, limits.LINKED_DEPTH + 2):
        for name in level:
            if depth > limits.LINKED_DEPTH:
                refuse(
                    f"'{name}' is below level {limits.LINKED_DEPTH} of the links, the limit."
                )
            tables[name] = _linked_table(
                protected[name],
                links.get(name),
                [link for link in links.values() if link.target == name],
                tables=tables,
                declared=declared,
            )
            yield tables[name]
        level = [name for name, link in links.items() if link.target in level]
    unreached = sorted(protected.keys() - tables.keys())
    if unreached:
        refuse(f"The links of '{unreached[0]}' go in a circle, and lead to no root table.")


def _root_name(roots: Set[str], protected: Mapping[str, _DeclaredTable]) -> str:
    """Return the name of the only table without a parent; DomainError if it is not one.

    `roots` are the names of the tables without a parent. `protected` holds the protected
    tables by name, in the order of the package.
    """
    names = [name for name in protected if name in roots]
    if not names:
        refuse("The links of the package go in a circle: no table is without a parent.")
    if len(names) > 1:
        name_list = ", ".join(f"'{name}'" for name in names)
        refuse(
            f"The package needs one table without a parent; it has {len(names)}: {name_list}."
        )
    return names[0]


def _linked_table(
    table: _DeclaredTable,
    link: _Link | None,
    links_below: Sequence[_Link],
    *,
    tables: Mapping[str, LinkedTable],
    declared: Mapping[str, _DeclaredTable],
) -> LinkedTable:
    """Return a table with its keys, its columns and the rows to keep.

    Args:
        table: The declared table.
        link: The link to its parent; None for the root.
        links_below: The links of its children.
        tables: The tables before it by name, its parent among them.
        declared: All tables of the package by name, public ones included.

    Raises:
        DomainError: Its keys, columns or options do not fit, or it has derived columns or
            IDs, which linked tables cannot have.
    """
    keys = _read_keys(table, link, links_below, tables=tables)
    max_rows = 1 if link is None else _read_max_rows(table)
    lookups = tuple(_lookups(table, keys.hidden, declared))
    # The root's keys differ in the whole table, and those of other rows within one root.
    needed_keys = limits.ROWS_MAX if link is None else _rows_of_root(max_rows, link, tables)
    patterns = _patterns(table, keys.hidden, link, needed=needed_keys)
    domain, order = _join_lookups(table, keys.hidden, lookups)
    for declaration in (domain, *(lookup.domain for lookup in lookups)):
        if declaration.derived or declaration.identifiers:
            refuse(f"Linked tables have no derived columns or IDs yet: see '{table.name}'.")
    for name in keys.unique:
        if domain[name].cutting is not None:
            refuse(
                f"Column '{name}' of the primary key of '{table.name}' is cut into bins; "
                "what does not repeat must be a list of categories."
            )
    return LinkedTable(
        name=table.name,
        path=table.path,
        domain=domain,
        order=tuple(order),
        keys=_key_types(table, keys.hidden, patterns),
        root_key=keys.root_key,
        link=keys.link,
        key=keys.key,
        # The parent's number: `tables` has the tables before this one in their order.
        parent=None if link is None else [*tables].index(link.target),
        most=max_rows,
        first_by=_first_by(table, domain),
        unique=keys.unique,
        patterns=patterns,
        lookups=lookups,
    )


def _read_keys(
    table: _DeclaredTable,
    link: _Link | None,
    links_below: Sequence[_Link],
    *,
    tables: Mapping[str, LinkedTable],
) -> _Keys:
    """Return the key columns of a table, checked against its parent and its children.

    Args:
        table: The declared table.
        link: The link to its parent; None for the root.
        links_below: The links of its children.
        tables: The tables before it by name, its parent among them.

    Raises:
        DomainError: The primary key or a link does not fit.
    """
    if link is None:
        if len(table.primary) != 1:
            refuse(f"The root table '{table.name}' needs a primary key of one column.")
        root_key = table.primary[0]
        link_columns: tuple[str, ...] = ()
        key: tuple[str, ...] = ()
    else:
        root_key, link_columns = _link_columns(table, link, tables[link.target])
        key = _key_within_root(table, root_key) if links_below else ()
    # Children refer to a row by its root's key and its key within the root.
    for link_below in links_below:
        for name in link_below.target_columns:
            if name not in (root_key, *key):
                refuse(
                    f"A table links to '{table.name}' by '{name}', which is not of its "
                    "primary key."
                )
    naming = {root_key, *link_columns, *key}
    others = [name for name in table.primary if name not in naming]
    # Columns of the primary key with declared values are modelled; the rest only names rows.
    unique = tuple(name for name in others if "constraints" in table.fields[name])
    other_keys = {*others} - {*unique}
    return _Keys(
        root_key=root_key,
        link=link_columns,
        key=key,
        unique=unique,
        hidden=frozenset(naming | other_keys),
    )


def _key_types(
    table: _DeclaredTable, hidden: Set[str], patterns: Sequence[Identifier]
) -> tuple[tuple[str, str], ...]:
    """Return name and type of each key column, in the order of the table's fields.

    Args:
        table: The declared table.
        hidden: The names of its key columns.
        patterns: The patterns of synthetic keys, which decide the type of their columns.
    """
    types = {name: table.type_of(name) for name in table.fields}
    types |= {pattern.name: str(pattern.write_field()["type"]) for pattern in patterns}
    return tuple((name, kind) for name, kind in types.items() if name in hidden)


def _join_lookups(
    table: _DeclaredTable, hidden: Set[str], lookups: Sequence[Lookup]
) -> tuple[Domain, list[str]]:
    """Return a table's domain with the columns of its public tables, and all names in order.

    The columns of a public table take the place of the column that links to it.

    Args:
        table: The declared table.
        hidden: The names of its key columns, which have no values to model.
        lookups: The public tables whose columns are joined.

    Raises:
        DomainError: Two of these tables declare the same column.
    """
    domain = _domain(table, hidden | {lookup.column[0] for lookup in lookups})
    order = [*table.fields]
    for lookup in lookups:
        for name in lookup.domain.names:
            if name in order:
                refuse(
                    f"'{table.name}' and the public table '{lookup.table}' both declare "
                    f"'{name}'."
                )
        domain = replace(domain, columns=(*domain.columns, *lookup.domain.columns))
        place = order.index(lookup.column[0])
        order[place : place + 1] = lookup.domain.names
    return domain, order


def _lookups(
    table: _DeclaredTable, keys: Set[str], declared: Mapping[str, _DeclaredTable]
) -> Iterator[Lookup]:
    """Yield the public tables whose columns are joined to a table.

    These are the ones to which a column links that declares no values of its own.

    Args:
        table: The declared table.
        keys: The names of its key columns, which cannot be such a column.
        declared: All tables of the package by name.

    Raises:
        DomainError: Such a link has several columns, or is not to the primary key there.
    """
    for link in table.links:
        public_table = declared[link.target]
        undeclared = [name for name in link.columns if not _declares_values(table, name)]
        if not public_table.is_public or not undeclared:
            continue
        column = undeclared[0]
        # Only a primary key says which single row is meant.
        is_primary = public_table.primary == link.target_columns
        if len(link.columns) > 1 or not is_primary or column in keys:
            refuse(
                f"'{table.name}' links to the public table '{public_table.name}' by "
                f"'{column}': to join its columns, link by one column that is no key of "
                f"'{table.name}' to the primary key of '{public_table.name}'; or declare its "
                "values."
            )
        key = link.target_columns[0]
        yield Lookup(
            column=(column, table.type_of(column)),
            table=public_table.name,
            path=public_table.path,
            key=(key, public_table.type_of(key)),
            domain=_domain(public_table, {key}),
        )


def _declares_values(table: _DeclaredTable, column: str) -> bool:
    """Return whether a table's field declares the possible values of a column.

    It does so by any key next to its name and type; a boolean needs no more than these.
    """
    field = table.fields[column]
    return field.get("type") == "boolean" or not field.keys() <= {"name", "type"}


def _rows_of_root(max_rows: int, link: _Link, tables: Mapping[str, LinkedTable]) -> int:
    """Return the most rows that one root may have in a table.

    It is the product of the limits of rows of one parent, from the table up to the root.

    Args:
        max_rows: The table's own limit.
        link: The link to its parent.
        tables: The tables before it by name, each after its parent.
    """
    in_order = [*tables.values()]
    parent = tables[link.target]
    rows = max_rows
    # `parent.parent` is the number of the table above; the root, which has none, is one row.
    while parent.parent is not None:
        rows *= parent.most
        parent = in_order[parent.parent]
    return rows


def _patterns(
    table: _DeclaredTable, keys: Set[str], link: _Link | None, *, needed: int
) -> tuple[Identifier, ...]:
    """Return the patterns of a table's synthetic keys, in the order of its fields.

    Args:
        table: The declared table.
        keys: The names of its key columns.
        link: The link to its parent; None for the root.
        needed: The most keys that a pattern may have to give.

    Raises:
        DomainError: A pattern gives fewer keys, or its column refers to the parent.
    """
    # Keys are found by their names, so the position, here 1, is not used.
    patterns = tuple(
        read_identifier(dict(field), 1)
        for name, field in table.fields.items()
        if name in keys and ID_KEY in field
    )
    for pattern in patterns:
        if link is not None and pattern.name in link.columns:
            refuse(
                f"Column '{pattern.name}' of '{table.name}' refers to '{link.target}': "
                "declare the pattern of its keys there."
            )
        if pattern.available < needed:
            refuse(
                f"Column '{pattern.name}' of '{table.name}' may need {needed:,} keys, and "
                f"its pattern has {pattern.available:,}: make the pattern longer."
            )
    return patterns


def _link_columns(
    table: _DeclaredTable, link: _Link, parent: LinkedTable
) -> tuple[str, tuple[str, ...]]:
    """Return the column with the root's key, and the others that name a row's parent.

    The others are in the order of the parent's key.

    Raises:
        DomainError: The link does not name the whole key of the parent.
    """
    # Columns of this table by the parent's columns that they name.
    columns = dict(zip(link.target_columns, link.columns, strict=True))
    if parent.root_key not in columns:
        refuse(
            f"'{table.name}' links to '{parent.name}' by {link.columns[0]!r} alone. Below "
            "the first level a link needs the root's key as well: add the column "
            f"'{parent.root_key}' to '{table.name}', and name both in its foreign key and in "
            f"the key of '{parent.name}'."
        )
    parent_key = (parent.root_key, *parent.key)
    if columns.keys() != {*parent_key}:
        names = " and ".join(f"'{name}'" for name in parent_key)
        refuse(f"'{table.name}' must link to '{parent.name}' by its key, {names}.")
    return columns[parent.root_key], tuple(columns[name] for name in parent.key)


def _key_within_root(table: _DeclaredTable, root_key: str) -> tuple[str, ...]:
    """Return the columns that name a row within its root, which tables below refer to.

    They are the columns of the primary key without `root_key`. DomainError is raised if the
    primary key lacks `root_key`, or has nothing else.
    """
    if root_key not in table.primary:
        refuse(
            f"'{table.name}' has tables below it: its primary key needs the root's key, "
            f"'{root_key}', and the column that names a row within it."
        )
    key = tuple(name for name in table.primary if name != root_key)
    if not key:
        refuse(
            f"The primary key of '{table.name}' needs a column that names a row within its "
            "root."
        )
    return key


def _read_max_rows(table: _DeclaredTable) -> int:
    """Return the most rows of one parent that are kept, by ``synth:maxRows``.

    DomainError is raised if this is no whole number from 1 to `limits.LINKED_ROWS`.
    """
    max_rows = table.resource.get("synth:maxRows")
    if (
        isinstance(max_rows, bool)
        or not isinstance(max_rows, int)
        or not 1 <= max_rows <= limits.LINKED_ROWS
    ):
        refuse(
            f"Table '{table.name}' needs 'synth:maxRows', the most rows of one parent that "
            f"are kept: a whole number from 1 to {limits.LINKED_ROWS:,}."
        )
    return max_rows


def _first_by(table: _DeclaredTable, domain: Domain) -> tuple[str, ...]:
    """Return the columns by which the first rows of a parent are kept.

    It is empty if the rows to keep are chosen by a hash of their content. DomainError is
    raised if the table keeps the first rows without an order, or orders by other columns than
    those of its domain.
    """
    order = _column_names(
        table.resource.get("synth:order", []), f"'synth:order' of '{table.name}'"
    )
    keep = table.resource.get("synth:keep", KEEP[0])
    if keep not in KEEP:
        refuse(f"'synth:keep' of '{table.name}' must be one of {', '.join(KEEP)}.")
    if keep == "first" and not order:
        refuse(
            f"Table '{table.name}' keeps the first rows; say by which columns in "
            "'synth:order'."
        )
    for name in order:
        if name not in domain.names:
            refuse(
                f"'synth:order' of '{table.name}' names '{name}', which is no column with "
                "values."
            )
    return order if keep == "first" else ()


def _domain(table: _DeclaredTable, hidden: Set[str]) -> Domain:
    """Return the domain of a table's columns, without the ones named in `hidden`.

    Raises:
        DomainError: No column is left, or one is wrong; the table is named.
    """
    fields: list[Json] = [
        dict(field) for name, field in table.fields.items() if name not in hidden
    ]
    if not fields:
        refuse(f"Table '{table.name}' has keys only; declare a column with values.")
    schema = {
        key: value
        for key, value in table.schema.items()
        if key not in ("primaryKey", "foreignKeys")
    }
    try:
        return read_schema({**schema, "fields": fields})
    except DomainError as error:
        raise DomainError(f"Table '{table.name}': {error}") from None
