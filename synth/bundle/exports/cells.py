"""The values of a column in a format. PUBLIC."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from synth.bundle.exports.columns import HeldColumn, Storage
from synth.domain import EPOCH, OTHER_LABEL, Moment
from synth.util import Floats

# Numbers with NaN for a missing value, or texts with None.
CellValues = npt.NDArray[np.generic]


def cells_of(values: pa.Array, variable: HeldColumn) -> CellValues:
    """Return a column's piece, shape (rows,): floats, NaN if missing, or texts.

    Args:
        values: Cells as in `SyntheticTable.pieces`.
        variable: How the format holds the column.
    """
    match variable.storage:
        case Storage.CODE:
            cells = _take_numbers(values.indices, np.array(variable.codes))
        case Storage.NUMBER:
            cells = _numbers(values, variable)
        case Storage.DATE:
            cells = _dates(values, variable)
        case _:
            texts: CellValues = values.cast(pa.string()).to_numpy(zero_copy_only=False)
            return texts
    if variable.missing is not None:
        cells[np.isnan(cells)] = variable.missing
    return cells


def _take_numbers(places: pa.Array, numbers: Floats) -> Floats:
    """Return the numbers at these places, NaN for a missing place."""
    with_missing = np.append(numbers, np.nan)
    filled = pc.fill_null(places, len(numbers)).to_numpy(zero_copy_only=False)
    return np.asarray(with_missing[filled])


def _numbers(values: pa.Array, variable: HeldColumn) -> Floats:
    """Return numbers; values outside become the code that the format has for them."""
    if not pa.types.is_string(values.type):
        return _floats(values)
    is_other = pc.equal(values, OTHER_LABEL)
    cells = _floats(pc.if_else(is_other, None, values).cast(pa.float64()))
    if variable.other is not None:
        if isinstance(variable.other, str):
            cells = cells.astype(object)
        is_other_array = pc.fill_null(is_other, False).to_numpy(zero_copy_only=False)
        cells[is_other_array] = variable.other
    return cells


def _floats(values: pa.Array) -> Floats:
    """Return floats, NaN if missing, in an array that may be changed."""
    filled = pc.fill_null(values.cast(pa.float64(), safe=False), np.nan)
    return np.array(filled.to_numpy(zero_copy_only=False))


def _dates(values: pa.Array, variable: HeldColumn) -> Floats:
    """Return dates in the format's unit since its zero; each label is read once."""
    moment = variable.column.reading
    assert isinstance(moment, Moment)
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    steps = np.array(
        [moment.read(text) for text in values.dictionary.to_pylist()], dtype=float
    )
    gap = (EPOCH - variable.epoch).total_seconds()
    seconds = steps * moment.seconds + gap
    return _take_numbers(values.indices, seconds / variable.unit)


def pieces_of(table: pa.Table) -> Iterator[pa.Array]:
    """Yield the columns of a piece of rows, each as one array."""
    for column in table.columns:
        yield column.combine_chunks()
