"""A number that follows from others in all rows: an age, a sum, another unit. PRIVATE."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import permutations, product

import numpy as np

from synth.domain import Derived, Domain
from synth.drafting import Proposal
from synth.private.counting.column_rows import ColumnRows, RowsByName, obeys
from synth.private.counting.dependency_ages import (
    list_age_formulas,
    list_date_parts,
    list_spans,
)
from synth.private.counting.dependency_sums import (
    are_same,
    guess_long_sums,
    guess_sums,
    list_sums,
)
from synth.private.counting.dependency_support import MIN_TESTED_ROWS
from synth.private.counting.dependency_texts import spell_name

# Least number of different values of a number that follows from others.
MIN_VALUES = 3


def guess_formulas(sample: Sequence[ColumnRows]) -> Iterator[tuple[str, ...]]:
    """Yield names of columns; in a sample, the last follows from the others.

    Args:
        sample: The sampled rows of the columns.
    """
    numbers = [rows for rows in sample if rows.kind == "number"]
    dates = [rows for rows in sample if rows.kind == "date"]
    for target in numbers:
        for sources in _list_sources(target, numbers, dates):
            if any(True for _ in list_formulas([*sources, target])):
                yield (*(source.name for source in sources), target.name)
    yield from guess_sums(numbers)
    yield from guess_long_sums(numbers)


def _list_sources(
    target: ColumnRows, numbers: Sequence[ColumnRows], dates: Sequence[ColumnRows]
) -> Iterator[tuple[ColumnRows, ...]]:
    """Yield the columns that a number may follow from, simple ones first; no sums.

    Args:
        target: The number.
        numbers: All numbers.
        dates: All dates.
    """
    for date in dates:
        yield (date,)
    # Of two numbers that follow from each other, the later one in the table is derived.
    for number in numbers:
        if number is target:
            break
        yield (number,)
    yield from permutations(dates, 2)
    yield from (pair for pair in product(dates, numbers) if pair[1] is not target)


def list_formulas(rows: Sequence[ColumnRows]) -> Iterator[str]:
    """Yield formulas by which the last column follows from the others, simple ones first.

    The rows that have all values obey them.

    Args:
        rows: The sources in order, and the column that follows from them.
    """
    *sources, target = rows
    kinds = [source.kind for source in sources]
    if kinds == ["number"]:
        yield from _list_conversions(sources[0], target)
    elif set(kinds) == {"number"}:
        yield from list_sums(sources, target)
    elif kinds == ["date"]:
        yield from list_date_parts(sources[0], target)
        yield from list_age_formulas(sources[0], None, target)
    elif kinds == ["date", "date"]:
        yield from list_spans(sources[0], sources[1], target)
        yield from list_age_formulas(sources[0], sources[1], target)
    elif kinds == ["date", "number"]:
        yield from list_age_formulas(sources[0], sources[1], target)


def _list_conversions(source: ColumnRows, target: ColumnRows) -> Iterator[str]:
    """Yield formulas of a number that is equal to another, or a constant minus it.

    Args:
        source: The other number.
        target: The number.
    """
    have_both = source.has_value & target.has_value
    values = source.amounts[have_both]
    expected = target.amounts[have_both]
    if not len(values):
        return
    name = spell_name(source.name)
    if are_same(values, expected).all():
        yield name
        return
    constant = values[0] + expected[0]
    if float(constant).is_integer() and are_same(values + expected, constant).all():
        yield f"{int(constant)} - {name}" if constant else f"-{name}"


def confirm_formula(
    names: tuple[str, ...], rows: RowsByName, *, domain: Domain
) -> Proposal | None:
    """Return the proposal of a number that follows from others, if all rows obey it.

    Args:
        names: The sources, and the column that follows from them.
        rows: All rows of these columns.
        domain: The declared columns.
    """
    columns = [rows[name] for name in names]
    target = columns[-1]
    have_all = np.logical_and.reduce([column.has_value for column in columns])
    values, counts = np.unique(target.amounts[have_all], return_counts=True)
    # Rows with the most common value might agree with a constant.
    tested_rows = int(counts.sum() - counts.max()) if len(values) else 0
    if tested_rows < MIN_TESTED_ROWS or len(values) < MIN_VALUES:
        return None
    is_obeyed = partial(obeys, rows=rows, domain=domain)
    for formula in list_formulas(columns):
        if is_obeyed(Derived(formula=formula, name=target.name)):
            sources = " and ".join(names[:-1])
            return Proposal(
                name=f"{target.name} from {sources}",
                sentence=f"'{target.name}' is {formula}",
                columns=names,
                derivation={"formula": formula},
            )
    return None
