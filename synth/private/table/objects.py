"""Columns of Python objects, cell by cell. PRIVATE.

A value is read as in a column of its own type. So one odd value, which makes pandas turn a
column into objects, changes no other cell. A cell is a text; dates and moments are stored
with it, for columns that declare dates.

>>> object_column(["x", 1.0, None, b"y"]).to_pylist()
['x', '1', None, 'y']
"""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from synth.domain import UNREADABLE
from synth.private.table.columns import MAX_EXACT_WHOLE, plain_decimal, read_column, readable

if TYPE_CHECKING:
    import pyarrow as pa

MICROSECOND = timedelta(microseconds=1)


def is_objects(kind: "pa.DataType") -> bool:
    """Return whether this is the type of a column of objects with dates among them."""
    return bool(kind == _type())


def object_column(values: Iterable[Any]) -> "pa.Array":
    """Return Python objects as a column of texts, or of texts and timestamps.

    If some values are dates or timestamps, each cell has the text and, for these, also the
    timestamp: the type is that of `is_objects`. Missing values stay missing.
    """
    import pyarrow as pa

    try:  # in one go where all of them are texts or absent
        return read_column(pa.array(values, type=pa.large_string(), from_pandas=True))
    except Exception:  # noqa: BLE001 - whatever an object says; its message could hold the value
        pass
    values = list(values)
    if set(map(type, values)) <= {date, type(None)}:  # as many databases give them
        days = pa.array(values, pa.date32())
        arrays = [days.cast(pa.large_string()), days.cast(pa.timestamp("us"))]
        return pa.StructArray.from_arrays(arrays, fields=list(_type()))
    cells = [_cell(value) for value in values]  # the text and the moment of each
    texts = read_column(pa.array([text for text, _ in cells], pa.large_string()))
    if all(moment is None for _, moment in cells):
        return texts
    moments = pa.array([moment for _, moment in cells], pa.timestamp("us"))
    return pa.StructArray.from_arrays([texts, moments], fields=list(_type()))


def _type() -> "pa.DataType":
    import pyarrow as pa

    return pa.struct([("text", pa.large_string()), ("moment", pa.timestamp("us"))])


def _cell(value: Any) -> tuple[str | None, datetime | None]:
    """Return the text of a value, and its timestamp if it is a date; None for what it lacks.

    A value that cannot be shown becomes `UNREADABLE`.
    """
    try:
        value = _python(value)
        if value is None:
            return None, None
        if isinstance(value, date):
            if not isinstance(value, datetime):
                return value.isoformat(), datetime(value.year, value.month, value.day)
            # By its own clock: without its time zone, and in whole microseconds.
            day = (value.year, value.month, value.day)
            moment = datetime(*day, value.hour, value.minute, value.second, value.microsecond)
            return _drop_zeros(moment.isoformat(" ")), moment
        text = _text(value)
        text.encode()  # fails on half a character
    except Exception:  # noqa: BLE001 - whatever an object says; its message could hold the value
        return UNREADABLE, None
    return text, None


def _python(value: Any) -> Any:
    """Return a value with NumPy's dates as those of pandas; None for a missing value.

    Missing are None, NaN, and what pandas and NumPy use for a missing date or value.
    """
    if value is None or type(value).__name__ in ("NaTType", "NAType"):
        return None
    if isinstance(value, np.datetime64 | np.timedelta64):
        return None if np.isnat(value) else _from_numpy(value)
    if isinstance(value, Decimal):
        return None if value.is_nan() else value
    if isinstance(value, float | np.floating | complex | np.complexfloating):
        return None if value != value else value  # only NaN differs from itself
    return value


def _from_numpy(value: Any) -> date | timedelta:
    import pandas as pd

    return pd.Timestamp(value) if isinstance(value, np.datetime64) else pd.Timedelta(value)


def _text(value: Any) -> str:
    """Return an object's text; equal values of different types have the same text.

    So 1, 1.0 and Decimal("1.00") are all "1".
    """
    match value:
        # A subclass, such as an Enum of texts, may show itself otherwise.
        case str():
            return str.__str__(value)
        case bytes() | bytearray() | memoryview():
            text, _ = readable(bytes(value))
            return text
        case float() | np.floating() if _is_whole(value):
            return str(int(value))
        # If a column has one complex number, pandas makes all its numbers complex.
        case complex() | np.complexfloating() if not value.imag:
            return _text(float(value.real))
        case Decimal():
            return plain_decimal(value)
        case timedelta():  # in seconds
            return _text(value // MICROSECOND / 10**6)
        case time():
            return _drop_zeros(value.replace(tzinfo=None).isoformat())
    if type(value).__name__ == "Interval":
        return _interval_text(value)
    return str(value)


def _is_whole(number: float | np.floating[Any]) -> bool:
    """Return whether a float is a whole number, small enough that floats have all of them."""
    return abs(float(number)) < MAX_EXACT_WHOLE and number == int(number)


def _interval_text(interval: Any) -> str:
    """Return the text of a pandas interval, such as ``[0, 10)``."""
    # Each end is written as a cell is. A bracket says whether the end is inside.
    low, _ = _cell(interval.left)
    high, _ = _cell(interval.right)
    before = "[" if interval.closed_left else "("
    after = "]" if interval.closed_right else ")"
    return f"{before}{low}, {high}{after}"


def _drop_zeros(text: str) -> str:
    return text.rstrip("0") if "." in text else text
