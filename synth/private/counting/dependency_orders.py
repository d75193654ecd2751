"""One column is at most another in all rows: numbers, dates, ordered lists. PRIVATE."""

import math
from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np

from synth.drafting import Proposal
from synth.private.counting.column_rows import ColumnRows, RowsByName
from synth.private.counting.dependency_support import is_supported, share_out_of_order

# Least chance that independent values of both columns are out of order: below it, their
# ranges hardly overlap, and the order says nothing. Numbers may be of different things.
MIN_CHANCE_NUMBERS = 0.05
MIN_CHANCE_DATES = 0.01


def guess_orders(sample: Sequence[ColumnRows]) -> Iterator[tuple[str, str]]:
    """Yield pairs of names of columns that are in order in all rows of a sample.

    Args:
        sample: The sampled rows of the columns.
    """
    ordered_columns = [rows for rows in sample if rows.column.extent is not None]
    for first, second in permutations(ordered_columns, 2):
        if first.column.no_order_with(second.column):
            continue
        # A missing value breaks no order.
        with np.errstate(invalid="ignore"):
            is_broken = bool(np.any(first.amounts > second.amounts))
            differs = bool(np.any(first.amounts < second.amounts))
        if differs and not is_broken:
            yield first.name, second.name


def confirm_order(names: tuple[str, str], rows: RowsByName) -> Proposal | None:
    """Return the proposal of an order, if all rows obey it and support it; else None.

    Args:
        names: The column that is at most the other, and the other.
        rows: All rows of both.
    """
    first_column, second_column = rows[names[0]], rows[names[1]]
    have_both = first_column.has_value & second_column.has_value
    first = first_column.amounts[have_both]
    second = second_column.amounts[have_both]
    if not len(first) or np.any(first > second):
        return None
    # An exchange of values with some other row would break the order of these rows.
    tested_rows = np.count_nonzero((first > second.min()) | (second < first.max()))
    chance = share_out_of_order(first, second)
    is_date = first_column.kind == "date"
    if chance < (MIN_CHANCE_DATES if is_date else MIN_CHANCE_NUMBERS) or chance >= 1:
        return None
    if not is_supported(int(tested_rows), len(first) * math.log1p(-chance)):
        return None
    return Proposal(
        name=f"{names[0]} <= {names[1]}",
        sentence=f"'{names[0]}' is at most '{names[1]}'",
        columns=names,
        rule={"order": [list(names)]},
    )


def drop_implied_orders(orders: Sequence[Proposal]) -> list[Proposal]:
    """Return orders, but none that two others imply: a <= c follows from a <= b <= c."""
    pairs = {(proposal.columns[0], proposal.columns[1]) for proposal in orders}
    names = {name for pair in pairs for name in pair}
    implied_pairs = {
        (first, last)
        for first, last in pairs
        if any({(first, name), (name, last)} <= pairs for name in names - {first, last})
    }
    return [proposal for proposal in orders if tuple(proposal.columns) not in implied_pairs]
