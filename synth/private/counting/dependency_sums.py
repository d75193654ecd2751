"""A number that is the sum or difference of others in all rows, such as a total. PRIVATE."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from synth.private.counting.column_rows import ColumnRows
from synth.private.counting.dependency_support import MIN_TESTED_ROWS
from synth.private.counting.dependency_texts import spell_name
from synth.util import Floats, Mask

# Numbers with a smaller relative difference are the same.
TOLERANCE = 1e-9
# Most sampled rows that are compared for sums of two numbers.
SUM_ROWS = 200
# Largest distance of a factor from 1 or -1 that rounding explains.
FACTOR_TOLERANCE = 1e-6
# Sampled rows for each factor, so that no others would fit as well.
ROWS_PER_FACTOR = 3


def guess_sums(numbers: Sequence[ColumnRows]) -> Iterator[tuple[str, ...]]:
    """Yield the names of three columns of which, in a sample, the last is the others' sum.

    Args:
        numbers: The sampled rows of the numbers.
    """
    if len(numbers) < 3:
        return
    amounts = np.stack([rows.amounts[:SUM_ROWS] for rows in numbers])
    for first, second in combinations(range(len(numbers)), 2):
        sums = amounts[first] + amounts[second]
        with np.errstate(invalid="ignore"):
            differs = np.abs(amounts - sums) > TOLERANCE * np.maximum(1, np.abs(sums))
        for third in np.flatnonzero(~differs.any(axis=1)).tolist():
            is_other = third not in (first, second)
            if is_other and np.isfinite(amounts[third] + sums).any():
                yield numbers[first].name, numbers[second].name, numbers[third].name


def guess_long_sums(numbers: Sequence[ColumnRows]) -> Iterator[tuple[str, ...]]:
    """Yield names of numbers; in a sample, the last is a sum of at least three others.

    Some may be subtracted, if there is no way to write it as a sum of all others.

    Args:
        numbers: The sampled rows of the numbers.
    """
    if len(numbers) < 4:
        return
    amounts = np.stack([rows.amounts for rows in numbers], axis=1)
    amounts = amounts[np.isfinite(amounts).all(axis=1)]
    if len(amounts) < ROWS_PER_FACTOR * len(numbers):
        return
    # Columns of which none follows from those before it; others may be sums of these.
    basis = [0]
    for column in range(1, len(numbers)):
        solution = _solve(amounts[:, basis], amounts[:, column])
        if not are_same(amounts[:, basis] @ solution, amounts[:, column]).all():
            basis.append(column)
            continue
        factors = _round_factors(solution)
        if factors is not None and np.count_nonzero(factors) >= 3:
            yield _arrange_terms(
                [numbers[place] for place in basis], factors, numbers[column]
            )


def _arrange_terms(
    sources: Sequence[ColumnRows], factors: Floats, target: ColumnRows
) -> tuple[str, ...]:
    """Return the names of the terms of a sum, and of the number that is their sum, last.

    If one term is added and all others are subtracted, that term is the sum of all others:
    a = b - c - d means that b = a + c + d.

    Args:
        sources: The numbers that may be terms.
        factors: The factor of each column in the sum: 1, -1 or 0.
        target: The number that follows from them.
    """
    added = [rows.name for rows, factor in zip(sources, factors, strict=True) if factor > 0]
    subtracted = [
        rows.name for rows, factor in zip(sources, factors, strict=True) if factor < 0
    ]
    if len(added) == 1:
        return (*subtracted, target.name, added[0])
    return (*added, *subtracted, target.name)


def _solve(sources: Floats, expected: Floats) -> Floats:
    """Return the factors by which numbers come nearest to another one, shape (columns,).

    Args:
        sources: The numbers, shape (rows, columns).
        expected: The other number, shape (rows,).
    """
    solution = np.linalg.lstsq(sources, expected, rcond=None)[0]
    return np.asarray(solution, dtype=np.float64)


def _round_factors(solution: Floats) -> Floats | None:
    """Return factors of 1, -1 or 0 that are nearly the same as others; None if none are."""
    factors = np.rint(solution)
    is_exact = np.abs(solution - factors).max() <= FACTOR_TOLERANCE
    return factors if is_exact and np.abs(factors).max() <= 1 else None


def list_sums(sources: Sequence[ColumnRows], target: ColumnRows) -> Iterator[str]:
    """Yield the formula of a column that is the sum of others in all rows, else nothing.

    Of more than two columns, some may be subtracted.

    Args:
        sources: The columns that are added or subtracted.
        target: The column that may be their sum.
    """
    have_all = np.logical_and.reduce([rows.has_value for rows in (*sources, target)])
    amounts = np.stack([rows.amounts[have_all] for rows in sources], axis=1)
    expected = target.amounts[have_all]
    # The factor of each column: 1, -1 or 0.
    factors = np.ones(len(sources)) if len(sources) == 2 else None
    if len(amounts) and factors is None:
        factors = _round_factors(_solve(amounts, expected))
    if factors is None or not are_same(amounts @ factors, expected).all():
        return
    # A row in which all columns but one are 0 does not test whether they are added.
    tested_rows = np.count_nonzero(np.count_nonzero(amounts, axis=1) > 1)
    if tested_rows < min(MIN_TESTED_ROWS, len(amounts) // 2):
        return
    formula = ""
    for rows, factor in zip(sources, factors, strict=True):
        name = spell_name(rows.name)
        if not formula:
            formula = f"-{name}" if factor < 0 else name
        else:
            formula += f" - {name}" if factor < 0 else f" + {name}"
    decimals = _count_decimals(expected)
    yield f"round({formula}, {decimals})" if decimals else formula


def _count_decimals(values: Floats) -> int:
    """Return how many digits after the decimal mark numbers have, at most 9."""
    return next(
        (digits for digits in range(9) if are_same(np.round(values, digits), values).all()),
        9,
    )


def are_same(values: Floats, expected: Floats | float) -> Mask:
    """Return which numbers are the same but for rounding, shape (rows,)."""
    return np.asarray(
        np.abs(values - expected) <= TOLERANCE * np.maximum(1, np.abs(expected))
    )
