"""From codes to values: what a synthetic row says in each column.

Categories are written as declared; numbers, integers and dates are uniform within their bin.
Arrow arrays are made from buffers here, because `pyarrow.array` would import pandas, which
takes as long as everything else.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from synth.cells import Codes
from synth.domain import OTHER_LABEL, Binned, Column, Date, Domain, Integer, Number

Mask = npt.NDArray[np.bool_]


def decode_columns(domain: Domain, codes: Sequence[Codes], rng: np.random.Generator) -> pa.Table:
    """Rows of values from rows of codes, one array of codes a column."""
    pairs = zip(domain.columns, codes, strict=True)
    return pa.table([_values(column, code, rng) for column, code in pairs], list(domain.names))


def numbers(values: npt.NDArray[Any], missing: Mask | None = None) -> pa.Array:
    """Numbers as an Arrow array, null where the mask is set."""
    values = np.ascontiguousarray(values)
    valid = None if missing is None else _bits(~missing)
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(values)])


def texts(labels: Sequence[str]) -> pa.Array:
    """Texts as an Arrow array."""
    encoded = [label.encode() for label in labels]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    content = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), content)


def spelled(labels: Sequence[str] | pa.Array, codes: Codes, missing: Mask | None) -> pa.Array:
    """Texts by their position in a list, null where the mask is set."""
    listing = labels if isinstance(labels, pa.Array) else texts(labels)
    return pa.DictionaryArray.from_arrays(numbers(codes, missing), listing, safe=False)


def _values(column: Column, codes: Codes, rng: np.random.Generator) -> pa.Array:
    missing = codes == column.missing_code if column.missing else None
    if not isinstance(column, Binned):
        return spelled(column.cells, codes, missing)
    values = _within(column, np.where(codes < len(column.pieces), codes, 0), missing, rng)
    if column.other_code is None:
        return values
    other = pa.Array.from_buffers(pa.bool_(), len(codes), [None, _bits(codes == column.other_code)])
    return pc.if_else(other, texts([OTHER_LABEL])[0], values.cast(pa.string()))


def _within(
    column: Binned, codes: Codes, missing: Mask | None, rng: np.random.Generator
) -> pa.Array:
    """Values uniform within the bins of the codes; missing where the mask is set."""
    match column:
        case Integer():
            return numbers(_uniform(column.spans, codes, rng), missing)
        case Date():
            return _dates(column, _uniform(column.spans, codes, rng), missing)
        case Number():
            ticks = _uniform(column.ticks, codes, rng)
            return numbers(ticks / 10**column.places if column.places else ticks, missing)
    raise TypeError(column.kind)


def _uniform(
    spans: Sequence[tuple[int, int]], codes: Codes, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Whole numbers between the first and the last of the codes' cells, both included."""
    first, last = np.asarray(spans).T
    drawn: npt.NDArray[np.int64] = rng.integers(first[codes], last[codes], endpoint=True)
    return drawn


def _dates(column: Date, units: npt.NDArray[np.int64], missing: Mask | None) -> pa.Array:
    """Days or seconds since 1970 in the column's format; each different one is written once."""
    first, end = column.spans[0][0], column.spans[-1][1] + 1
    few = end - first < len(units)
    seen = np.arange(first, end) if few else units
    moments = numbers(seen * column.seconds, None if few else missing)
    shown = pc.strftime(moments.cast(pa.timestamp("s")), format=column.pattern)
    return spelled(shown, (units - first).astype(np.int32), missing) if few else shown


def _bits(mask: Mask) -> pa.Buffer:
    return pa.py_buffer(np.packbits(mask, bitorder="little"))
