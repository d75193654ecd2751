"""The digest that identifies a table of a database: its rows, in any order. PRIVATE."""

import json
from weakref import WeakKeyDictionary

import duckdb

from synth.foreign import Folder
from synth.private.table import PrivateTable, explain_failure, open_duckdb
from synth.util import interruptible

# Digests of copies, which do not change, by key.
_DIGESTS: WeakKeyDictionary[Folder, dict[str, bytes]] = WeakKeyDictionary()


def digest_rows(table: PrivateTable, key: str) -> bytes:
    """Return a digest of the names of the columns and of the rows as a multiset.

    Each row has a keyed number of 128 bits, and the numbers are added. The order of the rows,
    the layout of the file and the version of a library make no difference. A digest is
    remembered for as long as the copy of the table exists.

    Args:
        table: A private copy of a database's table, in Parquet.
        key: A key that is unknown to those who may have written rows.

    Raises:
        TableError: The copy can't be read.
    """
    digests = _DIGESTS.setdefault(table.keeper, {})
    if key in digests:
        return digests[key]
    cells = " || ".join(
        # The length says where a text ends; other cells hold no semicolon.
        f"coalesce(strlen(c{i}) || ':' || c{i}, '-')"
        if kind.endswith("string")
        else f"coalesce(c{i}::VARCHAR, '-') || ';'"
        for i, kind in enumerate(table.types)
    )
    names = ", ".join(f"c{i}" for i in range(len(table.header)))
    # DuckDB gives the number of 128 bits as two of 64 bits.
    query = (
        "SELECT count(*), sum(md5_number_lower(row)), sum(md5_number_upper(row)) "
        f"FROM (SELECT $key || {cells} AS row FROM read_parquet($file) AS t({names}))"
    )
    with open_duckdb({"threads": 1}) as database, interruptible(database.interrupt):
        try:
            sums = database.execute(query, {"key": key, "file": str(table.data)}).fetchone()
        except duckdb.Error:
            sums = None
    if sums is None:
        explain_failure(table)  # raises
    digests[key] = json.dumps([table.header, [str(number or 0) for number in sums]]).encode()
    return digests[key]
