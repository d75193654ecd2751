"""Synthetic rows as a DataFrame of pandas, with the types that their domain declares.

=============== =========================================================================
whole numbers   ``int64``; ``Int64`` where values may be missing
numbers         ``float64``
yes or no       ``bool``; ``boolean`` where values may be missing
categories      ``category``, with all that are declared, in their order
dates           ``datetime64[s]``
=============== =========================================================================

A column in which values outside have a cell of their own says ``(other)`` there, and is of texts.
"""

from typing import TYPE_CHECKING, Any

from synth.domain.column import MISSING_LABEL, Column
from synth.domain.domain import Domain
from synth.domain.listed import Boolean, Categorical
from synth.domain.reading import Decimal, Moment, Whole
from synth.rows.draw import SyntheticTable

if TYPE_CHECKING:
    import pandas as pd


def frame_of(rows: SyntheticTable) -> "pd.DataFrame":
    """The rows as a DataFrame.

    >>> import pyarrow as pa
    >>> from synth.domain.domain import Domain
    >>> from synth.rows.draw import decode
    >>> import numpy as np
    >>> rows = decode(Domain(sex=["f", "m"]), [np.array([0, 1, 1])])
    >>> frame_of(rows)["sex"].tolist()
    ['f', 'm', 'm']
    """
    return typed(rows.table, rows.domain)


def typed(table: Any, domain: Domain) -> "pd.DataFrame":
    """An Arrow table of rows as a DataFrame."""
    import pandas as pd

    columns = {c.name: _series(table.column(c.name), c) for c in domain.columns}
    return pd.DataFrame(columns, columns=list(domain.names))


def _series(values: Any, column: Column) -> Any:
    """One column, as a series of pandas."""
    if column.other_code is not None and not isinstance(column, Categorical):
        return values.to_pandas().astype("str")
    match column:
        case Categorical():
            return _categories(values, column)
        case Boolean():
            said = dict(zip(column.labels, (False, True), strict=True))
            found = values.to_pandas().astype(object).map(said)
            return found.astype("boolean" if column.missing else "bool")
    return _number(values, column)


def _categories(values: Any, column: Categorical) -> Any:
    import pandas as pd

    listed = [cell for cell in column.cells if not (column.missing and cell == MISSING_LABEL)]
    kind = pd.CategoricalDtype(listed, ordered=column.ordered)
    return values.to_pandas().astype(object).astype(kind)


def _number(values: Any, column: Column) -> Any:
    """A column that is cut into bins, as numbers or as dates."""
    import pandas as pd

    match column.reading:
        case Whole():
            found = values.to_pandas(integer_object_nulls=True)
            return found.astype("Int64" if column.missing else "int64")
        case Decimal():
            return values.to_pandas().astype("float64")
        case Moment() as moment:
            texts = values.to_pandas().astype(object)
            return pd.to_datetime(texts, format=moment.pattern.strip()).astype("datetime64[s]")
    return values.to_pandas()
