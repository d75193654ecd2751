"""Synthetic rows as a pandas DataFrame with the declared types; answers as lines of a table.

=============== =========================================================================
whole numbers   ``int64``; ``Int64`` if values may be missing
numbers         ``float64``
yes or no       ``bool``; ``boolean`` if values may be missing
categories      ``category`` with all declared ones, in their order
dates           ``datetime64[s]``
=============== =========================================================================

A column with a cell for undeclared values holds texts, and ``(other)`` for that cell.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from synth.domain import MISSING_LABEL, Column, Domain, Moment
from synth.questions import ShownNumbers
from synth.rows import SyntheticTable
from synth.util import Floats, Rounding

if TYPE_CHECKING:
    import pandas as pd


def frame_of(rows: SyntheticTable) -> "pd.DataFrame":
    """Return the rows as a DataFrame.

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
    import pandas as pd

    columns = {c.name: _series(table.column(c.name), c) for c in domain.written_columns}
    return pd.DataFrame(columns, columns=list(domain.written))


def _series(values: Any, column: Column) -> Any:
    import pandas as pd

    found = values.to_pandas(integer_object_nulls=True)
    match column.dtype:
        case "category":
            cells = [
                one for one in column.cells if not (column.missing and one == MISSING_LABEL)
            ]
            kind = pd.CategoricalDtype(cells, ordered=column.extent is not None)
            return found.astype(kind)
        case kind if column.other_code is not None:
            return found.astype("str")
        case "bool" | "boolean" as kind:
            said = dict(zip(column.labels, (False, True), strict=True))
            return found.astype(object).map(said).astype(kind)
        case "datetime64[s]" as kind:
            assert isinstance(column.reading, Moment)
            pattern = column.reading.pattern
            return pd.to_datetime(found.astype(object), format=pattern).astype(kind)
        case kind:
            return found.astype(kind)


def number_lines(
    chosen: Sequence[str],
    labels: Sequence[str],
    numbers: tuple[Floats, Floats, Floats],
    *,
    shown: Callable[[float, int, Rounding], Any],
) -> list[tuple[Any, ...]]:
    """Return each label with its value and the ends of its interval, rounded outwards.

    Args:
        chosen: The chosen candidates of a choice, which has no numbers.
        labels: One per number; empty if there is one number.
        numbers: Values, lower and upper ends.
    """
    if chosen:
        return [(f"{i}", name, None, None) for i, name in enumerate(chosen, 1)]
    ends: tuple[Rounding, ...] = (round, math.floor, math.ceil)
    return [
        (label, *(shown(float(n[i]), i, end) for n, end in zip(numbers, ends, strict=True)))
        for i, label in enumerate(labels or ("",))
    ]


def texts_html(found: Iterable[tuple[str, ShownNumbers]]) -> str:
    import pandas as pd

    lines = [
        (question, label, text)
        for question, one in found
        for label, text in zip(one.labels or [""] * len(one.texts), one.texts, strict=True)
    ]
    return str(
        pd.DataFrame(lines, columns=["question", "label", "answer"]).to_html(index=False)
    )
