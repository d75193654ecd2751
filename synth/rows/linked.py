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
        seed: Fixes the values within bins.
    """
    found: dict[str, pa.Table] = {}
    roots: list[Ints] = []
    own: list[Ints] = []
    for number, (one, level) in enumerate(zip(package.tables, rows.levels, strict=True)):
        places = np.arange(level.rows)
        if one.parent is None:
            root, turn = places, places
        else:
            root, turn = roots[one.parent][level.parent], places - _firsts(level.parent)
        roots.append(root)
        own.append((places - _firsts(root) if one.key else turn) + 1)
        keys = {one.root_key: root + 1}
        for name in one.link:
            assert one.parent is not None
            keys[name] = own[one.parent][level.parent]
        rest = [name for name, _ in one.keys if name not in keys]
        keys |= dict.fromkeys(rest, own[number])
        codes = level.codes[: len(one.domain.columns)]
        table = decode(one.domain, codes, seed=seed + number).table
        columns = {name: table[name] for name in one.domain.names}
        columns |= {
            name: _spell_keys(package, number, name, keys=keys[name], seed=seed)
            for name in keys
        }
        found[one.name] = pa.table([columns[name] for name in one.order], list(one.order))
    return found


def _firsts(groups: Ints) -> Ints:
    # The first row of each row's group; groups ascend.
    return np.searchsorted(groups, groups)


def _spell_keys(
    package: LinkedPackage, table: int, column: str, *, keys: Ints, seed: int
) -> pa.Array:
    # Numbers from 1 by their pattern, else whole numbers or their texts, by declared type.
    pattern = package.pattern(table, column)
    if pattern is not None:
        return spell_identifiers(pattern, keys - 1, seed)
    kind = dict(package.tables[table].keys)[column]
    found = numbers(keys)
    return found if kind in ("integer", "number") else found.cast(pa.string())
