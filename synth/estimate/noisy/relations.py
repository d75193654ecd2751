"""Which pairs of columns a release measured, in words. PUBLIC."""

from itertools import combinations
from math import comb

from synth.estimate.noisy.record import Record


def measured_pairs(record: Record) -> int:
    """The number of pairs of columns that were measured together."""
    if record.histogram is not None:
        return comb(len(record.domain.columns), 2)
    return len(_pairs(record))


def name_unmeasured(record: Record) -> list[tuple[str, str]]:
    """The names of each pair of columns that were not measured together."""
    names, found = record.domain.names, _pairs(record)
    if record.histogram is not None:
        return []
    every = combinations(range(len(names)), 2)
    return [(names[a], names[b]) for a, b in every if (a, b) not in found]


def _pairs(record: Record) -> set[tuple[int, ...]]:
    return {pair for place, _ in record.measured for pair in combinations(sorted(place), 2)}


def relations_sentence(measured: int, columns: int) -> str:
    """Say how many of the pairs of columns were measured; empty for a single column.

    >>> relations_sentence(27, 10)
    'Relations measured: 27 of 45 pairs of columns; the others follow by a model.'
    >>> relations_sentence(0, 14).partition(".")[0]
    'Relations kept: 0 of 91 pairs of columns'
    """
    pairs = comb(columns, 2)
    if not pairs:
        return ""
    if not measured:
        return (
            f"Relations kept: 0 of {pairs:,} pairs of columns. Each column is right by itself; "
            "the table's relations between columns are lost."
        )
    if measured == pairs:
        return f"Relations measured: all {pairs:,} pairs of columns."
    return (
        f"Relations measured: {measured:,} of {pairs:,} pairs of columns; the others follow by a "
        "model."
    )
