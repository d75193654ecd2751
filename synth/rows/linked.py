"""Synthetic rows of linked tables: codes as values, under keys that are run. PUBLIC."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from synth.domain import LinkedPackage, LinkedTable
from synth.estimate import LinkedCodes
from synth.rows.draw import decode
from synth.rows.values import numbers
from synth.util import Ints


def linked_tables(package: LinkedPackage, rows: LinkedCodes, seed: int) -> dict[str, pa.Table]:
    """The tables by name, keys among their columns; each link leads to a row.

    Args:
        package: The tables.
        rows: Their rows as codes.
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
        columns = {name: table[name] for name in one.domain.names} | _write_keys(one, keys)
        found[one.name] = pa.table([columns[name] for name in one.order], list(one.order))
    return found


def _firsts(groups: Ints) -> Ints:
    """The first row of each row's group, where groups ascend."""
    return np.searchsorted(groups, groups)


def _write_keys(one: LinkedTable, keys: Mapping[str, Ints]) -> dict[str, pa.Array]:
    """Keys as the declared types have them: whole numbers, or their texts."""
    kinds = dict(one.keys)
    return {
        name: numbers(values) if kinds[name] in ("integer", "number")
        else numbers(values).cast(pa.string())
        for name, values in keys.items()
    }  # fmt: skip
