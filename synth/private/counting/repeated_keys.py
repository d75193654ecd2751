"""A column of keys that repeat, such as the number of a patient with several rows. PRIVATE.

The app proposes it as the column that says whose row it is; the steward decides. The number
of rows that the proposal names is rounded up, so that it is no single person's own.
"""

from dataclasses import dataclass

from synth.domain import sounds_like_key
from synth.private.counting.duckdb import DuckDB
from synth.private.table import PrivateTable

# Most columns whose values are counted.
MAX_COUNTED_COLUMNS = 5
# A key has at least this many values, and at most this many rows each on average.
LEAST_KEYS = 10
MOST_MEAN_ROWS = 100
# And at least this many, or nearly every row has a key of its own.
LEAST_MEAN_ROWS = 1.2
# The numbers of rows that a proposal names.
ROUND_ROWS = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000)


@dataclass(frozen=True)
class RepeatedKey:
    """A column whose name and values suggest keys of persons with several rows.

    Attributes:
        name: The column.
        most_rows: No key has more rows than this round number, unless it is the largest one.
    """

    name: str
    most_rows: int


def find_repeated_key(table: PrivateTable) -> RepeatedKey | None:
    """Return the first column that seems to hold such keys; None without one. PRIVATE.

    Only columns whose names sound like keys are counted, and only a few of them.

    Args:
        table: The confidential table.

    Raises:
        SynthError: It cannot be read.
    """
    names = [name for name in table.header if name and sounds_like_key(name)]
    if not names:
        return None
    with DuckDB() as engine:
        for name in names[:MAX_COUNTED_COLUMNS]:
            rows, keys, most_rows = engine.count_key_rows(table, name)
            mean_rows = rows / max(1, keys)
            if keys >= LEAST_KEYS and LEAST_MEAN_ROWS <= mean_rows <= MOST_MEAN_ROWS:
                return RepeatedKey(name, _round_up(most_rows))
    return None


def _round_up(rows: int) -> int:
    """Return the next round number of rows; the largest one for more.

    >>> _round_up(2), _round_up(7), _round_up(4_000)
    (2, 10, 1000)
    """
    return next((number for number in ROUND_ROWS if number >= rows), ROUND_ROWS[-1])
