"""A column of keys that repeat, such as the number of a patient with several rows. PRIVATE.

The app proposes it as the column that says whose row it is, with the rows of each that count;
the steward decides. Both are taken from the rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from synth.domain import sounds_like_key, sounds_like_person
from synth.private.counting.duckdb import DuckDB
from synth.private.table import PrivateTable

# Most columns whose values are counted.
MAX_COUNTED_COLUMNS = 5
# A key has at least this many values, and at most this many rows each on average.
LEAST_KEYS = 10
MOST_MEAN_ROWS = 100
# And at least this many, or nearly every row has a key of its own.
LEAST_MEAN_ROWS = 1.2
# A proposal leaves out at most this share of the rows.
MOST_LEFT_OUT = 0.01
# The numbers of rows that a proposal names if fewer than `LEAST_KEYS` keys have so many rows.
ROUND_ROWS = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000)


@dataclass(frozen=True)
class RepeatedKey:
    """A column whose name and values suggest keys of persons with several rows.

    Attributes:
        name: The column.
        max_rows: The proposed number of rows of one key that count, as few as keep nearly all
            rows. Several keys have so many rows, or it is a round number: it is no single
            person's own.
        rows: The rows that have a key.
        left_out: How many of them do not count.
    """

    name: str
    max_rows: int
    rows: int
    left_out: int


def find_repeated_key(table: PrivateTable) -> RepeatedKey | None:
    """Return the first column that seems to hold such keys; None without one. PRIVATE.

    Only columns whose names sound like keys or persons are counted, and only a few of them.
    In a column such as "patient" only texts with a digit are keys, such as P94.

    Args:
        table: The confidential table.

    Raises:
        SynthError: It cannot be read.
    """
    names = [
        name
        for name in table.header
        if name and (sounds_like_key(name) or sounds_like_person(name))
    ]
    if not names:
        return None
    with DuckDB() as engine:
        for name in names[:MAX_COUNTED_COLUMNS]:
            keys_by_rows = engine.count_key_rows(
                table, name, with_digit=not sounds_like_key(name)
            )
            keys = sum(keys_by_rows.values())
            rows = _count_kept(keys_by_rows, max(keys_by_rows, default=0))
            mean_rows = rows / max(1, keys)
            if keys >= LEAST_KEYS and LEAST_MEAN_ROWS <= mean_rows <= MOST_MEAN_ROWS:
                max_rows = _propose_rows(keys_by_rows, rows)
                left_out = rows - _count_kept(keys_by_rows, max_rows)
                return RepeatedKey(name, max_rows, rows=rows, left_out=left_out)
    return None


def _propose_rows(keys_by_rows: Mapping[int, int], rows: int) -> int:
    """Return the least number of rows of each key that keeps nearly all rows.

    It is rounded up if fewer than `LEAST_KEYS` keys have so many rows.

    Args:
        keys_by_rows: How many keys have so many rows, by the number of rows.
        rows: All rows with a key.

    >>> _propose_rows({1: 500, 6: 500}, 3_500)
    6
    >>> _propose_rows({1: 500, 6: 500, 40: 1}, 3_540)
    6
    >>> _propose_rows({1: 20, 7: 2}, 34)
    10
    """
    # No larger number is proposed than the largest round one.
    proposed_numbers = range(1, ROUND_ROWS[-1])
    least = next(
        (
            number
            for number in proposed_numbers
            if rows - _count_kept(keys_by_rows, number) <= MOST_LEFT_OUT * rows
        ),
        ROUND_ROWS[-1],
    )
    keys = sum(count for number, count in keys_by_rows.items() if number >= least)
    if keys >= LEAST_KEYS:
        return least
    return next(number for number in ROUND_ROWS if number >= least)


def _count_kept(keys_by_rows: Mapping[int, int], max_rows: int) -> int:
    """Return how many rows count if at most ``max_rows`` of each key do."""
    return sum(min(number, max_rows) * keys for number, keys in keys_by_rows.items())
