"""Synthetic rows of linked tables: codes as values, with running numbers as keys. PUBLIC."""

import numpy as np
import pyarrow as pa

from synth.domain import LinkedPackage
from synth.linked import LinkedCodes
from synth.rows.draw import decode
from synth.rows.identifiers import spell_identifiers
from synth.rows.values import numbers
from synth.util import Ints


def linked_tables(
    package: LinkedPackage, rows: LinkedCodes, seed: int
) -> dict[str, pa.Table]:
    """Return the tables by name, with keys among their columns; each link leads to a row.

    Args:
        package: The declared tables, with their keys and links.
        rows: Codes of the rows of each table, and the parent of each row.
        seed: Fixes the values within bins.
    """
    all_keys = _number_keys(package, rows)
    tables: dict[str, pa.Table] = {}
    for number, declared in enumerate(package.tables):
        level = rows.levels[number]
        # Further codes behind those of the declared columns are not written.
        codes = level.codes[: len(declared.domain.columns)]
        # Each table has a seed of its own.
        table = decode(declared.domain, codes, seed=seed + number).table
        columns = {name: table[name] for name in declared.domain.names}
        for name, keys in all_keys[number].items():
            columns[name] = _spell_keys(package, number, name, keys=keys, seed=seed)
        tables[declared.name] = pa.table(
            [columns[name] for name in declared.order], list(declared.order)
        )
    return tables


def _number_keys(package: LinkedPackage, rows: LinkedCodes) -> list[dict[str, Ints]]:
    """Return the keys of each table by column name, as numbers from 1, shape (rows,).

    A row's root is the row of the first table that it belongs to. A table's own key counts
    its rows within each root, or within each parent if the key is not declared.

    Args:
        package: The declared tables, parents before children.
        rows: Codes of the rows of each table, and the parent of each row; parents ascend.
    """
    roots: list[Ints] = []
    own_keys: list[Ints] = []
    all_keys: list[dict[str, Ints]] = []
    for declared, level in zip(package.tables, rows.levels, strict=True):
        places = np.arange(level.rows)
        # ``turn`` counts from 0 within the root or the parent.
        if declared.parent is None:
            root = places
            turn = places
        else:
            root = roots[declared.parent][level.parent]
            turn = places - _first_rows(level.parent)
        if declared.key:
            turn = places - _first_rows(root)
        roots.append(root)
        own_keys.append(turn + 1)
        # Columns of keys: the root's, those of the link to the parent, and all others, which
        # have the table's own key.
        keys = {declared.root_key: root + 1}
        for name in declared.link:
            assert declared.parent is not None
            keys[name] = own_keys[declared.parent][level.parent]
        for name, _ in declared.keys:
            keys.setdefault(name, own_keys[-1])
        all_keys.append(keys)
    return all_keys


def _first_rows(groups: Ints) -> Ints:
    """Return the first row of each row's group; groups ascend."""
    return np.searchsorted(groups, groups)


def _spell_keys(
    package: LinkedPackage, table: int, column: str, *, keys: Ints, seed: int
) -> pa.Array:
    """Return keys as files hold them: by their pattern, or as whole numbers or their texts.

    Args:
        package: The declared tables.
        table: The table's number.
        column: Name of the column of keys, whose declared type decides.
        keys: The keys as numbers from 1, shape (rows,).
        seed: The public seed, which shuffles keys with a pattern.
    """
    pattern = package.pattern(table, column)
    if pattern is not None:
        return spell_identifiers(pattern, keys - 1, seed)
    kind = dict(package.tables[table].keys)[column]
    whole_numbers = numbers(keys)
    if kind in ("integer", "number"):
        return whole_numbers
    return whole_numbers.cast(pa.string())
