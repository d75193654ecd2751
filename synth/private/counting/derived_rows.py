"""The confidential rows as the rules of derived columns read them. PRIVATE."""

import numpy as np

from synth.domain import DAY, Column
from synth.rows import RowValues
from synth.util import Codes, Floats

# Numbers with a smaller relative difference are the same.
RELATIVE_TOLERANCE = 1e-9


def hold_values(column: Column, values: Floats, codes: Codes) -> RowValues:
    """Return the values of a declared column as the rules of derived columns read them.

    Args:
        column: The declaration.
        values: Numbers, or seconds since 1970; NaN if there is none; shape (rows,).
        codes: The cell of each row, shape (rows,).
    """
    # No code is -1, so without a declared missing value none is missing.
    missing_code = -1 if column.missing_code is None else column.missing_code
    is_missing = codes == missing_code
    kind = column.formula_values.kind
    if kind == "truth":  # cell 0 is false and 1 is true; others hold no truth value
        return RowValues(kind, codes == 1, is_missing | (codes > 1))
    if kind == "text":
        return RowValues(kind, np.array(column.cells, dtype=object)[codes], is_missing)
    # Cells behind the labelled ones, such as that for values outside, hold no number.
    is_missing |= ~np.isfinite(values) | (codes >= len(column.labels))
    numbers = np.where(is_missing, 0.0, values)
    if kind == "date":  # rules count days
        numbers = np.floor(numbers / DAY)
    return RowValues(kind, numbers, is_missing)


def count_disagreeing(
    expected: RowValues, column: Column, *, values: Floats, codes: Codes
) -> int:
    """Return the number of rows whose value in the table is another one than the rule's.

    Args:
        expected: The values by the rule.
        column: The declaration of the table's own column.
        values: Its numbers, or seconds since 1970, shape (rows,).
        codes: The cell of each row, shape (rows,).
    """
    # A sign such as "<5" is no value either.
    valueless_codes = [column.missing_code, *column.sign_codes.values()]
    is_missing = np.isin(codes, [code for code in valueless_codes if code is not None])
    if expected.kind == "number":
        tolerance = RELATIVE_TOLERANCE * np.maximum(1, np.abs(expected.data))
        same = np.abs(values - expected.data) <= tolerance
    elif expected.kind == "truth":
        same = codes == expected.data
    else:
        same = np.array(column.cells, dtype=object)[codes] == expected.data
    # Two missing values agree, and a missing one agrees with no other.
    any_missing = expected.missing | is_missing
    agree = np.where(any_missing, expected.missing & is_missing, same)
    return int(np.count_nonzero(~agree.astype(bool)))
