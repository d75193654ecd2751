"""Codes of public rows that `synth.rows.values` wrote. PUBLIC.

It refuses a value without a cell. `synth.private.counting.counts` reads confidential rows.

>>> from synth.domain import Categorical
>>> domain = Domain((Categorical(name="sex", categories=("F", "M"), missing=True),))
>>> table = pa.table({"sex": pa.array(["M", None, "F"])})
>>> encode_columns(domain, table)[0].tolist()
[1, 2, 0]
"""

from typing import NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from synth.domain import OTHER_LABEL, Binned, Column, Decimal, Domain, Reading, Whole
from synth.errors import ReleaseError
from synth.util import Codes, Ints


def encode_columns(domain: Domain, table: pa.Table) -> list[Codes]:
    """Return the rows' codes, one array of shape (rows,) for each column.

    Args:
        domain: The declared columns.
        table: Rows as Synth writes them, with these columns.

    Raises:
        ReleaseError: A value is in no cell of its column.
    """
    return [_read(column, table[column.name].combine_chunks()) for column in domain.columns]


def _read(column: Column, values: pa.Array) -> Codes:
    """Return a column's codes, shape (rows,).

    Raises:
        ReleaseError: A value is in no cell of the column.
    """
    try:
        return _codes(column, values)
    except (pa.ArrowException, ValueError, OverflowError):
        # The values have another type than declared.
        _refuse(column)


def _codes(column: Column, values: pa.Array) -> Codes:
    """Return a column's codes, for ordinary values as for missing ones, signs and others.

    Args:
        column: The declared column.
        values: An Arrow array, as `synth.rows.values` writes it.

    Raises:
        ReleaseError: A value is in no cell of the column.
    """
    missing = np.asarray(values.is_null())
    if missing.any() and column.missing_code is None:
        _refuse(column)
    # All rows at first as missing; -1, where none may be, is replaced in every row below.
    codes = np.full(len(values), -1 if column.missing_code is None else column.missing_code)
    if not isinstance(column, Binned):
        codes[~missing] = _places(column, values.drop_null(), column.cells)
        return codes.astype(np.int32)
    # Rows whose values are numbers or dates in a bin.
    inside = ~missing
    codes_by_text = column.sign_codes
    if column.other_code is not None:
        codes_by_text[OTHER_LABEL] = column.other_code
    for text, code in codes_by_text.items():
        has_text = np.asarray(pc.fill_null(pc.equal(values, text), False))
        codes[has_text] = code
        inside &= ~has_text
    codes[inside] = _bins(column, _units(column, values.filter(pa.array(inside))))
    return codes.astype(np.int32)


def _places(column: Column, values: pa.Array, labels: tuple[str, ...]) -> Ints:
    """Return the positions of texts among the labels of a column, shape (rows,).

    Args:
        column: The column, which an error names.
        values: An Arrow array of texts, perhaps by code, without null.
        labels: The labels of its cells.

    Raises:
        ReleaseError: A text is no label.
    """
    dictionary_array = (
        values if pa.types.is_dictionary(values.type) else pc.dictionary_encode(values)
    )
    place = {label: number for number, label in enumerate(labels)}
    codes_of_texts = [
        place.get(str(text), -1) for text in dictionary_array.dictionary.to_pylist()
    ]
    # A text that is no label has -1; the last -1 belongs to no text.
    codes: Ints = np.array([*codes_of_texts, -1], dtype=np.int64)[
        np.asarray(dictionary_array.indices)
    ]
    if (codes < 0).any():
        _refuse(column)
    return codes


def _units(column: Binned, values: pa.Array) -> Ints:
    """Return numbers or dates in whole steps of their column, shape (rows,).

    A step is one for whole numbers, one in the last decimal, or the unit of dates.

    Args:
        column: The declared column.
        values: An Arrow array of numbers, or of dates as texts, without null.

    Raises:
        ValueError: A value is not finite, or a text is no value of the column.
    """
    match column.reading:
        case Whole():
            return np.asarray(values.cast(pa.int64()), dtype=np.int64)
        case Decimal(places):
            return np.asarray(np.rint(_floats(values) * 10**places), dtype=np.int64)
    return read_each(column.reading, values)


def _floats(values: pa.Array) -> npt.NDArray[np.float64]:
    """Return an Arrow array of numbers as doubles, shape (rows,).

    Raises:
        ValueError: One is not finite.
    """
    floats = np.asarray(values.cast(pa.float64()), dtype=np.float64)
    if not np.isfinite(floats).all():
        raise ValueError("not finite")
    return floats


def read_each(reading: Reading, values: pa.Array) -> Ints:
    """Return texts in whole steps of their column, shape (rows,).

    Args:
        reading: How the column's texts are read.
        values: An Arrow array of texts, perhaps by code, without null.

    Raises:
        ValueError: A text is not a value.
    """
    dictionary_array = (
        values if pa.types.is_dictionary(values.type) else pc.dictionary_encode(values)
    )
    # Each different text is read once; the 0 behind them belongs to no text.
    steps = [reading.read(str(text)) for text in dictionary_array.dictionary.to_pylist()]
    return np.asarray(
        np.array([*steps, 0], dtype=np.int64)[np.asarray(dictionary_array.indices)]
    )


def _bins(column: Binned, units: Ints) -> Ints:
    """Return the bin of each value, shape (rows,).

    Args:
        column: The column, with the first and last step of each bin.
        units: The values in steps, shape (rows,).

    Raises:
        ReleaseError: A value is in no bin.
    """
    ends = np.asarray(column.spans)
    # The last bin that starts at or below each value; the value may still be above its end.
    codes = np.searchsorted(ends[:, 0], units, side="right") - 1
    if (codes < 0).any() or (units > ends[codes, 1]).any():
        _refuse(column)
    return np.asarray(codes, dtype=np.int64)


def _refuse(column: Column) -> NoReturn:
    """Raise the error that a column has a value in none of its cells.

    It does not say which, and no other error is chained to it.

    Raises:
        ReleaseError: Always.
    """
    raise ReleaseError(
        f"Column '{column.name}' holds a value that is in none of its cells."
    ) from None
