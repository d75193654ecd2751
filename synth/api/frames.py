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

A column with signs such as ``<5``, or with a cell for undeclared values, holds texts, and
``(other)`` for that cell.

If a frame was released, each column has the type of the frame's own column where the declared
values can be written in it. Only texts and numbers to which pandas gives a type unasked keep
the declared type.
"""

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from synth.domain import MISSING_LABEL, Column, Domain, Moment
from synth.errors import clean_message
from synth.rows import SyntheticTable

if TYPE_CHECKING:
    import pandas as pd

    from synth.domain import Span
    from synth.private.table import FrameTypes

# Rows that a notebook shows.
PREVIEW_ROWS = 5
# Stack levels from a warning up to the line that reads a property of a release.
WARNING_LEVELS = 5


def frame_of(rows: SyntheticTable, types: "FrameTypes | None" = None) -> "pd.DataFrame":
    """Return synthetic rows as a DataFrame with the declared types.

    Args:
        rows: The synthetic rows.
        types: The types of the released frame, which count before those declared if it is
            one of pandas; None for none. A warning names columns that cannot have them.

    >>> import pyarrow as pa
    >>> from synth.domain import Domain
    >>> from synth.rows.draw import decode
    >>> import numpy as np
    >>> rows = decode(Domain(sex=["f", "m"]), [np.array([0, 1, 1])])
    >>> frame_of(rows)["sex"].tolist()
    ['f', 'm', 'm']
    """
    frame = to_frame(rows.table, rows.domain)
    warn_of_misfits(set_types(frame, types))
    return frame


def set_types(frame: "pd.DataFrame", types: "FrameTypes | None") -> list[str]:
    """Give the columns of a DataFrame the types of the released one, in place.

    Args:
        frame: Synthetic rows, in the types of their declaration.
        types: The types of the released frame; if it was none of pandas, nothing changes.

    Returns:
        The names of columns that cannot have their type.
    """
    if types is None:
        return []
    from synth.api.typed_columns import to_pandas
    from synth.private.table import PANDAS

    if types.library != PANDAS:
        return []
    converted, misfits = _convert_columns(frame, types, to_pandas)
    for name, values in converted.items():
        frame[name] = values
    return misfits


def frame_like(rows: SyntheticTable, types: "FrameTypes | None") -> Any:
    """Return synthetic rows as a frame of the released frame's library and types.

    Args:
        rows: The synthetic rows.
        types: The types of the released frame; None if it was none. Then this is a DataFrame
            of pandas. A warning names columns that cannot have their type.
    """
    return convert_frame(to_frame(rows.table, rows.domain), types)


def convert_frame(frame: "pd.DataFrame", types: "FrameTypes | None") -> Any:
    """Return a DataFrame as a frame of the released frame's library and types.

    Args:
        frame: Synthetic rows, in the types of their declaration.
        types: The types of the released frame; None if it was none. Then the DataFrame stays
            as it is. A warning names columns that cannot have their type.
    """
    from synth.private.table import ARROW, PANDAS, POLARS

    if types is None or types.library == PANDAS:
        warn_of_misfits(set_types(frame, types))
        return frame
    if types.library == POLARS:
        return _polars_frame(frame, types)
    assert types.library == ARROW
    import pyarrow as pa

    from synth.api.typed_columns import to_arrow

    columns = {
        str(name): pa.array(values, from_pandas=True) for name, values in frame.items()
    }
    converted, misfits = _convert_columns(frame, types, to_arrow)
    warn_of_misfits(misfits)
    return pa.table(columns | converted)


def _polars_frame(frame: "pd.DataFrame", types: "FrameTypes") -> Any:
    """Return rows as a DataFrame of Polars, each column in its type in the released frame.

    Args:
        frame: The rows, in the types of their declaration.
        types: The types of the released frame.
    """
    import polars
    import pyarrow as pa

    from synth.api.typed_columns import MisfitError, to_arrow

    columns: dict[str, Any] = {
        str(name): polars.Series(str(name), pa.array(values, from_pandas=True))
        for name, values in frame.items()
    }

    def to_polars(values: "pd.Series", target: Any) -> Any:
        """Return a column as a Series of a type of Polars; MisfitError if it has none."""
        # Polars' lists of categories are those of the declaration.
        categories = [*getattr(values.dtype, "categories", ())]
        is_enum = target == polars.Enum
        if is_enum and not categories:
            raise MisfitError
        polars_type = polars.Enum(categories) if is_enum else target
        arrow_type = polars.Series([], dtype=polars_type).to_arrow().type
        array = to_arrow(values, arrow_type)
        return polars.Series(str(values.name), array).cast(polars_type)

    converted, misfits = _convert_columns(frame, types, to_polars)
    warn_of_misfits(misfits)
    return polars.DataFrame(columns | converted)


def _convert_columns(
    frame: "pd.DataFrame", types: "FrameTypes", convert: Callable[["pd.Series", Any], Any]
) -> tuple[dict[str, Any], list[str]]:
    """Return the columns in their types in the released frame, by name, and misfits.

    Args:
        frame: The rows, in the types of their declaration.
        types: The types of the released frame.
        convert: Returns a column in a type; MisfitError if not all values can be written.

    Returns:
        The converted columns; and the names of the ones that cannot have their type.
    """
    from synth.api.typed_columns import MisfitError

    converted: dict[str, Any] = {}
    misfits: list[str] = []
    for name, target in _targets(frame, types).items():
        try:
            converted[name] = convert(frame[name], target)
        except MisfitError:
            misfits.append(name)
    return converted, misfits


def _targets(frame: "pd.DataFrame", types: "FrameTypes") -> Mapping[str, Any]:
    """Return the types of the columns that the released frame had, too, by name."""
    return {str(name): types.types[str(name)] for name in frame if name in types.types}


def warn_of_misfits(names: list[str]) -> None:
    """Warn of columns whose declared values cannot be written in the type of their column."""
    if not names:
        return
    note = (
        "These columns come out in the type of their declaration, as not all of its values "
        f"can be written in the type of the released frame: {', '.join(map(repr, names))}."
    )
    warnings.warn(clean_message(note), UserWarning, stacklevel=WARNING_LEVELS)


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
        case kind if column.is_mixed:  # a sign or "(other)" is a text among the values
            return series.astype("str")
        case "bool" | "boolean" as kind:
            # The declared texts, such as "no" and "yes", become truth values.
            meanings = dict(zip(column.labels, (False, True), strict=True))
            return series.astype(object).map(meanings).astype(kind)
        case "timedelta64[s]" as kind:
            from synth.domain import Span

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
    from synth.domain import read_zone

    return moments.dt.tz_localize("UTC").dt.tz_convert(read_zone(reading.zone))


def _read_times(texts: Any, reading: "Moment | Span", kind: str) -> Any:
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
