"""A list cuts a number or a date into groups, such as an age group. PRIVATE."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from synth import limits
from synth.domain import Derived, Domain
from synth.drafting import Proposal
from synth.private.counting.column_rows import ColumnRows, RowsByName, obeys
from synth.private.counting.dependency_support import (
    is_supported,
    log_chance_contiguous,
    log_chance_decided,
)
from synth.private.counting.dependency_texts import (
    round_within,
    spell_name,
    spell_text,
    write_day_within,
)
from synth.util import Floats

# Most groups that a formula distinguishes.
MAX_GROUPS = 20


class Group(NamedTuple):
    """The rows with one value of a list, by the number or date that they have.

    Attributes:
        label: The value of the list.
        low: The least number, or day since 1970.
        high: The greatest one.
        rows: The rows.
        values: The different numbers or days.
    """

    label: str
    low: float
    high: float
    rows: int
    values: int


def guess_cut(sample: Sequence[ColumnRows]) -> Iterator[tuple[str, str]]:
    """Yield pairs of names of a number or date, and of a list that cuts it in a sample.

    Args:
        sample: The sampled rows of the columns.
    """
    axes = [rows for rows in sample if rows.is_axis]
    lists = [rows for rows in sample if rows.kind == "text"]
    for axis, target in product(axes, lists):
        groups = list_groups(axis, target)
        values = sum(group.values for group in groups)
        # A list with as many values as there are numbers is no grouping of them.
        if 1 < len(groups) < values and are_apart(groups):
            yield axis.name, target.name


def list_groups(axis: ColumnRows, target: ColumnRows) -> list[Group]:
    """Return the groups of the rows that have both values, by ascending least number.

    Args:
        axis: The rows of the number or date.
        target: The rows of the list.
    """
    have_both = axis.has_value & target.has_value
    amounts = _amounts(axis)[have_both]
    codes = target.codes[have_both]
    order = np.lexsort((amounts, codes))
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    groups = []
    for part in np.split(order, starts[1:]) if len(order) else []:
        group_amounts = amounts[part]
        groups.append(
            Group(
                label=target.column.labels[int(codes[part[0]])],
                low=float(group_amounts[0]),
                high=float(group_amounts[-1]),
                rows=len(part),
                values=1 + int(np.count_nonzero(np.diff(group_amounts))),
            )
        )
    return sorted(groups, key=lambda group: group.low)


def _amounts(axis: ColumnRows) -> Floats:
    """Return numbers, or days since 1970, as formulas read them."""
    return axis.days if axis.kind == "date" else axis.amounts


def are_apart(groups: Sequence[Group]) -> bool:
    """Return whether groups, by ascending least number, do not overlap."""
    return all(lower.high < upper.low for lower, upper in pairwise(groups))


def confirm_cut(
    names: tuple[str, str], rows: RowsByName, *, domain: Domain
) -> Proposal | None:
    """Return the proposal that a list cuts a number or date, if all rows obey it.

    Args:
        names: The number or date, and the list.
        rows: All rows of both.
        domain: The declared columns.
    """
    axis = rows[names[0]]
    target = rows[names[1]]
    groups = list_groups(axis, target)
    if not 1 < len(groups) <= MAX_GROUPS or not are_apart(groups):
        return None
    if min(group.rows for group in groups) < limits.LISTED_ROWS or target.column.meanings:
        return None
    if not is_supported(sum(group.rows for group in groups), _log_chance(axis, target)):
        return None
    formula = _write_formula(axis, groups)
    if not obeys(Derived(formula=formula, name=target.name), rows, domain):
        return None
    return Proposal(
        name=f"{target.name} from {axis.name}",
        sentence=f"'{target.name}' cuts '{axis.name}' into {len(groups)} groups",
        columns=names,
        derivation={"formula": formula},
    )


def _log_chance(axis: ColumnRows, target: ColumnRows) -> float:
    """Return the logarithm of the chance that independent columns make such groups.

    Args:
        axis: The rows of the number or date.
        target: The rows of the list.
    """
    have_both = axis.has_value & target.has_value
    _, places = np.unique(_amounts(axis)[have_both], return_inverse=True)
    cells = target.column.size
    pairs = places.astype(np.int64) * cells + target.codes[have_both]
    counts = np.bincount(pairs, minlength=(int(places.max()) + 1) * cells).reshape(-1, cells)
    labels_of_values = counts.argmax(axis=1)
    sizes = np.unique(labels_of_values, return_counts=True)[1]
    return log_chance_decided(counts) + log_chance_contiguous(sizes.astype(np.int64))


def _write_formula(axis: ColumnRows, groups: Sequence[Group]) -> str:
    """Return a formula of the label by the number or date, with a cut between two groups.

    Args:
        axis: The rows of the number or date.
        groups: The groups, ascending.
    """
    name = spell_name(axis.name)
    # Each cut is above the greatest number of a group, and at most the least of the next.
    gaps = [(lower.high, upper.low) for lower, upper in pairwise(groups)]
    write_cut = write_day_within if axis.kind == "date" else round_within
    cuts = [write_cut(low, high) for low, high in gaps]
    formula = spell_text(groups[-1].label)
    # From the last group to the first, each condition stands around the rest.
    for group, cut in zip(reversed(groups[:-1]), reversed(cuts), strict=True):
        formula = f"if({name} < {cut}, {spell_text(group.label)}, {formula})"
    return formula
