"""Synthetic rows as a pandas DataFrame with the declared types.

=============== =========================================================================
whole numbers   ``int64``; ``Int64`` if values may be missing
numbers         ``float64``
yes or no       ``bool``; ``boolean`` if values may be missing
categories      ``category`` with all declared ones, in their order
dates           ``datetime64[s]``; with offsets a time zone, too
times of day    texts
durations       ``timedelta64[s]``
=============== =========================================================================

A column with a cell for undeclared values holds texts, and ``(other)`` for that cell.
"""

from typing import TYPE_CHECKING, Any

from synth.domain import MISSING_LABEL, Column, Domain, Moment, Span, read_zone
from synth.rows import SyntheticTable

if TYPE_CHECKING:
    import pandas as pd


def frame_of(rows: SyntheticTable) -> "pd.DataFrame":
    """Return synthetic rows as a DataFrame with the declared types.

    >>> import pyarrow as pa
    >>> from synth.domain import Domain
    >>> from synth.rows.draw import decode
    >>> import numpy as np
    >>> rows = decode(Domain(sex=["f", "m"]), [np.array([0, 1, 1])])
    >>> frame_of(rows)["sex"].tolist()
    ['f', 'm', 'm']
    """
    return to_frame(rows.table, rows.domain)


def to_frame(table: Any, domain: Domain) -> "pd.DataFrame":
    """Return an Arrow table as a DataFrame with the declared types, columns in their order.

    Args:
        table: Rows as Synth writes them, such as dates as texts.
        domain: Declares the columns, including derived ones and identifiers.
    """
    import pandas as pd

    columns = {c.name: _series(table.column(c.name), c) for c in domain.written_columns}
    return pd.DataFrame(columns, columns=list(domain.written))


def _series(values: Any, column: Column) -> Any:
    """Return a column's values as a pandas Series of the column's declared type.

    Args:
        values: An Arrow column as Synth writes it: dates and categories are texts.
        column: Declares the type (``dtype``) and the texts.
    """
    import pandas as pd

    # Whole numbers with missing values stay exact as objects, and not as floats.
    series = values.to_pandas(integer_object_nulls=True)
    match column.dtype:
        case "category":
            cells = list(column.cells)
            if column.missing:
                cells = [cell for cell in cells if cell != MISSING_LABEL]
            kind = pd.CategoricalDtype(cells, ordered=column.extent is not None)
            return series.astype(kind)
        case kind if column.other_code is not None:  # "(other)" is a text among the values
            return series.astype("str")
        case "bool" | "boolean" as kind:
            # From the declared texts, such as "no" and "yes".
            meanings = dict(zip(column.labels, (False, True), strict=True))
            return series.astype(object).map(meanings).astype(kind)
        case "timedelta64[s]" as kind:
            reading = column.reading
            assert isinstance(reading, Span)
            return _read_times(series.astype(object), reading, kind)
        case "datetime64[s]" as kind:
            assert isinstance(column.reading, Moment)
            return _moments(series.astype(object), column.reading, kind)
        case kind:  # whole and real numbers
            return series.astype(kind)


def _moments(texts: Any, reading: Moment, kind: str) -> Any:
    """Return dates as a pandas Series, with a time zone if the texts have offsets.

    Args:
        texts: The texts as a Series of objects, None where one is missing.
        reading: How they are read.
        kind: The type of the result, before it gets a zone.
    """
    import pandas as pd

    if reading.is_usual:
        return pd.to_datetime(texts, format=reading.pattern).astype(kind)
    moments = _read_times(texts, reading, kind)
    if not reading.has_offsets:
        return moments
    return moments.dt.tz_localize("UTC").dt.tz_convert(read_zone(reading.zone))


def _read_times(texts: Any, reading: Moment | Span, kind: str) -> Any:
    """Return dates or durations as a pandas Series, each different text read once.

    Args:
        texts: The texts as a Series of objects, None where one is missing.
        reading: How they are read.
        kind: The type of the result, in seconds.
    """
    import numpy as np
    import pandas as pd

    distinct = texts.dropna().unique()
    seconds = {text: reading.read(text) * reading.seconds for text in distinct}
    missing = np.iinfo(np.int64).min  # NumPy's number of a missing moment
    numbers = np.array([seconds.get(text, missing) for text in texts], dtype=np.int64)
    return pd.Series(numbers.view(kind), index=texts.index, name=texts.name)
