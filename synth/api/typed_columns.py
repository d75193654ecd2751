"""Columns of synthetic rows, in the types of the frame that was released.

A column has first the type that its declaration gives (`synth.api.frames`), and is converted
from there. The categories always come from the declaration: a frame may list others, from
its rows.

>>> import pandas as pd
>>> to_pandas(pd.Series([1, 2]), pd.Int8Dtype()).dtype
Int8Dtype()
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from synth.private.table import CategoriesType

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# Types that pandas gives to columns when nobody chose one; they say nothing.
UNASKED = ("object", "str", "int64", "float64")
# Texts of truth values, as columns of frames show them.
TRUTH = {"False": False, "True": True, "false": False, "true": True}


class MisfitError(Exception):
    """Values of a column cannot be written in a type."""


def to_pandas(values: "pd.Series", target: Any) -> "pd.Series":
    """Return a column of pandas in another type of pandas.

    Args:
        values: The column in the type of its declaration.
        target: The type; `CategoriesType` for categories. A type of `UNASKED` changes
            nothing.

    Raises:
        MisfitError: Some value cannot be written in that type.
    """
    if str(target) in UNASKED:
        return values
    try:
        if isinstance(target, CategoriesType):
            return _to_categories(values, target)
        converted = _converted(values, target)
    except Exception as error:  # libraries raise errors of many kinds
        raise MisfitError from error
    if converted.isna().sum() > values.isna().sum():
        raise MisfitError
    return converted


def to_arrow(values: "pd.Series", target: "pa.DataType") -> "pa.Array":
    """Return a column of pandas as an Arrow array of a type.

    Args:
        values: The column in the type of its declaration.
        target: The type of Arrow.

    Raises:
        MisfitError: Some value cannot be written in that type.
    """
    try:
        return _arrow_array(values, target)
    except Exception as error:  # libraries raise errors of many kinds
        raise MisfitError from error


def _converted(values: "pd.Series", target: Any) -> "pd.Series":
    """Return a column in a type of pandas; `_to_categories` does so for categories.

    If a value does not fit the type, libraries raise errors of many kinds, which the caller
    turns into a MisfitError.

    Args:
        values: The column in the type of its declaration.
        target: The type.
    """
    import pandas as pd

    if isinstance(target, pd.ArrowDtype):
        array = to_arrow(values, target.pyarrow_dtype)
        return pd.Series(pd.array(array, dtype=target), index=values.index)
    if isinstance(target, pd.IntervalDtype):
        return pd.Series(_intervals(values, target), index=values.index)
    if isinstance(target, pd.PeriodDtype):
        return _periods(values, target)
    if isinstance(target, pd.StringDtype):
        return _unwrap_categories(values).astype(target)
    if target.kind not in _CONVERTERS:
        raise MisfitError
    return _CONVERTERS[target.kind](values, target)


def _unwrap_categories(values: "pd.Series") -> "pd.Series":
    """Return a column of categories as one of their values, and any other unchanged."""
    if values.dtype != "category":
        return values
    return values.astype(values.cat.categories.dtype)


def _to_categories(values: "pd.Series", target: CategoriesType) -> "pd.Series":
    """Return a column as categories; only one of declared categories can become such.

    Args:
        values: The column in the type of its declaration.
        target: Says the type of the categories, and whether they have an order.

    Raises:
        MisfitError: The declaration lists no categories, or has no order for them.
    """
    import pandas as pd

    is_truth = values.dtype.kind == "b"
    if is_truth:
        texts = values.astype(object).map({False: "False", True: "True"})
        kind = pd.CategoricalDtype(["False", "True"], ordered=target.is_ordered)
        values = texts.astype(kind)
    if values.dtype != "category" or (target.is_ordered and not values.cat.ordered):
        raise MisfitError
    declared = values.cat.categories.to_series().reset_index(drop=True)
    if str(target.value_type) in ("object", "str"):
        categories = declared
    elif target.value_type.kind in "iuf":
        categories = pd.to_numeric(declared).astype(target.value_type)
    else:
        categories = _converted(declared, target.value_type)
    renamed = values.cat.rename_categories(pd.Index(categories))
    return renamed.cat.as_ordered() if target.is_ordered else renamed.cat.as_unordered()


def _whole_numbers(values: "pd.Series", target: Any) -> "pd.Series":
    """Return a column of whole numbers in a numeric type.

    Raises:
        MisfitError: A number is too large for the type, or the type of NumPy has no missing
            value and the declaration has one.
    """
    import pandas as pd

    numbers = pd.to_numeric(_unwrap_categories(values))
    # A declared missing value may be in no synthetic row: the declaration decides.
    if isinstance(target, np.dtype) and str(numbers.dtype) == "Int64":
        raise MisfitError
    limits = np.iinfo(getattr(target, "numpy_dtype", target))
    present = numbers.dropna()
    if (present < limits.min).any() or (present > limits.max).any():
        raise MisfitError
    return numbers.astype(target)


def _real_numbers(values: "pd.Series", target: Any) -> "pd.Series":
    """Return a column of numbers as real numbers of a type."""
    import pandas as pd

    return pd.to_numeric(_unwrap_categories(values)).astype(target)


def _durations(values: "pd.Series", target: Any) -> "pd.Series":
    """Return a column of seconds as durations of a type."""
    import pandas as pd

    return pd.to_timedelta(pd.to_numeric(_unwrap_categories(values)), unit="s").astype(target)


def _truth_values(values: "pd.Series", target: Any) -> "pd.Series":
    """Return a column of truth values in a type for such values.

    Raises:
        MisfitError: The type of NumPy has no missing value, and the declaration has one.
    """
    # A declared missing value may be in no synthetic row: the declaration decides.
    if isinstance(target, np.dtype) and str(values.dtype) == "boolean":
        raise MisfitError
    return _truths(values).astype(target)


def _truths(values: "pd.Series") -> "pd.Series":
    """Return a column of truth values, read from texts such as "true" (`TRUTH`).

    A column that has the type bool already is returned as it is.
    """
    is_bool = values.dtype.kind == "b"
    if is_bool:
        return values
    return values.astype(object).map(TRUTH, na_action="ignore")


def _moments(values: "pd.Series", target: Any) -> "pd.Series":
    """Return dates in the unit and the time zone of a type.

    A declared date is one of the clock in that zone. A time that the zone skips, as summer
    time begins, becomes the next one that it has; of one that it has twice, the later.
    """
    import pandas as pd

    moments = pd.to_datetime(_unwrap_categories(values))
    zone = getattr(target, "tz", None)
    if moments.dt.tz is not None:  # declared with offsets from UTC
        moments = moments.dt.tz_convert(zone) if zone else moments.dt.tz_localize(None)
    elif zone is not None:
        is_later = np.zeros(len(moments), bool)
        moments = moments.dt.tz_localize(
            zone, ambiguous=is_later, nonexistent="shift_forward"
        )
    unit: Any = getattr(target, "unit", None) or np.datetime_data(target)[0]
    return moments.dt.as_unit(unit)


# The function that converts a column, by the kind of type that NumPy names.
_CONVERTERS = {
    "M": _moments,
    "m": _durations,
    "b": _truth_values,
    "i": _whole_numbers,
    "u": _whole_numbers,
    "f": _real_numbers,
}


def _periods(values: "pd.Series", target: Any) -> "pd.Series":
    """Return dates, or texts of periods, as periods of a type."""
    import pandas as pd

    if values.dtype.kind == "M":
        periods: pd.Series = values.dt.to_period(target.freq)
        return periods
    texts = _unwrap_categories(values).astype(object)
    return pd.Series(pd.PeriodIndex(texts, freq=target.freq), index=values.index)


def _intervals(values: "pd.Series", target: Any) -> "pd.arrays.IntervalArray":
    """Return texts such as ``[0, 18)`` as intervals of a type."""
    import pandas as pd

    texts = _unwrap_categories(values).astype(object)
    intervals: list[Any] = [
        np.nan if pd.isna(text) else _interval(text, target) for text in texts
    ]
    array: pd.arrays.IntervalArray = pd.arrays.IntervalArray(intervals).astype(target)
    return array


def _interval(text: str, target: Any) -> "pd.Interval":
    """Return the interval of a text such as ``[0, 18)``; its ends are of the type's kind."""
    import pandas as pd

    low, high = text[1:-1].split(", ")
    closed_sides: dict[str, Any] = {
        "[]": "both",
        "[)": "left",
        "(]": "right",
        "()": "neither",
    }
    ends = pd.Series([low, high])
    is_number = target.subtype.kind in "iuf"
    left, right = pd.to_numeric(ends) if is_number else pd.to_datetime(ends)
    return pd.Interval(left, right, closed=closed_sides[text[0] + text[-1]])


def _arrow_array(values: "pd.Series", target: "pa.DataType") -> "pa.Array":
    """Return a column of pandas as an Arrow array of a type.

    Libraries raise errors of many kinds if that does not go.

    Args:
        values: The column in the type of its declaration.
        target: The type of Arrow.
    """
    import pyarrow as pa
    from pyarrow import types

    if types.is_dictionary(target):
        return _dictionary(values, target)
    if types.is_boolean(target):
        return pa.array(_truths(values), target, from_pandas=True)
    plain = _unwrap_categories(values)
    if types.is_decimal(target):
        texts = plain.astype(object).map(
            lambda number: f"{number:.{target.scale}f}", na_action="ignore"
        )
        return pa.array(texts, pa.string(), from_pandas=True).cast(target)
    if types.is_duration(target) or types.is_timestamp(target):
        return pa.array(_timed(plain, target), from_pandas=True).cast(target)
    array = pa.array(plain, from_pandas=True)
    if types.is_binary(target) or types.is_large_binary(target):
        array = array.cast(pa.large_string())
    return array.cast(target)


def _timed(values: "pd.Series", target: "pa.DataType") -> "pd.Series":
    """Return durations or moments as a column of pandas, in microseconds or finer."""
    import pandas as pd
    from pyarrow import types

    if types.is_duration(target):
        return _converted(values, np.dtype("timedelta64[us]"))
    if target.tz is None:
        return _moments(values, np.dtype(f"datetime64[{target.unit}]"))
    return _moments(values, pd.DatetimeTZDtype(target.unit, target.tz))


def _dictionary(values: "pd.Series", target: "pa.DataType") -> "pa.Array":
    """Return declared categories as a dictionary column; MisfitError if none are declared.

    Args:
        values: The column in the type of its declaration.
        target: The type of the dictionary.
    """
    import pandas as pd
    import pyarrow as pa

    if values.dtype.kind == "b":
        kind = pd.CategoricalDtype(["false", "true"])
        values = values.astype(object).map({False: "false", True: "true"}).astype(kind)
    if values.dtype != "category":
        raise MisfitError
    places = values.cat.codes.to_numpy()  # -1 of a missing value
    codes = pa.array(places, mask=places < 0).cast(target.index_type)
    listed = values.cat.categories.to_series().reset_index(drop=True)
    categories = _arrow_array(listed, target.value_type)
    return pa.DictionaryArray.from_arrays(codes, categories, ordered=target.ordered)
