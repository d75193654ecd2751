"""The values of a column in a format. PUBLIC."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from synth.bundle.exports.columns import HeldColumn, Storage
from synth.domain import EPOCH, OTHER_LABEL, Moment
from synth.util import Floats

Held = npt.NDArray[np.generic]


def cells_of(values: pa.Array, variable: HeldColumn) -> Held:
    """Return a column's piece, shape (rows,): floats, NaN if missing, or texts.

    ``values`` are as in `SyntheticTable.pieces`.
    """
    match variable.storage:
        case Storage.CODE:
            found = _take_numbers(values.indices, np.array(variable.codes))
        case Storage.NUMBER:
            found = _numbers(values, variable)
        case Storage.DATE:
            found = _dates(values, variable)
        case _:
            texts: Held = values.cast(pa.string()).to_numpy(zero_copy_only=False)
            return texts
    if variable.missing is not None:
        found[np.isnan(found)] = variable.missing
    return found


def _take_numbers(places: pa.Array, found: Floats) -> Floats:
    known = np.append(found, np.nan)
    return np.asarray(known[pc.fill_null(places, len(found)).to_numpy(zero_copy_only=False)])


def _numbers(values: pa.Array, variable: HeldColumn) -> Floats:
    if not pa.types.is_string(values.type):
        return _floats(values)
    is_other = pc.equal(values, OTHER_LABEL)
    found = _floats(pc.if_else(is_other, None, values).cast(pa.float64()))
    if variable.other is not None:
        found = found.astype(object) if isinstance(variable.other, str) else found
        found[pc.fill_null(is_other, False).to_numpy(zero_copy_only=False)] = variable.other
    return found


def _floats(values: pa.Array) -> Floats:
    found = pc.fill_null(values.cast(pa.float64(), safe=False), np.nan)
    return np.array(found.to_numpy(zero_copy_only=False))


def _dates(values: pa.Array, variable: HeldColumn) -> Floats:
    moment = variable.column.reading
    assert isinstance(moment, Moment)
    listed = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    gap = (EPOCH - variable.epoch).total_seconds()
    read = np.array(
        [moment.read(text) for text in listed.dictionary.to_pylist()], dtype=float
    )
    seconds = read * moment.seconds + gap
    return _take_numbers(listed.indices, seconds / variable.unit)


def pieces_of(table: pa.Table) -> Iterator[pa.Array]:
    for column in table.columns:
        yield column.combine_chunks()
