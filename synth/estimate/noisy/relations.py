"""Which pairs of columns a release measured, in words. PUBLIC."""

from itertools import combinations
from math import comb

from synth.estimate.noisy.record import Record


def measured_pairs(record: Record) -> int:
    """Return the number of pairs of columns that some noisy histogram has together."""
    if record.histogram is not None:  # it has all columns
        return comb(len(record.domain.columns), 2)
    return len(_pairs(record))


def name_unmeasured(record: Record) -> list[tuple[str, str]]:
    """Return the pairs of column names that were not measured together, in domain order."""
    if record.histogram is not None:
        return []
    names = record.domain.names
    measured = _pairs(record)
    pairs = combinations(range(len(names)), 2)
    return [(names[a], names[b]) for a, b in pairs if (a, b) not in measured]


def _pairs(record: Record) -> set[tuple[int, ...]]:
    """Return the pairs of column numbers, ascending, that some noisy histogram has."""
    return {
        pair for columns, _ in record.measured for pair in combinations(sorted(columns), 2)
    }


NONE_STOOD_OUT = (
    "No pair stood out from the noise, so each column is drawn by itself. Weaker relations "
    "are lost."
)
COLUMNS_ALONE = "Each column is drawn by itself; relations between columns are lost."


def relations_sentence(measured: int, columns: int, lost: str = COLUMNS_ALONE) -> str:
    """Say how many of the pairs of columns were measured; empty for a single column.

    Args:
        measured: Number of pairs of columns that were measured together.
        columns: Number of columns of the table.
        lost: The sentence that follows if no pair was measured.

    >>> relations_sentence(27, 10)
    'Relations measured: 27 of 45 pairs of columns. A model estimates the rest.'
    >>> relations_sentence(0, 14).partition(".")[0]
    'Relations kept: 0 of 91 pairs of columns'
    >>> relations_sentence(1, 2)
    'Relations measured: the one pair of columns.'
    """
    pairs = comb(columns, 2)
    if not pairs:
        return ""
    if not measured:
        return f"Relations kept: 0 of {pairs:,} pairs of columns. {lost}"
    if measured == pairs == 1:
        return "Relations measured: the one pair of columns."
    if measured == pairs:
        return f"Relations measured: all {pairs:,} pairs of columns."
    sentence = f"Relations measured: {measured:,} of {pairs:,} pairs of columns."
    return f"{sentence} A model estimates the rest."
