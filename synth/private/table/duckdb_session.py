"""Connections of DuckDB, all opened here, that read each cell by itself. PRIVATE.

A file of Parquet or DuckDB carries statistics: the least and the greatest value of a column,
or whether it has missing ones. They follow from all rows, whoever wrote the file chose them,
and they may be wrong. DuckDB's optimizer takes them for true. In a column whose least and
greatest values it knows, it decides once for all rows whether a value can be NaN, is equal to
a bound or is missing; and it skips rows that no statistic promises. One row would then decide
how others are read. So connections run only the rules of the optimizer that look at a
statement alone.

Our own copies of tables have no statistics in the first place (`synth.foreign.start_copy`).

>>> from contextlib import closing
>>> with closing(open_duckdb()) as connection:
...     connection.execute("SELECT 1").fetchall()
[(1,)]
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

Setting = str | bool | int | float | list[str]
Settings = Mapping[str, Setting]

# Rules of DuckDB's optimizer that rewrite a statement by its own words. The order of joins
# and their sides, too, look at the number of rows, which changes no result.
RULES_WITHOUT_STATISTICS = frozenset(
    [
        "build_side_probe_side",
        "column_lifetime",
        "common_aggregate",
        "common_subexpressions",
        "cte_inlining",
        "deliminator",
        "expression_rewriter",
        "filter_pullup",
        "in_clause",
        "join_order",
        "unused_columns",
    ]
)


def open_duckdb(settings: Settings | None = None) -> "duckdb.DuckDBPyConnection":
    """Return a connection to an empty database in memory.

    It runs only the rules of DuckDB's optimizer that do not use a file's statistics, as these
    may be wrong. It loads no extensions.

    Args:
        settings: Options of DuckDB in addition to the ones that all connections have.
    """
    import duckdb

    config: dict[str, Setting] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        **(settings or {}),
    }
    connection = duckdb.connect(config=config)
    rules = _list_disabled_rules(connection)
    connection.execute("SET disabled_optimizers = $rules", {"rules": rules})
    connection.execute("SET enable_progress_bar = false")
    return connection


def _list_disabled_rules(connection: "duckdb.DuckDBPyConnection") -> str:
    """Return the names of the optimizer's rules that are not to run, with commas between."""
    # A newer DuckDB may have more rules; each is disabled until it stands in the list above.
    rules = connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()
    return ",".join(sorted({name for (name,) in rules} - RULES_WITHOUT_STATISTICS))
